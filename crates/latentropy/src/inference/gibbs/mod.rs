//! Gibbs sampling: many chains in parallel, tempered where they mix badly, with the error of everything they say.

mod engine;
mod log_partition;
mod run;
mod sampled;
mod sampler;
mod schedule;

pub(crate) use engine::Gibbs;
pub use log_partition::AnnealedImportance;
pub(crate) use log_partition::{log_partition_of, short_log_partition_of};
pub use run::MOST_R_HAT;
pub use sampled::Sampled;
