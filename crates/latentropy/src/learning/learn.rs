//! Learning from given weights, or as a restart of a fit does.

use super::annealing::anneal;
use super::checkpoint::Keeping;
use super::control::{Cancel, LoopControl, Progress};
use super::course::Course;
use super::driver::{drive, drive_keeping, drive_unmeasured};
use super::outcome::Outcome;
use super::path::follow_path;
use super::problem::Problem;
use super::restart::Restart;
use super::start::start_of;
use crate::error::{Error, Result};

/// Learns from the weights `start` until a stopping rule holds; learners by samples as in restart 0 of seed 0.
///
/// For an example see [`Problem`].
pub fn learn(problem: &Problem, start: Vec<f64>, course: &Course) -> Result<Outcome> {
    let course = checked(problem, course)?;
    drive(problem, start, &course, Restart::first(false))
}

/// The same, keeping the whole way.
pub fn learn_traced(problem: &Problem, start: Vec<f64>, course: &Course) -> Result<Outcome> {
    let course = checked(problem, course)?;
    drive(problem, start, &course, Restart::first(true))
}

/// The weights after all passes of a learner without an end of its own, as in restart `index` of `seed`, and nothing said about
/// them: where passes are counted, measuring the end by chains would take longer than they do.
pub fn learn_unmeasured(
    problem: &Problem,
    course: &Course,
    (seed, index): (u64, u64),
    cancel: &Cancel,
    watch: &(dyn Fn(&Progress<'_>) + Sync),
) -> Result<Vec<f64>> {
    let course = checked(problem, course)?;
    let start = start_of(problem, &course.learner, (seed, index), cancel)?;
    let restart = Restart {
        seed,
        index,
        keep_trace: false,
        control: LoopControl { cancel, watch },
    };
    drive_unmeasured(problem, start, &course, restart)
}

/// A course that makes sense for this problem, from weights that are given.
fn checked(problem: &Problem, course: &Course) -> Result<Course> {
    if course.anneal {
        return Err(Error::invalid(
            "an annealed run starts at a high temperature, not at given weights; use `annealed_run`",
        ));
    }
    course.learner.check_problem(problem)?;
    course.clone().checked(problem.engine())
}

/// Restart `index` of `seed`: its own start and, for learners by samples, its own random numbers. From a checkpoint if there
/// is one, with checkpoints on the way; an annealed run and a path have none.
pub(crate) fn learn_restart_keeping(
    problem: &Problem,
    course: &Course,
    restart: Restart<'_>,
    keeping: &Keeping<'_>,
) -> Result<Outcome> {
    if course.anneal {
        return Ok(anneal(problem, course, restart)?.outcome);
    }
    let start = restart.start(problem, &course.learner)?;
    if course.path {
        return follow_path(problem, start, course, restart);
    }
    drive_keeping(problem, start, course, restart, keeping)
}
