//! The exact second derivative of the objective: ∇²L = Σ_y p̃(y) Cov[f | y] − Cov_p[f], minus the ridge.

use super::Problem;
use faer::{MatRef, Side};

/// More terms than this make the matrix too large to be worth it.
const MOST_TERMS: usize = 400;

/// An eigenvalue above this is an upward direction; below it lie rounding and the flat directions of dead or
/// duplicate hidden units. Covariances of 0/1 features are at most 1/4.
pub(crate) const UPWARD: f64 = 1e-8;

/// The Hessian of L(λ) − α/(2T) Σ λ² at these weights, row-major; `None` where the machine is too large for it.
pub fn hessian(problem: &Problem, weights: &[f64]) -> Option<Vec<f64>> {
    let terms = problem.terms();
    if terms > MOST_TERMS {
        return None;
    }
    let moments = problem.enumerator()?.moments(weights)?;
    let masks: Vec<usize> = problem
        .structure()
        .terms()
        .iter()
        .map(|term| term.units().iter().map(|u| 1usize << u).sum())
        .collect();
    // With a tempered E step the rows' part is β Cov_{βλ}[f | y].
    let beta = problem.inverse_temperature();
    let mut matrix = vec![0.0; terms * terms];
    for a in 0..terms {
        for b in 0..=a {
            let covariance = moments[masks[a] | masks[b]] - moments[masks[a]] * moments[masks[b]];
            matrix[a * terms + b] = -covariance / beta;
            matrix[b * terms + a] = -covariance / beta;
        }
        matrix[a * terms + a] -= problem.ridge_a_row() / beta;
    }
    problem
        .rows()
        .add_covariance(&problem.posterior_weights(weights), &mut matrix)
        .then(|| {
            if beta != 1.0 {
                matrix.iter_mut().for_each(|entry| *entry *= beta);
            }
            matrix
        })
}

/// The largest eigenvalue of the Hessian over the terms `free`, and its direction; `None` where the machine is too large.
pub(crate) fn largest_curvature(
    problem: &Problem,
    weights: &[f64],
    free: &[usize],
) -> Option<(f64, Vec<f64>)> {
    let matrix = hessian(problem, weights)?;
    let size = free.len();
    if size == 0 {
        return Some((f64::NEG_INFINITY, Vec::new()));
    }
    let terms = weights.len();
    let mut part = Vec::with_capacity(size * size);
    for &a in free {
        part.extend(free.iter().map(|&b| matrix[a * terms + b]));
    }
    let eigen = MatRef::from_row_major_slice(&part, size, size)
        .self_adjoint_eigen(Side::Lower)
        .ok()?;
    // Eigenvalues ascend.
    let vector = eigen.U().col(size - 1);
    Some((eigen.S()[size - 1], vector.iter().copied().collect()))
}
