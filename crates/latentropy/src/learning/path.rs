//! Following a solution along the ridge: from a large one, where there is hardly more than one solution, to the one that is
//! asked for.
//!
//! At a large ridge all weights are small and the objective is nearly concave; what little of the start is left chooses among
//! equals, such as the orders of the hidden units. As the ridge falls the solution moves, and where it ceases to be
//! a maximum the next solve leaves it. On the way solutions need not be exact.

use super::course::{Course, Finish};
use super::driver::drive;
use super::objective::Objective;
use super::outcome::Outcome;
use super::problem::Problem;
use super::restart::Restart;
use crate::error::Result;
use crate::random::{Purpose, stream};
use rand_distr::{Distribution, StandardNormal};

/// The first ridge, which is divided by [`FALL`] until it is below [`LAST`], and then the objective's own.
const FIRST: f64 = 30.0;
const FALL: f64 = 3.0;
const LAST: f64 = 0.01;
/// A small perturbation before each solve, so that a point that has become a saddle is left.
const NOISE: f64 = 0.1;
const LOOSE_TOLERANCE: f64 = 1e-5;
const MOST_ITERATIONS: usize = 100;
const WARM_UP: usize = 5;

/// The solution at the end of the path that begins at `start`; its iterations and passes are those of the whole way.
pub(crate) fn follow_path(
    problem: &Problem,
    start: Vec<f64>,
    course: &Course,
    restart: Restart<'_>,
) -> Result<Outcome> {
    let loose = Course {
        tolerance: course.tolerance.max(LOOSE_TOLERANCE),
        max_iterations: course.max_iterations.min(MOST_ITERATIONS),
        finish: course.finish.map(|finish| Finish {
            warm_up: finish.warm_up.min(WARM_UP),
        }),
        ..course.clone()
    };
    let quiet = Restart {
        keep_trace: false,
        ..restart
    };
    let mut random = stream(restart.seed, Purpose::Learning, restart.index);
    let (mut weights, mut iterations, mut passes) = (start, 0, 0);
    for ridge in ridges_above(problem.objective().ridge) {
        let objective = Objective {
            ridge,
            ..problem.objective()
        };
        let found = drive(&problem.with_objective(objective)?, weights, &loose, quiet)?;
        iterations += found.iterations;
        passes += found.passes;
        let moved = found
            .point
            .weights
            .iter()
            .enumerate()
            .map(|(term, weight)| {
                let normal: f64 = StandardNormal.sample(&mut random);
                problem.prior().held(term, weight + NOISE * normal)
            });
        weights = moved.collect();
    }
    let mut outcome = drive(problem, weights, course, restart)?;
    outcome.iterations += iterations;
    outcome.passes += passes;
    Ok(outcome)
}

/// The ridges of the way, from the largest, all above the last one.
fn ridges_above(last: f64) -> Vec<f64> {
    let all = std::iter::successors(Some(FIRST), |ridge| Some(ridge / FALL));
    all.take_while(|&ridge| ridge > last.max(LAST)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_falls_to_the_ridge_that_is_asked_for() {
        assert_eq!(ridges_above(2.0), [30.0, 10.0, 30.0 / 9.0]);
        assert_eq!(ridges_above(100.0), Vec::<f64>::new());
        assert_eq!(ridges_above(0.0).len(), 8);
    }
}
