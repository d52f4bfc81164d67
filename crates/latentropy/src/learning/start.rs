//! Random starts: one stream of random numbers a restart, so that a restart does not depend on the others.

use super::Problem;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// The generator of restart `stream`.
pub(crate) fn stream(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}

/// Independent normal weights of standard deviation min(1, √(8/M)), kept in the box.
///
/// One is the scale of the paper's eight-unit experiments; larger machines start smaller, so that the
/// fields of the units, sums over M weights, start at the same size.
pub fn random_start(problem: &Problem, seed: u64, index: u64) -> Vec<f64> {
    let mut rng = stream(seed, index);
    let units = problem.structure().units().len() as f64;
    let scale = (8.0 / units).sqrt().min(1.0);
    let bound = problem.penalty().bound;
    (0..problem.terms())
        .map(|_| {
            let normal: f64 = StandardNormal.sample(&mut rng);
            (scale * normal).clamp(-bound, bound)
        })
        .collect()
}
