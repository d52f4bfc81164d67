//! The exact second derivative of the objective: ∇²L = Σ_y p̃(y) Cov[f | y] − Cov_p[f], minus the ridge.

use super::Problem;

/// More terms than this make the matrix too large to be worth it.
const MOST_TERMS: usize = 400;

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
    let mut matrix = vec![0.0; terms * terms];
    for a in 0..terms {
        for b in 0..=a {
            let covariance = moments[masks[a] | masks[b]] - moments[masks[a]] * moments[masks[b]];
            matrix[a * terms + b] = -covariance;
            matrix[b * terms + a] = -covariance;
        }
        matrix[a * terms + a] -= problem.ridge_a_row();
    }
    problem
        .rows()
        .add_covariance(weights, &mut matrix)
        .then_some(matrix)
}
