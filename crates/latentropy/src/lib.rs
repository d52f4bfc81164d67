//! Boltzmann machines with hidden units, learned from small binary data by the latent maximum
//! entropy principle (Wang, Schuurmans, Peng and Zhao, UAI 2003).
//!
//! Data flow through the rooms, each calling only those before it:
//! [`data`] → [`network`] → [`inference`] → [`learning`] → [`selection`].

pub mod data;
pub mod error;
pub mod files;
pub mod inference;
pub mod learning;
pub mod network;
pub mod selection;

pub use error::{Error, Result};

/// The README's example is compiled and run with the other documentation examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeExample;
