//! A study's journal: the library's, with one line per cell under the cell's name.

use crate::cell::Cell;
use crate::results::{Record, Results};
use crate::run::Study;
use latentropy::Result;
use latentropy::fit::Identity;
use latentropy::message::Message;
use std::collections::HashMap;
use std::path::Path;

/// The layout's version.
const FORMAT: &str = "latentropy-study/3";

/// Where the records of finished cells are noted.
pub type Journal = latentropy::fit::Journal<Record>;

impl Study {
    /// What its journal is recognised by.
    pub fn identity(&self) -> Result<Identity> {
        Ok(Identity {
            format: FORMAT.to_string(),
            digest: self.fingerprint()?,
            seed: self.spec().seed,
        })
    }

    /// A new journal; what was there is replaced.
    pub fn create_journal(&self, path: &Path) -> Result<Journal> {
        Journal::create(path, self.identity()?)
    }

    /// Opens the journal of an interrupted study and reads what is done; a line that is damaged is left out.
    /// `start_anew` says what to do where it cannot be used.
    pub fn resume_journal(
        &self,
        path: &Path,
        start_anew: impl Into<Message>,
    ) -> Result<(Journal, Results)> {
        let cells = Cell::all(self.spec(), None).into_iter();
        let cells: HashMap<String, Cell> =
            cells.map(|cell| (cell.key(self.spec()), cell)).collect();
        let check = |name: &str, record: &Record| {
            let cell = cells.get(name).ok_or("is no cell of this study")?;
            record.check(cell)
        };
        let journal = Journal::resume(path, self.identity()?, start_anew, check)?;
        let mut results = Results::default();
        for (name, record) in journal.all_known() {
            if let Some(cell) = cells.get(name) {
                results.insert(cell.clone(), record.clone());
            }
        }
        Ok((journal, results))
    }

    /// Closes a journal with its lines in the study's order, whatever the order in which they came.
    pub fn close_journal(&self, journal: Journal, results: &Results) -> Result<()> {
        let named = |(cell, record)| (Cell::key(cell, self.spec()), record);
        journal.close(results.iter().map(named))
    }
}
