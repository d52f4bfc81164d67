//! How the steps of contrastive divergence fall.

use serde::{Deserialize, Serialize};

/// The falling step of contrastive divergence: ε_t = first / (1 + t / decay) in pass t, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// ε_0.
    pub first: f64,
    /// Passes after which the step has fallen to half; infinite: it never falls.
    pub decay: f64,
}

impl Schedule {
    /// ε_t.
    pub fn step(self, pass: usize) -> f64 {
        self.first / (1.0 + pass as f64 / self.decay)
    }
}

impl Default for Schedule {
    fn default() -> Self {
        Schedule {
            first: 1.0,
            decay: 500.0,
        }
    }
}

/// The schedule of mini-batches, where steps are many and rows few: longer first steps let the weights of machines with
/// many modes swing.
pub(super) const OF_MINI_BATCHES: Schedule = Schedule {
    first: 0.05,
    decay: 100.0,
};
