//! The exact second derivative of the objective: ∇²L = Σ_y p̃(y) Cov[f | y] − Cov_p[f], minus the penalty's.

use super::by_states::has_states;
use super::operator::HessianProducts;
use crate::inference::SampledCovariances;
use crate::learning::problem::Problem;
use crate::rows::Summed;
use rayon::prelude::*;

/// More terms than this make the matrix too large: it is made once at the end of a restart, and its factor and inverse take
/// some ten seconds there. Every machine with terms of three units that is enumerated has fewer.
const MOST_TERMS: usize = 6600;
/// More than this make it too large to be worth it in every step: a factor of it takes a second.
const MOST_TERMS_OF_STEPS: usize = 3000;
/// And more than this where every pair of terms has its own sum over the states.
const MOST_TERMS_BY_PAIRS: usize = 600;

/// More terms than this are too many for products, too.
const MOST_TERMS_OF_PRODUCTS: usize = 30_000;

/// A matrix is made of products with unit vectors where that reads about so many numbers at most: some twenty seconds.
const MOST_WORK: f64 = 3e10;

/// Whether there is curvature at all, as a matrix or by products.
pub(crate) fn has_curvature(problem: &Problem) -> bool {
    has_hessian(problem)
        || has_products(problem)
        || has_sampled_hessian(problem)
        || has_states(problem)
}

/// Whether products with vectors can be made: sums are exact, and there is no matrix.
pub(super) fn has_products(problem: &Problem) -> bool {
    problem.terms() <= MOST_TERMS_OF_PRODUCTS
        && problem.engine().gives().curvature
        && problem.rows().is_exact()
}

/// Whether the machine and its rows are small enough for a Hessian.
fn has_hessian(problem: &Problem) -> bool {
    problem.terms() <= MOST_TERMS
        && problem.prepared().curvature().is_some()
        && problem.rows().has_covariance()
}

/// Whether steps are best made with the Hessian itself.
pub(crate) fn steps_by_hessian(problem: &Problem) -> bool {
    let covariances = problem.prepared().curvature();
    let most = match covariances.is_some_and(|found| found.takes_few_passes()) {
        true => MOST_TERMS_OF_STEPS,
        false => MOST_TERMS_BY_PAIRS,
    };
    problem.terms() <= most && has_hessian(problem)
}

/// Whether steps are best made with products of the Hessian: wherever all of its parts can be made.
pub(crate) fn steps_by_products(problem: &Problem) -> bool {
    has_products(problem) && HessianProducts::at(problem, &vec![0.0; problem.terms()]).is_some()
}

/// The Hessian of the objective at these weights, row-major; `None` where the machine is too large for it.
pub(crate) fn hessian(problem: &Problem, weights: &[f64]) -> Option<Vec<f64>> {
    hessian_and_entropy_gradient(problem, weights).map(|(matrix, _)| matrix)
}

/// Cov_p[f], the lower half, row-major; `None` where the machine is too large for it.
fn free_covariances(problem: &Problem, weights: &[f64]) -> Option<Vec<f64>> {
    let terms = problem.terms();
    if !has_hessian(problem) {
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

/// More terms than this are too many for a matrix by samples, whose factor takes a few seconds.
pub(crate) const MOST_SAMPLED_TERMS: usize = 6000;
/// States per term that a matrix by samples rests on, and at least: variances by its inverse are then off by a few in a hundred.
const STATES_PER_TERM: usize = 64;
const FEWEST_STATES: usize = 1 << 14;
/// Products of two features that are counted at most: some seconds.
const MOST_COUNTED: f64 = 4e12;

/// Up to this many terms, steps take Cov f as a matrix. Above it, products over far fewer states make as good a step in less
/// time: with 3,240 terms in a third of it (docs/decisions.md).
const MOST_TERMS_OF_SAMPLED_STEPS: usize = 2000;

/// Whether steps by samples take Cov f as a matrix; terms of more than two units have nothing else.
pub(crate) fn sampled_steps_by_matrix(problem: &Problem) -> bool {
    let most = match problem.structure().order() > 2 {
        true => MOST_SAMPLED_TERMS,
        false => MOST_TERMS_OF_SAMPLED_STEPS,
    };
    problem.terms() <= most
}

/// Whether there is curvature by samples as a matrix. It says more than products where it is definite; with hidden units it is
/// not by its noise, and is made where steps are made with it, too.
pub(super) fn has_sampled_hessian(problem: &Problem) -> bool {
    let has_hidden = !problem.structure().hidden().is_empty();
    problem.is_sampled()
        && problem.terms() <= MOST_SAMPLED_TERMS
        && (!has_hidden || sampled_steps_by_matrix(problem))
}

/// The Hessian with sampled covariances for the free phase's; of a missing cell, a row too large for enumeration says nothing.
pub(crate) fn hessian_by_samples(
    problem: &Problem,
    weights: &[f64],
    covariances: &SampledCovariances,
) -> Vec<f64> {
    let mut matrix = without_rows(problem, covariances, Summed::Ready);
    problem.rows().add_ready_covariance(weights, &mut matrix);
    matrix
}

/// The same for steps, without Σ_y p̃(y) Cov[f | y] of the rows that are quickly summed: the curvature of the M step.
pub(crate) fn hessian_without_rows(
    problem: &Problem,
    covariances: &SampledCovariances,
) -> Vec<f64> {
    without_rows(problem, covariances, Summed::Quick)
}

fn without_rows(problem: &Problem, covariances: &SampledCovariances, summed: Summed) -> Vec<f64> {
    let terms = problem.terms();
    let said = problem.rows().said_shares(summed);
    let mut matrix = vec![0.0; terms * terms];
    for a in 0..terms {
        for b in 0..=a {
            let share = (said[a] * said[b]).sqrt();
            let covariance = -share * covariances.lower[a * terms + b];
            matrix[a * terms + b] = covariance;
            matrix[b * terms + a] = covariance;
        }
    }
    problem.prior().take_curvature(1.0, &mut matrix);
    matrix
}

/// States that a matrix by samples rests on. Where rows show little of the terms, Cov[f | y] takes most of Cov f off, and the noise of
/// what is taken from must be as much smaller.
fn states_of_curvature(problem: &Problem) -> usize {
    let terms = problem.terms();
    let usual = (STATES_PER_TERM * terms).max(FEWEST_STATES);
    let shown = problem.rows().shown_shares();
    let shown = shown.iter().sum::<f64>() / terms.max(1) as f64;
    let most = (MOST_COUNTED / (terms * terms).max(1) as f64).max(usual as f64);
    (usual as f64 / shown.max(f64::MIN_POSITIVE).powi(2)).min(most) as usize
}

/// The same from chains of its own, with ∂H/∂λ and the standard error of an eigenvalue.
pub(super) fn sampled_hessian(
    problem: &Problem,
    weights: &[f64],
) -> Option<(Vec<f64>, Vec<f64>, f64)> {
    if !has_sampled_hessian(problem) {
        return None;
    }
    let terms = weights.len();
    let states = states_of_curvature(problem);
    let found = problem.prepared().sampled_covariances(weights, states);
    let covariances = found.ok()??;
    let mut entropy_gradient = vec![0.0; terms];
    let mut largest = 0.0f64;
    for a in 0..terms {
        for b in 0..=a {
            let covariance = covariances.lower[a * terms + b];
            entropy_gradient[a] -= covariance * weights[b];
            if a != b {
                entropy_gradient[b] -= covariance * weights[a];
            }
        }
        largest = largest.max(covariances.lower[a * terms + a]);
    }
    // The variance along a direction, sampled, is off by √(2/n) of itself.
    let error = largest * (2.0 / covariances.samples as f64).sqrt();
    let matrix = hessian_by_samples(problem, weights, &covariances);
    Some((matrix, entropy_gradient, error))
}

/// The Hessian, and ∂H/∂λ = −Cov_p[f] λ of the entropy H, which the same moments give.
pub(super) fn hessian_and_entropy_gradient(
    problem: &Problem,
    weights: &[f64],
) -> Option<(Vec<f64>, Vec<f64>)> {
    if !has_hessian(problem) {
        return by_products(problem, weights);
    }
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

/// The same, a product with each unit vector; none where that would take too long.
fn by_products(problem: &Problem, weights: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
    let terms = problem.terms();
    if terms > MOST_TERMS || !has_products(problem) {
        return None;
    }
    let hessian = HessianProducts::at(problem, weights)?;
    if hessian.work() * terms as f64 > MOST_WORK {
        return None;
    }
    let lines: Vec<Vec<f64>> = (0..terms)
        .into_par_iter()
        .map(|term| {
            let mut unit = vec![0.0; terms];
            unit[term] = 1.0;
            hessian.times(&unit)
        })
        .collect();
    let mut matrix = lines.concat();
    // Rounding leaves the two halves a hair apart.
    for a in 0..terms {
        for b in 0..a {
            let mean = 0.5 * (matrix[a * terms + b] + matrix[b * terms + a]);
            matrix[a * terms + b] = mean;
            matrix[b * terms + a] = mean;
        }
    }
    let entropy_gradient = hessian.free_times(weights).iter().map(|g| -g).collect();
    Some((matrix, entropy_gradient))
}
