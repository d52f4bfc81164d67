//! What tests reach into; no part of the library's face.

use super::checkpoint::Keeping;
use super::course::Course;
use super::outcome::Outcome;
use super::point::{Point, Workspace};
use super::problem::Problem;
use super::restart::Restart;
use super::{curvature, learn};
use crate::error::Result;
use crate::network::{Network, Recoding};

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
    learn::learn_restart_keeping(problem, course, restart, &Keeping::nothing())
}

/// The Hessian of the objective, row by row; none where the machine is too large.
pub fn hessian(problem: &Problem, weights: &[f64]) -> Option<Vec<f64>> {
    curvature::hessian(problem, weights)
}

/// The Hessian of the objective times a vector, without a matrix; none where some sum is not exact.
pub fn hessian_times(problem: &Problem, weights: &[f64], v: &[f64]) -> Option<Vec<f64>> {
    curvature::HessianProducts::at(problem, weights).map(|hessian| hessian.times(v))
}

/// The gradient of what ridge and bias ridge take from the likelihood.
pub fn penalty_slope(problem: &Problem, weights: &[f64]) -> Vec<f64> {
    problem.prior().slope(weights)
}

/// The machine with these units recoded; none where it cannot be.
pub fn recoded(network: &Network, flips: &[bool]) -> Option<Network> {
    Recoding::new(network, flips).map(|recoding| network.recoded(&recoding))
}

/// The gradient of the objective, ridge included.
pub fn gradient(problem: &Problem, weights: &[f64]) -> Vec<f64> {
    let mut point = Point::at(weights.to_vec());
    let evaluated = problem.evaluate(&mut point, &mut Workspace::default(), false);
    evaluated.map_or(Vec::new(), |()| problem.gradient(&point))
}
