//! How to cross-validate: folds, restarts, and the ridges to compare.

use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learning::Problem;
use crate::message::{Setting, words};
use crate::network::Network;
use serde::{Deserialize, Serialize};

/// The ridges tried unless told otherwise: 0.01 to 100 in half decades.
const RIDGES: [f64; 9] = [100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01];

/// How to cross-validate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossValidation {
    /// How many folds, at least 2; with fewer rows, as many as there are rows.
    pub folds: usize,
    /// The most restarts for each fold and ridge.
    pub restarts: usize,
    /// The ridges to compare, in any order.
    pub ridges: Vec<f64>,
}

impl Default for CrossValidation {
    fn default() -> Self {
        CrossValidation {
            folds: 5,
            restarts: 8,
            ridges: RIDGES.to_vec(),
        }
    }
}

impl CrossValidation {
    /// The same with one ridge only: sizes are compared, ridges are not.
    pub fn with_ridge(self, ridge: f64) -> Self {
        CrossValidation {
            ridges: vec![ridge],
            ..self
        }
    }

    /// Refuses what makes no sense whatever the data are.
    pub(super) fn check(&self) -> Result<()> {
        if self.folds < 2 {
            return Err(Error::invalid(words![
                Setting::Folds,
                format!(" must be at least 2, not {}", self.folds)
            ]));
        }
        if self.restarts == 0 {
            return Err(Error::invalid("each fold needs at least 1 restart"));
        }
        self.descending().map(drop)
    }

    /// The ridges from the largest to the smallest, each once.
    pub(super) fn descending(&self) -> Result<Vec<f64>> {
        let mut ridges = self.ridges.clone();
        if let Some(bad) = ridges.iter().find(|r| !(r.is_finite() && **r >= 0.0)) {
            return Err(Error::invalid(format!(
                "a ridge must be a number of at least 0, not {bad}"
            )));
        }
        if ridges.is_empty() {
            return Err(Error::invalid("there is no ridge to compare"));
        }
        ridges.sort_by(|a, b| b.total_cmp(a));
        ridges.dedup();
        Ok(ridges)
    }

    /// How many pieces of work a machine makes: its folds.
    pub(super) fn pieces(&self, data: &Dataset) -> usize {
        self.folds.min(data.informative_rows().len())
    }

    /// How many restarts each fold and ridge gets: a concave objective has one maximum, and one start finds it.
    pub(super) fn restarts_of(&self, structure: &Network, data: &Dataset, most: usize) -> usize {
        if Problem::is_concave(structure, data) {
            1
        } else {
            most.min(self.restarts).max(1)
        }
    }
}
