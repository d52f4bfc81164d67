//! Learning that is given up early where it will not better what is known: most proposals of a search end lower, and entropies
//! fall on the way to a solution, so that a look after a few iterations saves most of their cost.
//!
//! A proposal begins beside a solution: few and plain steps of EM choose its basin, and second-order steps do the rest. With as
//! many steps of EM as a random start has, these are most of a search's cost (docs/search.md).

use super::checkpoint::Keeping;
use super::course::{Course, Finish};
use super::driver::{drive, drive_keeping};
use super::learners::{EmIs, Learner};
use super::outcome::{Outcome, StopReason};
use super::problem::Problem;
use super::restart::Restart;
use crate::error::Result;
use crate::inference::Kind;

/// Steps of EM, each with one update.
const WARM_UP: usize = 8;
/// Iterations before the look.
const LOOK: usize = 20;
/// Entropies are known this closely by then, in nats.
pub(super) const MARGIN: f64 = 0.05;

/// Learns from `start`; given up where its entropy is below `least` after some iterations.
pub(crate) fn learn_screened(
    problem: &Problem,
    start: Vec<f64>,
    course: &Course,
    restart: Restart<'_>,
    keeping: &Keeping<'_>,
    least: f64,
) -> Result<Outcome> {
    let Some(finish) = course.finish.filter(|_| course.max_iterations > LOOK) else {
        return drive_keeping(problem, start, course, restart, keeping);
    };
    let short = Course {
        learner: match &course.learner {
            Learner::EmIs(em_is) => Learner::EmIs(EmIs {
                inner: 1,
                ..em_is.clone()
            }),
            other => other.clone(),
        },
        finish: Some(Finish {
            warm_up: finish.warm_up.min(WARM_UP),
        }),
        max_iterations: LOOK,
        ..course.clone()
    };
    let mut first = drive(problem, start, &short, restart)?;
    let point = &first.point;
    let is_known = point.worth.entropy == Kind::Exact;
    if !is_known || point.is_stationary(course.tolerance) {
        return Ok(first);
    }
    if point.entropy < least - MARGIN {
        first.stop = StopReason::GivenUp;
        return Ok(first);
    }
    let rest = Course {
        finish: Some(Finish { warm_up: 0 }),
        max_iterations: course.max_iterations - LOOK,
        ..course.clone()
    };
    let weights = first.point.weights.clone();
    let mut outcome = drive_keeping(problem, weights, &rest, restart, keeping)?;
    outcome.start = first.start;
    outcome.iterations += first.iterations;
    outcome.passes += first.passes;
    for entry in &mut outcome.trace {
        entry.passes += first.passes;
    }
    // The point where the second part begins is the last one of the first.
    let again = outcome.trace.split_off(1.min(outcome.trace.len()));
    first.trace.extend(again);
    for (at, entry) in first.trace.iter_mut().enumerate() {
        entry.evaluation = at;
    }
    outcome.trace = first.trace;
    Ok(outcome)
}
