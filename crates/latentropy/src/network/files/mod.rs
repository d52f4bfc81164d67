//! Network files: the format by the file's name, reading and writing.

mod bqm;
mod document;
mod fault;
mod format;
mod json;
mod loaded;
mod mobius;
mod read_write;
mod tokens;
mod uai;

pub use format::Format;
pub use json::{FORMAT as MODEL_FORMAT, from_json_value, model_json};
pub use loaded::LoadedNetwork;
pub use read_write::{network_from_bytes, network_to_bytes, read_network, write_network};

pub(super) use document::{from_document, is_network};
pub(super) use fault::{Fault, shown};
pub(super) use json::parse as parse_json;
