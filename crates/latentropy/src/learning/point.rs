//! A point: weights, and everything that is known there.

use crate::inference::{Interval, Kind, StratifiedSums, Sums, Value};
use crate::rows::Clamped;
use serde::{Deserialize, Serialize};

/// What log-likelihood, entropy and residual are worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Worth {
    /// The kind of the log-likelihood.
    pub log_likelihood: Kind,
    /// Its standard error, where it is by Monte Carlo: that of log Z.
    pub log_likelihood_error: Option<f64>,
    /// The kind of the entropy.
    pub entropy: Kind,
    /// Its standard error, where it is by Monte Carlo.
    pub entropy_error: Option<f64>,
    /// The residual that Monte-Carlo noise alone would show at a solution; zero for all other engines.
    pub noise: f64,
    /// How well the constraints are met, where learners by samples have looked.
    #[serde(default)]
    pub constraints: Option<Constraints>,
    /// What all ways to log Z leave of the log-likelihood, where it is by Monte Carlo.
    #[serde(default)]
    pub log_likelihood_interval: Option<Interval>,
}

/// How well the constraints are met, as learners by samples judge it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constraints {
    /// The largest violation, in units of that constraint's own standard error in the data.
    pub largest: f64,
    /// The root of the mean square of all of them, in the same units.
    pub typical: f64,
    /// What counts as met, in the same units.
    pub share: f64,
}

/// Weights and what is known there.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Point {
    /// λ.
    pub weights: Vec<f64>,
    /// η of (6) and the mean log-sum of the rows.
    pub clamped: Clamped,
    /// E_p f of every term.
    pub free: Vec<f64>,
    /// log Φ, the constant included.
    pub log_partition: f64,
    /// L(λ), the mean log-likelihood of a row.
    pub log_likelihood: f64,
    /// L(λ) minus the ridge's part.
    pub objective: f64,
    /// Q(λ, λ) of (3).
    pub q: f64,
    /// Entropy of p_λ(x).
    pub entropy: f64,
    /// The largest violation of stationarity: |∂ objective / ∂λ_i|, at the box only where it points inwards.
    pub residual: f64,
    /// What these numbers are worth.
    pub worth: Worth,
    /// The penalty's gradient: room that evaluations use again.
    #[serde(skip)]
    pub(crate) pulls: Vec<f64>,
}

impl Point {
    /// These weights, nothing known yet.
    pub(crate) fn at(weights: Vec<f64>) -> Self {
        Point {
            weights,
            ..Point::default()
        }
    }

    /// True where no violation is larger than this, or than the noise of the engine alone would show; by samples, where
    /// every constraint is met within its share of the data's own error.
    pub fn is_stationary(&self, tolerance: f64) -> bool {
        match self.worth.constraints {
            Some(Constraints { largest, share, .. }) => largest <= share,
            None => self.residual <= tolerance.max(self.worth.noise),
        }
    }

    /// What is not a finite number there, if anything.
    pub(crate) fn not_finite(&self) -> Option<&'static str> {
        let is_finite = |list: &[f64]| list.iter().all(|value| value.is_finite());
        [
            ("a weight", is_finite(&self.weights)),
            ("an expectation", is_finite(&self.free)),
            ("the log-likelihood", self.log_likelihood.is_finite()),
            ("log Z", self.log_partition.is_finite()),
            ("the entropy", self.entropy.is_finite()),
            ("the residual", self.residual.is_finite()),
        ]
        .into_iter()
        .find_map(|(what, is_finite)| (!is_finite).then_some(what))
    }

    /// The mean log-likelihood of a row with its kind.
    pub fn log_likelihood_value(&self) -> Value {
        Value {
            value: self.log_likelihood,
            kind: self.worth.log_likelihood,
            std_err: self.worth.log_likelihood_error,
        }
    }

    /// The entropy with its kind.
    pub fn entropy_value(&self) -> Value {
        Value {
            value: self.entropy,
            kind: self.worth.entropy,
            std_err: self.worth.entropy_error,
        }
    }
}

/// Scratch space of one restart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    pub(crate) sums: Sums,
    pub(crate) strata: StratifiedSums,
    /// Passes so far: one for each E step, each free phase (plain or by f#) and each update of one term alone,
    /// two for a Hessian (rows and model). What a learner costs, whatever the machine it runs on.
    pub(crate) passes: u64,
}
