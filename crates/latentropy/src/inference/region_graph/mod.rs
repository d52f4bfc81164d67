//! Generalised belief propagation: regions of several units agree on their intersections (the cluster variation method).

mod choice;
mod engine;
mod loops;
mod propagate;
mod regions;

pub use engine::GeneralisedBeliefPropagation;
pub use regions::Regions;

#[cfg(test)]
mod tests;
