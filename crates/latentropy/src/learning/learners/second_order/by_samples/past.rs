//! What earlier measurements still say of E f where a short step has led to.
//!
//! The derivative of E f by the weights is Cov f, so that E f after a step d is E f before it plus ½ (Cov f before + Cov f
//! after) d, but for the third order of its length. A new measurement is averaged with what is foretold so, each by the
//! inverse of its variance (Kalman 1960), which the step makes larger. One that contradicts it ends the past.

use super::curved::{RAREST, Sampled};
use super::measuring::FreeMeasured;
use super::standing::largest_by_chance;
use crate::inference::kernels::dot;
use serde::{Deserialize, Serialize};

/// Of the third order of a step's length, what it may change an expectation by, in its deviations: 1/12 is the error of the
/// trapezium, and third cumulants are rarely above one.
const THIRD_ORDER: f64 = 1.0 / 12.0;
/// Recorded states change slowly: they are worth about half as many that are independent.
const WORTH: f64 = 0.5;
/// The past is contradicted where what it foretells is off by so many times what would be the largest by chance …
const CONTRADICTED: f64 = 1.4;
/// … or where squares are, in the mean, larger by so many of their own standard errors, or by so much.
const SQUARES_OFF: f64 = 4.0;
const MUCH: f64 = 0.3;

/// All that was measured before the last step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Past {
    from: Vec<f64>,
    expectations: Vec<f64>,
    errors: Vec<f64>,
    samples: f64,
    /// ½ Cov f d, Cov f as it was before the step.
    half_shift: Vec<f64>,
    /// States that these covariances rest on.
    states: f64,
}

impl Past {
    /// Before a step to these weights.
    pub(super) fn before(
        measured: &FreeMeasured,
        curved: &Sampled,
        from: Vec<f64>,
        to: &[f64],
    ) -> Self {
        Past {
            half_shift: half_shift(curved, &from, to),
            states: WORTH * curved.states() as f64,
            expectations: measured.expectations.clone(),
            errors: measured.errors.clone(),
            samples: measured.samples,
            from,
        }
    }

    /// The new measurement at these weights, and what the past says of them.
    pub(super) fn join(
        self,
        mut new: FreeMeasured,
        curved: &Sampled,
        weights: &[f64],
    ) -> FreeMeasured {
        let half = half_shift(curved, &self.from, weights);
        let shift: Vec<f64> = half
            .iter()
            .zip(&self.half_shift)
            .map(|(a, b)| a + b)
            .collect();
        let step: Vec<f64> = weights
            .iter()
            .zip(&self.from)
            .map(|(to, from)| to - from)
            .collect();
        let length_square = dot(&step, &shift).max(0.0);
        let states = self.states.min(WORTH * curved.states() as f64).max(1.0);
        // In units of a feature's variance: what noise of the covariances and the third order add.
        let added =
            0.5 * length_square / states + THIRD_ORDER * THIRD_ORDER * length_square.powi(3);
        let terms = weights.len();
        let variance = |mean: f64| (mean * (1.0 - mean)).max(RAREST);
        let (mut of_past, mut of_new, mut squares, mut most) = (0.0, 0.0, 0.0, 0.0f64);
        for term in 0..terms {
            let mean = new.expectations[term];
            let spread = variance(mean);
            let least = RAREST / new.samples;
            let past = self.errors[term].powi(2) + added * spread;
            let fresh = new.errors[term].powi(2).max(least);
            let off = (mean - self.expectations[term] - shift[term]).powi(2) / (past + fresh);
            of_past += past / spread;
            of_new += fresh / spread;
            squares += off;
            most = most.max(off.sqrt());
        }
        let count = terms as f64;
        let squares_off = squares / count - 1.0;
        let is_contradicted = most > CONTRADICTED * largest_by_chance(terms)
            || squares_off > (SQUARES_OFF * (2.0 / count).sqrt()).max(MUCH);
        if is_contradicted || !(of_past + of_new).is_normal() {
            return new;
        }
        let share = of_new / (of_past + of_new);
        for term in 0..terms {
            let foretold = self.expectations[term] + shift[term];
            let spread = variance(new.expectations[term]);
            let past = self.errors[term].powi(2) + added * spread;
            let mean = &mut new.expectations[term];
            *mean += share * (foretold - *mean);
            let fresh = (1.0 - share) * new.errors[term];
            let error = (fresh * fresh + share * share * past).sqrt();
            if new.errors[term] > 0.0 {
                new.noise[term] *= error / new.errors[term];
            }
            new.errors[term] = error;
        }
        new.samples = (new.samples / (1.0 - share)).min(new.samples + self.samples);
        new.is_joined = true;
        new
    }
}

/// ½ Cov f d for the step d between these weights.
fn half_shift(curved: &Sampled, from: &[f64], to: &[f64]) -> Vec<f64> {
    let half: Vec<f64> = to
        .iter()
        .zip(from)
        .map(|(to, from)| 0.5 * (to - from))
        .collect();
    curved.times(&half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::SampledCovariances;
    use crate::random::{Purpose, Random, stream};
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    const TERMS: usize = 300;
    const STATES: usize = 100_000;

    /// Independent units of these weights: E f and Cov f are known.
    fn expectations(weights: &[f64]) -> Vec<f64> {
        weights.iter().map(|w| 1.0 / (1.0 + (-w).exp())).collect()
    }

    fn covariances(weights: &[f64]) -> Sampled {
        let terms = weights.len();
        let mut lower = vec![0.0; terms * terms];
        for (term, mean) in expectations(weights).into_iter().enumerate() {
            lower[term * terms + term] = mean * (1.0 - mean);
        }
        Sampled::Matrix(SampledCovariances {
            lower,
            samples: STATES,
        })
    }

    /// A measurement of so many independent states.
    fn measured(weights: &[f64], samples: f64, random: &mut Random) -> FreeMeasured {
        let means = expectations(weights);
        let error = |mean: f64| (mean * (1.0 - mean) / samples).sqrt();
        let errors: Vec<f64> = means.iter().map(|&mean| error(mean)).collect();
        let mut normal = || -> f64 { StandardNormal.sample(random) };
        let noisy = means
            .iter()
            .zip(&errors)
            .map(|(mean, e)| mean + e * normal());
        FreeMeasured::of(noisy.collect(), errors, samples)
    }

    fn weights(random: &mut Random) -> Vec<f64> {
        (0..TERMS).map(|_| random.random_range(-1.0..1.0)).collect()
    }

    #[test]
    fn the_same_weights_measured_twice_are_measured_twice_as_long() {
        let mut random = stream(1, Purpose::Start, 0);
        let at = weights(&mut random);
        let curved = covariances(&at);
        let first = measured(&at, 1e4, &mut random);
        let second = measured(&at, 1e4, &mut random);
        let middle: Vec<f64> = (0..TERMS)
            .map(|term| 0.5 * (first.expectations[term] + second.expectations[term]))
            .collect();
        let single = second.errors[0];
        let past = Past::before(&first, &curved, at.clone(), &at);
        let both = past.join(second, &curved, &at);
        assert!(both.is_joined);
        assert!((both.samples / 2e4 - 1.0).abs() < 1e-6, "{}", both.samples);
        assert!((both.errors[0] / single - 0.5f64.sqrt()).abs() < 1e-6);
        for (found, middle) in both.expectations.iter().zip(middle) {
            assert!((found - middle).abs() < 1e-9);
        }
    }

    #[test]
    fn on_a_way_of_short_steps_errors_shrink_and_are_what_they_say() {
        let mut random = stream(2, Purpose::Start, 0);
        let mut at = weights(&mut random);
        let mut known = measured(&at, 1e4, &mut random);
        let single = known.errors[0];
        for _ in 0..12 {
            let from = at.clone();
            // About 0.05 in the deviation of Σ d f.
            for weight in &mut at {
                let normal: f64 = StandardNormal.sample(&mut random);
                *weight += 0.006 * normal;
            }
            let past = Past::before(&known, &covariances(&from), from, &at);
            let new = measured(&at, 1e4, &mut random);
            known = past.join(new, &covariances(&at), &at);
            assert!(known.is_joined);
        }
        assert!(
            known.errors[0] < 0.4 * single,
            "{}",
            known.errors[0] / single
        );
        let truth = expectations(&at);
        let off =
            (0..TERMS).map(|t| ((known.expectations[t] - truth[t]) / known.errors[t]).powi(2));
        let square = off.sum::<f64>() / TERMS as f64;
        assert!((0.6..1.3).contains(&square), "{square}");
    }

    #[test]
    fn a_past_that_is_contradicted_is_left() {
        let mut random = stream(3, Purpose::Start, 0);
        let at = weights(&mut random);
        let curved = covariances(&at);
        let mut first = measured(&at, 1e6, &mut random);
        first.expectations[7] += 10.0 * first.errors[7];
        let second = measured(&at, 1e6, &mut random);
        let alone = second.expectations.clone();
        let past = Past::before(&first, &curved, at.clone(), &at);
        let found = past.join(second, &curved, &at);
        assert!(!found.is_joined);
        assert_eq!(found.expectations, alone);
    }

    #[test]
    fn a_long_step_leaves_next_to_nothing_of_the_past() {
        let mut random = stream(4, Purpose::Start, 0);
        let from = weights(&mut random);
        let to: Vec<f64> = from.iter().map(|weight| weight + 0.2).collect();
        let first = measured(&from, 1e6, &mut random);
        let second = measured(&to, 1e4, &mut random);
        let alone = second.errors[0];
        let past = Past::before(&first, &covariances(&from), from, &to);
        let found = past.join(second, &covariances(&to), &to);
        assert!(
            found.errors[0] > 0.95 * alone,
            "{}",
            found.errors[0] / alone
        );
    }
}
