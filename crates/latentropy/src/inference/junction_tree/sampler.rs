//! Independent exact samples from a junction tree: from the roots down, each unit given its separator.

use super::plan::Plan;
use super::propagate::upward;
use crate::error::Result;
use crate::inference::engine::{DRAWN_AT_ONCE, Sampler};
use crate::inference::reduction::FreeTerms;
use crate::network::{Clamp, Network};
use crate::random::Random;
use rand::{Rng, RngExt};

/// Draws independent states of a sparse network, some units held.
#[derive(Clone, Debug)]
pub struct JunctionTreeSampler {
    plan: Plan,
    free: Vec<usize>,
    held: Vec<bool>,
    /// For each bucket, log p(x_v = 1 | x_S) / p(x_v = 0 | x_S) for every state of its separator.
    log_odds: Vec<Vec<f64>>,
}

impl JunctionTreeSampler {
    /// Passes all messages once.
    pub fn new(network: &Network, clamp: &Clamp) -> Result<Self> {
        let terms = FreeTerms::new(network, clamp)?;
        let plan = Plan::new(&terms)?;
        let mut log_odds = Vec::with_capacity(plan.buckets.len());
        let note = |_, table: &[f64]| {
            let (off, on) = table.split_at(table.len() / 2);
            log_odds.push(on.iter().zip(off).map(|(a, b)| a - b).collect());
        };
        upward(&plan, &terms.coefficients, note, false);
        Ok(JunctionTreeSampler {
            plan,
            free: terms.free,
            held: (0..clamp.len())
                .map(|u| clamp.get(u) == Some(true))
                .collect(),
            log_odds,
        })
    }

    /// `count` independent states, one value per unit.
    pub fn sample(&self, count: usize, rng: &mut impl Rng) -> Vec<Vec<bool>> {
        let mut state = vec![false; self.free.len()];
        let mut samples = Vec::with_capacity(count);
        for _ in 0..count {
            for (bucket, log_odds) in self.plan.buckets.iter().zip(&self.log_odds).rev() {
                let separator = &bucket.bits[..bucket.bits.len() - 1];
                let at = separator
                    .iter()
                    .enumerate()
                    .map(|(bit, &unit)| usize::from(state[unit]) << bit)
                    .sum::<usize>();
                let on = 1.0 / (1.0 + (-log_odds[at]).exp());
                state[bucket.unit()] = rng.random::<f64>() < on;
            }
            let mut sample = self.held.clone();
            for (&unit, &value) in self.free.iter().zip(&state) {
                sample[unit] = value;
            }
            samples.push(sample);
        }
        samples
    }
}

impl Sampler for JunctionTreeSampler {
    fn draw(&mut self, most: usize, random: &mut Random) -> Vec<Vec<bool>> {
        self.sample(most.min(DRAWN_AT_ONCE), random)
    }
}
