//! Reading and writing network files of any format.

use super::document::from_document;
use super::format::Format;
use super::loaded::LoadedNetwork;
use super::{bqm, json, uai};
use crate::error::Result;
use crate::files::{read_bounded, write_atomically};
use crate::network::Network;
use crate::remark::Remark;
use std::path::Path;

/// Most bytes of a network file that are read.
const LARGEST_FILE: u64 = 256 << 20;

/// Reads a network file; its name says of which format it is.
///
/// | format | written to | read from | holds |
/// |---|---|---|---|
/// | latentropy model | `*.json` | `*.json`, `*.bqm` | everything, weights bit by bit |
/// | dimod BQM document | `*.bqm`, `*.bqm.json` | `*.json`, `*.bqm` | terms up to order 2; an energy, minus the exponent |
/// | UAI model | `*.uai` | `*.uai` | terms of any order; no names, no roles |
///
/// ```
/// use latentropy::{Network, read_network, write_network};
/// # let path = std::env::temp_dir().join(format!("latentropy-example-{}.json", std::process::id()));
/// let network = Network::rbm(3, 1);
/// let lost = write_network(&path, &network)?;
/// assert!(lost.is_empty());
/// assert_eq!(read_network(&path)?.network, network);
/// # std::fs::remove_file(&path).ok();
/// # Ok::<(), latentropy::Error>(())
/// ```
pub fn read_network(path: &Path) -> Result<LoadedNetwork> {
    // The name is looked at first: a file of another kind may be large.
    Format::of_path(path)?;
    let bytes = read_bounded(path, LARGEST_FILE)?;
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

/// A file's content in this format, and what the format cannot hold.
pub fn network_to_bytes(format: Format, network: &Network) -> Result<(Vec<u8>, Vec<Remark>)> {
    let (text, remarks) = match format {
        Format::Json => (json::write(network), Vec::new()),
        Format::Uai => uai::write(network)?,
        Format::Bqm => bqm::write(network)?,
    };
    Ok((text.into_bytes(), remarks))
}

/// Writes a network, whole or not at all; returns what the format cannot hold. For an example see [`read_network`].
pub fn write_network(path: &Path, network: &Network) -> Result<Vec<Remark>> {
    let (bytes, remarks) = network_to_bytes(Format::of_path(path)?, network)?;
    write_atomically(path, &bytes)?;
    Ok(remarks)
}
