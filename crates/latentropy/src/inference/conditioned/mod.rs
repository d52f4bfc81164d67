//! Belief propagation conditioned on units: some units are held at all their values, the rest is left to messages.
//!
//! log Z ≈ log Σ_s Z_Bethe(s) over the states s of the held units (Eaton and Ghahramani 2009). Held at one unit it is the
//! region estimate of the *star* of triangles through that unit (Gelfand and Welling 2012); held until no loop is left
//! it is exact.

mod choice;
mod engine;

pub(super) use choice::Influence;
pub use engine::ConditionedBeliefPropagation;
pub(super) use engine::{Pairs, conditioned_on};

#[cfg(test)]
mod tests;
