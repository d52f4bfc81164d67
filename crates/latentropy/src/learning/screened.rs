//! Learning that is given up early where it will not better what is known: most proposals of a search end lower, and entropies
//! fall on the way to a solution, so that looks after a few iterations save most of their cost.
//!
//! A proposal begins beside a solution: few and plain steps of EM choose its basin, and second-order steps of little care do the
//! rest. With as many steps of EM, or as much care, as a random start has, these are most of a search's cost (docs/search.md).

use super::checkpoint::Keeping;
use super::course::{Course, Finish};
use super::driver::{drive_keeping, drive_lightly};
use super::learners::{EmIs, Learner};
use super::outcome::{Outcome, StopReason};
use super::problem::Problem;
use super::restart::Restart;
use crate::error::Result;
use crate::inference::Kind;

/// Steps of EM, each with one update.
const WARM_UP: usize = 8;
/// Iterations before each look.
const LOOKS: [usize; 4] = [20, 32, 50, 80];
/// Entropies are known this closely by then, in nats.
pub(super) const MARGIN: f64 = 0.05;

/// Learns from `start`; given up where its entropy is below `least` after some iterations, `least` being one before any climb along a
/// flat set.
pub(crate) fn learn_screened(
    problem: &Problem,
    start: Vec<f64>,
    course: &Course,
    restart: Restart<'_>,
    keeping: &Keeping<'_>,
    least: f64,
) -> Result<Outcome> {
    let Some(finish) = course.finish else {
        return drive_keeping(problem, start, course, restart, keeping);
    };
    let learner = match &course.learner {
        Learner::EmIs(em_is) => Learner::EmIs(EmIs {
            inner: 1,
            ..em_is.clone()
        }),
        other => other.clone(),
    };
    let mut part = Course {
        learner,
        finish: Some(Finish {
            warm_up: finish.warm_up.min(WARM_UP),
        }),
        ..course.clone()
    };
    let mut so_far: Option<Outcome> = None;
    let mut done = 0;
    for look in LOOKS
        .into_iter()
        .filter(|look| *look < course.max_iterations)
    {
        part.max_iterations = look - done;
        let from = so_far.as_ref().map_or(&start, |first| &first.point.weights);
        let next = drive_lightly(problem, from.clone(), &part, restart, &Keeping::nothing())?;
        let mut outcome = joined(so_far, next);
        let point = &outcome.point;
        let is_known = point.worth.entropy == Kind::Exact;
        if !is_known || point.is_stationary(course.tolerance) {
            return Ok(outcome);
        }
        if point.entropy < least - MARGIN {
            outcome.stop = StopReason::GivenUp;
            return Ok(outcome);
        }
        so_far = Some(outcome);
        done = look;
        part.finish = Some(Finish { warm_up: 0 });
    }
    part.max_iterations = course.max_iterations - done;
    let from = so_far
        .as_ref()
        .map_or(start, |outcome| outcome.point.weights.clone());
    let last = drive_lightly(problem, from, &part, restart, keeping)?;
    Ok(joined(so_far, last))
}

/// One run that was made in two parts, the second from where the first ended.
fn joined(first: Option<Outcome>, mut then: Outcome) -> Outcome {
    let Some(mut first) = first else {
        return then;
    };
    then.start = first.start;
    then.iterations += first.iterations;
    then.passes += first.passes;
    for entry in &mut then.trace {
        entry.passes += first.passes;
    }
    // The point where the second part begins is the last one of the first.
    let again = then.trace.split_off(1.min(then.trace.len()));
    first.trace.extend(again);
    for (at, entry) in first.trace.iter_mut().enumerate() {
        entry.evaluation = at;
    }
    then.trace = first.trace;
    then
}
