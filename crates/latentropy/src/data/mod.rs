//! Rows of binary data: distinct rows with counts, each with a mask of missing cells, and the readers that make them.

mod bits;
mod builder;
mod cell;
mod columns;
mod moments;
mod numpy;
mod read;
mod remarks;
mod survey;
mod text;

pub use bits::Bits;
pub use cell::Cell;
pub(crate) use columns::list_names;
pub use moments::Frequency;
pub use read::{Loaded, ReadOptions, read_dataset, read_dataset_bytes};

use crate::error::{Error, Result};
use crate::random::Digest;
use builder::Builder;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::path::Path;

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

/// A binary data set: named columns, distinct rows with counts and weights, and which distinct row each original row is.
///
/// ```
/// use latentropy::Dataset;
/// // Zeros and ones; anything else is a missing cell.
/// let data = Dataset::from_rows(&[[0, 1, 1], [0, 1, 1], [1, -1, 0]])?;
/// assert_eq!((data.len(), data.rows().len(), data.missing_cells()), (3, 2, 1));
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dataset {
    columns: Vec<String>,
    has_header: bool,
    rows: Vec<Row>,
    counts: Vec<u64>,
    /// What each distinct row weighs: its count, unless rows have weights of their own.
    weights: Vec<f64>,
    /// What each original row weighs, where that is not one.
    row_weights: Option<Vec<f64>>,
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

    /// Reads a data file of any kind; `columns` chooses as in [`ReadOptions`], all of them if empty.
    ///
    /// What is remarkable about the file is told by [`read_dataset`].
    pub fn read(path: impl AsRef<Path>, columns: &[&str]) -> Result<Self> {
        let columns = columns.iter().map(|name| name.to_string());
        let options = ReadOptions {
            columns: (columns.len() > 0).then(|| columns.collect()),
        };
        Ok(read_dataset(path.as_ref(), &options)?.dataset)
    }

    /// Rows of numbers: 0 and 1 are known, anything else is missing; columns are named y1, y2, …
    pub fn from_rows<R: AsRef<[i8]>>(rows: &[R]) -> Result<Self> {
        let width = rows.first().map_or(0, |row| row.as_ref().len());
        let names = (1..=width).map(|column| format!("y{column}")).collect();
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

    /// The same rows, each with a weight of its own (of at least 0) in place of one: a row of weight 2.5 counts as two and
    /// a half rows.
    pub fn with_row_weights(mut self, row_weights: Vec<f64>) -> Result<Self> {
        if row_weights.len() != self.len() {
            return Err(Error::invalid(format!(
                "{} weights are given for {} rows",
                row_weights.len(),
                self.len()
            )));
        }
        let is_bad = |weight: &f64| !(weight.is_finite() && *weight >= 0.0);
        if let Some(at) = row_weights.iter().position(is_bad) {
            return Err(Error::invalid(format!(
                "the weight of row {} is {}; weights must be numbers of at least 0",
                at + 1,
                row_weights[at]
            )));
        }
        self.weights = vec![0.0; self.rows.len()];
        for (&distinct, weight) in self.distinct_of.iter().zip(&row_weights) {
            self.weights[distinct as usize] += weight;
        }
        self.row_weights = Some(row_weights);
        Ok(self)
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

    /// What each distinct row weighs: how often it occurs, unless rows have weights of their own.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// What original row `row` weighs.
    pub fn row_weight(&self, row: usize) -> f64 {
        self.row_weights
            .as_ref()
            .map_or(1.0, |weights| weights[row])
    }

    /// True of a row, by its place among the distinct rows, with at least one known cell: the others say nothing.
    pub fn is_known(&self, distinct: usize) -> bool {
        self.rows[distinct].missing.count() < self.columns.len()
    }

    /// The original rows with at least one known cell.
    pub fn known_rows(&self) -> Vec<usize> {
        let is_known = |&row: &usize| self.is_known(self.distinct_of[row] as usize);
        (0..self.len()).filter(is_known).collect()
    }

    /// The columns without a single known cell.
    pub fn unknown_columns(&self) -> Vec<&str> {
        let is_unknown = |&column: &usize| self.rows.iter().all(|row| row.missing.get(column));
        let unknown = (0..self.columns.len()).filter(is_unknown);
        unknown
            .map(|column| self.columns[column].as_str())
            .collect()
    }

    /// T: what all rows with a known cell weigh together.
    pub fn known_weight(&self) -> f64 {
        let known = (0..self.rows.len()).filter(|&row| self.is_known(row));
        known.map(|row| self.weights[row]).sum()
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
        let selected = Dataset::from_cells(columns, self.has_header, cells)?;
        match &self.row_weights {
            Some(weights) => selected.with_row_weights(weights.clone()),
            None => Ok(selected),
        }
    }

    /// Some of the original rows, in the order of `rows` (indices of present rows; one may occur more than once).
    pub fn rows_subset(&self, rows: &[usize]) -> Self {
        let mut ids: Vec<Option<u32>> = vec![None; self.rows.len()];
        let mut subset = Dataset {
            columns: self.columns.clone(),
            has_header: self.has_header,
            rows: Vec::new(),
            counts: Vec::new(),
            weights: Vec::new(),
            row_weights: self
                .row_weights
                .as_ref()
                .map(|weights| rows.iter().map(|&row| weights[row]).collect()),
            distinct_of: Vec::with_capacity(rows.len()),
        };
        for &row in rows {
            let distinct = self.distinct_of[row] as usize;
            let id = *ids[distinct].get_or_insert_with(|| {
                subset.rows.push(self.rows[distinct].clone());
                subset.counts.push(0);
                subset.weights.push(0.0);
                (subset.rows.len() - 1) as u32
            });
            subset.counts[id as usize] += 1;
            subset.weights[id as usize] += self.row_weight(row);
            subset.distinct_of.push(id);
        }
        subset
    }

    /// A digest of names, cells, row order and weights, written into run files so that a result can be traced to its data.
    pub fn fingerprint(&self) -> u64 {
        let mut digest = Digest::default();
        for name in &self.columns {
            digest.eat(name.as_bytes());
            digest.eat(&[0]);
        }
        for row in 0..self.len() {
            for column in 0..self.columns.len() {
                digest.eat(&[self.cell(row, column) as u8]);
            }
        }
        for weight in self.row_weights.iter().flatten() {
            digest.eat(&weight.to_le_bytes());
        }
        digest.value()
    }
}
