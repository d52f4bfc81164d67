//! One row with more latent units than any table holds: its sums by a few chains of its own and a short annealing.
//!
//! Such rows are few, and each counts as one of all rows: an error of a tenth of a nat in one of them is far below what
//! the other rows leave open.

use crate::error::Result;
use crate::inference::{Chains, short_log_partition_of};
use crate::network::{Clamp, Network};
use crate::random::named_seed;

const CHAINS: usize = 64;
/// Sweeps before states count, and sweeps that do.
const SETTLING: usize = 64;
const SWEEPS: usize = 128;
/// Steps of the annealing.
const STEPS: usize = 256;

/// What chains say of a row.
pub(super) struct SampledRow {
    /// log Σ_latent exp(exponent), the constant included, and its standard error.
    pub(super) log_sum: (f64, f64),
    /// The expectation of every term.
    pub(super) terms: Vec<f64>,
}

/// The log-sum of a row with its error, and the expectation of every term.
pub(super) fn sampled_row(network: &Network, clamp: &Clamp, row: usize) -> Result<SampledRow> {
    let seed = named_seed(row as u64, "a row by samples");
    let mut chains = Chains::new(network, clamp, CHAINS, seed)?;
    chains.sweep(SETTLING);
    let terms = chains.measure(SWEEPS, false).expectations;
    let found = short_log_partition_of(&chains, seed, STEPS);
    Ok(SampledRow {
        log_sum: (found.value, found.std_err.unwrap_or(0.0)),
        terms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::exact_expectations;

    #[test]
    fn a_row_by_samples_is_within_its_errors_of_the_exact_one() {
        let network = Network::full(16, 2);
        let terms = network.terms().len();
        let weights = (0..terms).map(|at| 0.5 * ((7 * at + 3) as f64).sin());
        let network = network.with_weights(weights.collect()).unwrap();
        for row in 0..6 {
            let values = (0..18).map(|unit| (unit < 2 + row % 3).then_some((unit + row) % 2 == 0));
            let clamp = Clamp::new(values.collect());
            let exact = exact_expectations(&network, &clamp).unwrap();
            let found = sampled_row(&network, &clamp, row).unwrap();
            let (log_sum, error) = found.log_sum;
            let away = (log_sum - exact.log_partition.value) / error;
            assert!(error < 0.2 && away.abs() < 4.5, "{away} errors of {error}");
            for (a, b) in found.terms.iter().zip(&exact.terms) {
                assert!((a - b).abs() < 0.08, "{a} {b}");
            }
        }
    }
}
