//! What an update of iterative scaling aims at.

use crate::learning::point::Point;
use crate::learning::problem::Problem;

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
