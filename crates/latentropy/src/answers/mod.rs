//! Answers: what a learned network says about units, about rows, and about rows that are not there yet.

mod draws;
mod impute;
mod infer;
mod information;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub(crate) mod internals;
mod moments;
mod posterior;
mod sample;
mod score;

pub use crate::rows::{HiddenState, units_of_columns};
pub use draws::{Completed, impute_draws};
pub use impute::impute;
pub use infer::infer;
pub(crate) use information::mutual_information;
pub use moments::pair_moments;
pub use posterior::{most_probable_states, posterior_means};
pub use sample::sample;
pub(crate) use score::score_given;
pub use score::{Scores, score};
