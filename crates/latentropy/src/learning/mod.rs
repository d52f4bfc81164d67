//! Learning: an objective, learners that make one step each, and the one loop that they all run under.
//!
//! [`Problem`] is rows against a network structure with an engine and an [`Objective`]; a [`Course`] says how a restart
//! goes; [`learn`] runs it. A whole fit, with restarts and selection, is [`crate::fit()`].

mod annealing;
mod centred;
mod checkpoint;
mod control;
mod course;
mod curvature;
mod driver;
mod exchange;
mod flat;
mod hidden_odds;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
mod iterative_scaling;
mod learn;
mod learners;
mod monitor;
mod objective;
mod outcome;
mod path;
mod point;
mod prior;
mod problem;
mod pseudo_likelihood;
mod quick_climb;
mod restart;
mod screened;
mod start;
mod stepper;

pub(crate) use checkpoint::{Checkpoint, Keeping};
pub(crate) use control::LoopControl;
pub use control::{Cancel, Progress};
pub use course::Course;
pub(crate) use curvature::{Curvature, Determined, MOST_SAMPLED_TERMS, UPWARD, has_curvature};
pub(crate) use driver::{drive, drive_keeping, try_out};
pub(crate) use flat::climb_flat_set;
pub use learn::learn;
pub(crate) use learn::learn_restart_keeping;
pub use learners::{Learner, OptionValue};
pub(crate) use learners::{Near, SampledRounds};
pub use objective::Objective;
pub use outcome::{Outcome, StopReason};
pub(crate) use prior::centred_weights;
pub use problem::Problem;
use pseudo_likelihood::CompletedRows;
pub(crate) use quick_climb::climb_quickly;
pub(crate) use restart::Restart;
pub(crate) use screened::learn_screened;
pub(crate) use start::{begins_at_rows, start_of, start_scale};

// What the programs beside this library need and a user does not; no part of its face.
#[doc(hidden)]
pub use self::{
    annealing::annealed_run,
    course::Finish,
    learn::{learn_traced, learn_unmeasured},
    learners::{SequentialRule, Step},
    outcome::thinned,
    start::random_start,
};

// What the face does not need to name: types of fields, and what engines and learners are made of.
#[cfg(not(feature = "internals"))]
pub(crate) use self::{
    annealing::{AnnealedRun, AnnealingStep},
    learners::{Cd, EmGis, EmGradient, EmIs, Need, Pcd, QuasiNewton, Schedule, Sequential},
    monitor::Monitored,
    outcome::TraceEntry,
    point::{Point, Worth},
};
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use self::{
    annealing::{AnnealedRun, AnnealingStep},
    learners::{Cd, EmGis, EmGradient, EmIs, Need, Pcd, QuasiNewton, Schedule, Sequential},
    monitor::Monitored,
    outcome::TraceEntry,
    point::{Point, Worth},
};
