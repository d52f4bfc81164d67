//! The record: what a fit writes down, printed as one document, written as files, read by reports.
//!
//! [`FitDocument`] is `fit --json`, [`RunRecord`] is run.json, [`ModelDocument`] is model.json, [`CandidateRecord`] is a
//! line of candidates.csv. Their JSON schemas are made from these types.

mod documents;
mod making;

pub use documents::FitDocument;
#[cfg(feature = "schema")]
pub use documents::schemas;

// What the programs beside this library need and a user does not; no part of its face.
#[doc(hidden)]
pub use self::documents::{
    CandidateRecord, CandidateWeights, LookRecord, ModelDocument, RunContext, RunRecord,
    SettingsRecord,
};
