//! Exact enumeration of all 2^M states, without ever holding 2^M numbers.
//!
//! [`blocks`] handles any order and any weights, [`groups`] pairwise machines as matrix products,
//! [`strata`] the split by f# for any set of terms, [`moments`] products of several terms.

mod at_once;
mod block_sampling;
mod blocks;
mod classes;
mod counts;
mod enumerator;
mod fours;
mod groups;
mod joint;
mod moments;
mod pair_blocks;
mod pairs;
mod products;
mod strata;

pub use at_once::Enumeration;
pub(crate) use block_sampling::BlockSampling;
pub use enumerator::Enumerator;
pub(crate) use enumerator::{MOST_ENUMERATED, strata_work};
pub(crate) use joint::Joint;
pub(crate) use products::EnumeratedProducts;
