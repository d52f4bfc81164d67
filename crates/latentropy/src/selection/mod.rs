//! Selection: many restarts, every candidate kept and certified, one chosen by a stated principle.

mod boundary;
mod candidate;
mod certificate;
mod choice;
mod cluster;
mod cross_validation;
mod evidence;
mod folds;
mod principle;
mod restarts;
mod uncertainty;

pub use boundary::{BoundaryTerm, Cause, Evidence, PatternUnit, boundary_causes};
pub use candidate::Candidate;
pub use certificate::{Certificate, CertificateKind};
pub use choice::{
    RidgeChoice, RidgeScore, SizeChoice, SizeScore, Standing, choose_hidden, choose_ridge,
};
pub use cross_validation::{CrossValidation, HeldOut, held_out};
pub use evidence::{EvidenceChoice, EvidenceRound, USUAL_RIDGE, ridge_by_evidence};
pub use folds::folds;
pub use principle::Principle;
pub use restarts::{Fit, FitSettings, Observer, Silent, fit};
pub use uncertainty::{
    Bootstrap, BootstrapKind, BootstrapSettings, Spread, Spreads, StandardErrors, bootstrap,
};
