//! Where a measured point stands: its gradient, the noise in it, and both in the data's own standard errors.

use super::curved::{RAREST, Sampled};
use super::measuring::FreeMeasured;
use super::silent::{silent_units, terms_of};
use crate::learning::point::Point;
use crate::learning::problem::Problem;
use std::f64::consts::PI;

/// A gradient by samples, and what it is worth.
#[derive(Clone)]
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
    /// The root of the mean square of the violations over the terms that may move, in these units.
    pub(super) typical: f64,
    /// The mean square of the gradient over these terms, in these units.
    gradient_square: f64,
    /// The largest gradient of a term that may move, in its own noise.
    pub(super) most_over_noise: f64,
    /// The mean square of the gradient's noise over the terms that may move, in these units.
    pub(super) noise_square: f64,
    /// About what the largest of this noise is, in these units.
    pub(super) largest_noise: f64,
    /// A gradient of noise alone, per term, as large as that in the gradient.
    pub(super) noise: Vec<f64>,
    /// The gradient's Monte-Carlo errors, per term.
    errors: Vec<f64>,
    /// States that it rests on.
    pub(super) samples: f64,
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
        let noise_square = mean_square(&measured.errors);
        let mut typical = mean_square(&gradient).sqrt();
        let noise: Vec<f64> = free
            .iter()
            .map(|&term| measured.errors[term] / errors[term])
            .collect();
        // These weights were chosen by a part of what was measured, which shows no gradient here even where there is one.
        if measured.is_joined {
            let hidden: Vec<f64> = noise.iter().map(|noise| noise.hypot(typical)).collect();
            largest = largest.max(largest_of_noise(&hidden));
            typical = typical.hypot(noise_square.sqrt());
        }
        let least = (RAREST / measured.samples).sqrt();
        let mc_errors: Vec<f64> = measured.errors.iter().map(|e| e.max(least)).collect();
        let over_noise = free
            .iter()
            .map(|&term| gradient[term].abs() / mc_errors[term]);
        let most_over_noise = over_noise.fold(0.0, f64::max);
        let of_variance = free.iter().map(|&term| {
            let mean = measured.expectations[term];
            measured.errors[term].powi(2) / (mean * (1.0 - mean)).max(RAREST)
        });
        let noise_per_variance = of_variance.sum::<f64>() / count;
        Standing {
            typical,
            noise_square,
            largest_noise: largest_of_noise(&noise),
            noise: measured.noise.clone(),
            errors: mc_errors,
            samples: measured.samples,
            gradient_square: mean_square(&gradient),
            noise_per_variance,
            most_over_noise,
            gradient,
            free,
            residual,
            largest,
        }
    }

    /// The same where some terms stay as they are.
    pub(super) fn without(&self, stays: &[bool]) -> Self {
        let mut rest = self.clone();
        rest.free.retain(|&term| !stays[term]);
        rest
    }

    /// By how much the square of the true gradient is more than that of what was measured.
    pub(super) fn hidden(&self) -> f64 {
        match self.gradient_square > 0.0 {
            true => self.typical.powi(2) / self.gradient_square,
            false => 1.0,
        }
    }

    /// What the largest gradient would be by chance, in its own noise: the largest of so many normal numbers.
    pub(super) fn most_by_chance(&self) -> f64 {
        (2.0 * (2.0 * self.free.len() as f64).ln()).sqrt()
    }

    /// The same with so much of the gradient, but all of it where it is more than so many times its own noise, and whether it is
    /// anywhere.
    pub(super) fn shrunk(&self, by: f64, clear: f64) -> (Self, bool) {
        let mut found = self.clone();
        let mut stands_out = false;
        for (slope, error) in found.gradient.iter_mut().zip(&self.errors) {
            match slope.abs() > clear * error {
                true => stands_out = true,
                false => *slope *= by,
            }
        }
        (found, stands_out)
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

/// What the largest of so many normal numbers is in the mean, their signs left out.
pub(super) fn largest_by_chance(count: usize) -> f64 {
    largest_where(|size| count.max(2) as f64 * beyond(size), 1.0)
}

/// The same where they have these standard deviations.
fn largest_of_noise(deviations: &[f64]) -> f64 {
    let most = deviations.iter().copied().fold(0.0, f64::max);
    let expected = |size: f64| -> f64 {
        let told = deviations.iter().filter(|deviation| **deviation > 0.0);
        told.map(|deviation| beyond(size / deviation)).sum()
    };
    largest_where(expected, most)
}

/// Where so many are larger as is expected at the mean of the largest one (the limit of Fisher and Tippett 1928): e^−γ, with
/// Euler's γ. The largest deviation is given; there are fewer than e^100 numbers.
fn largest_where(expected: impl Fn(f64) -> f64, most: f64) -> f64 {
    let at_the_mean = (-EULER).exp();
    let (mut low, mut high) = (0.0, 15.0 * most);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        match expected(middle) > at_the_mean {
            true => low = middle,
            false => high = middle,
        }
    }
    0.5 * (low + high)
}

const EULER: f64 = 0.577_215_664_901_532_9;

/// The probability that a normal number is farther than this from zero, within a hundredth of itself (Birnbaum 1942 has the form).
fn beyond(size: f64) -> f64 {
    let density = (-0.5 * size * size).exp() / (2.0 * PI).sqrt();
    4.0 * density / (size + (size * size + 8.0 / PI).sqrt())
}

/// The standard error of every constraint in the data: the spread of E[f | y] over the rows, over √T. What was never
/// seen is rare, not impossible: it counts as half a row. What no row says anything about counts as if rows showed it.
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
    let silent = silent_units(problem, &point.weights);
    let is_silent = terms_of(problem, &silent);
    variances
        .zip(eta)
        .zip(is_silent)
        .map(|((variance, eta), is_silent)| {
            let variance = match is_silent {
                true => eta * (1.0 - eta),
                false => variance,
            };
            (variance.max(least) / rows).sqrt()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{largest_by_chance, largest_of_noise};
    use crate::random::{Purpose, stream};
    use rand_distr::{Distribution, StandardNormal};

    #[test]
    fn the_largest_of_many_normal_numbers_is_what_is_said() {
        let mut random = stream(5, Purpose::Start, 0);
        for (count, within) in [(20, 0.35), (200, 0.2), (2000, 0.1)] {
            let mut largest = || {
                let drawn = (0..count).map(|_| -> f64 { StandardNormal.sample(&mut random) });
                drawn.fold(0.0, |most: f64, value| most.max(value.abs()))
            };
            let mean = (0..200).map(|_| largest()).sum::<f64>() / 200.0;
            let told = largest_by_chance(count);
            assert!((told - mean).abs() < within, "{count}: {told}, {mean}");
        }
    }

    #[test]
    fn the_largest_of_unequal_noise_is_what_is_said() {
        let mut random = stream(6, Purpose::Start, 0);
        let deviations: Vec<f64> = (0..500)
            .map(|at| if at < 3 { 3.0 } else { 0.5 + 0.001 * at as f64 })
            .collect();
        let mut largest = || {
            let drawn = deviations.iter().map(|deviation| -> f64 {
                let drawn: f64 = StandardNormal.sample(&mut random);
                (deviation * drawn).abs()
            });
            drawn.fold(0.0, f64::max)
        };
        let mean = (0..400).map(|_| largest()).sum::<f64>() / 400.0;
        let told = largest_of_noise(&deviations);
        assert!((told / mean - 1.0).abs() < 0.1, "{told}, {mean}");
        assert_eq!(largest_of_noise(&[]), 0.0);
    }
}
