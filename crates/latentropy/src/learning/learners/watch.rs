//! A few Gibbs chains beside an engine that estimates: they say where its steps are worse, and by how much it is off there.
//!
//! An estimate's own likelihood rises where the true one falls: its log Z has an error, and learning finds the weights at
//! which that error helps. Chains measure the true gradient, η − E_p f − penalty, without a bias that grows. While the
//! last steps point up it, learning follows the engine alone. Where they point down it beyond the chains' noise, learning
//! goes back to the best point of the last stretch, and from there on takes off what the engine was found to be off by. It
//! ends where the chains see no gradient beyond their noise.

use super::method::Begin;
use crate::error::Result;
use crate::inference::{Chains, Measured, largest_of_errors};
use crate::learning::point::Point;
use crate::learning::problem::Problem;
use crate::random::learning_seed;

/// Chains, sweeps before a measurement, and sweeps that are measured.
const CHAINS: usize = 128;
const SETTLING: usize = 16;
const SWEEPS: usize = 512;
/// Iterations from one look to the next.
const APART: usize = 2;
/// A slope below minus so many of its errors is no chance; nor are so many looks in a row at one below none.
const CERTAIN: f64 = 2.5;
const LOOKS: usize = 3;
/// How much the newest measurement of the bias counts, so that it follows the weights and is still a mean of several.
const NEWEST: f64 = 0.25;
/// So many looks in a row without a gradient beyond the noise of their mean, and learning has settled.
const QUIET: usize = 6;

/// Where the chains looked last.
struct Look {
    weights: Vec<f64>,
    gradient: Vec<f64>,
}

/// The chains, and what they saw.
pub(super) struct Watch {
    seed: u64,
    chains: Option<Chains>,
    last: Option<Look>,
    steps: usize,
    falling: usize,
    /// What is added to the engine's expectations; none as long as its own steps lead upwards.
    bias: Option<Vec<f64>>,
    /// Looks without a gradient beyond noise, and the means of gradients and weights over them.
    quiet: usize,
    mean_gradient: Vec<f64>,
    mean_weights: Vec<f64>,
}

impl Watch {
    pub(super) fn new(begin: &Begin) -> Self {
        Watch {
            seed: learning_seed(begin.seed, begin.index),
            chains: None,
            last: None,
            steps: 0,
            falling: 0,
            bias: None,
            quiet: 0,
            mean_gradient: Vec::new(),
            mean_weights: Vec::new(),
        }
    }

    /// True once the chains see nothing that further steps could better.
    pub(super) fn is_over(&self) -> bool {
        self.quiet >= QUIET
    }

    /// What the engine's expectations are to be corrected by, once its own steps have been found to be worse.
    pub(super) fn bias(&self) -> Option<&[f64]> {
        self.bias.as_deref()
    }

    /// Looks at an evaluated point every few steps; other weights where those are better than the point's.
    pub(super) fn look(&mut self, problem: &Problem, point: &Point) -> Result<Option<Vec<f64>>> {
        self.steps += 1;
        if self.steps % APART != 1 {
            return Ok(None);
        }
        let network = problem.structure().with_weights(point.weights.clone())?;
        let chains = Chains::kept(&mut self.chains, &network, CHAINS, self.seed)?;
        chains.sweep(SETTLING);
        let found = chains.measure(SWEEPS, false);
        let pulls = problem.prior().slope(&point.weights);
        let gradient = |term: usize| {
            let gradient =
                point.clamped.expectations[term] - found.expectations[term] - pulls[term];
            // At the edge of the box only what points inwards counts.
            let violation = problem
                .prior()
                .violation(term, point.weights[term], gradient);
            violation * gradient.signum()
        };
        let look = Look {
            weights: point.weights.clone(),
            gradient: (0..pulls.len()).map(gradient).collect(),
        };
        match self.bias.is_some() {
            true => {
                self.correct(point, &found);
                Ok(self.judge(look, &found))
            }
            false => {
                let better = self.turn_back(look, &found);
                if better.is_some() {
                    self.correct(point, &found);
                }
                Ok(better)
            }
        }
    }

    /// The best weights since the last look, where the way from there leads down.
    fn turn_back(&mut self, now: Look, found: &Measured) -> Option<Vec<f64>> {
        let Some(last) = &self.last else {
            self.last = Some(now);
            return None;
        };
        let ways = now.weights.iter().zip(&last.weights);
        let way: Vec<f64> = ways.map(|(now, last)| now - last).collect();
        let along = |gradient: &[f64]| -> f64 {
            let parts = gradient.iter().zip(&way);
            parts.map(|(gradient, way)| gradient * way).sum()
        };
        let (before, after) = (along(&last.gradient), along(&now.gradient));
        let squares = found.errors.iter().zip(&way);
        let error = squares.map(|(e, w)| (e * w).powi(2)).sum::<f64>().sqrt();
        self.falling = if after < 0.0 { self.falling + 1 } else { 0 };
        if after >= -CERTAIN * error && self.falling < LOOKS {
            self.last = Some(now);
            return None;
        }
        // Between the looks the slope is taken for a straight line.
        let share = match before > 0.0 {
            true => before / (before - after),
            false => 0.0,
        };
        let better = last.weights.iter().zip(&way);
        Some(better.map(|(weight, way)| weight + share * way).collect())
    }

    /// Measures what the engine is off by.
    fn correct(&mut self, point: &Point, found: &Measured) {
        let off = found.expectations.iter().zip(&point.free);
        let off = off.map(|(truth, engine)| truth - engine);
        match &mut self.bias {
            Some(bias) => {
                for (bias, off) in bias.iter_mut().zip(off) {
                    *bias += NEWEST * (off - *bias);
                }
            }
            none => *none = Some(off.collect()),
        }
    }

    /// The mean of the weights, once their gradients are noise.
    fn judge(&mut self, now: Look, found: &Measured) -> Option<Vec<f64>> {
        self.quiet += 1;
        let share = 1.0 / self.quiet as f64;
        for (mean, new) in [
            (&mut self.mean_gradient, &now.gradient),
            (&mut self.mean_weights, &now.weights),
        ] {
            mean.resize(new.len(), 0.0);
            for (mean, new) in mean.iter_mut().zip(new) {
                *mean += share * (new - *mean);
            }
        }
        let largest = self
            .mean_gradient
            .iter()
            .fold(0.0f64, |a, g| a.max(g.abs()));
        if largest > largest_of_errors(&found.errors) * share.sqrt() {
            self.quiet = 0;
            self.mean_gradient.clear();
            self.mean_weights.clear();
        }
        self.is_over().then(|| self.mean_weights.clone())
    }
}
