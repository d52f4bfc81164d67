//! The journal of a fit: one line a learned restart, so that an interrupted run goes on where it stopped.

use super::plan::Plan;
use super::watch::Watch;
use crate::failure::{Failure, Outcome as Ended};
use crate::output::ResultDirectory;
use latentropy::files::write_atomically;
use latentropy::learning::Outcome;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Its name in the result directory; gone once all results are written.
const NAME: &str = "restarts.jsonl";
const FORMAT: &str = "latentropy-fit/1";

#[derive(PartialEq, Serialize, Deserialize)]
struct Head {
    format: String,
    version: String,
    data: String,
    /// Everything that changes how a restart ends.
    learning: String,
    machine: String,
    seed: u64,
}

#[derive(Serialize, Deserialize)]
struct Line {
    restart: usize,
    outcome: Outcome,
}

/// An open journal; lines are added from many threads.
pub(super) struct Journal {
    path: PathBuf,
    file: Mutex<File>,
    known: HashMap<usize, Outcome>,
    /// Whether there is anything to go on with.
    noted: AtomicBool,
}

impl Journal {
    /// A new journal, or with `resume` the one that is there; and what to tell about it.
    pub(super) fn open(
        directory: &ResultDirectory,
        plan: &Plan,
        resume: bool,
    ) -> Ended<(Self, Vec<String>)> {
        let path = directory.file(NAME);
        let head = head(plan);
        let (mut known, mut notes) = (HashMap::new(), Vec::new());
        if resume {
            notes.push(match fs::read_to_string(&path) {
                Ok(text) => {
                    known = read(&text, &head, &path)?;
                    let all = plan.settings.restarts;
                    let taken = known.keys().filter(|&&restart| restart < all).count();
                    format!("{taken} of {all} restarts are taken from the interrupted run")
                }
                Err(_) => format!(
                    "{}: holds no interrupted run to go on with; this one starts from the beginning",
                    directory.path().display()
                ),
            });
        }
        let failed = |error: std::io::Error| {
            Failure::Request(format!("{}: cannot be written: {error}", path.display()))
        };
        // Written anew: behind half a line nothing could be added.
        let mut text = json(&head)?;
        for (&restart, outcome) in &known {
            text += &json(&Line {
                restart,
                outcome: outcome.clone(),
            })?;
        }
        write_atomically(&path, text.as_bytes())?;
        let file = OpenOptions::new().append(true).open(&path);
        let journal = Journal {
            file: Mutex::new(file.map_err(failed)?),
            path: path.clone(),
            noted: AtomicBool::new(!known.is_empty()),
            known,
        };
        Ok((journal, notes))
    }

    pub(super) fn known(&self, restart: usize) -> Option<Outcome> {
        self.known.get(&restart).cloned()
    }

    /// Notes a restart. A full disk must not end a run whose results may still fit.
    pub(super) fn add(&self, restart: usize, outcome: &Outcome) {
        let line = json(&Line {
            restart,
            outcome: outcome.clone(),
        });
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(line) = line {
            let _ = file.write_all(line.as_bytes());
            self.noted.store(true, Ordering::Relaxed);
        }
    }

    /// All results are written: there is nothing to go on with any more.
    pub(super) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl Drop for Journal {
    /// A run that failed before its first restart leaves nothing behind.
    fn drop(&mut self) {
        if !self.noted.load(Ordering::Relaxed) {
            self.remove();
        }
    }
}

fn head(plan: &Plan) -> Head {
    let settings = &plan.settings;
    let traced = settings.keep_traces || Watch::traced(plan, true);
    let machine: Vec<&[usize]> = plan.structure.terms().iter().map(|t| t.units()).collect();
    Head {
        format: FORMAT.to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        data: format!("{:016x}", plan.data.fingerprint()),
        learning: format!("{:?}, traced: {traced}", settings.learning),
        machine: format!("{machine:?}"),
        seed: settings.seed,
    }
}

fn json(value: &impl Serialize) -> Ended<String> {
    let text = serde_json::to_string(value);
    text.map(|text| text + "\n")
        .map_err(|error| Failure::Request(format!("the journal cannot be written: {error}")))
}

fn read(text: &str, head: &Head, path: &std::path::Path) -> Ended<HashMap<usize, Outcome>> {
    let mut lines = text.lines();
    let first = lines.next().map(serde_json::from_str::<Head>);
    if !matches!(&first, Some(Ok(found)) if found == head) {
        return Err(Failure::Request(format!(
            "{}: is the journal of another run (other data, machine, settings, seed or version); give the same arguments \
             as then, or leave --resume out to start anew",
            path.display()
        )));
    }
    // A last line that was cut short is left out.
    let entries = lines.filter_map(|line| serde_json::from_str::<Line>(line).ok());
    Ok(entries.map(|line| (line.restart, line.outcome)).collect())
}
