//! Learning: an objective, learners that make one step each, and the one loop that they all run under.
//!
//! [`Problem`] is rows against a network structure with an engine and an [`Objective`]; a [`Course`] says how a restart
//! goes; [`learn`] runs it. A whole fit, with restarts and selection, is [`crate::fit()`].

mod annealing;
mod centred;
mod control;
mod course;
mod curvature;
mod driver;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
mod iterative_scaling;
mod learn;
mod learners;
mod objective;
mod outcome;
mod point;
mod prior;
mod problem;
mod restart;
mod start;
mod stepper;

pub use annealing::annealed_run;
pub(crate) use control::LoopControl;
pub use control::{Cancel, Progress};
pub use course::{Course, Finish};
pub(crate) use curvature::{Curvature, UPWARD, has_hessian};
pub(crate) use driver::drive;
pub(crate) use learn::learn_restart;
pub use learn::{learn, learn_traced};
pub use learners::{
    Cd, EmGis, EmGradient, EmIs, Learner, OptionValue, Pcd, QuasiNewton, Schedule, Sequential,
    SequentialRule, Step,
};
pub use objective::Objective;
pub use outcome::{Outcome, StopReason};
pub(crate) use prior::centred_weights;
pub use problem::Problem;
pub(crate) use restart::Restart;
pub use start::random_start;

// What the face does not need to name: types of fields, and what engines and learners are made of.
#[cfg(not(feature = "internals"))]
pub(crate) use self::{
    annealing::{AnnealedRun, AnnealingStep},
    learners::Need,
    outcome::TraceEntry,
    point::{Point, Worth},
};
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use self::{
    annealing::{AnnealedRun, AnnealingStep},
    learners::Need,
    outcome::TraceEntry,
    point::{Point, Worth},
};
