//! How hard each part of the path is: the standard deviation of the exponent's change, summed up along it.

use crate::inference::kernels::{CHAINS, chain_stream};
use crate::inference::markov_chains::{Group, Machine, Temperatures};

/// Steps of the pilot are this long.
const PILOT_STEP: f64 = 0.5;
/// Sweeps of the pilot at each of its temperatures.
const PILOT_SWEEPS: usize = 2;
const MOST_PILOT_STEPS: usize = 400;
const PILOT_SEED: u64 = 0x7069_6c6f;

/// Inverse temperatures from 0 to 1, and the length ∫ σ(U) dβ up to each.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    betas: Vec<f64>,
    lengths: Vec<f64>,
}

impl Path {
    /// Walks 64 chains along the path once.
    pub(crate) fn measure(machine: &Machine, seed: u64) -> Self {
        let mut group = Group::new(machine, &mut chain_stream(seed ^ PILOT_SEED, 0));
        let (mut beta, mut length) = (0.0, 0.0);
        let mut path = Path {
            betas: vec![0.0],
            lengths: vec![0.0],
        };
        while beta < 1.0 {
            let deviation = deviation(&group.excess);
            let left = MOST_PILOT_STEPS.saturating_sub(path.betas.len()).max(1) as f64;
            let step = (PILOT_STEP / deviation.max(1e-300)).max((1.0 - beta) / left);
            let next: f64 = if beta + step > 1.0 { 1.0 } else { beta + step };
            length += deviation * (next - beta);
            beta = next;
            path.betas.push(beta);
            path.lengths.push(length);
            for _ in 0..PILOT_SWEEPS {
                group.sweep(machine, &Temperatures::all(beta));
            }
        }
        path
    }

    /// The length of the whole path.
    pub(crate) fn length(&self) -> f64 {
        self.lengths.last().copied().unwrap_or(0.0)
    }

    /// Inverse temperatures from 0 to 1, equally far apart by length (and a little by themselves).
    pub(crate) fn spaced(&self, count: usize) -> Vec<f64> {
        let whole = self.length();
        // Where the pilot saw no change at all there still has to be some step.
        let measure = |at: usize| self.lengths[at] + (0.1 * whole + 1e-9) * self.betas[at];
        let total = measure(self.betas.len() - 1);
        let mut at = 0;
        let mut spaced: Vec<f64> = (0..count.max(2))
            .map(|index| {
                let target = total * index as f64 / (count.max(2) - 1) as f64;
                while at + 2 < self.betas.len() && measure(at + 1) < target {
                    at += 1;
                }
                let share = (target - measure(at)) / (measure(at + 1) - measure(at));
                self.betas[at] + share.clamp(0.0, 1.0) * (self.betas[at + 1] - self.betas[at])
            })
            .collect();
        // Exactly, whatever was rounded.
        if let [first, .., last] = &mut spaced[..] {
            (*first, *last) = (0.0, 1.0);
        }
        spaced
    }
}

fn deviation(values: &[f64; CHAINS]) -> f64 {
    let count = CHAINS as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>();
    (squares / (count - 1.0)).sqrt()
}
