//! Generalised belief propagation: regions of several units agree on their intersections (the cluster variation method).

mod engine;
mod propagate;
mod regions;

pub use engine::GeneralisedBeliefPropagation;
pub use regions::Regions;
