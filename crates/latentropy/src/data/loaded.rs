//! What is asked of a reader of data files, and what it gives back.

use super::coding::Coding;
use super::dataset::Dataset;
use super::recode::Recode;
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
    /// Words for 0, 1 and missing besides the usual spellings; what is said of some columns comes after what is said of
    /// all, and the last meaning of a word counts.
    pub recode: Vec<Recode>,
    /// A column that names the rows; it is no data.
    pub id: Option<String>,
    /// A column that says what each row weighs; it is no data.
    pub weights: Option<String>,
    /// What becomes of columns of two other words, such as 1 and 2.
    pub words: Words,
}

impl ReadOptions {
    /// Names that columns are expected to have: a first line that holds one of them is a header.
    pub(super) fn named_columns(&self) -> Vec<&str> {
        let units = match &self.words {
            Words::OfModel { units, .. } => &units[..],
            Words::Recognise => &[],
        };
        let chosen = self.columns.iter().flatten();
        let chosen = chosen.map(|entry| entry.trim_start_matches('!'));
        let beside = self.id.iter().chain(&self.weights).chain(units);
        beside.map(String::as_str).chain(chosen).collect()
    }
}

/// What becomes of columns whose cells are not the usual spellings of 0 and 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Words {
    /// A column of two values is recognised, and remarked on.
    #[default]
    Recognise,
    /// The columns are read as those of a model were; nothing else is recognised.
    OfModel {
        /// The names of its visible units: columns without names of their own are matched by position.
        units: Vec<String>,
        /// Their codings.
        codings: Vec<Coding>,
    },
}

/// The names of the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowNames {
    /// The column they come from.
    pub column: String,
    /// One name per row.
    pub names: Vec<String>,
}

/// A data set, and what its reader found remarkable but not wrong.
///
/// For an example see [`read_dataset`](super::read_dataset).
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The data.
    pub dataset: Dataset,
    /// Columns that were read by words of their own, constant columns, columns and rows without a known cell, skipped
    /// blank lines.
    pub remarks: Vec<Remark>,
    /// The columns whose cells were not the usual spellings, with what their words mean.
    pub codings: Vec<Coding>,
    /// The rows' names, where a column holds them.
    pub row_names: Option<RowNames>,
}
