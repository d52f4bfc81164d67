//! Learning from given weights, or as a restart of a fit does.

use super::annealing::anneal;
use super::course::Course;
use super::driver::drive;
use super::outcome::Outcome;
use super::problem::Problem;
use super::restart::Restart;
use super::start::random_start;
use crate::error::Result;

/// Learns from the weights `start` until a stopping rule holds; learners by samples as in restart 0 of seed 0.
pub fn learn(problem: &Problem, start: Vec<f64>, course: &Course) -> Result<Outcome> {
    let course = course.clone().checked(problem.engine())?;
    drive(problem, start, &course, Restart::first(false))
}

/// The same, keeping the whole way.
pub fn learn_traced(problem: &Problem, start: Vec<f64>, course: &Course) -> Result<Outcome> {
    let course = course.clone().checked(problem.engine())?;
    drive(problem, start, &course, Restart::first(true))
}

/// Restart `index` of `seed`: its own start and, for learners by samples, its own random numbers.
pub(crate) fn learn_restart(
    problem: &Problem,
    course: &Course,
    restart: Restart<'_>,
) -> Result<Outcome> {
    if course.anneal {
        return Ok(anneal(problem, course, restart)?.outcome);
    }
    let start = random_start(problem, restart.seed, restart.index);
    drive(problem, start, course, restart)
}
