//! Iterative scaling: the parallel update (7) of all weights, each by the root γ of equation (8).
//!
//! [`literal`] is the equation as printed; [`fast`] finds the roots of all terms side by side in vector code.

mod fast;
#[cfg(test)]
mod literal;

pub(crate) use fast::{Scratch, scale};

use super::point::Point;
use super::problem::Problem;

/// What the update aims at, one entry per term.
pub(crate) struct Targets<'a> {
    /// η, the clamped expectations.
    pub(crate) expectations: &'a [f64],
    /// λ, the current weights.
    pub(crate) weights: &'a [f64],
    /// Ridge over the number of rows, r = α/T.
    pub(crate) ridge: f64,
    /// |λ| stays within this.
    pub(crate) bound: f64,
}

impl<'a> Targets<'a> {
    /// The targets of an evaluated point.
    pub(crate) fn new(problem: &Problem, point: &'a Point) -> Self {
        Targets {
            expectations: &point.clamped.expectations,
            weights: &point.weights,
            ridge: problem.ridge_per_row(),
            bound: problem.objective().bound,
        }
    }
}
