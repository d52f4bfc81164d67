//! What rows' mean log-likelihood is not below, by annealing backward from the rows themselves.

use crate::data::{Cell, Dataset};
use crate::error::Result;
use crate::inference::{HeldOut, KnownRows};
use crate::network::Network;
use crate::rows::units_of_columns;
use serde::Serialize;

/// Standard errors that the bound stays below its estimate.
const WIDTH: f64 = 2.0;

/// RAISE (Burda, Grosse and Salakhutdinov 2015): a lower bound on the mean log-likelihood of rows under the model that annealing
/// draws from, which is the machine in the limit of many steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AtLeast {
    /// The bound, two of its standard errors taken off.
    pub value: f64,
    /// Of the estimate over runs.
    pub std_err: f64,
    /// Backward runs, each from a row.
    pub runs: usize,
    /// Steps of each.
    pub steps: usize,
    /// Whether the estimate of the mean is no further above than errors and what the bound loses explain.
    #[serde(skip)]
    pub(crate) is_near: bool,
}

impl AtLeast {
    /// From the rows' mean log-sum.
    pub(super) fn new(mean_log_sum: f64, found: &HeldOut, log_partition: (f64, f64)) -> Self {
        AtLeast {
            value: mean_log_sum - found.log_partition - WIDTH * found.std_err,
            std_err: found.std_err,
            runs: found.runs,
            steps: found.steps,
            is_near: found.is_near(log_partition.0, log_partition.1),
        }
    }
}

/// The rows without a missing cell, by visible unit; none where some visible unit has no column.
pub(super) fn complete_rows(network: &Network, data: &Dataset) -> Result<KnownRows> {
    let units = units_of_columns(network, data)?;
    let visible = network.visible();
    let mut columns = Vec::with_capacity(visible.len());
    for unit in &visible {
        match units.iter().position(|other| other == unit) {
            Some(column) => columns.push(column),
            None => return Ok(KnownRows::default()),
        }
    }
    let mut known = KnownRows::default();
    for (row, &weight) in data.rows().iter().zip(data.weights()) {
        if weight > 0.0 && row.missing.count() == 0 {
            let cells = columns.iter().map(|&column| row.cell(column) == Cell::One);
            known.rows.push(cells.collect());
            known.weights.push(weight);
        }
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_far_above_the_bound_is_not_near() {
        let found = HeldOut {
            log_partition: 10.0,
            std_err: 0.1,
            variance: 0.4,
            runs: 64,
            steps: 100,
        };
        // Rows' mean log-sum is 7: at least 7 − 10 less two errors.
        let near = AtLeast::new(7.0, &found, (9.5, 0.05));
        assert!(near.is_near && (near.value + 3.2).abs() < 1e-12);
        assert!(!AtLeast::new(7.0, &found, (9.0, 0.05)).is_near);
    }

    #[test]
    fn only_complete_rows_count() {
        let network = Network::full(2, 1);
        let rows = Dataset::from_rows(&[[0, 1], [1, -1], [1, 1], [0, 1]]).expect("rows");
        let known = complete_rows(&network, &rows).expect("columns that match");
        assert_eq!(known.rows.len(), 2);
        assert_eq!(known.weights.iter().sum::<f64>(), 3.0);
    }
}
