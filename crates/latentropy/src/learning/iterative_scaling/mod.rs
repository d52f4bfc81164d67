//! Iterative scaling: the parallel update (7) of all weights, each by the root γ of equation (8).
//!
//! [`literal`] is the equation as printed; [`shared`] needs no sums by f#; [`fast`] finds the roots of all terms side by side in vector code.

mod fast;
#[cfg(test)]
mod literal;
mod shared;
mod targets;

pub(crate) use fast::{Scratch, scale};
pub(crate) use shared::{Search, scale_shared};
pub(crate) use targets::Targets;
