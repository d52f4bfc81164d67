//! The data set: named columns, distinct rows with counts and weights, and what can be asked of them.

use super::bits::Bits;
use super::cell::Cell;
use super::row::Row;
use crate::error::{Error, Result};
use crate::random::Digest;
use serde::{Deserialize, Serialize};

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
    pub(super) columns: Vec<String>,
    pub(super) has_header: bool,
    pub(super) rows: Vec<Row>,
    pub(super) counts: Vec<u64>,
    /// What each distinct row weighs: its count, unless rows have weights of their own.
    pub(super) weights: Vec<f64>,
    /// What each original row weighs, where that is not one.
    pub(super) row_weights: Option<Vec<f64>>,
    pub(super) distinct_of: Vec<u32>,
}

impl Dataset {
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
        if !row_weights.iter().sum::<f64>().is_finite() {
            return Err(Error::invalid(
                "the weights of the rows add up to no finite number; give smaller ones",
            ));
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

    /// What original row `row` weighs; nothing where there is no such row.
    pub fn row_weight(&self, row: usize) -> f64 {
        match &self.row_weights {
            Some(weights) => weights.get(row).copied().unwrap_or(0.0),
            None => f64::from(u8::from(row < self.len())),
        }
    }

    /// True of a row, by its place among the distinct rows, with at least one known cell: the others say nothing.
    pub fn is_known(&self, distinct: usize) -> bool {
        let row = self.rows.get(distinct);
        row.is_some_and(|row| row.missing.count() < self.columns.len())
    }

    /// The original rows with at least one known cell.
    pub fn known_rows(&self) -> Vec<usize> {
        let is_known = |&row: &usize| self.is_known(self.distinct_of[row] as usize);
        (0..self.len()).filter(is_known).collect()
    }

    /// The original rows that say something: those with a known cell that weigh more than nothing.
    pub fn informative_rows(&self) -> Vec<usize> {
        let mut rows = self.known_rows();
        rows.retain(|&row| self.row_weight(row) > 0.0);
        rows
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

    /// The cell of original row `row` in column `column`; missing where there is no such row or column.
    pub fn cell(&self, row: usize, column: usize) -> Cell {
        match self.distinct_of.get(row) {
            Some(&distinct) if column < self.columns.len() => {
                self.rows[distinct as usize].cell(column)
            }
            _ => Cell::Missing,
        }
    }

    /// Some of the original rows, in the order of `rows` (their indices; one may occur more than once, and one that is not
    /// there is left out).
    pub fn rows_subset(&self, rows: &[usize]) -> Self {
        let is_there = |row: &&usize| **row < self.len();
        let rows: Vec<usize> = rows.iter().filter(is_there).copied().collect();
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
        for &row in &rows {
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

    /// The same rows with the known cells of some columns exchanged, 0 for 1; one flag per column.
    pub(crate) fn recoded(&self, flips: &[bool]) -> Self {
        let mut recoded = self.clone();
        for row in &mut recoded.rows {
            let mut ones = Bits::zeros(self.columns.len());
            for (column, &flip) in flips.iter().enumerate() {
                if row.ones.get(column) != flip && !row.missing.get(column) {
                    ones.set(column);
                }
            }
            row.ones = ones;
        }
        recoded
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
