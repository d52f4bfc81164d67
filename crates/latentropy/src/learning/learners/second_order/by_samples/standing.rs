//! Where a measured point stands: its gradient, the noise in it, and both in the data's own standard errors.

use super::curved::{RAREST, Sampled};
use super::measuring::FreeMeasured;
use crate::learning::point::Point;
use crate::learning::problem::Problem;

/// A gradient by samples, and what it is worth.
pub(super) struct Standing {
    /// Per term.
    pub(super) gradient: Vec<f64>,
    /// The square of its Monte-Carlo error over the variance of the feature, in the mean over the terms that may move.
    noise_per_variance: f64,
    /// The terms that may move.
    pub(super) free: Vec<usize>,
    /// The largest violation of stationarity.
    pub(super) residual: f64,
    /// The same in units of the constraints' own standard errors in the data.
    pub(super) largest: f64,
    /// The root of the mean square of the gradient over the terms that may move, in these units.
    pub(super) typical: f64,
    /// The largest gradient of a term that may move, in its own noise.
    pub(super) most_over_noise: f64,
    /// The mean square of the gradient's noise over the terms that may move, in these units.
    pub(super) noise_square: f64,
}

impl Standing {
    pub(super) fn new(problem: &Problem, point: &Point, measured: &FreeMeasured) -> Self {
        let prior = problem.prior();
        let pulls = prior.slope(&point.weights);
        let eta = &point.clamped.expectations;
        let gradient: Vec<f64> = (0..eta.len())
            .map(|term| eta[term] - measured.expectations[term] - pulls[term])
            .collect();
        let free = prior.movable(&point.weights, &gradient);
        let errors = data_errors(problem, point);
        let (mut residual, mut largest) = (0.0f64, 0.0f64);
        for (term, &weight) in point.weights.iter().enumerate() {
            let violation = prior.violation(term, weight, gradient[term]);
            residual = residual.max(violation);
            largest = largest.max(violation / errors[term]);
        }
        let count = free.len().max(1) as f64;
        let mean_square = |of: &[f64]| -> f64 {
            let squares = free.iter().map(|&term| (of[term] / errors[term]).powi(2));
            squares.sum::<f64>() / count
        };
        let over_noise = free.iter().map(|&term| {
            let least = (RAREST / measured.samples).sqrt();
            gradient[term].abs() / measured.errors[term].max(least)
        });
        let most_over_noise = over_noise.fold(0.0, f64::max);
        let of_variance = free.iter().map(|&term| {
            let mean = measured.expectations[term];
            measured.errors[term].powi(2) / (mean * (1.0 - mean)).max(RAREST)
        });
        let noise_per_variance = of_variance.sum::<f64>() / count;
        Standing {
            typical: mean_square(&gradient).sqrt(),
            noise_square: mean_square(&measured.errors),
            noise_per_variance,
            most_over_noise,
            gradient,
            free,
            residual,
            largest,
        }
    }

    /// The gradient along a change of the weights.
    pub(super) fn slope(&self, change: &[f64]) -> f64 {
        self.gradient.iter().zip(change).map(|(g, d)| g * d).sum()
    }

    /// The noise of the gradient along a change of the weights, over the states that it was measured by.
    pub(super) fn noise_along(&self, change: &[f64], curved: &Sampled) -> f64 {
        (self.noise_per_variance * curved.variance_along(change).max(0.0)).sqrt()
    }
}

/// The standard error of every constraint in the data: the spread of E[f | y] over the rows, over √T. What was never
/// seen is rare, not impossible: it counts as half a row.
fn data_errors(problem: &Problem, point: &Point) -> Vec<f64> {
    let rows = problem.row_count();
    let eta = &point.clamped.expectations;
    let squares = problem
        .rows()
        .mean_squares(&problem.posterior_weights(&point.weights), eta);
    let least = 0.5 / (rows + 1.0) * (1.0 - 0.5 / (rows + 1.0));
    let variances = squares
        .iter()
        .zip(eta)
        .map(|(square, eta)| square - eta * eta);
    variances
        .map(|variance| (variance.max(least) / rows).sqrt())
        .collect()
}
