//! The weights of all 2^M states in one table, kept up to date while one term at a time changes.

use crate::inference::kernels;
use crate::network::Network;

/// Larger machines have no table: 2^16 numbers still fit the second cache.
const MOST_UNITS: usize = 16;
/// Changes of the weights may add up to this before the table is made anew: no state that counts is lost
/// to underflow, and none overflows.
const MOST_DRIFT: f64 = 300.0;

/// e^{exponent − largest exponent at the time of filling} of every state.
#[derive(Clone, Debug)]
pub(super) struct StateTable {
    masks: Vec<usize>,
    weights: Vec<f64>,
    /// Their sum.
    total: f64,
    /// Σ |γ| since the table was filled.
    drift: f64,
}

impl StateTable {
    /// An empty table; `None` where the machine is too large for it.
    pub(super) fn new(network: &Network) -> Option<Self> {
        let units = network.units().len();
        (units <= MOST_UNITS).then(|| StateTable {
            masks: network
                .terms()
                .iter()
                .map(|term| term.units().iter().map(|u| 1 << u).sum())
                .collect(),
            weights: vec![0.0; 1 << units],
            total: 0.0,
            drift: 0.0,
        })
    }

    /// Makes the table for these weights, one per term.
    pub(super) fn fill(&mut self, weights: &[f64]) {
        self.weights.fill(0.0);
        for (&mask, &weight) in self.masks.iter().zip(weights) {
            self.weights[mask] += weight;
        }
        kernels::subset_sums(&mut self.weights);
        kernels::exponentials_below_maximum(&mut self.weights);
        self.total = kernels::sum(&self.weights);
        self.drift = 0.0;
    }

    /// The probabilities that the term's feature is one and that it is zero.
    pub(super) fn split(&self, term: usize) -> (f64, f64) {
        let mask = self.masks[term];
        let run = 1 << mask.trailing_zeros();
        let mut on = 0.0;
        let mut state = mask;
        while state < self.weights.len() {
            let part = &self.weights[state..state + run];
            on += if run < 8 {
                part.iter().sum()
            } else {
                kernels::sum(part)
            };
            state = (state + run) | mask;
        }
        let on = (on / self.total).min(1.0);
        (on, 1.0 - on)
    }

    /// After the term's weight has changed by `change`; `on` is what [`StateTable::split`] said before, `weights`
    /// are all weights after it.
    pub(super) fn shift(&mut self, term: usize, change: f64, on: f64, weights: &[f64]) {
        self.drift += change.abs();
        if self.drift > MOST_DRIFT {
            return self.fill(weights);
        }
        let (mask, factor) = (self.masks[term], change.exp());
        let run = 1 << mask.trailing_zeros();
        let mut state = mask;
        while state < self.weights.len() {
            for weight in &mut self.weights[state..state + run] {
                *weight *= factor;
            }
            state = (state + run) | mask;
        }
        // A small change keeps the digits of the sum; after a large one little of it may be left.
        self.total = if change.abs() <= 1.0 {
            self.total + on * self.total * change.exp_m1()
        } else {
            kernels::sum(&self.weights)
        };
    }
}
