//! Covariances of the masks of an enumerated machine as an operator: one pass over the states per vector, whatever their number.
//!
//! Cov[f, f·v] = Σ_x p(x) (g(x) − ḡ) f(x) with g = f·v. In a block g is a subset transform of the reduced entries of v, as
//! the exponent is one of the weights; times the probabilities, its sums are those of the plain pass.

use super::blocks::{Blocks, Run, multiplies_safely};
use super::enumerator::Enumerator;
use crate::inference::engine::CovarianceProducts;
use crate::inference::kernels;
use crate::inference::sums::Sums;
use rayon::prelude::*;

/// The probabilities of up to this many states are kept; of more they are made again for every vector.
const MOST_KEPT: usize = 1 << 22;

/// At one set of coefficients.
#[derive(Debug)]
pub(crate) struct EnumeratedProducts {
    blocks: Blocks,
    coefficients: Vec<f64>,
    /// The low–low part of the weights.
    base: Vec<f64>,
    safe: bool,
    log_partition: f64,
    means: Vec<f64>,
    /// Block after block, where there are few.
    probabilities: Vec<f64>,
}

impl Enumerator {
    /// The covariances of the masks at these coefficients; `keep` where memory is no matter.
    pub(crate) fn products(&self, coefficients: &[f64], keep: bool) -> EnumeratedProducts {
        let mut sums = Sums::default();
        self.sums(coefficients, &mut sums);
        let (blocks, safe) = (self.blocks(), multiplies_safely(coefficients));
        let mut products = EnumeratedProducts {
            coefficients: coefficients.to_vec(),
            base: blocks.low_table(coefficients, safe),
            safe,
            log_partition: sums.log_partition,
            means: sums.terms,
            probabilities: Vec::new(),
            blocks: blocks.clone(),
        };
        let states = (blocks.high_states() as usize).saturating_mul(products.base.len());
        if keep && states <= MOST_KEPT {
            let mut kept = Vec::with_capacity(states);
            let all = 0..blocks.high_states();
            products.visit(all, |_, scale, weights| {
                kept.extend(weights.iter().map(|w| scale * w));
            });
            products.probabilities = kept;
        }
        products
    }
}

impl EnumeratedProducts {
    /// Calls `each(high state, scale, weights)`: scale times the weights are the probabilities.
    fn visit(&self, states: std::ops::Range<u64>, mut each: impl FnMut(u64, f64, &mut [f64])) {
        if !self.probabilities.is_empty() {
            let size = self.base.len();
            let mut table = vec![0.0; size];
            for high in states {
                let start = high as usize * size;
                table.copy_from_slice(&self.probabilities[start..start + size]);
                each(high, 1.0, &mut table);
            }
            return;
        }
        self.blocks.visit(
            states,
            &self.coefficients,
            &self.base,
            self.safe,
            |high, reference, weights| {
                each(high, (reference - self.log_partition).exp(), weights);
            },
        );
    }
}

impl CovarianceProducts for EnumeratedProducts {
    fn add_times(&self, v: &[f64], scale: f64, out: &mut [f64]) {
        let blocks = &self.blocks;
        let base = blocks.low_table(v, false);
        let middle = kernels::dot(v, &self.means);
        let partial: Vec<Run> = blocks
            .runs()
            .into_par_iter()
            .map(|run| {
                let mut sums = Run::new(blocks);
                sums.reference = 0.0;
                let mut along = vec![0.0; base.len()];
                self.visit(run, |high, scale, weights| {
                    blocks.fill_inner(high, v, &base, &mut along);
                    let off = blocks.outer(high, v) - middle;
                    for (weight, along) in weights.iter_mut().zip(&along) {
                        *weight *= along + off;
                    }
                    sums.add(blocks, high, scale, weights);
                });
                sums
            })
            .collect();
        let mut sums = vec![0.0; v.len()];
        blocks.add_up(partial, &mut sums);
        kernels::add_scaled(out, &sums, scale);
    }

    fn work(&self) -> f64 {
        // A transform either way, and the terms that meet each block.
        let by_block = 12.0 * self.base.len() as f64 + 2.0 * self.means.len() as f64;
        self.blocks.high_states() as f64 * by_block
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn products_are_those_of_the_table_of_all_moments(
            entries in prop::collection::vec((-1.0..1.0f64, -1.0..1.0f64), 97),
            units in 1usize..16,
            most in 1u32..5,
            steep in any::<bool>(),
        ) {
            let masks: Vec<u64> = (1u64..1 << units)
                .filter(|m| m.count_ones() <= most && m % 5 != 3)
                .collect();
            let by = if steep { 300.0 } else { 3.0 / masks.len().isqrt() as f64 };
            let entries = entries.iter().cycle().take(masks.len());
            let (coefficients, v): (Vec<f64>, Vec<f64>) = entries.map(|(c, v)| (c * by, *v)).unzip();
            let enumerator = Enumerator::new(units, &masks).unwrap();
            let mut found = vec![0.0; masks.len()];
            let keep = !steep;
            enumerator.products(&coefficients, keep).add_times(&v, 1.0, &mut found);
            let moments = enumerator.table_of_moments(&coefficients);
            for (a, found) in masks.iter().zip(&found) {
                let covariance = |b: &u64| {
                    let (a, b) = (*a as usize, *b as usize);
                    moments[a | b] - moments[a] * moments[b]
                };
                let expected: f64 = masks.iter().zip(&v).map(|(b, v)| v * covariance(b)).sum();
                // Rounding of sums of so many terms of size one.
                prop_assert!((found - expected).abs() < 1e-14 * masks.len().max(100) as f64, "{found} and {expected}");
            }
        }
    }
}
