//! Inference: what a network says about its units, by engines that differ in reach and share the same questions.
//!
//! [`Engine`] and [`Prepared`] are the whole interface; [`registry`] lists the engines; each has a folder of its own.

mod annealed_importance;
mod belief_propagation;
mod choice;
mod comparison;
pub(crate) mod engine;
mod enumeration;
mod exact;
mod factorisation;
mod gibbs;
mod junction_tree;
pub(crate) mod kernels;
mod linear_response;
#[cfg(any(test, feature = "internals"))]
pub mod literal;
mod mean_field;
pub(crate) mod reduction;
mod region_graph;
pub(crate) mod registry;
mod tree_reweighted;
mod value;

pub(crate) use annealed_importance::AnnealedImportance;
pub use choice::{EngineChoice, choose_engine, choose_engine_to_learn};
pub use comparison::{EngineAnswer, EngineComparison, compare_engines};
pub use engine::{
    Answer, Covariances, Demand, Engine, Gives, Prepared, Sampler, Stratified, SumsWorth,
};
pub(crate) use engine::{AtOnce, largest_of_errors};
pub(crate) use enumeration::{Enumerator, Joint, MOST_ENUMERATED};
pub use enumeration::{StratifiedSums, Sums};
pub(crate) use exact::{ExactSampler, Way, exact_expectations, exact_way};
pub(crate) use gibbs::{Chains, GibbsChains, LaneRandom, Measured, SideBySide};
pub use gibbs::{Sampling, Tempering};
pub use registry::EngineId;
pub use value::{Kind, Value};

/// What an engine finds under a clamp; one entry per unit and one per term.
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

/// What tests and measurements reach into; no part of the library's face.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    pub use super::annealed_importance::{AnnealedImportance, LogPartitionBracket, OneWay};
    pub use super::belief_propagation::{BeliefPropagation, Settled};
    pub use super::engine::{AnswersAtOnce, StrataAtOnce};
    pub use super::enumeration::{Enumeration, Enumerator};
    pub use super::exact::{ExactSampler, Way, exact_way};
    pub use super::factorisation::Factorised;
    pub use super::gibbs::{Chains, Estimate, MOST_R_HAT, Sampled};
    pub use super::junction_tree::{JunctionTree, JunctionTreeSampler};
    pub use super::mean_field::{MeanField, Tap};
    pub use super::region_graph::{GeneralisedBeliefPropagation, Regions};
    pub use super::tree_reweighted::{Appearance, TreeReweighted};
}
