//! Sums over the states of the dependent side: every term and every unit, in a fixed order of additions.

use super::blocks::row_transform;
use super::sides::{Place, Sides};
use crate::inference::kernels;
use rayon::prelude::*;
use std::ops::Range;

/// Blocks are cut into at most this many runs, whatever the number of threads.
const RUNS: usize = 64;

/// Sums of one run of blocks, divided by e^reference.
pub(super) struct Run {
    pub(super) reference: f64,
    pub(super) total: f64,
    pub(super) terms: Vec<f64>,
    pub(super) dependent: Vec<f64>,
    pub(super) independent: Vec<f64>,
}

impl Run {
    fn rescale(&mut self, reference: f64) {
        let factor = (self.reference - reference).exp();
        self.total *= factor;
        for value in self
            .terms
            .iter_mut()
            .chain(&mut self.dependent)
            .chain(&mut self.independent)
        {
            *value *= factor;
        }
        self.reference = reference;
    }

    fn add(&mut self, other: &Run) {
        self.total += other.total;
        kernels::add_scaled(&mut self.terms, &other.terms, 1.0);
        kernels::add_scaled(&mut self.dependent, &other.dependent, 1.0);
        kernels::add_scaled(&mut self.independent, &other.independent, 1.0);
    }
}

impl Sides {
    fn sum_run(&self, blocks: Range<u64>) -> Run {
        let width = self.width;
        let mut run = Run {
            reference: f64::NEG_INFINITY,
            total: 0.0,
            terms: vec![0.0; self.places.len()],
            dependent: vec![0.0; self.dependent.len()],
            independent: vec![0.0; self.independent.len()],
        };
        self.visit(blocks, |block, reference, weights, means| {
            if reference > run.reference {
                run.rescale(reference);
            }
            let scale = (reference - run.reference).exp();
            weights.iter_mut().for_each(|weight| *weight *= scale);
            if width > 0 {
                for (weight, row) in weights.iter().zip(means.chunks_exact_mut(width)) {
                    row.iter_mut().for_each(|mean| *mean *= weight);
                }
            }
            self.collect(block, weights, means, &mut run.terms);
            run.total += weights[0];
            for (bit, sum) in run.dependent.iter_mut().enumerate() {
                if bit < self.low_bits {
                    *sum += weights[1 << bit];
                } else if block >> (bit - self.low_bits) & 1 == 1 {
                    *sum += weights[0];
                }
            }
            kernels::add_scaled(&mut run.independent, &means[..width], 1.0);
        });
        run
    }

    /// All blocks, cut into runs.
    pub(super) fn runs(&self) -> Vec<Range<u64>> {
        let blocks = self.blocks();
        let runs = blocks.min(RUNS as u64);
        (0..runs)
            .map(|run| blocks * run / runs..blocks * (run + 1) / runs)
            .collect()
    }

    /// Adds, for each term, the entries of the block's states in which its dependent units are on: of `own`, or of its
    /// independent unit in `rows`. Both are used up: what is left in front is the sum over all states.
    pub(super) fn collect(&self, block: u64, own: &mut [f64], rows: &mut [f64], sums: &mut [f64]) {
        let width = self.width;
        kernels::superset_sums(own);
        row_transform(rows, own.len(), width, |low, high| {
            kernels::add_scaled(low, high, 1.0);
        });
        for (sum, place) in sums.iter_mut().zip(&self.places) {
            match *place {
                Place::Zero => {}
                Place::One => *sum += own[0],
                Place::Dependent(upper, lower) => {
                    if upper & block == upper {
                        *sum += own[lower];
                    }
                }
                Place::Independent(upper, lower, i) => {
                    if upper & block == upper {
                        *sum += rows[lower * width + i];
                    }
                }
            }
        }
    }

    /// The sums over all blocks.
    pub(super) fn sums(&self) -> Run {
        let runs = self.runs().into_par_iter();
        let mut partial: Vec<Run> = runs.map(|run| self.sum_run(run)).collect();
        let reference = partial
            .iter()
            .map(|run| run.reference)
            .fold(f64::NEG_INFINITY, f64::max);
        let mut all = partial.remove(0);
        all.rescale(reference);
        for mut run in partial {
            run.rescale(reference);
            all.add(&run);
        }
        all
    }
}
