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
        let states = 1usize << self.low_bits;
        let width = self.width;
        let mut exponents = vec![0.0; states];
        let mut fields = vec![0.0; states * width];
        for block in blocks {
            exponents.fill(0.0);
            fields.fill(0.0);
            for (place, weight) in self.places.iter().zip(&self.weights) {
                match *place {
                    Place::Zero => {}
                    Place::One => exponents[0] += weight,
                    Place::Dependent(upper, lower) => {
                        if upper & block == upper {
                            exponents[lower] += weight;
                        }
                    }
                    Place::Independent(upper, lower, i) => {
                        if upper & block == upper {
                            fields[lower * width + i] += weight;
                        }
                    }
                }
            }
            kernels::subset_sums(&mut exponents);
            row_transform(&mut fields, states, width, |low, high| {
                kernels::add_scaled(high, low, 1.0);
            });
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
