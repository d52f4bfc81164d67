//! Rows: data against a network, columns matched once; the clamped phase (6), summed or sampled.

mod batches;
mod chains;
mod components;
mod matching;
mod posteriors;

pub(crate) use chains::RowChains;
pub use matching::{clamp_of_row, units_of_columns};
pub use posteriors::{Clamped, RowPosteriors};
