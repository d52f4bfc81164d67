//! One distinct row of a data set.

use super::bits::Bits;
use super::cell::Cell;
use serde::{Deserialize, Serialize};

/// One distinct row: which cells are one and which are missing (a missing cell is never marked as one).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Row {
    /// Cells known to be one.
    pub ones: Bits,
    /// Cells that are not known.
    pub missing: Bits,
}

impl Row {
    /// The cell in column `column`.
    #[inline]
    pub fn cell(&self, column: usize) -> Cell {
        if self.missing.get(column) {
            Cell::Missing
        } else if self.ones.get(column) {
            Cell::One
        } else {
            Cell::Zero
        }
    }
}
