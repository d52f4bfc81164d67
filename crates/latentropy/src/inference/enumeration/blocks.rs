//! Enumeration in blocks, for terms of any order and weights of any size.
//!
//! The units are split into low ones, whose 2^k states are one block, and high ones, whose states are
//! visited one by one. Given a high state every term is a term on low units, so a block's weights are a
//! subset transform of its reduced terms and its sums the superset transform of its weights.

use crate::inference::kernels;
use crate::inference::sums::Sums;
use rayon::prelude::*;

/// Up to this many units are one block.
pub(super) const SINGLE_BLOCK: usize = 12;
/// Low units of a block among many: the three tables of a block stay in the first cache.
const LOW_BITS: usize = 10;
/// High states are cut into at most this many runs, whatever the number of threads, so that sums do not depend on it.
const RUNS: usize = 64;
/// Exponents within ± this can be multiplied up without over- or underflow, with room for 2^64 states.
pub(super) const SAFE_EXPONENT: f64 = 600.0;

/// The split of the masks for one set of units.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    low_bits: usize,
    high_bits: usize,
    /// Masks on low units only: (mask, index).
    low: Vec<(usize, usize)>,
    /// Masks on both: (high part, low part, index).
    mixed: Vec<(u64, usize, usize)>,
    /// Masks on high units only: (high part, index).
    high: Vec<(u64, usize)>,
}

/// True if every partial sum of these coefficients can be exponentiated without leaving the doubles.
pub(super) fn multiplies_safely(coefficients: &[f64]) -> bool {
    let (mut up, mut down) = (0.0, 0.0);
    for &c in coefficients {
        up += c.max(0.0);
        down -= c.min(0.0);
    }
    up <= SAFE_EXPONENT && down <= SAFE_EXPONENT
}

/// Buffers of a machine that is one block.
#[derive(Debug, Default)]
pub(super) struct BlockScratch {
    /// The weights of all states.
    pub(super) table: Vec<f64>,
    /// e^coefficient of every mask.
    factors: Vec<f64>,
}

/// What one run of high states adds up to, all divided by e^reference.
pub(super) struct Run {
    pub(super) reference: f64,
    low_weights: Vec<f64>,
    mixed: Vec<f64>,
    high: Vec<f64>,
}

impl Run {
    pub(super) fn new(blocks: &Blocks) -> Self {
        Run {
            reference: f64::NEG_INFINITY,
            low_weights: vec![0.0; 1 << blocks.low_bits],
            mixed: vec![0.0; blocks.mixed.len()],
            high: vec![0.0; blocks.high.len()],
        }
    }

    /// Takes in `scale` times the weights of a block's states, which are used up.
    pub(super) fn add(&mut self, blocks: &Blocks, high: u64, scale: f64, weights: &mut [f64]) {
        kernels::add_scaled(&mut self.low_weights, weights, scale);
        kernels::superset_sums(weights);
        for (sum, &(upper, lower, _)) in self.mixed.iter_mut().zip(&blocks.mixed) {
            if upper & high == upper {
                *sum += weights[lower] * scale;
            }
        }
        for (sum, &(upper, _)) in self.high.iter_mut().zip(&blocks.high) {
            if upper & high == upper {
                *sum += weights[0] * scale;
            }
        }
    }

    fn rescale(&mut self, reference: f64) {
        let factor = (self.reference - reference).exp();
        for value in self
            .low_weights
            .iter_mut()
            .chain(&mut self.mixed)
            .chain(&mut self.high)
        {
            *value *= factor;
        }
        self.reference = reference;
    }
}

impl Blocks {
    pub(super) fn new(units: usize, masks: &[u64]) -> Self {
        let low_bits = if units <= SINGLE_BLOCK {
            units
        } else {
            LOW_BITS
        };
        Self::with_low_bits(units, masks, low_bits)
    }

    pub(super) fn with_low_bits(units: usize, masks: &[u64], low_bits: usize) -> Self {
        let (mut low, mut mixed, mut high) = (Vec::new(), Vec::new(), Vec::new());
        for (at, &mask) in masks.iter().enumerate() {
            let (lower, upper) = (
                (mask & ((1 << low_bits) - 1)) as usize,
                mask.checked_shr(low_bits as u32).unwrap_or(0),
            );
            match (lower, upper) {
                (_, 0) => low.push((lower, at)),
                (0, _) => high.push((upper, at)),
                _ => mixed.push((upper, lower, at)),
            }
        }
        Blocks {
            low_bits,
            high_bits: units - low_bits,
            low,
            mixed,
            high,
        }
    }

    /// Fills `out` with log Σ exp and the expectation of every mask.
    pub(super) fn evaluate(
        &self,
        coefficients: &[f64],
        scratch: &mut BlockScratch,
        out: &mut Sums,
    ) {
        if self.high_bits == 0 {
            let reference = self.single_block_weights(coefficients, scratch);
            kernels::superset_sums(&mut scratch.table);
            let total = scratch.table[0];
            out.log_partition = reference + total.ln();
            let scale = 1.0 / total;
            for &(mask, at) in &self.low {
                out.terms[at] = scratch.table[mask] * scale;
            }
        } else {
            self.evaluate_many(coefficients, out);
        }
    }

    /// The weights of all states of a machine that is one block, in `scratch.table`, divided by e^(returned reference).
    pub(super) fn single_block_weights(
        &self,
        coefficients: &[f64],
        scratch: &mut BlockScratch,
    ) -> f64 {
        scratch.table.resize(1 << self.low_bits, 0.0);
        if multiplies_safely(coefficients) {
            scratch.factors.clear();
            scratch.factors.extend_from_slice(coefficients);
            // Whole vectors only: a tail would be done one by one.
            scratch
                .factors
                .resize(coefficients.len().next_multiple_of(8), 0.0);
            kernels::exponentials(&mut scratch.factors);
            scratch.table.fill(1.0);
            for &(mask, at) in &self.low {
                scratch.table[mask] = scratch.factors[at];
            }
            kernels::subset_products(&mut scratch.table);
            0.0
        } else {
            scratch.table.fill(0.0);
            for &(mask, at) in &self.low {
                scratch.table[mask] = coefficients[at];
            }
            kernels::subset_sums(&mut scratch.table);
            kernels::exponentials_below_maximum(&mut scratch.table)
        }
    }

    fn evaluate_many(&self, coefficients: &[f64], out: &mut Sums) {
        let safe = multiplies_safely(coefficients);
        let base = self.low_table(coefficients, safe);
        let partial: Vec<Run> = self
            .runs()
            .into_par_iter()
            .map(|run| {
                let mut sums = Run::new(self);
                self.visit(
                    run,
                    coefficients,
                    &base,
                    safe,
                    |high, reference, weights| {
                        if reference > sums.reference {
                            sums.rescale(reference);
                        }
                        sums.add(self, high, (reference - sums.reference).exp(), weights);
                    },
                );
                sums
            })
            .collect();
        self.gather(partial, out);
    }

    /// The high states, cut into runs.
    pub(super) fn runs(&self) -> Vec<std::ops::Range<u64>> {
        let states = self.high_states();
        let runs = states.min(RUNS as u64);
        let bound = |run: u64| (states / runs) * run + (states % runs).min(run);
        (0..runs).map(|run| bound(run)..bound(run + 1)).collect()
    }

    fn gather(&self, partial: Vec<Run>, out: &mut Sums) {
        let (reference, total) = self.add_up(partial, &mut out.terms);
        out.log_partition = reference + total.ln();
        let scale = 1.0 / total;
        out.terms.iter_mut().for_each(|sum| *sum *= scale);
    }

    /// The sum of all weights and that of every mask over all runs, divided by e^reference, which comes first.
    pub(super) fn add_up(&self, partial: Vec<Run>, terms: &mut [f64]) -> (f64, f64) {
        let reference = partial
            .iter()
            .map(|run| run.reference)
            .fold(f64::NEG_INFINITY, f64::max);
        let mut low_weights = vec![0.0; 1 << self.low_bits];
        let mut mixed = vec![0.0; self.mixed.len()];
        let mut high = vec![0.0; self.high.len()];
        for mut run in partial {
            run.rescale(reference);
            kernels::add_scaled(&mut low_weights, &run.low_weights, 1.0);
            kernels::add_scaled(&mut mixed, &run.mixed, 1.0);
            kernels::add_scaled(&mut high, &run.high, 1.0);
        }
        kernels::superset_sums(&mut low_weights);
        for &(mask, at) in &self.low {
            terms[at] = low_weights[mask];
        }
        for (&(_, _, at), sum) in self.mixed.iter().zip(mixed) {
            terms[at] = sum;
        }
        for (&(_, at), sum) in self.high.iter().zip(high) {
            terms[at] = sum;
        }
        (reference, low_weights[0])
    }

    /// The low–low part, the same in every block: weights where products are safe, exponents where not.
    pub(super) fn low_table(&self, coefficients: &[f64], safe: bool) -> Vec<f64> {
        let mut base = vec![if safe { 1.0 } else { 0.0 }; 1 << self.low_bits];
        for &(mask, at) in &self.low {
            base[mask] = if safe {
                coefficients[at].exp()
            } else {
                coefficients[at]
            };
        }
        if safe {
            kernels::subset_products(&mut base);
        } else {
            kernels::subset_sums(&mut base);
        }
        base
    }

    /// Calls `each(high state, reference, weights)` for a range of high states; a block's weights are divided by e^reference.
    pub(super) fn visit(
        &self,
        high_states: std::ops::Range<u64>,
        coefficients: &[f64],
        base: &[f64],
        safe: bool,
        mut each: impl FnMut(u64, f64, &mut [f64]),
    ) {
        let factors: Vec<f64> = match safe {
            true => self
                .mixed
                .iter()
                .map(|&(_, _, at)| coefficients[at].exp())
                .collect(),
            false => Vec::new(),
        };
        let mut table = vec![0.0; base.len()];
        for high in high_states {
            let outer = self.outer(high, coefficients);
            let reference = if safe {
                table.fill(1.0);
                for (&(upper, lower, _), factor) in self.mixed.iter().zip(&factors) {
                    if upper & high == upper {
                        table[lower] *= factor;
                    }
                }
                kernels::subset_products(&mut table);
                kernels::multiply(&mut table, base, outer.exp());
                0.0
            } else {
                self.fill_inner(high, coefficients, base, &mut table);
                outer + kernels::exponentials_below_maximum(&mut table)
            };
            each(high, reference, &mut table);
        }
    }

    /// The sum of the coefficients of the masks on high units only that are on.
    pub(super) fn outer(&self, high: u64, coefficients: &[f64]) -> f64 {
        self.high
            .iter()
            .filter(|(upper, _)| upper & high == *upper)
            .map(|&(_, at)| coefficients[at])
            .sum()
    }

    /// Of every low state the sum of the coefficients that are on, but those of [`Blocks::outer`]; `base` has the low–low part.
    pub(super) fn fill_inner(
        &self,
        high: u64,
        coefficients: &[f64],
        base: &[f64],
        table: &mut [f64],
    ) {
        table.fill(0.0);
        for &(upper, lower, at) in &self.mixed {
            if upper & high == upper {
                table[lower] += coefficients[at];
            }
        }
        kernels::subset_sums(table);
        kernels::add_scaled(table, base, 1.0);
    }

    /// Number of high states.
    pub(super) fn high_states(&self) -> u64 {
        1 << self.high_bits
    }

    /// Number of low units.
    pub(super) fn low_bits(&self) -> usize {
        self.low_bits
    }
}
