//! Selection: candidates, what kind of point each is, which are one solution, and the principle that chooses.

mod candidate;
mod certificate;
mod cluster;
mod principle;
mod standard_errors;

pub use candidate::Candidate;
pub use certificate::{Certificate, CertificateKind};
pub(crate) use cluster::cluster;
pub use principle::{Principle, Selected};
pub use standard_errors::StandardErrors;
