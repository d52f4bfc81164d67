//! Inference: what a network says about its units, by engines that differ in reach and share the same questions.
//!
//! `Engine` and `Prepared` are the whole interface; `registry` lists the engines; each has a folder of its own.

mod annealed_importance;
mod at_once;
mod belief_propagation;
mod bracket;
mod choice;
mod comparison;
mod conditioned;
mod engine;
mod enumeration;
mod exact;
mod expectations;
pub(crate) mod factorisation;
mod gibbs;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
mod junction_tree;
pub(crate) mod kernels;
mod linear_response;
#[cfg(any(test, feature = "internals"))]
pub mod literal;
mod log_partition;
mod markov_chains;
mod mean_field;
pub(crate) mod reduction;
mod region_graph;
mod registry;
mod sampling;
mod scratch;
mod sums;
mod tempering;
mod tree_reweighted;
mod two_layers;
mod value;

pub(crate) use choice::is_restricted;
pub use engine::Answer;
pub(crate) use enumeration::{EnumeratedProducts, Enumerator, Joint};
pub(crate) use exact::{ExactSampler, Way, exact_expectations, exact_way, strata_work};
pub use expectations::Expectations;
pub(crate) use gibbs::{AnnealedImportance, log_partition_of, short_log_partition_of};
pub(crate) use kernels::LaneRandom;
pub use log_partition::Witnesses;
pub(crate) use log_partition::{HeldOut, KnownRows, log_partition_given_rows, log_sum};
pub(crate) use markov_chains::{
    CarriedChains, Chains, GibbsChains, Measured, Records, SampledCovariances, SideBySide,
    StateProducts,
};
pub use registry::EngineId;
pub use sampling::{Sampling, Tempering};
pub(crate) use sums::largest_of_errors;
pub(crate) use tempering::{CarriedPersistent, Mixing, PersistentChains};
pub(crate) use two_layers::{
    CarriedParticles, ChainState, Layers, Layout, Population, Scratch, is_in_two_layers,
};
pub use value::{Kind, Value};

// What the programs beside this library need and a user does not; no part of its face.
#[doc(hidden)]
pub use self::{
    choice::{EngineChoice, choose_engine},
    comparison::{EngineComparison, compare_engines},
    log_partition::Interval,
    value::Within,
};

// What the face does not need to name: types of fields, and what engines and learners are made of.
#[cfg(not(feature = "internals"))]
pub(crate) use self::{
    choice::choose_engine_to_learn,
    comparison::EngineAnswer,
    engine::{
        CovarianceProducts, Covariances, Demand, Engine, Gives, Prepared, Sampler, Stratified,
    },
    expectations::Strata,
    sums::{StratifiedSums, Sums, SumsWorth},
};
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use self::{
    choice::choose_engine_to_learn,
    comparison::EngineAnswer,
    engine::{
        CovarianceProducts, Covariances, Demand, Engine, Gives, Prepared, Sampler, Stratified,
    },
    expectations::Strata,
    sums::{StratifiedSums, Sums, SumsWorth},
};
