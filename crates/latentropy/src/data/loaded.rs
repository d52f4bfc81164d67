//! What is asked of a reader of data files, and what it gives back.

use super::dataset::Dataset;
use crate::remark::Remark;

/// What to read of a data file.
///
/// For an example see [`read_dataset`](super::read_dataset).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Which columns to read; all of them if `None`.
    ///
    /// Each entry is a column's name, an inclusive range `first..last` in the order of the file, or
    /// one of these after `!` to leave it out; an entry that is a column's whole name is that column,
    /// whatever signs it holds. The entries make a set: their order and repetition do not matter,
    /// what is left out stays out, and the columns come in the order of the file. If every entry
    /// leaves something out, the rest is read. Cells of other columns are never looked at.
    pub columns: Option<Vec<String>>,
}

/// A data set, and what its reader found remarkable but not wrong.
///
/// For an example see [`read_dataset`](super::read_dataset).
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The data.
    pub dataset: Dataset,
    /// Constant columns, columns and rows without a known cell, skipped blank lines.
    pub remarks: Vec<Remark>,
}
