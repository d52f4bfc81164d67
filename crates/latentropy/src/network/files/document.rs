//! A network in a JSON document, of whichever kind the document is.

use super::fault::Fault;
use super::loaded::LoadedNetwork;
use super::{bqm, json};
use serde_json::Value;

/// Whether a JSON document claims to be a whole network, of either kind.
pub(in crate::network) fn is_network(document: &Value) -> bool {
    document.get("format").is_some() || bqm::is_bqm(document)
}

/// The network of either kind of JSON document.
pub(in crate::network) fn from_document(
    document: &Value,
) -> std::result::Result<LoadedNetwork, Fault> {
    if bqm::is_bqm(document) {
        return bqm::read(document);
    }
    let network = json::read(document)?;
    Ok(LoadedNetwork {
        network,
        codings: json::read_codings(document)?,
        remarks: Vec::new(),
    })
}
