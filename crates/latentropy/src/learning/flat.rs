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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;
    use crate::inference::EngineId;
    use crate::learning::objective::Objective;
    use crate::learning::quick_climb::climb_quickly;
    use crate::learning::{learn, random_start};
    use crate::network::Network;

    /// Both climbs from the same points: both end in solutions as likely as these, and the quick one rises as far on the whole.
    #[test]
    fn the_quick_climb_rises_as_the_careful_one_does() {
        let rows: Vec<[i8; 4]> = (0..20).map(|row| [1, 1, 1, i8::from(row < 18)]).collect();
        let data = Dataset::from_rows(&rows).unwrap();
        let objective = Objective::with_ridge(0.0);
        let structure = Network::full(4, 2);
        let problem = Problem::new(&structure, &data, objective, EngineId::EXACT, true).unwrap();
        let course = Course::default();
        let restart = Restart::first(false);
        let (mut careful_rise, mut quick_rise) = (0.0, 0.0);
        let (mut careful_passes, mut quick_passes) = (0, 0);
        for index in 0..12 {
            let start = random_start(&problem, 7, index);
            let solved = learn(&problem, start, &course).unwrap();
            let careful = climb_flat_set(&problem, solved.clone(), &course, restart).unwrap();
            let least = f64::NEG_INFINITY;
            let quick = climb_quickly(&problem, solved.clone(), &course, restart, least).unwrap();
            for climbed in [&careful, &quick] {
                assert!(climbed.point.is_stationary(course.tolerance));
                assert!(climbed.point.objective >= solved.point.objective - 1e-6);
                let rise = climbed.point.entropy - solved.point.entropy;
                assert!(rise >= 0.0 && (rise - climbed.raised).abs() < 1e-12);
            }
            careful_rise += careful.raised;
            quick_rise += quick.raised;
            careful_passes += careful.passes - solved.passes;
            quick_passes += quick.passes - solved.passes;
        }
        assert!(careful_rise > 0.1 && quick_rise > 0.9 * careful_rise);
        assert!(quick_passes < careful_passes / 2);
    }
}
