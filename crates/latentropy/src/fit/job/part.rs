//! Parts: results of some pieces with where they come from, so that a part of another job is refused by name.

use super::{Job, processor};
use crate::error::{Error, Result};
use crate::fit::bytes::{VERSION, from_bytes, to_bytes};
use crate::fit::pieces::FoldScores;
use crate::fit::uncertainty::Refit;
use crate::learning::Outcome;
use serde::{Deserialize, Serialize};

/// The results of some pieces of a job; it belongs to the job that it was made of.
///
/// For an example see [`Job`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    /// What it was made of, by whom, and on what.
    pub origin: Origin,
    /// What was done.
    pub done: Done,
}

/// What a part was made of, by which version, on which kind of processor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The program's version.
    pub version: String,
    /// The data's fingerprint.
    pub data: u64,
    /// The request's digest.
    pub request: u64,
    /// The kind of processor.
    pub processor: String,
}

/// Results of one kind of pieces, each with its number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Done {
    /// Folds of the comparison.
    Folds(Vec<FoldScores>),
    /// Restarts.
    Restarts(Vec<(usize, Outcome)>),
    /// Refits of the bootstrap.
    Refits(Vec<Refit>),
}

/// The first bytes of a part: what it is, and the version of its layout.
const PART: &[u8] = b"latentropy-part/2\n";

impl Part {
    /// In a compact binary form with a version.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        to_bytes(PART, self)
    }

    /// From that form.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        from_bytes(PART, "a part of a fit", bytes)
    }
}

impl Job {
    /// What its parts say of where they come from.
    pub fn origin(&self) -> &Origin {
        self.origin.get_or_init(|| Origin {
            version: VERSION.to_string(),
            data: self.data.fingerprint(),
            request: self.request.digest(),
            processor: processor::kind(),
        })
    }

    pub(super) fn part(&self, done: Done) -> Part {
        Part {
            origin: self.origin().clone(),
            done,
        }
    }

    /// Refuses a part of another job; the kind of processor is left to whoever puts parts together.
    pub(super) fn check(&self, part: &Part) -> Result<()> {
        let (own, other) = (self.origin(), &part.origin);
        let difference = match () {
            () if other.version != own.version => format!(
                "it was made by version {} of latentropy, and this is {}",
                other.version, own.version
            ),
            () if other.data != own.data => "it was learned from other data".to_string(),
            () if other.request != own.request => "it was made with other settings".to_string(),
            () => return Ok(()),
        };
        Err(Error::invalid(format!(
            "a part belongs to another job: {difference}"
        )))
    }
}
