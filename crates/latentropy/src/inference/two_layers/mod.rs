//! Machines in two layers, in single precision: hidden units that are independent given the visible ones.
//!
//! The visible units are independent given the hidden ones (a restricted machine), or coupled among themselves (a
//! semi-restricted one); then they are drawn in turn.

mod layers;
mod layout;
mod population;

pub(crate) use layers::{ChainState, Layers, Scratch};
pub(crate) use layout::Layout;
pub(crate) use population::{CarriedParticles, Population};

use crate::network::Network;

/// True of machines whose hidden units have no term in common, with pairs at most, each hidden unit with every visible one.
pub(crate) fn is_in_two_layers(network: &Network) -> bool {
    Layout::of(network).is_ok()
}

#[cfg(test)]
mod tests;
