//! The journal: one line a finished cell, so that an interrupted study goes on where it stopped.

use crate::cell::Cell;
use crate::results::{Record, Results};
use crate::run::Study;
use latentropy::files::write_atomically;
use latentropy::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const FORMAT: &str = "latentropy-study/1";

#[derive(Serialize, Deserialize)]
struct Head {
    format: String,
    fingerprint: String,
    seed: u64,
}

#[derive(Serialize, Deserialize)]
struct Line {
    cell: String,
    record: Record,
}

/// An open journal; lines are added from many threads.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

impl Journal {
    /// A new journal; what was there is replaced.
    pub fn create(path: &Path, study: &Study) -> Result<Self> {
        write_atomically(path, &head(study)?)?;
        Journal::append_to(path)
    }

    /// Opens the journal of an interrupted study and reads what is done; a last line that was cut short is left out.
    pub fn resume(path: &Path, study: &Study) -> Result<(Self, Results)> {
        let bytes = fs::read(path).map_err(|source| Error::io(path, "read", source))?;
        let results = read(path, &bytes, study)?;
        // Written anew: behind half a line nothing could be added.
        write_atomically(path, &content(study, &results)?)?;
        Ok((Journal::append_to(path)?, results))
    }

    fn append_to(path: &Path) -> Result<Self> {
        let file = OpenOptions::new().append(true).open(path);
        Ok(Journal {
            path: path.to_path_buf(),
            file: Mutex::new(file.map_err(|source| Error::io(path, "write", source))?),
        })
    }

    /// Adds a finished cell.
    pub fn add(&self, study: &Study, cell: &Cell, record: &Record) -> Result<()> {
        let line = line(study, cell, record)?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line)
            .map_err(|source| Error::io(&self.path, "write", source))
    }

    /// Closes the journal with its lines in the study's order, whatever the order in which they came.
    pub fn close(self, study: &Study, results: &Results) -> Result<()> {
        write_atomically(&self.path, &content(study, results)?)
    }
}

fn json(value: &impl Serialize) -> Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(value)
        .map_err(|error| Error::failed(format!("cannot write the journal: {error}")))?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn head(study: &Study) -> Result<Vec<u8>> {
    json(&Head {
        format: FORMAT.to_string(),
        fingerprint: study.fingerprint()?,
        seed: study.spec().seed,
    })
}

fn line(study: &Study, cell: &Cell, record: &Record) -> Result<Vec<u8>> {
    json(&Line {
        cell: cell.key(study.spec()),
        record: record.clone(),
    })
}

fn content(study: &Study, results: &Results) -> Result<Vec<u8>> {
    let mut bytes = head(study)?;
    for (cell, record) in results.iter() {
        bytes.extend(line(study, cell, record)?);
    }
    Ok(bytes)
}

fn read(path: &Path, bytes: &[u8], study: &Study) -> Result<Results> {
    let fresh = "give an empty directory with --out to start anew";
    let whole = bytes
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    let mut lines = bytes[..whole]
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty());
    let head: Option<Head> = lines
        .next()
        .and_then(|line| serde_json::from_slice(line).ok());
    let Some(head) = head.filter(|head| head.format == FORMAT) else {
        return Err(Error::file(
            path,
            None,
            "is not a journal of this version",
            fresh,
        ));
    };
    if head.fingerprint != study.fingerprint()? {
        let problem = if head.seed == study.spec().seed {
            "belongs to a study with other settings, or to another version of the program"
                .to_string()
        } else {
            format!(
                "belongs to a study with seed {}, not {}",
                head.seed,
                study.spec().seed
            )
        };
        let remedy =
            format!("resume with the spec, seed and version that it was begun with, or {fresh}");
        return Err(Error::file(path, None, problem, remedy));
    }
    let cells: HashMap<String, Cell> = Cell::all(study.spec(), None)
        .into_iter()
        .map(|cell| (cell.key(study.spec()), cell))
        .collect();
    let mut results = Results::default();
    for (at, text) in lines.enumerate() {
        let place = || format!("line {}", at + 2);
        let line: Line = serde_json::from_slice(text)
            .map_err(|error| Error::file(path, place(), format!("is damaged ({error})"), fresh))?;
        let Some(cell) = cells.get(&line.cell) else {
            let problem = format!("names the unknown cell {}", line.cell);
            return Err(Error::file(path, place(), problem, fresh));
        };
        results.insert(cell.clone(), line.record);
    }
    Ok(results)
}
