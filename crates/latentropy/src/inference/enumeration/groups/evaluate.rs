//! Sums of a pairwise machine by its three groups, plain or by f#.

use super::gather::gather;
use super::layout::Groups;
use super::tiles::GroupScratch;
use crate::inference::enumeration::blocks::multiplies_safely;
use crate::inference::kernels;
use crate::inference::sums::{StratifiedSums, Sums};

impl Groups {
    /// True if these coefficients can be multiplied up; otherwise blocks have to do it.
    pub(in crate::inference::enumeration) fn can(&self, coefficients: &[f64]) -> bool {
        multiplies_safely(coefficients)
    }

    /// Log Σ exp and the expectation of every mask (one code).
    pub(in crate::inference::enumeration) fn evaluate(
        &self,
        coefficients: &[f64],
        scratch: &mut GroupScratch,
        out: &mut Sums,
    ) {
        out.terms.fill(0.0);
        let total = self.sums_by_code(coefficients, scratch, &mut out.terms);
        out.log_partition = total.ln();
        let scale = 1.0 / total;
        out.terms.iter_mut().for_each(|value| *value *= scale);
    }

    /// The same by f#; `value_of_code[code]` is the f# of states with that code.
    pub(in crate::inference::enumeration) fn evaluate_strata(
        &self,
        coefficients: &[f64],
        value_of_code: &[u32],
        scratch: &mut GroupScratch,
        out: &mut StratifiedSums,
    ) {
        let masks = self.places.len();
        let mut by_code = vec![0.0; self.codes * masks];
        let total = self.sums_by_code(coefficients, scratch, &mut by_code);
        out.log_partition = total.ln();
        out.width = masks.next_multiple_of(kernels::ROW_PANEL);
        let mut values: Vec<u32> = value_of_code.iter().copied().filter(|&v| v > 0).collect();
        values.sort_unstable();
        values.dedup();
        out.sums.clear();
        out.sums.resize(values.len() * out.width, 0.0);
        for (code, &value) in value_of_code.iter().enumerate() {
            if let Ok(stratum) = values.binary_search(&value) {
                kernels::add_scaled(
                    &mut out.sums[stratum * out.width..stratum * out.width + masks],
                    &by_code[code * masks..(code + 1) * masks],
                    1.0 / total,
                );
            }
        }
        out.values.clear();
        out.values.extend(values.into_iter().map(f64::from));
    }

    /// Unnormalised sums [code][mask], into zeros; returns the total of all weights.
    fn sums_by_code(
        &self,
        coefficients: &[f64],
        scratch: &mut GroupScratch,
        by_code: &mut [f64],
    ) -> f64 {
        scratch.sum_tiles(self, coefficients);
        gather(self, scratch.run(), &scratch.joint, by_code);
        scratch.run().rows.totals.iter().sum()
    }
}
