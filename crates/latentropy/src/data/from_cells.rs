//! Data sets from cells in memory: rows of cells, rows of numbers, and some columns of another data set.

use super::builder::Builder;
use super::cell::Cell;
use super::columns::made_up_names;
use super::dataset::Dataset;
use crate::error::{Error, Result};
use std::collections::HashSet;

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
        let mut names = HashSet::new();
        if let Some(twice) = columns.iter().find(|name| !names.insert(name.as_str())) {
            return Err(Error::invalid(format!(
                "two columns are named \"{twice}\"; rename one of them"
            )));
        }
        let mut builder = Builder::new(columns, has_header);
        for (at, line) in cells.into_iter().enumerate() {
            if line.len() != width {
                return Err(Error::invalid(format!(
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

    /// Rows of numbers: 0 and 1 are known, anything else is missing; columns are named y1, y2, …
    pub fn from_rows<R: AsRef<[i8]>>(rows: &[R]) -> Result<Self> {
        let width = rows.first().map_or(0, |row| row.as_ref().len());
        let names = made_up_names(width);
        let cell = |value: &i8| match value {
            0 => Cell::Zero,
            1 => Cell::One,
            _ => Cell::Missing,
        };
        let cells = rows
            .iter()
            .map(|row| row.as_ref().iter().map(cell).collect::<Vec<_>>());
        Dataset::from_cells(names, false, cells)
    }

    /// The same rows with the columns put in the order `order` (indices of present columns; others are dropped).
    pub fn select(&self, order: &[usize]) -> Result<Self> {
        if let Some(absent) = order.iter().find(|&&c| c >= self.columns.len()) {
            return Err(Error::invalid(format!(
                "there is no column {absent}; the columns are 0 to {}",
                self.columns.len().saturating_sub(1)
            )));
        }
        let columns = order.iter().map(|&c| self.columns[c].clone()).collect();
        let cells =
            (0..self.len()).map(|row| order.iter().map(|&c| self.cell(row, c)).collect::<Vec<_>>());
        let selected = Dataset::from_cells(columns, self.has_header, cells)?;
        match &self.row_weights {
            Some(weights) => selected.with_row_weights(weights.clone()),
            None => Ok(selected),
        }
    }
}
