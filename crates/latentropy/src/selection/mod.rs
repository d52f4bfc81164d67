//! Selection: many restarts, every candidate kept and certified, one chosen by a stated principle.

mod candidate;
mod certificate;
mod cluster;
mod principle;
mod restarts;

pub use candidate::Candidate;
pub use certificate::{Certificate, CertificateKind};
pub use principle::Principle;
pub use restarts::{Fit, FitSettings, Observer, Silent, fit};
