//! The mean of the second half of a noisy run: less noise than its last point has (Polyak and Ruppert).

use serde::{Deserialize, Serialize};

/// Takes in the weights after each pass and replaces the last ones by the mean of the second half.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SecondHalf {
    passes: usize,
    pass: usize,
    mean: Vec<f64>,
}

impl SecondHalf {
    pub(super) fn new(passes: usize, terms: usize) -> Self {
        SecondHalf {
            passes,
            pass: 0,
            mean: vec![0.0; terms],
        }
    }

    /// How many passes there have been.
    pub(super) fn pass(&self) -> usize {
        self.pass
    }

    /// The weights after one more pass.
    pub(super) fn take(&mut self, weights: &mut Vec<f64>) {
        self.pass += 1;
        let first = self.passes / 2;
        if self.pass > first && self.pass <= self.passes {
            let share = 1.0 / (self.pass - first) as f64;
            for (mean, weight) in self.mean.iter_mut().zip(weights.iter()) {
                *mean += share * (weight - *mean);
            }
            if self.pass == self.passes {
                weights.clone_from(&self.mean);
            }
        }
    }
}
