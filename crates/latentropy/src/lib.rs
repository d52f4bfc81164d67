//! Boltzmann machines with hidden units, learned from small binary data by the latent maximum
//! entropy principle (Wang, Schuurmans, Peng and Zhao, UAI 2003).
//!
//! From a csv file to the chosen machine and how far to trust it:
//!
//! ```
//! use latentropy::{Dataset, Request, fit};
//!
//! # fn main() -> latentropy::Result<()> {
//! let votes = Dataset::read("data/house-votes-84.csv", &["!party"])?;
//! let found = fit(&votes, &Request { restarts: Some(5), ..Request::with_hidden(1) })?;
//! let chosen = found.chosen();
//! println!("{} distinct solutions; the chosen one: {}", found.distinct_solutions, chosen.certificate.kind);
//! println!("log-likelihood {:.3} per row, entropy {:.3}", chosen.log_likelihood, chosen.entropy.value);
//! for remark in &found.remarks {
//!     println!("{remark}");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # The vocabulary
//!
//! *Data.* A [`Dataset`] is rows of cells that are 0, 1 or missing: distinct rows with counts and weights. [`Dataset::read`]
//! takes csv, tsv, npy and npz; [`read_dataset`] also tells what is remarkable.
//!
//! *Networks.* A [`Network`] is named units, visible or hidden, and terms (sets of units) with weights:
//! p(x) ∝ exp Σ λ_V Π_{v∈V} x_v. "Machine" is what people call it in sentences, a "structure" is a network whose weights do
//! not matter, a "model" is a network in a file ([`read_network`], [`write_network`]). Shapes have constructors
//! ([`Network::full`], [`Network::rbm`], …); [`network::SpinNetwork`] is the {−1,+1} view.
//!
//! *Engines* sum over the states of a network. [`EngineId`] names one; [`infer`] asks it, or the best one for the machine.
//! Values carry what they are worth ([`inference::Kind`]): exact, a bound, an estimate, or sampled with an error. All engines
//! share one trait, `Engine`.
//!
//! *Learning.* A [`learning::Problem`] is rows against a structure with an engine and an objective (likelihood, ridge, box); a
//! [`Learner`] makes steps, all under one loop ([`learning::learn`]).
//!
//! *Fits.* A [`Request`] says what is wanted and leaves the rest open; [`fit()`] plans, chooses ridge and size where they are
//! open, runs the restarts, certifies every [`Candidate`], counts distinct solutions, and chooses by a [`Principle`]: the
//! highest entropy (latent maximum entropy) or the highest likelihood of those that meet the constraints. The [`Fit`] has all
//! of it; [`Remark`]s say what a user should know. [`fit_with`] lets a fit be watched and stopped ([`Control`], [`Observer`],
//! [`Cancel`]); [`fit::Job`] cuts it into pieces that run anywhere; [`Fit::to_json`] writes all of it down.
//!
//! *Answers.* [`score`] says how probable rows are, [`impute`] fills missing cells, [`posterior_means`] gives the hidden units
//! of rows and [`answers::most_probable_states`] their likeliest joint state, [`answers::impute_draws`] completes data many times, [`sample`] draws rows; [`answers`] has the rest.
//!
//! *Errors* are typed and say what to do; they name [`Setting`]s, which every interface words in its own way ([`Wording`]).

#![forbid(unsafe_code)]
// Tests and measurements reach further in than users do.
#![cfg_attr(
    not(feature = "internals"),
    allow(unreachable_pub, dead_code, unused_imports)
)]

pub mod answers;
pub mod data;
mod error;
// Files and random numbers are for the programs beside this library; no part of its face.
#[doc(hidden)]
pub mod files;
pub mod fit;
pub mod inference;
pub mod learning;
pub mod message;
pub mod network;
#[doc(hidden)]
pub mod plain;
#[doc(hidden)]
pub mod random;
mod remark;
mod rows;
pub mod selection;

pub use answers::{impute, infer, posterior_means, sample, score};
pub use data::{Dataset, read_dataset};
pub use error::{Error, Result};
pub use fit::{Control, Fit, Observer, Request, fit, fit_with};
pub use inference::{EngineId, Sampling};
pub use learning::{Cancel, Learner};
pub use message::{Setting, Wording};
pub use network::{Network, read_network, write_network};
#[doc(hidden)]
pub use remark::ReadAs;
pub use remark::Remark;
pub use selection::{Candidate, Principle};

/// What the library's own tests and measurements reach into; no part of its face.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    pub use crate::answers::internals::*;
    pub use crate::fit::internals::*;
    pub use crate::inference::internals::*;
    pub use crate::inference::literal;
    pub use crate::learning::internals::*;
    pub use crate::rows::{Clamped, RowPosteriors, clamp_of_row, units_of_columns};
}

/// The README's example is compiled and run with the other documentation examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeExample;
