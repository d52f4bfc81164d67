//! The few things that are asked of a disk, so that a test can put one in place that loses its power.

use super::names;
use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A disk: what is written to it is safe from a loss of power once it was synced, and not before.
pub trait Disk: Debug + Send + Sync {
    /// All bytes of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// The names in a directory, sorted; those that are not text are left out.
    fn names(&self, directory: &Path) -> io::Result<Vec<String>>;
    /// Whether there is a file of this name.
    fn is_file(&self, path: &Path) -> bool;
    /// A new file; one that is there already is an error.
    fn create(&self, path: &Path) -> io::Result<Box<dyn Output>>;
    /// A new file of a name that nobody has, in a directory; it is known to be in use until it is dropped or its writer dies.
    fn temporary(&self, directory: &Path) -> io::Result<(PathBuf, Box<dyn Output>)>;
    /// A file that is there, to add to.
    fn append(&self, path: &Path) -> io::Result<Box<dyn Output>>;
    /// Gives a file or a directory another name, in place of a file that had it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Makes a directory.
    fn make_directory(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty directory.
    fn remove_directory(&self, path: &Path) -> io::Result<()>;
    /// The names in a directory reach the disk.
    fn sync_directory(&self, directory: &Path) -> io::Result<()>;
}

/// A file that is being written.
pub trait Output: Debug + Send {
    /// Adds bytes.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// What was written reaches the disk.
    fn sync(&mut self) -> io::Result<()>;
    /// The permissions of another file, where there is one.
    fn take_permissions_of(&mut self, other: &Path) -> io::Result<()>;
}

/// The disk of this computer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RealDisk;

impl Disk for RealDisk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        fs::read(path)
    }

    fn names(&self, directory: &Path) -> io::Result<Vec<String>> {
        let entries = fs::read_dir(here_if_empty(directory))?.flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.collect();
        names.sort();
        Ok(names)
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn Output>> {
        Ok(Box::new(new_file(path)?))
    }

    fn temporary(&self, directory: &Path) -> io::Result<(PathBuf, Box<dyn Output>)> {
        // Somebody who sweeps may hold the new file for a moment, and remove it: then another is made.
        const TRIES: usize = 100;
        for _ in 0..TRIES {
            let path = directory.join(names::temporary());
            let file = match new_file(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                other => other?,
            };
            let is_ours = match file.try_lock() {
                Ok(()) => names::is_still_at(&file, &path),
                Err(fs::TryLockError::WouldBlock) => false,
                // A file system without locks: nobody can sweep what is in use there, for nobody can know.
                Err(fs::TryLockError::Error(_)) => true,
            };
            if is_ours {
                return Ok((path, Box::new(file)));
            }
        }
        Err(io::Error::from(io::ErrorKind::ResourceBusy))
    }

    fn append(&self, path: &Path) -> io::Result<Box<dyn Output>> {
        Ok(Box::new(OpenOptions::new().append(true).open(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn make_directory(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn remove_directory(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn sync_directory(&self, directory: &Path) -> io::Result<()> {
        // Where the system does not let a directory be opened, names reach the disk in its own time.
        if let Ok(directory) = File::open(here_if_empty(directory)) {
            let _ = directory.sync_all();
        }
        Ok(())
    }
}

fn new_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// The directory of a plain file name is the current one.
fn here_if_empty(directory: &Path) -> &Path {
    match directory.as_os_str().is_empty() {
        true => Path::new("."),
        false => directory,
    }
}

impl Output for File {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        Write::write_all(self, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }

    fn take_permissions_of(&mut self, other: &Path) -> io::Result<()> {
        match fs::metadata(other) {
            Ok(old) => self.set_permissions(old.permissions()),
            Err(_) => Ok(()),
        }
    }
}
