//! The objective: the likelihood, minus a ridge, within a box. What ridge and box are lives here and in the prior that a problem makes of it, and nowhere else.

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
    /// Ridge α ≥ 0 on the interactions: the objective is L(λ) − α/(2T) Σ κ², κ in the centred view, where recoding a
    /// unit changes signs only; for pairs κ is the weight itself. Where a machine cannot be recoded (no biases), on all
    /// its weights.
    pub ridge: f64,
    /// The same for biases, in the centred view: the log odds of a unit whose neighbours are at their means. Not used
    /// where a machine cannot be recoded.
    pub bias_ridge: f64,
    /// Interactions stay within ± this, biases within what that leaves them.
    pub bound: f64,
}

impl Default for Objective {
    /// The principle as printed, in a box that holds what a few thousand rows can show.
    fn default() -> Self {
        Objective {
            ridge: 0.0,
            bias_ridge: 0.0,
            bound: 15.0,
        }
    }
}

/// The bias ridge beside a ridge: a column that is the same in all rows gets about half a row of the other answer,
/// whichever answer that is (docs/prior.md has the measurements).
const USUAL_BIAS_RIDGE: f64 = 0.1;

impl Objective {
    /// A ridge with the bias ridge that goes with it: none beside none, the principle as printed.
    pub fn with_ridge(ridge: f64) -> Self {
        Objective {
            ridge,
            bias_ridge: if ridge == 0.0 { 0.0 } else { USUAL_BIAS_RIDGE },
            ..Objective::default()
        }
    }

    /// The objective itself if it makes sense.
    pub fn checked(self) -> Result<Self> {
        if !(self.ridge.is_finite() && self.ridge >= 0.0) {
            return Err(Error::invalid(words![
                Setting::Ridge,
                format!(" must be a number of at least 0, not {}", self.ridge)
            ]));
        }
        if !(self.bias_ridge.is_finite() && self.bias_ridge >= 0.0) {
            return Err(Error::invalid(words![
                Setting::BiasRidge,
                format!(" must be a number of at least 0, not {}", self.bias_ridge)
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
}
