//! One learning algorithm at work: a step from a point to new weights.

use super::checkpoint::State;
use super::curvature::Curvature;
use super::point::{Point, Workspace};
use super::problem::Problem;
use crate::error::{Error, Result};

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stepped {
    /// The weights are new; nothing is known there yet.
    Moved,
    /// The weights are new, and evaluated.
    Evaluated,
    /// There is no further step: the point is a solution.
    Settled,
    /// There is no further step: the arithmetic is at its limit.
    Stuck,
}

/// A residual in units of its constraint's own standard error in the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct InErrors {
    /// None before the first measurement.
    pub(crate) largest: Option<f64>,
    /// At or below this the constraints are met.
    pub(crate) target: f64,
}

/// The state of a learner during one restart.
///
/// The driver has evaluated the point, by f# where [`Stepper::needs_strata`] says so.
pub(crate) trait Stepper {
    /// Whether the driver's evaluations must leave sums by f# in the workspace.
    fn needs_strata(&self) -> bool {
        false
    }

    /// A learner that works by samples needs no evaluated point: how many steps it makes between two of the
    /// driver's evaluations. `None`: every step starts from an evaluated point.
    fn stride(&self) -> Option<usize> {
        None
    }

    /// Whether the driver stops it where the residual is within the tolerance and where the weights stand still; false
    /// where it knows better itself.
    fn stops_at_tolerance(&self) -> bool {
        true
    }

    /// True once a learner that works by samples cannot tell its point from a solution.
    fn has_settled(&self) -> bool {
        false
    }

    /// The largest residual in its constraint's own standard error in the data, where the last step measured it, and what
    /// it is to fall to.
    fn in_errors(&self) -> Option<InErrors> {
        None
    }

    /// Replaces `point.weights` by better ones.
    fn step(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        work: &mut Workspace,
    ) -> Result<Stepped>;

    /// What the next step depends on beside the point; `None` where it cannot be written down.
    fn state(&self) -> Option<Result<State>> {
        None
    }

    /// Goes on from such a state.
    fn go_on(&mut self, _problem: &Problem, _state: &State) -> Result<()> {
        Err(Error::failed("this learner has no checkpoints"))
    }

    /// The curvature at the point where it settled, if it looked.
    fn curvature(&mut self) -> Option<Curvature> {
        None
    }
}
