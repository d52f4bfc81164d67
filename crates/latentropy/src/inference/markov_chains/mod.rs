//! Markov chains of a machine: 64 side by side, tempered or not, recorded, and what their records say.

mod balance;
mod chains;
mod direction;
mod draw;
mod fixed_point;
mod given_visible;
mod group;
mod ladder;
mod lanes;
mod lists;
mod machine;
mod order;
mod record;
mod second_moments;
mod side_by_side;
mod smoothed;
mod state_products;
mod strata;
mod sweep;
mod tile;
mod tiles;
mod visit_lists;
mod visit_tiles;
mod weigher;

pub use chains::Chains;
pub(crate) use chains::{CarriedChains, Measured};
pub(crate) use direction::Direction;
pub(crate) use draw::Temperatures;
pub(crate) use group::Group;
pub(crate) use lanes::Lanes;
pub(crate) use machine::Machine;
pub use record::Estimate;
pub(crate) use record::{Moments, Records};
pub(crate) use second_moments::SampledCovariances;
pub(crate) use side_by_side::{GibbsChains, SideBySide};
pub(crate) use state_products::StateProducts;
pub(crate) use strata::strata;

#[cfg(test)]
mod tests;
