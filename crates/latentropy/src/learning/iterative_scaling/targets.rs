//! What an update of iterative scaling aims at.

use crate::learning::point::Point;
use crate::learning::problem::Problem;

/// What the update aims at, one entry per term.
pub(crate) struct Targets<'a> {
    /// η, the clamped expectations.
    pub(crate) expectations: &'a [f64],
    /// λ, the current weights.
    pub(crate) weights: &'a [f64],
    /// The penalty's gradient at λ.
    pub(crate) slopes: Vec<f64>,
    /// How the penalty bends at most when all weights move at once.
    pub(crate) bends: &'a [f64],
    /// |λ| stays within this.
    pub(crate) bounds: &'a [f64],
}

impl<'a> Targets<'a> {
    /// The targets of an evaluated point.
    pub(crate) fn new(problem: &'a Problem, point: &'a Point) -> Self {
        Targets {
            expectations: &point.clamped.expectations,
            weights: &point.weights,
            slopes: problem.prior().slope(&point.weights),
            bends: problem.prior().joint_bends(),
            bounds: problem.prior().bounds(),
        }
    }
}
