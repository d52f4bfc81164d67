//! Random starts: one stream of random numbers per restart, so that a restart does not depend on the others.

use super::learners::Learner;
use super::prior::centres;
use super::problem::Problem;
use crate::network::{Network, Role};
use crate::random::{Purpose, stream};
use rand_distr::{Distribution, StandardNormal};

/// Independent normal weights of standard deviation min(1, √(8/M)), kept in the box.
///
/// One is the scale of the paper's eight-unit experiments; larger machines start smaller, so that the
/// fields of the units, sums over M weights, start at the same size.
pub fn random_start(problem: &Problem, seed: u64, index: u64) -> Vec<f64> {
    let mut random = stream(seed, Purpose::Start, index);
    let scale = start_scale(problem.structure());
    (0..problem.terms())
        .map(|term| {
            let normal: f64 = StandardNormal.sample(&mut random);
            problem.prior().held(term, scale * normal)
        })
        .collect()
}

/// The standard deviation of the weights of a random start.
pub(crate) fn start_scale(network: &Network) -> f64 {
    let units = network.units().len() as f64;
    (8.0 / units).sqrt().min(1.0)
}

/// The random start of a restart of this learner.
pub(crate) fn start_of(problem: &Problem, learner: &Learner, seed: u64, index: u64) -> Vec<f64> {
    let mut weights = random_start(problem, seed, index);
    if problem.is_sampled() && matches!(learner, Learner::QuasiNewton(_)) {
        bring_near_independence(problem, &mut weights);
    }
    weights
}

/// Means closer to 0 or 1 than this are those of a rare answer, not of an impossible one.
const LEAST_MEAN: f64 = 1e-3;

/// Keeps what a random start says of hidden units, and sets the rest to columns that are independent given them, about as
/// often on as in the data: random pairs among many columns would make a machine that no chain gets out of.
fn bring_near_independence(problem: &Problem, weights: &mut [f64]) {
    let network = problem.structure();
    let means = centres(network, problem.rows());
    let units = network.units().iter();
    let is_hidden: Vec<bool> = units.map(|unit| unit.role == Role::Hidden).collect();
    let mut shift = vec![0.0; means.len()];
    for (term, weight) in network.terms().iter().zip(weights.iter_mut()) {
        match *term.units() {
            [a, b] if is_hidden[a] || is_hidden[b] => {
                shift[a] += *weight * means[b];
                shift[b] += *weight * means[a];
            }
            _ => *weight = 0.0,
        }
    }
    let prior = problem.prior();
    for (at, term) in network.terms().iter().enumerate() {
        if let [unit] = *term.units() {
            let mean = means[unit].clamp(LEAST_MEAN, 1.0 - LEAST_MEAN);
            weights[at] = prior.held(at, (mean / (1.0 - mean)).ln() - shift[unit]);
        }
    }
}
