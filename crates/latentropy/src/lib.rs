//! Boltzmann machines with hidden units, learned from small binary data by the latent maximum
//! entropy principle (Wang, Schuurmans, Peng and Zhao, UAI 2003).

// Tests and measurements reach further in than users do.
#![cfg_attr(
    not(feature = "internals"),
    allow(unreachable_pub, dead_code, unused_imports)
)]

mod answers;
pub mod data;
mod error;
pub mod files;
pub mod fit;
pub mod inference;
pub mod learning;
mod message;
pub mod network;
pub mod random;
mod remark;
mod rows;
pub mod selection;

pub use answers::{
    Draws, Imputed, Inference, Scores, impute, infer, pair_moments, posterior_means, sample, score,
};
pub use data::{Dataset, read_dataset};
pub use error::{Error, Result};
pub use fit::{Control, Fit, Observer, Request, fit, fit_with};
pub use inference::{EngineId, Sampling};
pub use learning::{Cancel, Learner};
pub use message::{Message, PlainWording, Setting, SettingAt, Wording};
pub use network::{Network, Shape, read_network, write_network};
pub use remark::Remark;
pub use rows::units_of_columns;
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
