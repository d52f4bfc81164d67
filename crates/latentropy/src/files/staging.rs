//! The files of a run beside their places, until all are written; then they are put there as one.

use super::disk::{Disk, Output};
use super::manifest::{Manifest, digest_of};
use super::{MANIFEST, names};
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Files of a run in the making; what is not committed is gone.
///
/// A committed run is whole however the program ends: the rename of the staging directory is the commit, and what it holds is
/// moved to its place by whoever comes next if need be. `run.json` leaves first and comes last, so that a directory that has
/// one never has files of two runs.
#[derive(Debug)]
pub struct Staging<'a> {
    disk: &'a dyn Disk,
    directory: &'a Path,
    path: PathBuf,
    digests: BTreeMap<String, String>,
    is_open: bool,
}

impl<'a> Staging<'a> {
    pub(super) fn new(disk: &'a dyn Disk, directory: &'a Path) -> Result<Self> {
        let path = directory.join(names::staging());
        disk.make_directory(&path)
            .map_err(|error| Error::io(directory, "write", error))?;
        Ok(Staging {
            disk,
            directory,
            path,
            digests: BTreeMap::new(),
            is_open: true,
        })
    }

    /// Writes one file of the run, to the disk.
    pub fn put(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let path = self.path.join(name);
        let write = || -> io::Result<()> {
            let mut file: Box<dyn Output> = self.disk.create(&path)?;
            file.write_all(bytes)?;
            file.sync()
        };
        write().map_err(|error| Error::io(&self.directory.join(name), "write", error))?;
        self.digests.insert(name.to_string(), digest_of(bytes));
        Ok(())
    }

    /// Where a writer of its own may put files, which are then taken up by [`Staging::adopt`].
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes up a file that somebody else has put into [`Staging::path`].
    pub fn adopt(&mut self, name: &str) -> Result<()> {
        let path = self.path.join(name);
        let bytes = self
            .disk
            .read(&path)
            .map_err(|error| Error::io(&path, "read", error))?;
        self.digests.insert(name.to_string(), digest_of(&bytes));
        Ok(())
    }

    /// The manifest of all files so far; those named are said to be made anew at any time.
    pub fn manifest(&self, kind: &str, run: &str, made_anew: &[&str]) -> Manifest {
        let mut files = self.digests.clone();
        for name in made_anew {
            files.insert(name.to_string(), String::new());
        }
        Manifest {
            kind: kind.to_string(),
            run: run.to_string(),
            files,
        }
    }

    /// Puts all files in place, as one.
    pub fn commit(mut self) -> Result<()> {
        let failed = |error| Error::io(self.directory, "write", error);
        self.disk.sync_directory(&self.path).map_err(failed)?;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let committed = names::committed(&name);
        let to = self.directory.join(&committed);
        self.disk.rename(&self.path, &to).map_err(failed)?;
        // From here on the files are the run's, whatever happens.
        self.is_open = false;
        self.disk.sync_directory(self.directory).map_err(failed)?;
        finish(self.disk, self.directory, &committed).map_err(failed)
    }
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        if self.is_open {
            remove_flat(self.disk, &self.path);
        }
    }
}

/// Moves the files of a committed run to their places; may be cut off and begun again at any moment.
pub(super) fn finish(disk: &dyn Disk, directory: &Path, committed: &str) -> io::Result<()> {
    let from = directory.join(committed);
    let names = disk.names(&from)?;
    let comes = |name: &str| names.iter().any(|other| other == name);
    if comes(MANIFEST) {
        if let Some(old) = Manifest::of(disk, directory) {
            // Files that the new run does not have would be taken for its own; only what the old run wrote itself is removed.
            for name in old.files.keys().filter(|name| !comes(name)) {
                let path = directory.join(name);
                if disk
                    .read(&path)
                    .is_ok_and(|bytes| old.is_of_run(name, &bytes))
                {
                    disk.remove(&path)?;
                }
            }
        }
        if disk.is_file(&directory.join(MANIFEST)) {
            disk.remove(&directory.join(MANIFEST))?;
        }
        disk.sync_directory(directory)?;
    }
    for name in names.iter().filter(|name| *name != MANIFEST) {
        disk.rename(&from.join(name), &directory.join(name))?;
    }
    disk.sync_directory(directory)?;
    if comes(MANIFEST) {
        disk.rename(&from.join(MANIFEST), &directory.join(MANIFEST))?;
        disk.sync_directory(directory)?;
    }
    // Empty now; one that cannot be removed is no harm.
    let _ = disk.remove_directory(&from);
    Ok(())
}

/// Removes a directory of ours with its files.
pub(super) fn remove_flat(disk: &dyn Disk, path: &Path) {
    for name in disk.names(path).unwrap_or_default() {
        let _ = disk.remove(&path.join(name));
    }
    let _ = disk.remove_directory(path);
}
