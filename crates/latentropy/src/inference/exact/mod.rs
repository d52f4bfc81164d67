//! The engine `exact`: by enumeration or by factorisation, whichever visits less.

mod at_once;
mod engine;
mod prepared;
mod sampler;
mod way;

pub(crate) use at_once::exact_expectations;
pub(crate) use engine::Exact;
pub use sampler::ExactSampler;
pub(crate) use way::strata_work;
pub use way::{Way, exact_way};
