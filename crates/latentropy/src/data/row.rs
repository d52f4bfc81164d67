//! One distinct row of a data set.

use super::bits::Bits;
use super::cell::Cell;
use serde::{Deserialize, Serialize};

/// One distinct row: which cells are one and which are missing (a missing cell is never marked as one).
///
/// ```
/// use latentropy::Dataset;
/// use latentropy::data::{Cell, Row};
/// let data = Dataset::from_rows(&[[0, 1], [0, 1], [1, -1]])?;
/// let rows: &[Row] = data.rows();
/// assert_eq!((rows.len(), data.counts()), (2, &[2, 1][..]));
/// assert_eq!(rows[1].cell(1), Cell::Missing);
/// # Ok::<(), latentropy::Error>(())
/// ```
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
