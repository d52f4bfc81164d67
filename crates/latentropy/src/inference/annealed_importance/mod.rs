//! Annealed importance sampling (Neal 2001), forward and backward, so that log Z is bracketed in expectation.
//!
//! The path leads from independent units of given means (β = 0) to the machine (β = 1), p_β ∝ p_0^{1−β} p^β. A large
//! set of units without a term in common (the hidden side of a restricted machine, a sublattice of a grid) is summed
//! out of every weight. Forward, log mean weight is below log Z in expectation; backward from samples of the machine
//! (Burda, Grosse and Salakhutdinov 2015; Grosse, Ancha and Roy 2016), minus log mean weight is above it.

mod bracket;
mod path;
mod weights;

pub(crate) use bracket::{backward, bracket};
pub(crate) use path::Path;
pub use weights::{LogPartitionBracket, OneWay};
