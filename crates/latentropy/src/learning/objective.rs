//! The objective: the likelihood, minus a ridge, within a box. Ridge and box live here and nowhere else.

use crate::error::{Error, Result};
use crate::message::{Setting, words};
use serde::{Deserialize, Serialize};

/// What is added to the mean log-likelihood L(λ) of a row.
///
/// ```
/// use latentropy::learning::Objective;
/// assert!(Objective { ridge: -1.0, ..Objective::default() }.checked().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Objective {
    /// Ridge α ≥ 0: the objective is L(λ) − α/(2T) Σ λ².
    pub ridge: f64,
    /// Weights stay within ± this.
    pub bound: f64,
}

impl Default for Objective {
    /// The principle as printed, in a box that holds what a few thousand rows can show.
    fn default() -> Self {
        Objective {
            ridge: 0.0,
            bound: 15.0,
        }
    }
}

impl Objective {
    /// The objective itself if it makes sense.
    pub fn checked(self) -> Result<Self> {
        if !(self.ridge.is_finite() && self.ridge >= 0.0) {
            return Err(Error::invalid(words![
                Setting::Ridge,
                format!(" must be a number of at least 0, not {}", self.ridge)
            ]));
        }
        if !(self.bound > 0.0 && self.bound <= 500.0) {
            return Err(Error::invalid(words![
                Setting::Box,
                format!(" must lie above 0 and at most at 500, not {}", self.bound)
            ]));
        }
        Ok(self)
    }

    /// The nearest weight within the box.
    #[inline]
    pub(crate) fn held(&self, weight: f64) -> f64 {
        weight.clamp(-self.bound, self.bound)
    }

    /// True of a weight at the edge of the box.
    #[inline]
    pub(crate) fn is_at_edge(&self, weight: f64) -> bool {
        weight.abs() >= self.bound
    }

    /// How far a gradient is from stationary for a weight in the box: outward at the edge is no violation.
    #[inline]
    pub(crate) fn violation(&self, weight: f64, gradient: f64) -> f64 {
        if (weight >= self.bound && gradient > 0.0) || (weight <= -self.bound && gradient < 0.0) {
            0.0
        } else {
            gradient.abs()
        }
    }

    /// The terms that may move: all but those at the edge of the box with an outward gradient.
    pub(crate) fn movable(&self, weights: &[f64], gradient: &[f64]) -> Vec<usize> {
        (0..weights.len())
            .filter(|&i| !(self.is_at_edge(weights[i]) && gradient[i] * weights[i] >= 0.0))
            .collect()
    }
}
