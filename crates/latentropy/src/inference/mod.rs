//! Inference: what a network says about its units, by engines that differ in reach and share the same questions.
//!
//! [`Engine`] and [`Prepared`] are the whole interface; [`registry`] lists the engines; each has a folder of its own.

mod annealed_importance;
mod at_once;
mod belief_propagation;
mod choice;
mod comparison;
mod engine;
mod enumeration;
mod exact;
mod expectations;
mod factorisation;
mod gibbs;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
mod junction_tree;
pub(crate) mod kernels;
mod linear_response;
#[cfg(any(test, feature = "internals"))]
pub mod literal;
mod markov_chains;
mod mean_field;
pub(crate) mod reduction;
mod region_graph;
mod registry;
mod sampling;
mod scratch;
mod sums;
mod tree_reweighted;
mod value;

pub use choice::{EngineChoice, choose_engine, choose_engine_to_learn};
pub use comparison::{EngineAnswer, EngineComparison, compare_engines};
pub use engine::{Answer, Covariances, Demand, Engine, Gives, Prepared, Sampler, Stratified};
pub(crate) use enumeration::{Enumerator, Joint, MOST_ENUMERATED};
pub(crate) use exact::{ExactSampler, Way, exact_expectations, exact_way};
pub use expectations::{Expectations, Strata};
pub(crate) use kernels::LaneRandom;
pub(crate) use markov_chains::{Chains, GibbsChains, Measured, SideBySide};
pub use registry::EngineId;
pub use sampling::{Sampling, Tempering};
pub(crate) use sums::largest_of_errors;
pub use sums::{StratifiedSums, Sums, SumsWorth};
pub use value::{Kind, Value};
