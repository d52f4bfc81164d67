//! Random starts: one stream of random numbers per restart, so that a restart does not depend on the others.

use super::problem::Problem;
use crate::random::{Purpose, stream};
use rand_distr::{Distribution, StandardNormal};

/// Independent normal weights of standard deviation min(1, √(8/M)), kept in the box.
///
/// One is the scale of the paper's eight-unit experiments; larger machines start smaller, so that the
/// fields of the units, sums over M weights, start at the same size.
pub fn random_start(problem: &Problem, seed: u64, index: u64) -> Vec<f64> {
    let mut random = stream(seed, Purpose::Start, index);
    let units = problem.structure().units().len() as f64;
    let scale = (8.0 / units).sqrt().min(1.0);
    (0..problem.terms())
        .map(|term| {
            let normal: f64 = StandardNormal.sample(&mut random);
            problem.prior().held(term, scale * normal)
        })
        .collect()
}
