//! Learning: an objective, learners that make one step each, and the one loop that they all run under.
//!
//! [`Problem`] is rows against a network structure with an engine and an [`Objective`]; a [`Course`] says how a restart
//! goes; [`learn`] runs it. A whole fit, with restarts and selection, is [`crate::fit()`].

mod annealing;
mod control;
mod course;
pub(crate) mod curvature;
pub(crate) mod driver;
mod iterative_scaling;
mod learners;
mod objective;
mod point;
mod problem;
mod start;
mod stepper;

pub use annealing::{AnnealedRun, AnnealingStep, annealed_run};
pub(crate) use control::LoopControl;
pub use control::{Cancel, Progress};
pub use course::{Course, Finish};
pub(crate) use curvature::{Curvature, UPWARD};
pub use driver::{Outcome, StopReason, TraceEntry, learn, learn_traced};
pub(crate) use driver::{Restart, drive, learn_restart};
pub use learners::{
    Cd, EmGis, EmGradient, EmIs, Learner, Need, OptionValue, Pcd, QuasiNewton, Schedule,
    Sequential, SequentialRule, Step,
};
pub use objective::Objective;
pub use point::{Point, Worth};
pub use problem::Problem;
pub use start::random_start;

/// What tests reach into; no part of the library's face.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    use super::{Course, Outcome, Problem, Restart};
    use crate::error::Result;

    /// Restart `index` of `seed`.
    pub fn learn_restart(
        problem: &Problem,
        course: &Course,
        seed: u64,
        index: u64,
        keep_trace: bool,
    ) -> Result<Outcome> {
        let restart = Restart {
            seed,
            index,
            ..Restart::first(keep_trace)
        };
        super::learn_restart(problem, course, restart)
    }

    /// The Hessian of the objective, row by row; none where the machine is too large.
    pub fn hessian(problem: &Problem, weights: &[f64]) -> Option<Vec<f64>> {
        super::curvature::hessian(problem, weights)
    }
}
