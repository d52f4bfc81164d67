//! The log-sum of every row over what it leaves open: exact where some engine holds that, else annealed with its error.

use crate::data::Dataset;
use crate::error::Result;
use crate::inference::{AnnealedImportance, Demand, EngineId, Sampling, Value, choose_engine};
use crate::network::{Clamp, Network};
use crate::random::named_seed;
use crate::remark::Remark;
use crate::rows::{RowPosteriors, units_of_columns};

/// Log-sums of distinct rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RowSums {
    /// log Σ_latent exp(exponent), the constant included; of rows without a known cell, nothing.
    pub(super) sums: Vec<f64>,
    /// The standard errors of those that were sampled.
    pub(super) errors: Vec<Option<f64>>,
    /// How many were sampled, and whether some of them are to be doubted.
    pub(super) remarks: Vec<Remark>,
}

/// Sums out what each distinct row leaves open; no row is refused.
pub(super) fn row_sums(network: &Network, data: &Dataset, sampling: &Sampling) -> Result<RowSums> {
    units_of_columns(network, data)?;
    let rows = data.rows().len();
    let mut errors = vec![None; rows];
    if (0..rows).all(|row| !data.is_known(row)) {
        // Nothing is known, and there is nothing to sum.
        return Ok(RowSums {
            sums: vec![0.0; rows],
            errors,
            remarks: Vec::new(),
        });
    }
    let posteriors = RowPosteriors::new(network, data)?;
    let mut doubtful = 0;
    let sums = posteriors.log_sums_by(network.weights(), &mut |network, row| {
        if !data.is_known(row) {
            return Ok(0.0);
        }
        if posteriors.is_ready(row) {
            return posteriors.log_sum_of_large_row(network, row);
        }
        let found = sum_of_row(network, &posteriors.clamps()[row], sampling)?;
        errors[row] = found.value.std_err;
        doubtful += usize::from(found.is_doubtful);
        Ok(found.value.value)
    })?;
    let sampled = errors.iter().flatten().count();
    let remark = (sampled > 0).then(|| Remark::SampledRows {
        sampled,
        rows,
        largest_error: errors.iter().flatten().copied().fold(0.0, f64::max),
        doubtful,
    });
    Ok(RowSums {
        sums,
        errors,
        remarks: remark.into_iter().collect(),
    })
}

/// One row's log-sum.
#[derive(Clone, Copy, Debug)]
struct RowSum {
    value: Value,
    /// Whether the chains or the annealed runs disagree or are too few.
    is_doubtful: bool,
}

/// By the best engine that holds what the row leaves open.
fn sum_of_row(network: &Network, clamp: &Clamp, sampling: &Sampling) -> Result<RowSum> {
    let engine = choose_engine(network, clamp)?.engine;
    if engine == EngineId::GIBBS {
        return annealed(network, clamp, sampling);
    }
    let prepared = engine
        .engine()
        .prepare(network, clamp, &Demand::default())?;
    let found = prepared.answer(network.weights())?;
    Ok(RowSum {
        value: found.expectations.log_partition,
        is_doubtful: false,
    })
}

/// By annealing between independent units and chains that are held at the row.
fn annealed(network: &Network, clamp: &Clamp, sampling: &Sampling) -> Result<RowSum> {
    let annealed = AnnealedImportance {
        chains: Sampling {
            seed: seed_of_row(sampling.seed, clamp),
            ..sampling.clone()
        },
        base: None,
        steps: sampling.annealing,
    };
    let (found, remarks) = annealed.log_partition(network, clamp)?;
    Ok(RowSum {
        value: found.log_partition(),
        is_doubtful: !remarks.is_empty(),
    })
}

/// A seed by what the row holds, so that its score does not depend on which other rows there are, and errors of
/// different rows are independent.
fn seed_of_row(seed: u64, clamp: &Clamp) -> u64 {
    let held = (0..clamp.len()).map(|unit| match clamp.get(unit) {
        Some(true) => '1',
        Some(false) => '0',
        None => '?',
    });
    named_seed(seed, &held.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::exact_expectations;

    /// All pairs, with weights of both signs and of this size.
    fn dense(units: usize, size: f64) -> Network {
        let network = Network::full(units, 0);
        let terms = network.terms().len();
        let weights = (0..terms).map(|at| size * ((7 * at + 3) as f64).sin());
        network.with_weights(weights.collect()).unwrap()
    }

    #[test]
    fn annealed_sums_are_within_their_errors_of_the_exact_ones() {
        let network = dense(20, 0.7);
        for known in [1, 4] {
            let values = (0..20).map(|unit| (unit < known).then_some(unit % 2 == 0));
            let clamp = Clamp::new(values.collect());
            let exact = exact_expectations(&network, &clamp).unwrap();
            for seed in 0..4 {
                let sampling = Sampling {
                    seed,
                    ..Sampling::default()
                };
                let found = annealed(&network, &clamp, &sampling).unwrap();
                let error = found.value.std_err.unwrap();
                let away = (found.value.value - exact.log_partition.value) / error;
                assert!(error < 0.1 && away.abs() < 4.0, "{away} errors of {error}");
                assert!(!found.is_doubtful);
            }
        }
    }

    #[test]
    fn a_row_has_its_seed_by_what_it_holds() {
        let clamp = |values: &[Option<bool>]| Clamp::new(values.to_vec());
        let rows = [
            clamp(&[None, Some(true)]),
            clamp(&[None, Some(false)]),
            clamp(&[Some(true), None]),
        ];
        let seeds: std::collections::HashSet<u64> = rows
            .iter()
            .flat_map(|row| [seed_of_row(0, row), seed_of_row(1, row)])
            .collect();
        assert_eq!(seeds.len(), 6);
    }

    #[test]
    fn no_row_of_a_dense_machine_is_refused() {
        let network = dense(40, 0.15);
        let mut rows = vec![[0; 40], [-1; 40], [-1; 40], [-1; 40]];
        rows[2][3] = 1;
        rows[3][..12].fill(1);
        let data = Dataset::from_rows(&rows).unwrap();
        let found = row_sums(&network, &data, &Sampling::default()).unwrap();
        let sampled: Vec<bool> = found.errors.iter().map(Option::is_some).collect();
        assert_eq!(sampled, [false, false, true, false]);
        assert!(matches!(
            found.remarks[..],
            [Remark::SampledRows {
                sampled: 1,
                rows: 4,
                doubtful: 0,
                ..
            }]
        ));
    }
}
