//! The record: what a fit writes down, printed as one document, written as files, read by reports.
//!
//! [`FitDocument`] is `fit --json`, [`RunRecord`] is run.json, [`ModelDocument`] is model.json, [`CandidateRecord`] is a
//! line of candidates.csv. Their JSON schemas are made from these types.

mod documents;

#[cfg(feature = "schema")]
pub use documents::schemas;
pub use documents::{
    CandidateRecord, FitDocument, ModelDocument, RunContext, RunRecord, SettingsRecord,
};
