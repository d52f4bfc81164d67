//! Flat sets: where the data leave a continuum of equally good weights, its point of highest entropy is the solution.
//!
//! At a maximum whose curvature vanishes in some directions, the part of the entropy's gradient in these is followed: a step along
//! it, then the learner again, as long as the entropy rises and the objective does not fall. `quick_climb.rs` does it for proposals.

use super::course::{Course, Finish};
use super::curvature::Curvature;
use super::driver::drive;
use super::outcome::Outcome;
use super::problem::Problem;
use super::restart::Restart;
use crate::error::Result;

/// Below this many nats per unit of weight the entropy does not change along a flat direction.
pub(super) const LEVEL: f64 = 1e-4;
/// The objective may fall by this much, which is rounding.
const SAME: f64 = 1e-9;
/// The first step, in weights; the longest, and the shortest before it is given up.
pub(super) const FIRST_STEP: f64 = 1.0;
pub(super) const LONGEST: f64 = 4.0;
pub(super) const SHORTEST: f64 = 1e-3;
const MOST_STEPS: usize = 100;

/// The outcome at the point of highest entropy of the flat set that it lies in; as it is where it lies in none.
pub(crate) fn climb_flat_set(
    problem: &Problem,
    mut outcome: Outcome,
    course: &Course,
    restart: Restart<'_>,
) -> Result<Outcome> {
    let again = Course {
        finish: course.finish.map(|_| Finish { warm_up: 0 }),
        anneal: false,
        path: false,
        ..course.clone()
    };
    let quiet = Restart {
        keep_trace: false,
        ..restart
    };
    let before = outcome.point.entropy;
    let mut step = FIRST_STEP;
    for _ in 0..MOST_STEPS {
        if !outcome.point.is_stationary(course.tolerance) || step < SHORTEST {
            break;
        }
        let Some(direction) = upwards(problem, &outcome) else {
            break;
        };
        let start = outcome.point.weights.iter().zip(&direction).enumerate();
        let start = start.map(|(term, (weight, u))| problem.prior().held(term, weight + step * u));
        let found = drive(problem, start.collect(), &again, quiet)?;
        outcome.iterations += found.iterations;
        outcome.passes += found.passes;
        let (here, there) = (&outcome.point, &found.point);
        let is_level = there.objective >= here.objective - SAME;
        if is_level && there.is_stationary(course.tolerance) && there.entropy > here.entropy {
            outcome.point = found.point;
            outcome.curvature = found.curvature;
            outcome.is_of_flat_set = true;
            step = (2.0 * step).min(LONGEST);
        } else {
            step *= 0.25;
        }
    }
    outcome.raised = outcome.point.entropy - before;
    Ok(outcome)
}

/// The direction, of length one, in which the objective is flat and the entropy rises; none where there is none.
fn upwards(problem: &Problem, outcome: &Outcome) -> Option<Vec<f64>> {
    let fresh;
    let curvature = match &outcome.curvature {
        Some(known) => known,
        None => {
            fresh = Curvature::at(problem, &outcome.point)?;
            &fresh
        }
    };
    let mut direction = curvature.flat_entropy_gradient(problem)?;
    let length = direction.iter().map(|u| u * u).sum::<f64>().sqrt();
    if length < LEVEL {
        return None;
    }
    for u in &mut direction {
        *u /= length;
    }
    Some(direction)
}
