//! The states of the dependent side, block by block, with the sum over the independent side in their weights.

use super::sides::{Place, Sides};
use crate::inference::kernels;
use std::ops::Range;

impl Sides {
    /// For each block in a range: `each(block, reference, weights, means)`, where `weights[s]` is the weight of
    /// D's state (block, s), the sum over I included, divided by e^reference, and `means` holds P(x_i = 1 | d)
    /// in rows of `independent.len()`.
    pub(crate) fn visit(
        &self,
        blocks: Range<u64>,
        mut each: impl FnMut(u64, f64, &mut [f64], &mut [f64]),
    ) {
        let width = self.width;
        let (mut exponents, mut fields) = (Vec::new(), Vec::new());
        for block in blocks {
            self.fill(block, &self.weights, &mut exponents, &mut fields);
            if width > 0 {
                for (exponent, row) in exponents.iter_mut().zip(fields.chunks_exact_mut(width)) {
                    *exponent += kernels::logistic_row(row);
                }
            }
            let reference = kernels::exponentials_below_maximum(&mut exponents);
            each(
                block,
                reference + self.constant,
                &mut exponents,
                &mut fields,
            );
        }
    }

    /// What entries of v add to the exponent of each state of D in a block, and to each independent unit's field, in rows.
    pub(super) fn fill(&self, block: u64, v: &[f64], own: &mut Vec<f64>, fields: &mut Vec<f64>) {
        let (states, width) = (1usize << self.low_bits, self.width);
        own.clear();
        own.resize(states, 0.0);
        fields.clear();
        fields.resize(states * width, 0.0);
        for (place, entry) in self.places.iter().zip(v) {
            match *place {
                Place::Zero => {}
                Place::One => own[0] += entry,
                Place::Dependent(upper, lower) => {
                    if upper & block == upper {
                        own[lower] += entry;
                    }
                }
                Place::Independent(upper, lower, i) => {
                    if upper & block == upper {
                        fields[lower * width + i] += entry;
                    }
                }
            }
        }
        kernels::subset_sums(own);
        row_transform(fields, states, width, |low, high| {
            kernels::add_scaled(high, low, 1.0);
        });
    }
}

/// Butterflies over whole rows: for every pair of rows that differ in one bit, `step(lower, upper)`.
pub(super) fn row_transform(
    rows: &mut [f64],
    states: usize,
    width: usize,
    step: impl Fn(&mut [f64], &mut [f64]),
) {
    if width == 0 {
        return;
    }
    let mut half = 1;
    while half < states {
        for pair in rows.chunks_exact_mut(2 * half * width) {
            let (low, high) = pair.split_at_mut(half * width);
            step(low, high);
        }
        half *= 2;
    }
}
