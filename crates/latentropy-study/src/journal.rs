//! A study's journal: the library's, with one line per cell under the cell's name.

use crate::cell::Cell;
use crate::results::{Record, Results};
use crate::run::Study;
use latentropy::Result;
use latentropy::files::Disk;
use latentropy::fit::Identity;
use latentropy::message::Message;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

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
        let cells = self.cells_by_name();
        let check = |name: &str, record: &Record| checked(&cells, name, record);
        let journal = Journal::resume(path, self.identity()?, start_anew, check)?;
        Ok(with_results(journal, &cells))
    }

    /// A new journal on any disk, or the one that is there with what is done.
    #[doc(hidden)]
    pub fn journal_on(&self, disk: Arc<dyn Disk>, path: &Path) -> Result<(Journal, Results)> {
        if !disk.is_file(path) {
            let journal = Journal::create_on(disk, path, self.identity()?)?;
            return Ok((journal, Results::default()));
        }
        let cells = self.cells_by_name();
        let check = |name: &str, record: &Record| checked(&cells, name, record);
        let journal = Journal::resume_on(disk, path, self.identity()?, "start anew", check)?;
        Ok(with_results(journal, &cells))
    }

    fn cells_by_name(&self) -> CellsByName {
        let cells = Cell::all(self.spec(), None).into_iter();
        cells.map(|cell| (cell.key(self.spec()), cell)).collect()
    }

    /// Closes a journal with its lines in the study's order, whatever the order in which they came.
    pub fn close_journal(&self, journal: Journal, results: &Results) -> Result<()> {
        let named = |(cell, record)| (Cell::key(cell, self.spec()), record);
        journal.close(results.iter().map(named))
    }
}

type CellsByName = HashMap<String, Cell>;

fn checked(cells: &CellsByName, name: &str, record: &Record) -> std::result::Result<(), String> {
    let cell = cells.get(name).ok_or("is no cell of this study")?;
    record.check(cell)
}

/// A journal with the results that it knows.
fn with_results(journal: Journal, cells: &CellsByName) -> (Journal, Results) {
    let mut results = Results::default();
    for (name, record) in journal.all_known() {
        if let Some(cell) = cells.get(name) {
            results.insert(cell.clone(), record.clone());
        }
    }
    (journal, results)
}
