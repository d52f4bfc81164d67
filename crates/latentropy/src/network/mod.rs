//! Networks: named units with roles, terms of any order with weights; no randomness and no scratch space.
//!
//! A network is p(x) = exp(constant + Σ_V λ_V Π_{v∈V} x_v) / Φ over x ∈ {0,1}^M.

mod clamp;
mod construction;
mod definition;
mod files;
mod shapes;
mod spins;
mod sums;
mod term;
mod term_list;
mod unit;

pub use clamp::Clamp;
pub use definition::Network;
pub use files::{
    Format, LoadedNetwork, MODEL_FORMAT, from_json_value, model_json, network_from_bytes,
    network_to_bytes, read_network, write_network,
};
pub use shapes::{Shape, TermOptions, named_terms};
pub use spins::{SpinNetwork, from_spins, to_spins};
pub use term::Term;
pub use term_list::read_terms;
pub use unit::{Role, Unit, units_of};
