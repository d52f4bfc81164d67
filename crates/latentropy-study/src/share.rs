//! Shares of a study: the records of some cells, run anywhere, and taken in by the study that they belong to.

use crate::cell::Cell;
use crate::results::{Record, Results};
use crate::run::{Observer, Study};
use latentropy::fit::processor;
use latentropy::{Error, Result};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::time::Instant;

/// The records of some cells, with where they come from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Share {
    version: String,
    /// The study's fingerprint.
    study: String,
    /// The kind of processor that ran it.
    processor: String,
    cells: Vec<(String, Record)>,
}

impl Share {
    /// As JSON, numbers in full.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self)
            .map_err(|error| Error::failed(format!("cannot be written down: {error}")))
    }

    /// From that form.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        serde_json::from_slice(bytes)
            .map_err(|error| Error::invalid(format!("this is no share of a study: {error}")))
    }

    /// The names of its cells.
    pub fn cells(&self) -> impl Iterator<Item = &str> {
        self.cells.iter().map(|(name, _)| name.as_str())
    }
}

impl Study {
    /// Runs some cells.
    pub fn share(&self, cells: &[Cell], observer: &dyn Observer) -> Result<Share> {
        let records = cells.par_iter().with_max_len(1).map(|cell| {
            let started = Instant::now();
            let record = self.record(cell)?;
            observer.cell_done(cell, started.elapsed());
            Ok((cell.key(self.spec()), record))
        });
        Ok(Share {
            version: env!("CARGO_PKG_VERSION").to_string(),
            study: self.fingerprint()?,
            processor: processor(),
            cells: records.collect::<Result<_>>()?,
        })
    }

    /// Takes a share in; one of another study, version or, unless any will do, kind of processor is refused.
    pub fn take(&self, share: Share, any_processor: bool, results: &mut Results) -> Result<()> {
        let here = env!("CARGO_PKG_VERSION");
        let difference = match () {
            () if share.version != here => format!(
                "it was made by version {} of latentropy, and this is {here}",
                share.version
            ),
            () if share.study != self.fingerprint()? => {
                "it belongs to a study with other settings, seed or data".to_string()
            }
            () if share.processor != processor() && !any_processor => format!(
                "it comes from another kind of processor: {}, and this is {}",
                share.processor,
                processor()
            ),
            () => String::new(),
        };
        if !difference.is_empty() {
            return Err(Error::invalid(format!("a share is refused: {difference}")));
        }
        let cells = Cell::all(self.spec(), None).into_iter();
        let cells: HashMap<String, Cell> =
            cells.map(|cell| (cell.key(self.spec()), cell)).collect();
        for (name, record) in share.cells {
            let cell = cells.get(&name);
            let cell = cell
                .ok_or_else(|| Error::invalid(format!("there is no cell {name} in the study")))?;
            if !results.contains(cell) {
                results.insert(cell.clone(), record);
            }
        }
        Ok(())
    }
}
