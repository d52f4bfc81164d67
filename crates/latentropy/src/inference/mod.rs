//! Inference: what a network says about its units, by engines that differ in reach and share the same questions.
//!
//! Capabilities are separate traits, so that an engine's type says what it can answer.

mod ais;
mod belief_propagation;
mod clamp;
mod comparison;
mod engine;
mod enumerate;
mod exact;
mod factorised;
mod free_terms;
mod gibbs;
mod information;
mod junction_tree;
mod linear_response;
pub mod literal;
mod mean_field;
mod moments;
mod pairwise;
mod reduced;
mod region_graph;
mod rows;
mod sampling;
mod scoring;
mod tree_reweighted;
mod value;
pub(crate) mod vector;

pub use ais::{Annealed, AnnealedImportance, OneWay};
pub use belief_propagation::{BeliefPropagation, Settled};
pub use clamp::Clamp;
pub use comparison::{EngineAnswer, EngineComparison, compare_engines};
pub use engine::{Engine, EngineChoice, choose_engine, choose_engine_to_learn};
pub use enumerate::{Enumeration, Enumerator, MOST_ENUMERATED, StratifiedSums, Sums};
pub use exact::{ExactEngine, exact_engine};
pub use factorised::{Factorised, FactorisedSums, MOST_DEPENDENT};
pub(crate) use gibbs::LaneRandom;
pub use gibbs::{Chains, Estimate, Gibbs, LEAST_EFFECTIVE, MOST_R_HAT, Sampled, Tempering};
pub use information::mutual_information;
pub use junction_tree::{JunctionTree, JunctionTreeCost, JunctionTreeSampler};
pub use mean_field::{MeanField, Tap};
pub use moments::{pair_moments, posterior_means};
pub use region_graph::{GeneralisedBeliefPropagation, Regions};
pub use rows::{Clamped, RowPosteriors, clamp_of_row, units_of_columns};
pub use sampling::ExactSampler;
pub use scoring::{Imputed, Scores, impute, score, score_given};
pub use tree_reweighted::{Appearance, TreeReweighted};
pub use value::{Kind, Value};

use crate::error::Result;
use crate::network::Network;

/// What an engine finds under a clamp; one entry a unit and one a term.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectations {
    /// log Σ exp of the states that agree with the clamp, the network's constant included.
    pub log_partition: Value,
    /// Entropy of the free units given the held ones, in nats.
    pub entropy: Value,
    /// P(x_u = 1) a unit.
    pub means: Vec<f64>,
    /// E f_V a term.
    pub terms: Vec<f64>,
}

/// Expectations with what an engine has to say about them.
#[derive(Clone, Debug, PartialEq)]
pub struct Remarked {
    /// The expectations.
    pub expectations: Expectations,
    /// Standard errors of the units' means, from engines that sample.
    pub mean_errors: Option<Vec<f64>>,
    /// Standard errors of the terms' expectations, from engines that sample.
    pub term_errors: Option<Vec<f64>>,
    /// How they were found, for people.
    pub remarks: Vec<String>,
    /// What is to be doubted about them, for people.
    pub warnings: Vec<String>,
}

/// Term expectations split by f#(x) = Σ_k f_k(x), the number of terms that are on: what improved iterative scaling needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Strata {
    /// log Z, the constant included.
    pub log_partition: f64,
    /// The values c > 0 of f#, ascending.
    pub values: Vec<f64>,
    /// a_i(c) = E[f_i 1{f# = c}], one row of `terms` entries a value.
    pub sums: Vec<f64>,
    /// The length of a row.
    pub terms: usize,
}

/// An engine that gives expectations of features, and the log partition function with their kinds.
pub trait FeatureExpectations {
    /// The engine's name, as `--engine` spells it.
    fn name(&self) -> &'static str;

    /// Expectations of `network` with some units held.
    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations>;

    /// Expectations that are the gradient of this engine's own log Z by the weights: what learning must follow for
    /// its objective to be one. They differ from [`FeatureExpectations::expectations`] where those are better than that.
    fn gradient(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        self.expectations(network, clamp)
    }

    /// The same with errors, remarks and warnings where the engine has any.
    fn remarked(&self, network: &Network, clamp: &Clamp) -> Result<Remarked> {
        Ok(Remarked {
            expectations: self.expectations(network, clamp)?,
            mean_errors: None,
            term_errors: None,
            remarks: Vec::new(),
            warnings: Vec::new(),
        })
    }
}

/// An engine that gives covariances of all pairs of units, whether they are terms or not.
pub trait PairCovariances {
    /// Cov(x_a, x_b) at entry a · units + b; zero where a unit is held.
    fn covariances(&self, network: &Network, clamp: &Clamp) -> Result<Vec<f64>>;
}

/// An engine that gives expectations stratified by f#.
pub trait StratifiedExpectations {
    /// Strata of `network` with some units held; f# counts the terms that the clamp switches on, too.
    fn strata(&self, network: &Network, clamp: &Clamp) -> Result<Strata>;
}
