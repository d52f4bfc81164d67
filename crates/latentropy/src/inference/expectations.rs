//! What engines find: expectations under a clamp, and expectations split by f#.

use super::value::Value;

/// What an engine finds under a clamp; one entry per unit and one per term.
///
/// For an example see [`Answer`](super::Answer).
#[derive(Clone, Debug, PartialEq)]
pub struct Expectations {
    /// log Σ exp of the states that agree with the clamp, the network's constant included.
    pub log_partition: Value,
    /// Entropy of the free units given the held ones, in nats.
    pub entropy: Value,
    /// P(x_u = 1) per unit.
    pub means: Vec<f64>,
    /// E f_V per term.
    pub terms: Vec<f64>,
}

/// Term expectations split by f#(x) = Σ_k f_k(x), the number of terms that are on: what improved iterative scaling needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Strata {
    /// log Z, the constant included.
    pub log_partition: f64,
    /// The values c > 0 of f#, ascending.
    pub values: Vec<f64>,
    /// a_i(c) = E[f_i 1{f# = c}], one row of `terms` entries per value.
    pub sums: Vec<f64>,
    /// The length of a row.
    pub terms: usize,
}
