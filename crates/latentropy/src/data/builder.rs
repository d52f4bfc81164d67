//! Gathers rows, one at a time, into distinct rows with counts.

use super::bits::Bits;
use super::cell::Cell;
use super::dataset::Dataset;
use super::row::Row;
use std::collections::HashMap;

/// A data set under construction: fill a row with [`Builder::set`], close it with [`Builder::end_row`].
pub(super) struct Builder {
    columns: Vec<String>,
    has_header: bool,
    /// The row being filled; cells that are not set are zero.
    row: Row,
    index: HashMap<Row, u32>,
    counts: Vec<u64>,
    distinct_of: Vec<u32>,
}

impl Builder {
    /// No rows yet, under these column names.
    pub(super) fn new(columns: Vec<String>, has_header: bool) -> Self {
        let row = Row {
            ones: Bits::zeros(columns.len()),
            missing: Bits::zeros(columns.len()),
        };
        Builder {
            columns,
            has_header,
            row,
            index: HashMap::new(),
            counts: Vec::new(),
            distinct_of: Vec::new(),
        }
    }

    /// Writes one cell of the row being filled.
    #[inline]
    pub(super) fn set(&mut self, column: usize, cell: Cell) {
        match cell {
            Cell::One => self.row.ones.set(column),
            Cell::Missing => self.row.missing.set(column),
            Cell::Zero => {}
        }
    }

    /// Closes the row; true if at least one of its cells is known.
    pub(super) fn end_row(&mut self) -> bool {
        let known = self.row.missing.count() < self.columns.len();
        // Looked up before it is copied: most rows of a large file have been seen already.
        let id = match self.index.get(&self.row) {
            Some(&id) => id,
            None => {
                let id = self.counts.len() as u32;
                self.index.insert(self.row.clone(), id);
                self.counts.push(0);
                id
            }
        };
        self.counts[id as usize] += 1;
        self.distinct_of.push(id);
        self.row.ones.clear();
        self.row.missing.clear();
        known
    }

    /// The data set, its distinct rows in order of first appearance.
    pub(super) fn finish(self) -> Dataset {
        let mut numbered: Vec<(Row, u32)> = self.index.into_iter().collect();
        numbered.sort_unstable_by_key(|&(_, id)| id);
        Dataset {
            columns: self.columns,
            has_header: self.has_header,
            rows: numbered.into_iter().map(|(row, _)| row).collect(),
            weights: self.counts.iter().map(|&count| count as f64).collect(),
            counts: self.counts,
            row_weights: None,
            distinct_of: self.distinct_of,
        }
    }
}
