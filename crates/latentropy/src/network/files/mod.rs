//! Network files: the format by the file's name, reading and writing.

mod bqm;
mod fault;
mod json;
mod mobius;
mod tokens;
mod uai;

pub use json::{FORMAT as MODEL_FORMAT, from_json_value, model_json};

pub(super) use fault::{Fault, shown};
pub(super) use json::parse as parse_json;

use super::Network;
use crate::error::{Error, Result};
use crate::files::write_atomically;
use crate::remark::Remark;
use std::path::Path;

/// A network file's format, known by the file's name.
///
/// | format | written to | read from | holds |
/// |---|---|---|---|
/// | latentropy model | `*.json` | `*.json`, `*.bqm` | everything, weights bit by bit |
/// | dimod BQM document | `*.bqm`, `*.bqm.json` | `*.json`, `*.bqm` | terms up to order 2; an energy, minus the exponent |
/// | UAI model | `*.uai` | `*.uai` | terms of any order; no names, no roles |
///
/// On reading, the two JSON formats are told apart by content. The case of an extension does not
/// matter; any other extension is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// latentropy's own model.
    Json,
    /// A model of the UAI inference competitions.
    Uai,
    /// A binary quadratic model of dimod, as JSON.
    Bqm,
}

impl Format {
    /// The format in which a file of this name is written: `.bqm` and `.bqm.json` are BQM, other
    /// `.json` latentropy's own, `.uai` UAI.
    pub fn of_path(path: &Path) -> Result<Format> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_ascii_lowercase();
        if name.ends_with(".bqm") || name.ends_with(".bqm.json") {
            Ok(Format::Bqm)
        } else if name.ends_with(".json") {
            Ok(Format::Json)
        } else if name.ends_with(".uai") {
            Ok(Format::Uai)
        } else {
            Err(Error::file(
                path,
                None,
                "the extension does not name a network format",
                "use .json (latentropy model), .uai (UAI) or .bqm (dimod)",
            ))
        }
    }
}

/// A network from a file, with what the reader had to decide.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedNetwork {
    /// The network.
    pub network: Network,
    /// What the user should know about how the file was read.
    pub remarks: Vec<Remark>,
}

/// Reads a network file of any [`Format`].
pub fn read_network(path: &Path) -> Result<LoadedNetwork> {
    // The name is looked at first: a file of another kind may be large.
    Format::of_path(path)?;
    let bytes = std::fs::read(path).map_err(|source| Error::io(path, "read", source))?;
    network_from_bytes(path, &bytes)
}

/// Reads a network from a file's content; `path` names the format and is what messages name.
pub fn network_from_bytes(path: &Path, bytes: &[u8]) -> Result<LoadedNetwork> {
    let loaded = match Format::of_path(path)? {
        Format::Uai => uai::read(bytes),
        Format::Json | Format::Bqm => bqm::refuse_binary(bytes)
            .and_then(|()| json::parse(bytes))
            .and_then(|document| from_document(&document)),
    };
    loaded.map_err(|fault| fault.in_file(path))
}

/// Whether a JSON document claims to be a whole network, of either kind.
pub(super) fn is_network(document: &serde_json::Value) -> bool {
    document.get("format").is_some() || bqm::is_bqm(document)
}

/// The network of either kind of JSON document.
pub(super) fn from_document(
    document: &serde_json::Value,
) -> std::result::Result<LoadedNetwork, Fault> {
    if bqm::is_bqm(document) {
        return bqm::read(document);
    }
    let network = json::read(document)?;
    Ok(LoadedNetwork {
        network,
        remarks: Vec::new(),
    })
}

/// A file's content in this format, and what the format cannot hold.
pub fn network_to_bytes(format: Format, network: &Network) -> Result<(Vec<u8>, Vec<Remark>)> {
    let (text, remarks) = match format {
        Format::Json => (json::write(network), Vec::new()),
        Format::Uai => uai::write(network)?,
        Format::Bqm => bqm::write(network)?,
    };
    Ok((text.into_bytes(), remarks))
}

/// Writes a network, whole or not at all; returns what the format cannot hold.
pub fn write_network(path: &Path, network: &Network) -> Result<Vec<Remark>> {
    let (bytes, remarks) = network_to_bytes(Format::of_path(path)?, network)?;
    write_atomically(path, &bytes)?;
    Ok(remarks)
}
