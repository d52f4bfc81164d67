//! The exact second derivative of the objective: ∇²L = Σ_y p̃(y) Cov[f | y] − Cov_p[f], minus the penalty's.

use super::point::Point;
use super::problem::Problem;
use faer::{MatRef, Side};

/// More terms than this make the matrix too large to be worth it.
const MOST_TERMS: usize = 400;

/// An eigenvalue above this is an upward direction; below it lie rounding and the flat directions of dead or
/// duplicate hidden units. Covariances of 0/1 features are at most 1/4.
pub(crate) const UPWARD: f64 = 1e-8;

/// Whether the machine and its rows are small enough for a Hessian.
pub(crate) fn has_hessian(problem: &Problem) -> bool {
    problem.terms() <= MOST_TERMS
        && problem.prepared().curvature().is_some()
        && problem.rows().has_covariance()
}

/// The Hessian of the objective at these weights, row-major; `None` where the machine is too large for it.
pub(crate) fn hessian(problem: &Problem, weights: &[f64]) -> Option<Vec<f64>> {
    hessian_and_entropy_gradient(problem, weights).map(|(matrix, _)| matrix)
}

/// Cov_p[f], the lower half, row-major; `None` where the machine is too large for it.
fn free_covariances(problem: &Problem, weights: &[f64]) -> Option<Vec<f64>> {
    let terms = problem.terms();
    if terms > MOST_TERMS {
        return None;
    }
    let mut matrix = vec![0.0; terms * terms];
    problem
        .prepared()
        .curvature()?
        .covariances(weights, &mut matrix);
    Some(matrix)
}

/// More rows than this share are not left out of a step's Hessian.
const MOST_LEFT_OUT: f64 = 0.1;

/// The Hessian that a step is made with: rows that show next to nothing, whose covariances take most of the time, count
/// as rows that show nothing, Cov[f | y] = Cov_p[f]. The step's gain is measured, not believed, and certificates rest on
/// the whole one.
pub(crate) fn step_hessian(problem: &Problem, weights: &[f64]) -> Option<Vec<f64>> {
    let left_out = problem.rows().costly_share();
    if left_out == 0.0 || left_out > MOST_LEFT_OUT || problem.inverse_temperature() != 1.0 {
        return hessian(problem, weights);
    }
    let (terms, mut matrix) = (problem.terms(), free_covariances(problem, weights)?);
    for a in 0..terms {
        for b in 0..=a {
            let covariance = (left_out - 1.0) * matrix[a * terms + b];
            matrix[a * terms + b] = covariance;
            matrix[b * terms + a] = covariance;
        }
    }
    problem.prior().take_curvature(1.0, &mut matrix);
    problem.rows().add_quick_covariance(weights, &mut matrix);
    Some(matrix)
}

/// The Hessian, and ∂H/∂λ = −Cov_p[f] λ of the entropy H, which the same moments give.
fn hessian_and_entropy_gradient(
    problem: &Problem,
    weights: &[f64],
) -> Option<(Vec<f64>, Vec<f64>)> {
    let (terms, mut matrix) = (problem.terms(), free_covariances(problem, weights)?);
    // With a tempered E step the rows' part is β Cov_{βλ}[f | y].
    let beta = problem.inverse_temperature();
    let mut entropy_gradient = vec![0.0; terms];
    for a in 0..terms {
        for b in 0..=a {
            let covariance = matrix[a * terms + b];
            entropy_gradient[a] -= covariance * weights[b];
            if a != b {
                entropy_gradient[b] -= covariance * weights[a];
            }
            matrix[a * terms + b] = -covariance / beta;
            matrix[b * terms + a] = -covariance / beta;
        }
    }
    problem.prior().take_curvature(1.0 / beta, &mut matrix);
    problem
        .rows()
        .add_covariance(&problem.posterior_weights(weights), &mut matrix)
        .then(|| {
            if beta != 1.0 {
                matrix.iter_mut().for_each(|entry| *entry *= beta);
            }
            (matrix, entropy_gradient)
        })
}

/// The curvature of the objective over the terms that may move, taken apart into its principal directions.
#[derive(Clone, Debug)]
pub(crate) struct Curvature {
    /// The terms that may move.
    pub(crate) free: Vec<usize>,
    /// Eigenvalues of the Hessian over these terms, ascending.
    pub(crate) eigenvalues: Vec<f64>,
    /// ∂H/∂λ of the entropy H, over these terms.
    pub(crate) entropy_gradient: Vec<f64>,
    /// One unit vector after the other, in the order of the eigenvalues.
    directions: Vec<f64>,
}

impl Curvature {
    /// At an evaluated point, over the terms that may move there.
    pub(crate) fn at(problem: &Problem, point: &Point) -> Option<Self> {
        let gradient = problem.gradient(point);
        let free = problem.prior().movable(&point.weights, &gradient);
        Curvature::new(problem, &point.weights, free)
    }

    /// At these weights, over the terms `free`; `None` where the machine is too large.
    pub(crate) fn new(problem: &Problem, weights: &[f64], free: Vec<usize>) -> Option<Self> {
        let (matrix, entropy_gradient) = hessian_and_entropy_gradient(problem, weights)?;
        let (size, terms) = (free.len(), weights.len());
        let mut part = Vec::with_capacity(size * size);
        for &a in &free {
            part.extend(free.iter().map(|&b| matrix[a * terms + b]));
        }
        let (mut eigenvalues, mut directions) = (Vec::new(), Vec::new());
        if size > 0 {
            let eigen = MatRef::from_row_major_slice(&part, size, size)
                .self_adjoint_eigen(Side::Lower)
                .ok()?;
            for at in 0..size {
                eigenvalues.push(eigen.S()[at]);
                directions.extend(eigen.U().col(at).iter());
            }
        }
        Some(Curvature {
            entropy_gradient: free.iter().map(|&term| entropy_gradient[term]).collect(),
            free,
            eigenvalues,
            directions,
        })
    }

    /// The direction of eigenvalue `at`.
    pub(crate) fn direction(&self, at: usize) -> &[f64] {
        let size = self.free.len();
        &self.directions[at * size..(at + 1) * size]
    }

    /// The largest eigenvalue; −∞ where nothing may move.
    pub(crate) fn largest(&self) -> f64 {
        self.eigenvalues
            .last()
            .copied()
            .unwrap_or(f64::NEG_INFINITY)
    }
}
