//! Boltzmann machines with hidden units, learned from small binary data by the latent maximum
//! entropy principle (Wang, Schuurmans, Peng and Zhao, UAI 2003).

pub mod answers;
pub mod data;
pub mod error;
pub mod files;
pub mod inference;
pub mod learning;
pub mod message;
pub mod network;
pub mod random;
pub mod remark;
pub mod rows;

pub use error::{Error, Result};
