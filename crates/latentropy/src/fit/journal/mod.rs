//! The journal: one line per finished piece of work, so that an interrupted run goes on where it stopped.
//!
//! Fits note their restarts in it, studies their cells. Its identity is a digest of everything that changes a piece. Every line
//! has a checksum. A piece that is still under way may have one file beside the journal: its last checkpoint.

mod checkpoints;
mod line;
mod reading;

use super::bytes::{from_bytes, to_bytes};
use crate::error::{Error, Result};
use crate::files::{Disk, Output, RealDisk, write_on};
use crate::message::Message;
use line::encode;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lines reach the disk this long after one another, at least: a loss of power costs no more than what was done since.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// What a journal belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The layout, such as `latentropy-fit/3`.
    pub format: String,
    /// A digest of everything that changes a piece of work: request, data, version.
    pub digest: String,
    /// The seed, said apart: the most likely difference between two runs.
    pub seed: u64,
}

#[derive(Serialize, Deserialize)]
struct Line<T> {
    piece: String,
    result: T,
}

/// An open journal; lines are added from many threads.
///
/// ```
/// use latentropy::fit::{Control, Job, Journal};
/// use latentropy::{Dataset, Request};
/// # let path = std::env::temp_dir().join(format!("latentropy-example-{}.jsonl", std::process::id()));
/// let data = Dataset::from_rows(&[[0, 0], [1, 1], [1, 1], [0, 1]])?;
/// let mut job = Job::new(&data, &Request { restarts: Some(3), ..Request::with_hidden(1) })?;
/// job.choose(&Control::default())?;
/// let (identity, check) = (job.identity(false)?, job.noted_check()?);
/// let journal = match path.exists() {
///     true => Journal::resume(&path, identity, "remove the file to start anew", check)?,
///     false => Journal::create(&path, identity)?,
/// };
/// for line in journal.damaged() {
///     eprintln!("{}: {line}; its restart is learned again", path.display());
/// }
/// let found = job.fit(&Control { journal: Some(&journal), ..Control::default() })?;
/// println!("{} distinct solutions", found.distinct_solutions);
/// journal.remove();
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Debug)]
pub struct Journal<T> {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    identity: Identity,
    file: Mutex<Writing>,
    known: BTreeMap<String, T>,
    damaged: Vec<String>,
    /// Whether there is anything to go on with.
    noted: AtomicBool,
    /// How many pieces this run has noted.
    added: AtomicUsize,
}

/// The file, and when it last reached the disk.
#[derive(Debug)]
struct Writing {
    file: Box<dyn Output>,
    synced: Instant,
    is_safe: bool,
}

impl Writing {
    fn sync(&mut self) -> std::io::Result<()> {
        if !self.is_safe {
            self.file.sync()?;
            (self.synced, self.is_safe) = (Instant::now(), true);
        }
        Ok(())
    }
}

impl<T: Serialize + DeserializeOwned> Journal<T> {
    /// A new journal; one that was there is replaced, but set aside under the name `….unreadable` where nobody can say what is
    /// in it.
    pub fn create(path: &Path, identity: Identity) -> Result<Self> {
        Journal::create_on(Arc::new(RealDisk), path, identity)
    }

    /// The same on any disk.
    #[doc(hidden)]
    pub fn create_on(disk: Arc<dyn Disk>, path: &Path, identity: Identity) -> Result<Self> {
        let failed = |error| Error::io(path, "write", error);
        if disk.is_file(path) && !Journal::<T>::is_readable_on(&*disk, path) {
            set_aside(&*disk, path).map_err(failed)?;
        }
        write_on(&*disk, path, &encode(&identity)?).map_err(failed)?;
        // Those of another run would be taken for this one's.
        checkpoints::remove_all(&*disk, path);
        Journal::open(disk, path, identity)
    }

    /// Opens the journal of an interrupted run and reads what is done. A line that is damaged, or was cut short, is left out
    /// ([`Journal::damaged`]); one that `check` finds to contradict itself, the run or its data is refused. `start_anew` says
    /// what to do where the journal cannot be used.
    pub fn resume(
        path: &Path,
        identity: Identity,
        start_anew: impl Into<Message>,
        check: impl Fn(&str, &T) -> std::result::Result<(), String>,
    ) -> Result<Self> {
        Journal::resume_on(Arc::new(RealDisk), path, identity, start_anew, check)
    }

    /// The same on any disk.
    #[doc(hidden)]
    pub fn resume_on(
        disk: Arc<dyn Disk>,
        path: &Path,
        identity: Identity,
        start_anew: impl Into<Message>,
        check: impl Fn(&str, &T) -> std::result::Result<(), String>,
    ) -> Result<Self> {
        let bytes = disk
            .read(path)
            .map_err(|source| Error::io(path, "read", source))?;
        let found = reading::read(path, &bytes, &identity, &start_anew.into(), &check)?;
        let mut journal = Journal::open(disk, path, identity)?;
        if found.is_cut {
            // What follows is a line of its own; the cut one stays, and is not read.
            journal.write(b"\n")?;
        }
        journal.noted = AtomicBool::new(true);
        journal.known = found.known;
        journal.damaged = found.damaged;
        Ok(journal)
    }

    /// Whether there is a journal, of whichever run, whose head can be read.
    pub fn is_readable(path: &Path) -> bool {
        Journal::<T>::is_readable_on(&RealDisk, path)
    }

    fn is_readable_on(disk: &dyn Disk, path: &Path) -> bool {
        let bytes = disk.read(path);
        bytes.is_ok_and(|bytes| reading::identity_of(&bytes).is_some())
    }

    fn open(disk: Arc<dyn Disk>, path: &Path, identity: Identity) -> Result<Self> {
        let file = disk
            .append(path)
            .map_err(|source| Error::io(path, "write", source))?;
        Ok(Journal {
            disk,
            path: path.to_path_buf(),
            identity,
            file: Mutex::new(Writing {
                file,
                synced: Instant::now(),
                is_safe: true,
            }),
            known: BTreeMap::new(),
            damaged: Vec::new(),
            noted: AtomicBool::new(false),
            added: AtomicUsize::new(0),
        })
    }

    /// What an earlier run noted of a piece.
    pub fn known(&self, piece: &str) -> Option<&T> {
        self.known.get(piece)
    }

    /// All that an earlier run noted.
    pub fn all_known(&self) -> &BTreeMap<String, T> {
        &self.known
    }

    /// The lines of an earlier run that are damaged, and how; their pieces are done again.
    pub fn damaged(&self) -> &[String] {
        &self.damaged
    }

    /// Notes a piece.
    pub fn add(&self, piece: &str, result: &T) -> Result<()> {
        let piece = piece.to_string();
        self.write(&encode(&Line { piece, result })?)?;
        self.added.fetch_add(1, Ordering::Relaxed);
        self.noted.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Adds bytes, which reach the disk now and then.
    fn write(&self, bytes: &[u8]) -> Result<()> {
        let mut writing = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let write = |writing: &mut Writing| {
            writing.is_safe = false;
            writing.file.write_all(bytes)?;
            match writing.synced.elapsed() >= SYNC_EVERY {
                true => writing.sync(),
                false => Ok(()),
            }
        };
        write(&mut writing).map_err(|source| Error::io(&self.path, "write", source))
    }

    /// Keeps the checkpoint of a piece that is under way, in place of the one before.
    pub(crate) fn keep(&self, piece: &str, checkpoint: &impl Serialize) -> Result<()> {
        let bytes = to_bytes(checkpoints::HEAD, &(&self.identity.digest, checkpoint))?;
        let path = checkpoints::path_of(&self.path, piece);
        write_on(&*self.disk, &path, &bytes).map_err(|error| Error::io(&path, "write", error))?;
        self.noted.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The last checkpoint of a piece; none where it is damaged or another run's, for then the piece is done again.
    pub(crate) fn kept<C: DeserializeOwned>(&self, piece: &str) -> Option<C> {
        let path = checkpoints::path_of(&self.path, piece);
        let bytes = self.disk.read(&path).ok()?;
        let (digest, checkpoint): (String, C) =
            from_bytes(checkpoints::HEAD, "a checkpoint", &bytes).ok()?;
        (digest == self.identity.digest).then_some(checkpoint)
    }

    /// Forgets the checkpoint of a piece that has ended; its line is on the disk before.
    pub(crate) fn forget(&self, piece: &str) {
        let path = checkpoints::path_of(&self.path, piece);
        let mut writing = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if self.disk.is_file(&path) && writing.sync().is_ok() {
            let _ = self.disk.remove(&path);
        }
    }

    /// Whether a piece that has not ended has a checkpoint to go on from.
    pub fn is_under_way(&self, piece: &str) -> bool {
        let path = checkpoints::path_of(&self.path, piece);
        self.known(piece).is_none() && self.disk.is_file(&path)
    }

    /// How many pieces are noted, and how many more have a checkpoint: what a run that is stopped now keeps.
    pub fn kept_so_far(&self) -> (usize, usize) {
        let noted = self.known.len() + self.added.load(Ordering::Relaxed);
        (noted, checkpoints::count(&*self.disk, &self.path))
    }

    /// Closes the journal with these lines in this order, whatever the order in which they came.
    pub fn close<'a>(self, pieces: impl Iterator<Item = (String, &'a T)>) -> Result<()>
    where
        T: 'a,
    {
        let mut bytes = encode(&self.identity)?;
        for (piece, result) in pieces {
            bytes.extend(encode(&Line { piece, result })?);
        }
        // The whole is there to stay, whoever noted it.
        self.noted.store(true, Ordering::Relaxed);
        write_on(&*self.disk, &self.path, &bytes)
            .map_err(|error| Error::io(&self.path, "write", error))
    }

    /// All results are written elsewhere: there is nothing to go on with any more.
    pub fn remove(self) {
        let _ = self.disk.remove(&self.path);
        checkpoints::remove_all(&*self.disk, &self.path);
    }
}

/// Gives a journal that cannot be read another name: what is in it may still be wanted.
fn set_aside(disk: &dyn Disk, path: &Path) -> std::io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut aside = path.with_file_name(format!("{name}.unreadable"));
    let mut number = 1;
    while disk.is_file(&aside) {
        number += 1;
        aside = path.with_file_name(format!("{name}.unreadable-{number}"));
    }
    disk.rename(path, &aside)
}

impl<T> Drop for Journal<T> {
    /// A run that failed before its first piece leaves nothing behind; what was noted reaches the disk.
    fn drop(&mut self) {
        if !self.noted.load(Ordering::Relaxed) {
            let _ = self.disk.remove(&self.path);
            return;
        }
        let writing = self.file.get_mut();
        let _ = writing.unwrap_or_else(PoisonError::into_inner).sync();
    }
}
