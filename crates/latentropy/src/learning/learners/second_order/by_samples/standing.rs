//! Where a measured point stands: its gradient, the noise in it, and both in the data's own standard errors.

use super::measuring::FreeMeasured;
use crate::learning::point::Point;
use crate::learning::problem::Problem;

/// A gradient by samples, and what it is worth.
pub(super) struct Standing {
    /// Per term.
    pub(super) gradient: Vec<f64>,
    /// Its Monte-Carlo error, per term.
    noise: Vec<f64>,
    /// The terms that may move.
    pub(super) free: Vec<usize>,
    /// The largest violation of stationarity.
    pub(super) residual: f64,
    /// The same in units of the constraints' own standard errors in the data.
    pub(super) largest: f64,
    /// The root of the mean square of the gradient over the terms that may move, in these units.
    pub(super) typical: f64,
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
        Standing {
            typical: mean_square(&gradient).sqrt(),
            noise_square: mean_square(&measured.errors),
            noise: measured.errors.clone(),
            gradient,
            free,
            residual,
            largest,
        }
    }

    /// The gradient along a change of the weights, and the noise in it, as if that of the terms were independent.
    pub(super) fn along(&self, change: &[f64]) -> (f64, f64) {
        let slope = self.gradient.iter().zip(change).map(|(g, d)| g * d).sum();
        let noise: f64 = self
            .noise
            .iter()
            .zip(change)
            .map(|(e, d)| (e * d).powi(2))
            .sum();
        (slope, noise.sqrt())
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
