//! Independent exact samples: a block by its total weight, then a state within the block.

use super::way::{Way, exact_way};
use crate::error::Result;
use crate::inference::engine::{DRAWN_AT_ONCE, Sampler};
use crate::inference::enumeration::BlockSampling;
use crate::inference::factorisation::Sides;
use crate::network::{Clamp, Network};
use crate::random::Random;
use rand::{Rng, RngExt};

/// Draws independent states of a network, some units held, by an exact engine.
#[derive(Clone, Debug)]
pub struct ExactSampler {
    clamp: Clamp,
    plan: Plan,
    /// Cumulative probability of the blocks.
    cumulative: Vec<f64>,
}

#[derive(Clone, Debug)]
enum Plan {
    Enumeration(BlockSampling),
    Factorised(Sides),
}

impl ExactSampler {
    /// Sums every block once.
    pub fn new(network: &Network, clamp: &Clamp) -> Result<Self> {
        let plan = match exact_way(network, clamp)? {
            Way::Enumeration => Plan::Enumeration(BlockSampling::new(network, clamp)?),
            Way::Factorisation => Plan::Factorised(Sides::new(network, clamp)?),
        };
        let mut log_totals = Vec::new();
        let mut note = |reference: f64, weights: &[f64]| {
            log_totals.push(reference + weights.iter().sum::<f64>().ln());
        };
        match &plan {
            Plan::Enumeration(blocks) => blocks.visit(0..blocks.count(), |_, r, w| note(r, w)),
            Plan::Factorised(sides) => sides.visit(0..sides.blocks(), |_, r, w, _| note(r, w)),
        }
        let largest = log_totals.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        let cumulative = log_totals
            .iter()
            .map(|total| {
                sum += (total - largest).exp();
                sum
            })
            .collect::<Vec<f64>>();
        Ok(ExactSampler {
            clamp: clamp.clone(),
            plan,
            cumulative: cumulative.into_iter().map(|c| c / sum).collect(),
        })
    }

    /// `count` independent states, one value per unit.
    pub fn sample(&self, count: usize, rng: &mut impl Rng) -> Vec<Vec<bool>> {
        let held: Vec<bool> = (0..self.clamp.len())
            .map(|unit| self.clamp.get(unit) == Some(true))
            .collect();
        let mut samples = vec![held; count];
        // (block, which sample, where within the block): sorted, so that each block is computed once.
        let mut draws: Vec<(u64, usize, f64)> = (0..count)
            .map(|at| (self.block(rng.random::<f64>()), at, rng.random::<f64>()))
            .collect();
        draws.sort_by_key(|&(block, at, _)| (block, at));
        for group in draws.chunk_by(|a, b| a.0 == b.0) {
            let block = group[0].0;
            match &self.plan {
                Plan::Enumeration(blocks) => blocks.visit(block..block + 1, |_, _, weights| {
                    let cumulative = cumulate(weights);
                    for &(_, at, uniform) in group {
                        let state = pick(&cumulative, uniform) as u64 | block << blocks.low_bits();
                        for (bit, &unit) in blocks.free().iter().enumerate() {
                            samples[at][unit] = state >> bit & 1 == 1;
                        }
                    }
                }),
                Plan::Factorised(sides) => {
                    sides.visit(block..block + 1, |_, _, weights, means| {
                        let cumulative = cumulate(weights);
                        let low_bits = weights.len().trailing_zeros();
                        let width = sides.independent.len();
                        for &(_, at, uniform) in group {
                            let low = pick(&cumulative, uniform);
                            let state = low as u64 | block << low_bits;
                            for (bit, &unit) in sides.dependent.iter().enumerate() {
                                samples[at][unit] = state >> bit & 1 == 1;
                            }
                            for (i, &unit) in sides.independent.iter().enumerate() {
                                samples[at][unit] = rng.random::<f64>() < means[low * width + i];
                            }
                        }
                    });
                }
            }
        }
        samples
    }

    fn block(&self, uniform: f64) -> u64 {
        pick(&self.cumulative, uniform) as u64
    }
}

fn cumulate(weights: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    weights
        .iter()
        .map(|weight| {
            sum += weight;
            sum
        })
        .collect()
}

/// The first entry whose cumulative weight exceeds the given share of the whole.
fn pick(cumulative: &[f64], uniform: f64) -> usize {
    let total = cumulative.last().copied().unwrap_or(1.0);
    let target = uniform * total;
    let at = cumulative.partition_point(|&c| c <= target);
    // Rounding may leave the target at the very end: take the last entry that has weight.
    at.min(cumulative.partition_point(|&c| c < total))
}

impl Sampler for ExactSampler {
    fn draw(&mut self, most: usize, random: &mut Random) -> Vec<Vec<bool>> {
        self.sample(most.min(DRAWN_AT_ONCE), random)
    }
}
