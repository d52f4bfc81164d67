//! The journal: one line per finished piece of work, so that an interrupted run goes on where it stopped.
//!
//! Fits note their restarts in it, studies their cells. Its identity is a digest of everything that changes a piece.
//! A piece that is still under way may have one file beside the journal: its last checkpoint.

use super::bytes::{from_bytes, to_bytes};
use crate::error::{Error, Result};
use crate::files::write_atomically;
use crate::message::Message;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a journal belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The layout, such as `latentropy-fit/2`.
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
/// let journal = match path.exists() {
///     true => Journal::resume(&path, job.identity(false)?, "remove the file to start anew")?,
///     false => Journal::create(&path, job.identity(false)?)?,
/// };
/// let found = job.fit(&Control { journal: Some(&journal), ..Control::default() })?;
/// println!("{} distinct solutions", found.distinct_solutions);
/// journal.remove();
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Debug)]
pub struct Journal<T> {
    path: PathBuf,
    identity: Identity,
    file: Mutex<File>,
    known: BTreeMap<String, T>,
    /// Whether there is anything to go on with.
    noted: AtomicBool,
}

impl<T: Serialize + DeserializeOwned + Clone> Journal<T> {
    /// A new journal; what was there is replaced.
    pub fn create(path: &Path, identity: Identity) -> Result<Self> {
        write_atomically(path, &json(&identity)?)?;
        // Those of another run would be taken for this one's.
        remove_checkpoints(path);
        Journal::open(path, identity, BTreeMap::new())
    }

    /// Opens the journal of an interrupted run and reads what is done; a last line that was cut short is left out.
    /// `start_anew` says what to do where it cannot be used.
    pub fn resume(path: &Path, identity: Identity, start_anew: impl Into<Message>) -> Result<Self> {
        let bytes = fs::read(path).map_err(|source| Error::io(path, "read", source))?;
        let end = bytes.iter().rposition(|&byte| byte == b'\n');
        let whole = &bytes[..end.map_or(0, |at| at + 1)];
        let known = read(path, whole, &identity, start_anew.into())?;
        if whole.len() < bytes.len() {
            // Behind half a line nothing could be added.
            write_atomically(path, whole)?;
        }
        Journal::open(path, identity, known)
    }

    fn open(path: &Path, identity: Identity, known: BTreeMap<String, T>) -> Result<Self> {
        let file = OpenOptions::new().append(true).open(path);
        Ok(Journal {
            path: path.to_path_buf(),
            identity,
            file: Mutex::new(file.map_err(|source| Error::io(path, "write", source))?),
            noted: AtomicBool::new(!known.is_empty()),
            known,
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

    /// Notes a piece.
    pub fn add(&self, piece: &str, result: &T) -> Result<()> {
        let line = json(&Line {
            piece: piece.to_string(),
            result: result.clone(),
        })?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(&line)
            .map_err(|source| Error::io(&self.path, "write", source))?;
        self.noted.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Keeps the checkpoint of a piece that is under way, in place of the one before.
    pub(crate) fn keep(&self, piece: &str, checkpoint: &impl Serialize) -> Result<()> {
        let bytes = to_bytes(CHECKPOINT, &(&self.identity.digest, checkpoint))?;
        write_atomically(&checkpoint_path(&self.path, piece), &bytes)?;
        self.noted.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The last checkpoint of a piece; none where it is damaged or another run's, for then the piece is done again.
    pub(crate) fn kept<C: DeserializeOwned>(&self, piece: &str) -> Option<C> {
        let bytes = fs::read(checkpoint_path(&self.path, piece)).ok()?;
        let (digest, checkpoint): (String, C) =
            from_bytes(CHECKPOINT, "a checkpoint", &bytes).ok()?;
        (digest == self.identity.digest).then_some(checkpoint)
    }

    /// Forgets the checkpoint of a piece that has ended.
    pub(crate) fn forget(&self, piece: &str) {
        let _ = fs::remove_file(checkpoint_path(&self.path, piece));
    }

    /// Whether a piece that has not ended has a checkpoint to go on from.
    pub fn is_under_way(&self, piece: &str) -> bool {
        self.known(piece).is_none() && checkpoint_path(&self.path, piece).exists()
    }

    /// Closes the journal with these lines in this order, whatever the order in which they came.
    pub fn close<'a>(self, pieces: impl Iterator<Item = (String, &'a T)>) -> Result<()>
    where
        T: 'a,
    {
        let mut bytes = json(&self.identity)?;
        for (piece, result) in pieces {
            let result = result.clone();
            bytes.extend(json(&Line { piece, result })?);
        }
        // The whole is there to stay, whoever noted it.
        self.noted.store(true, Ordering::Relaxed);
        write_atomically(&self.path, &bytes)
    }

    /// All results are written elsewhere: there is nothing to go on with any more.
    pub fn remove(self) {
        let _ = fs::remove_file(&self.path);
        remove_checkpoints(&self.path);
    }
}

impl<T> Drop for Journal<T> {
    /// A run that failed before its first piece leaves nothing behind.
    fn drop(&mut self) {
        if !self.noted.load(Ordering::Relaxed) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The first bytes of a checkpoint: what it is, and the version of its layout.
const CHECKPOINT: &[u8] = b"latentropy-checkpoint/1\n";
const CHECKPOINT_ENDING: &str = ".checkpoint";

/// Beside the journal, under its name and the piece's.
fn checkpoint_path(journal: &Path, piece: &str) -> PathBuf {
    let name = journal.file_name().unwrap_or_default().to_string_lossy();
    let piece = piece.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    journal.with_file_name(format!("{name}.{piece}{CHECKPOINT_ENDING}"))
}

/// Removes all checkpoints beside a journal.
fn remove_checkpoints(journal: &Path) {
    let start = format!(
        "{}.",
        journal.file_name().unwrap_or_default().to_string_lossy()
    );
    let folder = journal.parent().filter(|path| !path.as_os_str().is_empty());
    let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(&start) && name.ends_with(CHECKPOINT_ENDING) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn json(value: &impl Serialize) -> Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(value)
        .map_err(|error| Error::failed(format!("cannot write the journal: {error}")))?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn read<T: DeserializeOwned>(
    path: &Path,
    whole_lines: &[u8],
    identity: &Identity,
    start_anew: Message,
) -> Result<BTreeMap<String, T>> {
    let lines = whole_lines.split(|&byte| byte == b'\n').enumerate();
    let mut lines = lines.filter(|(_, line)| !line.is_empty());
    let head: Option<Identity> = lines
        .next()
        .and_then(|(_, line)| serde_json::from_slice(line).ok());
    let Some(head) = head.filter(|head| head.format == identity.format) else {
        let problem = "is not a journal of this version";
        return Err(Error::file(path, None, problem, start_anew));
    };
    if head != *identity {
        let problem = match head.seed == identity.seed {
            true => "belongs to a run with other data, machine or settings, or of another version of the program"
                .to_string(),
            false => format!(
                "belongs to a run with seed {}, not {}",
                head.seed, identity.seed
            ),
        };
        let mut remedy = Message::from("go on with what it was begun with, or ");
        remedy.push(start_anew);
        return Err(Error::file(path, None, problem, remedy));
    }
    let mut known = BTreeMap::new();
    for (at, text) in lines {
        let line: Line<T> = serde_json::from_slice(text).map_err(|error| {
            let place = format!("line {}", at + 1);
            Error::file(
                path,
                place,
                format!("is damaged ({error})"),
                start_anew.clone(),
            )
        })?;
        known.insert(line.piece, line.result);
    }
    Ok(known)
}
