//! Selection: candidates, what kind of point each is, which are one solution, and the principle that chooses.

mod candidate;
mod certificate;
mod cluster;
mod hidden_units;
mod principle;
mod standard_errors;

pub use candidate::Candidate;
pub use certificate::CertificateKind;
pub(crate) use cluster::{Solutions, cluster};
pub(crate) use hidden_units::look_at_hidden_units;
pub use principle::Principle;
pub(crate) use principle::remarks_on;

// What the face does not need to name: types of fields, and what engines and learners are made of.
#[cfg(not(feature = "internals"))]
pub(crate) use self::{
    certificate::Certificate,
    hidden_units::{HiddenUnit, HiddenUnits},
    principle::Selected,
    standard_errors::StandardErrors,
};
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use self::{
    certificate::Certificate,
    hidden_units::{HiddenUnit, HiddenUnits},
    principle::Selected,
    standard_errors::StandardErrors,
};
