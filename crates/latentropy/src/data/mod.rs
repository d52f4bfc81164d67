//! Rows of binary data: distinct rows with counts, each with a mask of missing cells, and the readers that make them.

mod bits;
mod builder;
mod cell;
mod columns;
mod moments;
mod numpy;
mod read;
mod survey;
mod text;
mod warnings;

pub use bits::Bits;
pub use cell::Cell;
pub use moments::Frequency;
pub use read::{Loaded, ReadOptions, read_dataset, read_dataset_bytes};

use crate::error::{Error, Result};
use builder::Builder;

/// One distinct row: which cells are one and which are missing (a missing cell is never marked as one).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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

/// A binary data set: named columns, distinct rows with counts, and which distinct row each original row is.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    columns: Vec<String>,
    has_header: bool,
    rows: Vec<Row>,
    counts: Vec<u64>,
    distinct_of: Vec<u32>,
}

impl Dataset {
    /// Gathers rows of cells into distinct rows, in order of first appearance.
    ///
    /// `has_header` tells whether the column names came with the data (matched to units by name)
    /// or were made up (matched by position).
    pub fn from_cells(
        columns: Vec<String>,
        has_header: bool,
        cells: impl IntoIterator<Item = Vec<Cell>>,
    ) -> Result<Self> {
        let width = columns.len();
        let mut builder = Builder::new(columns, has_header);
        for (at, line) in cells.into_iter().enumerate() {
            if line.len() != width {
                return Err(Error::Invalid(format!(
                    "row {} has {} cells where {} columns are named",
                    at + 1,
                    line.len(),
                    width
                )));
            }
            for (column, cell) in line.into_iter().enumerate() {
                builder.set(column, cell);
            }
            builder.end_row();
        }
        Ok(builder.finish())
    }

    /// Column names, in order.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// True if the names came with the data.
    pub fn has_header(&self) -> bool {
        self.has_header
    }

    /// The distinct rows, in order of first appearance.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// How often each distinct row occurs.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// For each original row, the index of its distinct row.
    pub fn distinct_of(&self) -> &[u32] {
        &self.distinct_of
    }

    /// How many original rows there are.
    pub fn len(&self) -> usize {
        self.distinct_of.len()
    }

    /// True if there is no row.
    pub fn is_empty(&self) -> bool {
        self.distinct_of.is_empty()
    }

    /// How many cells are missing, over all original rows.
    pub fn missing_cells(&self) -> u64 {
        self.rows
            .iter()
            .zip(&self.counts)
            .map(|(row, &count)| row.missing.count() as u64 * count)
            .sum()
    }

    /// The cell of original row `row` in column `column`.
    pub fn cell(&self, row: usize, column: usize) -> Cell {
        self.rows[self.distinct_of[row] as usize].cell(column)
    }

    /// The same rows with the columns put in the order `order` (indices of present columns; others are dropped).
    pub fn select(&self, order: &[usize]) -> Result<Self> {
        let columns = order.iter().map(|&c| self.columns[c].clone()).collect();
        let cells =
            (0..self.len()).map(|row| order.iter().map(|&c| self.cell(row, c)).collect::<Vec<_>>());
        Dataset::from_cells(columns, self.has_header, cells)
    }

    /// Some of the original rows, in the order of `rows` (indices of present rows; one may occur more than once).
    pub fn rows_subset(&self, rows: &[usize]) -> Self {
        let mut ids: Vec<Option<u32>> = vec![None; self.rows.len()];
        let mut subset = Dataset {
            columns: self.columns.clone(),
            has_header: self.has_header,
            rows: Vec::new(),
            counts: Vec::new(),
            distinct_of: Vec::with_capacity(rows.len()),
        };
        for &row in rows {
            let distinct = self.distinct_of[row] as usize;
            let id = *ids[distinct].get_or_insert_with(|| {
                subset.rows.push(self.rows[distinct].clone());
                subset.counts.push(0);
                (subset.rows.len() - 1) as u32
            });
            subset.counts[id as usize] += 1;
            subset.distinct_of.push(id);
        }
        subset
    }

    /// A 64-bit FNV-1a digest of names, cells and row order, written into run files so that a result can be traced to its data.
    pub fn fingerprint(&self) -> u64 {
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        let mut digest: u64 = 0xcbf2_9ce4_8422_2325;
        let mut eat = |byte: u8| digest = (digest ^ u64::from(byte)).wrapping_mul(PRIME);
        for name in &self.columns {
            name.bytes().for_each(&mut eat);
            eat(0);
        }
        for row in 0..self.len() {
            for column in 0..self.columns.len() {
                eat(self.cell(row, column) as u8);
            }
        }
        digest
    }
}
