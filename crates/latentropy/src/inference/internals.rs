//! What tests and measurements reach into; no part of the library's face.

pub use super::annealed_importance::{LogPartitionBracket, OneWay};
pub use super::at_once::{AnswersAtOnce, StrataAtOnce};
pub use super::belief_propagation::{BeliefPropagation, Settled};
pub use super::conditioned::ConditionedBeliefPropagation;
pub use super::enumeration::{Enumeration, Enumerator};
pub use super::exact::{ExactSampler, Way, exact_way};
pub use super::factorisation::Factorised;
pub use super::gibbs::{AnnealedImportance, MOST_R_HAT, Sampled};
pub use super::junction_tree::{JunctionTree, JunctionTreeSampler};
pub use super::log_partition::Ladder;
pub use super::markov_chains::{Chains, Estimate};
pub use super::mean_field::{MeanField, Tap};
pub use super::region_graph::{GeneralisedBeliefPropagation, Regions};
pub use super::tree_reweighted::{Appearance, TreeReweighted};
