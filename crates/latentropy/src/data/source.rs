//! What every kind of data file gives its reader: named columns, and rows that can be gone through more than once.

use super::cell::Cell;
use crate::error::Result;
use crate::message::Message;
use crate::remark::Remark;
use std::borrow::Cow;

/// One row of a data file.
pub(super) trait Line {
    /// Where it is, for a message: `line 3`.
    fn place(&self) -> String;

    /// What a cell says by the usual spellings.
    fn cell(&self, column: usize) -> Option<Cell>;

    /// A cell as it is written.
    fn text(&self, column: usize) -> Cow<'_, str>;
}

/// A data file whose layout is known.
pub(super) trait Source {
    /// The names of all columns.
    fn names(&self) -> &[String];

    /// True if the names came with the data.
    fn has_header(&self) -> bool;

    /// True if the first column has no name of its own.
    fn is_first_unnamed(&self) -> bool {
        false
    }

    /// Whether its first column may hold the names of the rows.
    fn may_name_rows(&self) -> bool {
        true
    }

    /// What comes before a row's place in messages, such as the name of an array.
    fn prefix(&self) -> String {
        String::new()
    }

    /// Shows the rows to `see` until it answers false; returns what is remarkable about the file itself.
    fn each(&self, see: &mut dyn FnMut(&dyn Line) -> Result<bool>) -> Result<Vec<Remark>>;

    /// What can be done about a single cell that cannot be read; `usual` is the remedy for text.
    fn slip_remedy(&self, usual: Message, is_first_row: bool) -> Message;
}
