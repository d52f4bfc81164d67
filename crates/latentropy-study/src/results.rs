//! The records of a study's cells, in a fixed order.

use crate::cell::{Cell, Place};
use crate::convergence::ConvergenceRecord;
use crate::estimate::ComparisonRecord;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a cell found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Record {
    /// All learners from one start.
    Convergence(ConvergenceRecord),
    /// One arm's estimates.
    Comparison(ComparisonRecord),
}

impl Record {
    /// Refuses what contradicts itself, or the cell that it is noted of.
    pub(crate) fn check(&self, cell: &Cell) -> Result<(), String> {
        match (self, cell) {
            (Record::Convergence(found), Cell::Convergence { .. }) => {
                let numbers = found.runs.iter().flat_map(|run| {
                    let trace = run.trace.iter().map(|point| point.log_likelihood);
                    let all = run.by_iterations.iter().chain(&run.by_passes).copied();
                    all.chain(trace).chain([run.last.log_likelihood])
                });
                numbers.into_iter().try_for_each(not_above_zero)
            }
            (Record::Comparison(found), Cell::Comparison { .. }) => found.check(),
            _ => Err("is of another kind".to_string()),
        }
    }
}

impl ComparisonRecord {
    fn check(&self) -> Result<(), String> {
        for (what, count) in [
            ("feasible", self.feasible),
            ("trivial", self.trivial),
            ("distinct", self.solutions),
        ] {
            if count > self.restarts {
                return Err(format!(
                    "{count} candidates are {what}, of {} restarts",
                    self.restarts
                ));
            }
        }
        for estimate in &self.estimates {
            not_above_zero(estimate.log_likelihood)?;
            if !(estimate.residual >= 0.0 && estimate.entropy.is_finite()) {
                return Err("its residual or its entropy is none".to_string());
            }
            if estimate.index >= self.restarts {
                return Err(format!(
                    "it is of restart {}, of {} restarts",
                    estimate.index, self.restarts
                ));
            }
        }
        Ok(())
    }
}

fn not_above_zero(log_likelihood: f64) -> Result<(), String> {
    // Sums in floating point may be off by their last digits.
    match log_likelihood <= 1e-6 {
        true => Ok(()),
        false => Err(format!("a log-likelihood is {log_likelihood}, above 0")),
    }
}

/// Every cell's record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results(BTreeMap<Cell, Record>);

impl Results {
    /// Adds a record.
    pub fn insert(&mut self, cell: Cell, record: Record) {
        self.0.insert(cell, record);
    }

    /// Whether a cell is done.
    pub fn contains(&self, cell: &Cell) -> bool {
        self.0.contains_key(cell)
    }

    /// How many cells are done.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if no cell is done.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Cell, &Record)> {
        self.0.iter()
    }

    /// Starts of the comparison of learners: (truth, start) and what was found.
    pub fn convergence(&self) -> impl Iterator<Item = ((usize, usize), &ConvergenceRecord)> {
        self.0
            .iter()
            .filter_map(|(cell, record)| match (cell, record) {
                (Cell::Convergence { truth, start }, Record::Convergence(found)) => {
                    Some(((*truth, *start), found))
                }
                _ => None,
            })
    }

    /// Samples of one arm of an experiment, by rising T.
    pub fn comparisons(
        &self,
        experiment: usize,
        arm: usize,
    ) -> impl Iterator<Item = (Place, &ComparisonRecord)> {
        self.0
            .iter()
            .filter_map(move |(cell, record)| match (cell, record) {
                (Cell::Comparison { place, arm: at }, Record::Comparison(found))
                    if place.experiment == experiment && *at == arm =>
                {
                    Some((*place, found))
                }
                _ => None,
            })
    }
}
