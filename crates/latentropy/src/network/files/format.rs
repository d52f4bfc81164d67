//! The formats of network files, known by the file's name.

use crate::error::{Error, Result};
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
