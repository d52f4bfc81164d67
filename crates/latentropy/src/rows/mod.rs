//! Rows: data against a network, columns matched once; the clamped phase (6), summed or sampled.

mod batches;
mod chains;
mod clamped;
mod components;
mod covariance;
mod held;
mod matching;
mod most_probable;
mod posteriors;
mod preparing;
mod products;
mod restricted;
mod sampled;

pub(crate) use chains::RowChains;
pub use clamped::Clamped;
pub(crate) use clamped::LargeRow;
pub(crate) use covariance::Summed;
pub use matching::{clamp_of_row, units_of_columns};
pub use most_probable::HiddenState;
pub(crate) use most_probable::most_probable;
pub use posteriors::RowPosteriors;
pub(crate) use products::RowProducts;
