//! Exact inference where one side of the network is independent given the other (restricted machines and their kin).
//!
//! Let D be the dependent side and I the rest, no two units of I in one term. The sum over I is a product:
//! log Σ_x = log Σ_d exp(E(d) + Σ_{i∈I} log(1 + e^{f_i(d)})), so only the 2^|D| states of D are visited.

mod at_once;
mod blocks;
mod covariances;
mod independence;
mod prepared;
mod products;
mod sides;
mod sums;

pub use at_once::Factorised;
pub(crate) use prepared::FactorisedSums;
pub(crate) use sides::{MOST_DEPENDENT, Sides};
