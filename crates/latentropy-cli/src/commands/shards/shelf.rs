//! The shelf: where the shares of a run lie until they are put together, each whole or not at all.

use crate::args::Shard;
use crate::failure::{Failure, Outcome};
use latentropy::Error;
use latentropy::files::{SHARES, write_atomically};
use latentropy::fit::record::RunContext;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

const TICKET: &str = "ticket.json";
const JOB: &str = "job";
/// The layout's version.
const FORMAT: &str = "latentropy-shards/1";

/// What the shares of a run have in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Ticket {
    format: String,
    version: String,
    /// How many shares there are.
    pub(super) shards: usize,
    /// What the run is recognised by.
    pub(super) digest: String,
    pub(super) task: Task,
}

/// What is to be done, as far as whoever merges needs to know.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Task {
    /// A fit; its job lies beside the ticket.
    Fit(Box<RunContext>),
    /// A study.
    Study {
        /// The settings, and where they are from.
        spec: String,
        name: String,
        seed: u64,
        figure: Option<u32>,
    },
}

impl Task {
    fn name(&self) -> &'static str {
        match self {
            Task::Fit(_) => "fit",
            Task::Study { .. } => "study",
        }
    }
}

impl Ticket {
    pub(super) fn new(shards: usize, digest: String, task: Task) -> Self {
        Ticket {
            format: FORMAT.to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            shards,
            digest,
            task,
        }
    }

    fn read(path: &Path) -> Outcome<Self> {
        let bytes = fs::read(path).map_err(|source| Error::io(path, "read", source))?;
        let damaged = |why: String| Failure::Request(format!("{}: {why}", path.display()));
        let ticket: Ticket = serde_json::from_slice(&bytes)
            .map_err(|error| damaged(format!("is no ticket of a run in shares ({error})")))?;
        if ticket.format != FORMAT {
            return Err(damaged(format!(
                "has the format {}, not {FORMAT}",
                ticket.format
            )));
        }
        if ticket.version != env!("CARGO_PKG_VERSION") {
            return Err(damaged(format!(
                "was written by version {} of latentropy, and this is {}; run its shares with one version",
                ticket.version,
                env!("CARGO_PKG_VERSION")
            )));
        }
        Ok(ticket)
    }

    /// Refuses shares of two runs in one place.
    fn check(&self, other: &Ticket, folder: &Path) -> Outcome {
        let refused = |difference: String| {
            Err(Failure::Request(format!(
                "{}: holds shares of another run: {difference}; give --out another directory, or remove {}",
                folder.parent().unwrap_or(folder).display(),
                folder.display()
            )))
        };
        if self.task.name() != other.task.name() {
            return refused(format!("of a {}", self.task.name()));
        }
        if self.shards != other.shards {
            return refused(format!("of {} shards, not {}", self.shards, other.shards));
        }
        if self.digest != other.digest {
            return refused("with other data or settings".to_string());
        }
        Ok(())
    }
}

/// The places that shares lie in; new ones are put into the first.
#[derive(Debug)]
pub(super) struct Shelf {
    folders: Vec<PathBuf>,
    shards: usize,
}

impl Shelf {
    /// The shelf of a run, made where it is not there yet; `job` is kept beside the ticket.
    pub(super) fn open(directory: &Path, ticket: &Ticket, job: Option<&[u8]>) -> Outcome<Self> {
        let folder = directory.join(SHARES);
        let path = folder.join(TICKET);
        if path.exists() {
            Ticket::read(&path)?.check(ticket, &folder)?;
        } else {
            fs::create_dir_all(&folder).map_err(|error| {
                Failure::Request(format!(
                    "{}: cannot make a directory there: {error}; give --out a directory that can be written to",
                    directory.display()
                ))
            })?;
            // Several shares may begin at once: they write the same.
            if let Some(job) = job {
                write_atomically(&folder.join(JOB), job)?;
            }
            write_atomically(&path, &json(ticket)?)?;
        }
        Ok(Shelf {
            folders: vec![folder],
            shards: ticket.shards,
        })
    }

    /// The shares of one run that lie in several places.
    pub(super) fn gather(directories: &[PathBuf]) -> Outcome<(Ticket, Self)> {
        let mut found: Option<Ticket> = None;
        let mut folders = Vec::new();
        for directory in directories {
            let folder = directory.join(SHARES);
            let path = folder.join(TICKET);
            if !path.exists() {
                return Err(Failure::Request(format!(
                    "{}: holds no shares; name a directory that `--shard I/N --out DIR` has written into",
                    directory.display()
                )));
            }
            let ticket = Ticket::read(&path)?;
            if let Some(first) = &found {
                first.check(&ticket, &folder)?;
            }
            found.get_or_insert(ticket);
            folders.push(folder);
        }
        let ticket = found.ok_or_else(|| Failure::Request("no directory is named".to_string()))?;
        let shards = ticket.shards;
        Ok((ticket, Shelf { folders, shards }))
    }

    /// How many shares there are.
    pub(super) fn shards(&self) -> usize {
        self.shards
    }

    /// The job beside the ticket.
    pub(super) fn job(&self) -> Outcome<Vec<u8>> {
        let path = self.folders[0].join(JOB);
        Ok(fs::read(&path).map_err(|source| Error::io(&path, "read", source))?)
    }

    fn places(&self, round: usize, shard: usize) -> impl Iterator<Item = PathBuf> {
        let name = format!("{shard}-of-{}.part", self.shards);
        let round = format!("round-{}", round + 1);
        let folders = self.folders.iter();
        folders.map(move |folder| folder.join(&round).join(&name))
    }

    /// The share of a round, if it is there, and where.
    pub(super) fn share(&self, round: usize, shard: usize) -> Outcome<Option<(PathBuf, Vec<u8>)>> {
        let Some(path) = self.places(round, shard).find(|path| path.exists()) else {
            return Ok(None);
        };
        let bytes = fs::read(&path).map_err(|source| Error::io(&path, "read", source))?;
        Ok(Some((path, bytes)))
    }

    pub(super) fn has(&self, round: usize, shard: usize) -> bool {
        self.places(round, shard).any(|path| path.exists())
    }

    /// Puts a share down, whole.
    pub(super) fn put(&self, round: usize, shard: Shard, bytes: &[u8]) -> Outcome {
        for path in self.places(round, shard.index).take(1) {
            let folder = path.parent().unwrap_or(&path);
            fs::create_dir_all(folder)
                .map_err(|source| Error::io(folder, "make the directory", source))?;
            write_atomically(&path, bytes)?;
        }
        Ok(())
    }

    /// The shares of a round that are not there.
    pub(super) fn missing(&self, round: usize) -> Vec<usize> {
        let all = 1..=self.shards;
        all.filter(|&shard| !self.has(round, shard)).collect()
    }
}

fn json(value: &impl Serialize) -> Outcome<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(value)
        .map_err(|error| Failure::Running(format!("cannot write the ticket: {error}")))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Numbers in a sentence: 3, or 1, 4 and 7.
pub(super) fn listed(numbers: &[usize]) -> String {
    const MOST: usize = 20;
    let words: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    match &words[..] {
        [] => "none".to_string(),
        [only] => only.clone(),
        many if many.len() > MOST => {
            format!("{} and {} more", many[..MOST].join(", "), many.len() - MOST)
        }
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
