//! Where second-order steps by samples begin: columns as often on as in the data, joined by hidden units alone.

use crate::learning::prior::centres;
use crate::learning::problem::Problem;
use crate::network::Role;

/// Means closer to 0 or 1 than this are those of a rare answer, not of an impossible one.
const LEAST_MEAN: f64 = 1e-3;

/// Keeps what a random start says of hidden units, and sets the rest to columns that are independent given them, about as
/// often on as in the data: random pairs among many columns would make a machine that no chain gets out of.
pub(super) fn begin_near_independence(problem: &Problem, weights: &mut [f64]) {
    let network = problem.structure();
    let means = centres(network, problem.rows());
    let is_hidden: Vec<bool> = network
        .units()
        .iter()
        .map(|unit| unit.role == Role::Hidden)
        .collect();
    let mut shift = vec![0.0; means.len()];
    for (term, weight) in network.terms().iter().zip(weights.iter_mut()) {
        match *term.units() {
            [_] => *weight = 0.0,
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
