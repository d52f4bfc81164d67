//! Exact inference on sparse graphs: units are summed out one by one, in an order that keeps tables small.

mod engine;
mod order;
mod plan;
mod prepared;
mod products;
mod propagate;
mod sampler;
mod tables;

pub use engine::JunctionTree;
pub(crate) use plan::JunctionTreeCost;
pub use sampler::JunctionTreeSampler;
