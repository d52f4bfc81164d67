//! The directory of a run: locked while the run lives, cleared of what dead runs left, changed as a whole.

use super::disk::{Disk, RealDisk};
use super::lock::{Lock, Refused};
use super::manifest::Manifest;
use super::names;
use super::staging::{Staging, finish, remove_flat};
use crate::error::{Error, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A directory that one run writes into; others are refused until it is dropped or its process has died.
///
/// ```
/// use latentropy::files::{Manifest, RunDirectory};
/// # let place = std::env::temp_dir().join(format!("latentropy-example-{}", std::process::id()));
/// let mut directory = RunDirectory::open(&place)?;
/// assert!(RunDirectory::open(&place).is_err());
/// // Journals and checkpoints may lie in it meanwhile; results are put aside, and appear together.
/// let mut staging = directory.stage()?;
/// let run = Manifest::name_of([b"all that makes the run what it is".as_slice()]);
/// staging.put("part.json", format!("{{\"run\":\"{run}\"}}").as_bytes())?;
/// let manifest = staging.manifest("fit", &run, &[]);
/// staging.put("run.json", &serde_json::to_vec(&manifest).unwrap())?;
/// staging.commit()?;
/// directory.keep();
/// Manifest::check(&place, None, "copy all files together")?;
/// # drop(directory);
/// # std::fs::remove_dir_all(&place).unwrap();
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    disk: Arc<dyn Disk>,
    /// The directories made for it, removed again unless it is kept.
    made: Vec<PathBuf>,
    /// None on a disk of a test.
    lock: Option<Lock>,
}

/// The folder in which the shares of a run may lie, in the directory that they are put together in.
pub const SHARES: &str = "shards";

/// What a directory holds, files that begin with a dot and the shares of a run aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// No file.
    Nothing,
    /// The files of a finished run of this kind, and perhaps others.
    Run(String),
    /// Other files.
    Other,
}

impl RunDirectory {
    /// Makes the directory where it is not there yet, and takes it for this run alone; a run that was committed and not put in
    /// place is put there, and what dead runs left in the making is removed.
    pub fn open(path: &Path) -> Result<Self> {
        let absent = path.ancestors().take_while(|part| {
            !part.as_os_str().is_empty() && matches!(part.try_exists(), Ok(false))
        });
        let made: Vec<PathBuf> = absent.map(Path::to_path_buf).collect();
        // Another run may remove the directory that it made just between.
        const TRIES: usize = 10;
        let mut tried = 0;
        let lock = loop {
            fs::create_dir_all(path).map_err(|error| Error::io(path, "make", error))?;
            match Lock::take(path) {
                Ok(lock) => break lock,
                Err(Refused::Taken) => {
                    return Err(Error::file(
                        path,
                        None,
                        "another run is writing into this directory",
                        "wait until it has ended, or give another directory",
                    ));
                }
                Err(Refused::Failed(error)) => {
                    tried += 1;
                    if tried == TRIES || error.kind() != std::io::ErrorKind::NotFound {
                        return Err(Error::io(path, "write in", error));
                    }
                }
            }
        };
        let mut directory = RunDirectory {
            path: path.to_path_buf(),
            disk: Arc::new(RealDisk),
            made,
            lock: Some(lock),
        };
        directory.recover()?;
        Ok(directory)
    }

    /// One that is on a disk of a test, and not locked.
    #[cfg(any(test, feature = "internals"))]
    pub fn on(disk: Arc<super::SimulatedDisk>, path: &Path) -> Result<Self> {
        let mut directory = RunDirectory {
            path: path.to_path_buf(),
            disk,
            made: Vec::new(),
            lock: None,
        };
        directory.recover()?;
        Ok(directory)
    }

    /// Finishes what was committed, and removes what was not.
    fn recover(&mut self) -> Result<()> {
        // Without a lock, what looks dead may be another's at work.
        if self.lock.as_ref().is_some_and(|lock| !lock.is_exclusive()) {
            return Ok(());
        }
        let failed = |error| Error::io(&self.path, "write in", error);
        for name in self.disk.names(&self.path).map_err(failed)? {
            if names::is_commit(&name) {
                finish(&*self.disk, &self.path, &name).map_err(failed)?;
                self.made.clear();
            } else if names::is_staging(&name) {
                remove_flat(&*self.disk, &self.path.join(name));
            } else if self.lock.is_none() && names::is_temporary(&name) {
                let _ = self.disk.remove(&self.path.join(name));
            }
        }
        if self.lock.is_some() {
            names::sweep_temporary(&self.path);
        }
        Ok(())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// What it holds.
    pub fn content(&self) -> Content {
        if let Some(manifest) = Manifest::of(&*self.disk, &self.path) {
            return Content::Run(manifest.kind);
        }
        let names = self.disk.names(&self.path).unwrap_or_default();
        match names
            .iter()
            .all(|name| name.starts_with('.') || name == SHARES)
        {
            true => Content::Nothing,
            false => Content::Other,
        }
    }

    /// Of the files that a run of this kind is going to write, those that are there and were not written by such a run as they
    /// are now: what overwriting them would lose.
    pub fn foreign<S: AsRef<str>>(&self, kind: &str, names: &[S]) -> Vec<String> {
        let manifest = Manifest::of(&*self.disk, &self.path);
        let manifest = manifest.filter(|manifest| manifest.kind == kind);
        let is_foreign = |name: &&str| {
            let path = self.path.join(name);
            let is_there = fs::symlink_metadata(&path).is_ok() || self.disk.is_file(&path);
            is_there
                && !manifest.as_ref().is_some_and(|manifest| {
                    let bytes = self.disk.read(&path);
                    bytes.is_ok_and(|bytes| manifest.is_of_run(name, &bytes))
                })
        };
        let names = names.iter().map(AsRef::as_ref).filter(is_foreign);
        names.map(str::to_string).collect()
    }

    /// A place for the files of the run until all are there.
    pub fn stage(&self) -> Result<Staging<'_>> {
        Staging::new(&*self.disk, &self.path)
    }

    /// Writes a file of it whole or not at all; a link of that name is replaced, and nothing is written through it.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.path.join(name);
        super::write_on(&*self.disk, &path, bytes)
            .map_err(|error| Error::io(&path, "write", error))?;
        Ok(path)
    }

    /// Keeps the directory: it holds results now.
    pub fn keep(&mut self) {
        self.made.clear();
    }
}

impl Drop for RunDirectory {
    fn drop(&mut self) {
        self.lock = None;
        for directory in &self.made {
            // Only an empty directory can be removed this way.
            let _ = fs::remove_dir(directory);
        }
    }
}
