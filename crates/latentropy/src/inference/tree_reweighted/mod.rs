//! Tree-reweighted message passing: an upper bound on log Z from a mixture of trees (Wainwright, Jaakkola and Willsky 2003).
//!
//! The bound holds at any messages, since what beliefs of units and edges disagree by is added to it; it is tight for the
//! appearance probabilities used once messages settle. The probabilities themselves are improved by conditional gradient.

mod appearance;
mod bound;
mod engine;

pub use appearance::Appearance;
pub(super) use bound::upper_bound;
pub use engine::TreeReweighted;

#[cfg(test)]
mod tests;
