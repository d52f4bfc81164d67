//! Learning: one file an algorithm, each making one step; the driver owns the loop, the stopping rule and the trace.

mod annealing;
mod averaging;
mod chains;
mod contrastive;
mod coordinate;
mod curvature;
mod driver;
mod em_gis;
mod em_gradient;
mod em_is;
mod engine_phase;
mod finish;
mod lbfgs;
mod newton;
mod problem;
mod restricted;
mod row_chains;
mod sampled;
mod scaling;
mod sequential;
mod settings;
mod start;
mod states;

pub use annealing::{Annealed, AnnealingStep, anneal};
pub use contrastive::Schedule;
pub use curvature::hessian;
pub(crate) use curvature::{Curvature, UPWARD};
pub(crate) use driver::learn_with;
pub use driver::{Outcome, StopReason, TraceEntry, learn, learn_restart};
pub use engine_phase::{LearningEngine, Worth};
pub(crate) use newton::{gradient, movable};
pub use problem::{Penalty, Point, Problem, Workspace};
pub(crate) use restricted::check_mini_batches;
pub use sequential::SequentialRule;
pub use settings::{Learner, LearningSettings, Step};
pub use start::random_start;
pub(crate) use start::stream;

use crate::error::Result;

/// One learning algorithm: a step from a point to new weights.
///
/// The driver has evaluated the point, by f# where [`Stepper::needs_strata`] says so.
pub(crate) trait Stepper {
    /// Whether the driver's evaluations must leave sums by f# in the workspace.
    fn needs_strata(&self) -> bool;

    /// A learner that works by samples needs no evaluated point: how many steps it makes between two of the
    /// driver's evaluations. `None`: every step starts from an evaluated point.
    fn stride(&self) -> Option<usize> {
        None
    }

    /// True once a learner that works by samples cannot tell its point from a solution.
    fn has_settled(&self) -> bool {
        false
    }

    /// Replaces `point.weights` by better ones.
    fn step(&mut self, problem: &Problem, point: &mut Point, work: &mut Workspace) -> Result<()>;
}
