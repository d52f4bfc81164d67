//! Sums over states as learning takes them: log Z and the expectation of every term, plain or split by f#.

use super::expectations::Expectations;
use super::log_partition::{Interval, Witnesses};
use super::scratch::Scratch;
use super::value::{Kind, Value};

/// Plain sums: results, and the scratch space they were made in, to be used again.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// log Z; from an enumerator, without the network's constant.
    pub log_partition: f64,
    /// Expectation of every term; from an enumerator, of every mask.
    pub terms: Vec<f64>,
    /// What they are worth.
    pub worth: SumsWorth,
    /// Of an engine that samples: the same seed gives the same sums.
    pub seed: u64,
    pub(super) scratch: Scratch,
}

/// Sums split by f#, and their scratch space.
#[derive(Clone, Debug, Default)]
pub struct StratifiedSums {
    /// log Z; from an enumerator, without the network's constant.
    pub log_partition: f64,
    /// The values c > 0 of f#, ascending.
    pub values: Vec<f64>,
    /// a_i(c), one row of `width` entries per value (entries past the masks are zero).
    pub sums: Vec<f64>,
    /// Length of a row.
    pub width: usize,
    pub(super) scratch: Scratch,
}

/// What the numbers of an evaluation are worth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SumsWorth {
    /// The kind of log Z.
    pub log_partition: Kind,
    /// Its standard error, where it is by Monte Carlo.
    pub log_partition_error: Option<f64>,
    /// What all ways to it leave, where it is by Monte Carlo.
    pub interval: Option<Interval>,
    /// The kind of the entropy.
    pub entropy: Kind,
    /// Its standard error, where it is by Monte Carlo.
    pub entropy_error: Option<f64>,
    /// The residual that Monte-Carlo noise alone would show at a solution; zero for all other engines.
    pub noise: f64,
}

impl SumsWorth {
    /// Of an answer.
    pub(super) fn of(
        found: &Expectations,
        term_errors: Option<&[f64]>,
        witnesses: Option<&Witnesses>,
    ) -> Self {
        let Value { kind, std_err, .. } = found.log_partition;
        SumsWorth {
            log_partition: kind,
            log_partition_error: std_err,
            interval: witnesses.map(Witnesses::interval),
            entropy: found.entropy.kind,
            entropy_error: found.entropy.std_err,
            noise: term_errors.map_or(0.0, largest_of_errors),
        }
    }
}

/// What the largest of normal errors with these standard errors comes to: about σ √(2 log 2n), whichever their signs.
pub(crate) fn largest_of_errors(errors: &[f64]) -> f64 {
    let largest = errors.iter().fold(0.0f64, |a, &b| a.max(b));
    largest * (2.0 * (2.0 * errors.len() as f64).ln()).sqrt()
}
