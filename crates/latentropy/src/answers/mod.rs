//! Answers: what a learned network says about units, about rows, and about rows that are not there yet.

mod at_least;
mod chains;
mod checks;
mod columns;
mod draws;
mod impute;
mod infer;
mod information;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub(crate) mod internals;
mod marks;
mod moments;
mod posterior;
mod row_answer;
mod row_sums;
mod sample;
mod score;

pub use draws::impute_draws;
pub use impute::impute;
pub use infer::infer;
pub(crate) use information::mutual_information;
pub use posterior::{most_probable_states, posterior_means};
pub use sample::sample;
pub(crate) use score::score_given;
pub use score::{Scores, score};

// What the programs beside this library need and a user does not; no part of its face.
#[doc(hidden)]
pub use self::at_least::AtLeast;
#[doc(hidden)]
pub use self::moments::pair_moments;
#[doc(hidden)]
pub use self::sample::sample_quickly;
#[doc(hidden)]
pub use self::{
    chains::{ChainPlan, chain_states},
    checks::{FitChecks, SumScore, Triplet, Triplets, fit_checks},
    draws::Completed,
    posterior::{RowMeans, posterior_means_of_any_size},
};
#[doc(hidden)]
pub use crate::rows::{HiddenState, units_of_columns};
