//! Networks: named units with roles, terms of any order with weights; no randomness and no scratch space.
//!
//! A network is p(x) = exp(constant + Σ_V λ_V Π_{v∈V} x_v) / Φ over x ∈ {0,1}^M.

mod clamp;
mod construction;
mod definition;
mod files;
mod paths;
mod recoding;
mod shapes;
mod spins;
mod sums;
mod term;
mod term_list;
mod unit;

pub use definition::Network;
pub use files::{read_network, write_network};
pub(crate) use recoding::Recoding;
pub use shapes::{Shape, TermOptions};
pub use spins::SpinNetwork;
pub use term::Term;
pub use unit::{Role, Unit};

// What the programs beside this library need and a user does not; no part of its face.
#[doc(hidden)]
pub use self::{
    clamp::Clamp,
    files::{Format, network_from_bytes, network_to_bytes},
    paths::path_terms,
    term_list::{read_terms, terms_from_bytes},
    unit::units_of,
};

// What the face does not need to name: types of fields, and what engines and learners are made of.
#[cfg(not(feature = "internals"))]
pub(crate) use self::{
    files::{LoadedNetwork, MODEL_FORMAT, from_json_value, model_json},
    shapes::named_terms,
};
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use self::{
    files::{LoadedNetwork, MODEL_FORMAT, from_json_value, model_json},
    shapes::named_terms,
};
