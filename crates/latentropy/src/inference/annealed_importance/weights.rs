//! From log weights to log Z with its error: never surer than weights and directions allow.

use crate::inference::value::{Kind, Value};
use crate::remark::Remark;
use serde::Serialize;

/// Log Z from the weights of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OneWay {
    /// Forward below log Z in expectation, backward above it.
    pub value: f64,
    /// Standard error, by the delta method; at least the spread of the log weights where few of them count.
    pub std_err: f64,
    /// (Σ w)² / Σ w²: how many of the runs count.
    pub effective_runs: f64,
    /// Variance of the log weights.
    pub variance: f64,
    /// How many runs there were.
    pub runs: usize,
}

/// Log Z from both directions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogPartitionBracket {
    /// Log Z, or log Z less the network's constant before [`LogPartitionBracket::shifted`].
    #[serde(skip)]
    pub(crate) log_ratio: Value,
    /// From independent units to the machine.
    pub forward: OneWay,
    /// From samples of the machine to independent units.
    pub reverse: OneWay,
    /// Steps of the path.
    pub steps: usize,
}

/// Directions further apart than this many standard errors disagree.
const MOST_APART: f64 = 3.0;
/// The same where the forward value is the larger one, which should not be: then the backward runs began at chains that
/// do not represent the machine.
const MOST_CROSSED: f64 = 2.0;
/// Where fewer than this share of the runs count, their standard error is not believed.
const LEAST_SHARE: f64 = 0.1;
/// No value is surer than this, relative to the sums behind it: weights are rounded, too.
const ROUNDING: f64 = 1e-9;

impl OneWay {
    /// `sign` is 1 forward and −1 backward, where weights average to Z_0 / Z.
    /// `random` says whether anything was drawn on the way that the weights depend on.
    fn new(log_weights: &[f64], log_base: f64, sign: f64, random: bool) -> Self {
        let runs = log_weights.len() as f64;
        let largest = log_weights
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        let (mut sum, mut squares) = (0.0, 0.0);
        for log_weight in log_weights {
            let weight = (log_weight - largest).exp();
            sum += weight;
            squares += weight * weight;
        }
        let mean = log_weights.iter().sum::<f64>() / runs;
        let spread = log_weights.iter().map(|w| (w - mean).powi(2)).sum::<f64>();
        let variance = spread / (runs - 1.0);
        let effective_runs = sum * sum / squares;
        let relative = (1.0 / effective_runs - 1.0 / runs).max(0.0) * runs / (runs - 1.0);
        let value = log_base + sign * (largest + (sum / runs).ln());
        let least = ROUNDING * (1.0 + value.abs() + log_base.abs());
        // What n runs never met may still happen once in n.
        let unseen = if random { 1.0 / runs } else { 0.0 };
        // Few runs miss the upper tail that the mean lives on: at least the error of normal log weights that spread
        // above their median as these do.
        let upper = upper_variance(log_weights);
        let normal = (upper.exp_m1() / runs).min(upper).sqrt();
        let mut std_err = relative.sqrt().max(least).max(unseen).max(normal);
        if effective_runs < LEAST_SHARE * runs {
            std_err = std_err.max(variance.sqrt());
        }
        OneWay {
            value,
            std_err,
            effective_runs,
            variance,
            runs: log_weights.len(),
        }
    }

    fn is_poor(&self) -> bool {
        self.effective_runs < LEAST_SHARE * self.runs as f64
    }
}

impl LogPartitionBracket {
    /// Joins the directions: weighted by their errors where they agree, the middle with the whole gap as doubt where not.
    pub(crate) fn new(
        forward: &[f64],
        backward: &[f64],
        log_base: f64,
        steps: usize,
        random: bool,
    ) -> Self {
        let forward = OneWay::new(forward, log_base, 1.0, random);
        let reverse = OneWay::new(backward, log_base, -1.0, random);
        let gap = reverse.value - forward.value;
        let (value, std_err) =
            if apart(&forward, &reverse) || forward.is_poor() || reverse.is_poor() {
                let own = 0.5 * forward.std_err.hypot(reverse.std_err);
                (0.5 * (forward.value + reverse.value), own.hypot(0.5 * gap))
            } else {
                // A direction that missed something is too sure of itself: neither counts for much more than the other.
                let least = 0.5 * forward.std_err.max(reverse.std_err);
                let weight = |way: &OneWay| way.std_err.max(least).powi(-2);
                let total = weight(&forward) + weight(&reverse);
                let value = weight(&forward) * forward.value + weight(&reverse) * reverse.value;
                (value / total, total.powf(-0.5))
            };
        LogPartitionBracket {
            log_ratio: Value {
                value,
                kind: Kind::MonteCarlo,
                std_err: Some(std_err),
            },
            forward,
            reverse,
            steps,
        }
    }

    /// What is to be doubted.
    pub fn remarks(&self) -> Vec<Remark> {
        let LogPartitionBracket {
            forward, reverse, ..
        } = self;
        let mut remarks = Vec::new();
        for (way, direction) in [(forward, "forward"), (reverse, "backward")] {
            if way.is_poor() {
                remarks.push(Remark::FewAnnealedRuns {
                    effective: way.effective_runs,
                    runs: way.runs,
                    direction,
                });
            }
        }
        if self.apart() {
            remarks.push(Remark::AnnealingApart {
                forward: forward.value,
                backward: reverse.value,
            });
        }
        remarks
    }

    /// Whether the directions differ by more than their errors explain.
    fn apart(&self) -> bool {
        apart(&self.forward, &self.reverse)
    }

    /// Log Z, the network's constant included.
    pub fn log_partition(&self) -> Value {
        self.log_ratio
    }

    /// The larger variance of log weights.
    pub(crate) fn spread(&self) -> f64 {
        self.forward.variance.max(self.reverse.variance)
    }

    /// With a constant added to all values.
    pub(crate) fn shifted(mut self, constant: f64) -> Self {
        self.log_ratio.value += constant;
        self.forward.value += constant;
        self.reverse.value += constant;
        self
    }
}

/// The mean square above the median: the variance of values that spread below as they do above.
fn upper_variance(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    let median = 0.5 * (sorted[half] + sorted[(sorted.len() - 1) / 2]);
    let squares = sorted[half..].iter().map(|value| (value - median).powi(2));
    squares.sum::<f64>() / (sorted.len() - half) as f64
}

fn apart(forward: &OneWay, reverse: &OneWay) -> bool {
    let gap = reverse.value - forward.value;
    let error = forward.std_err.hypot(reverse.std_err);
    gap > MOST_APART * error || -gap > MOST_CROSSED * error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_weights_are_certain_and_wild_ones_are_not() {
        let same = LogPartitionBracket::new(&[2.0; 64], &[-2.0; 64], 1.0, 5, false);
        assert_eq!(same.log_partition().value, 3.0);
        assert!(same.remarks().is_empty());
        assert!(
            same.log_partition()
                .std_err
                .is_some_and(|error| error < 1e-7)
        );
        let wild: Vec<f64> = (0..64).map(|at| f64::from(at) * 3.0).collect();
        let back: Vec<f64> = wild.iter().map(|w| -w).collect();
        let found = LogPartitionBracket::new(&wild, &back, 0.0, 5, true);
        assert!(!found.remarks().is_empty());
        // The directions are 189 apart, and the error says so.
        assert!(
            found
                .log_partition()
                .std_err
                .is_some_and(|error| error > 40.0)
        );
    }
}
