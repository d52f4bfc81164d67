//! The lock of a directory: held by one process, and gone with it however it ends.

use super::names::{LOCK, is_still_at};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A directory that is this process's alone, as far as programs of this project go.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    _held: File,
    is_exclusive: bool,
}

/// Why a directory is not locked.
#[derive(Debug)]
pub(super) enum Refused {
    /// Another process holds it.
    Taken,
    /// The system says why.
    Failed(io::Error),
}

impl Lock {
    /// Takes the lock of a directory that is there, without waiting.
    pub(super) fn take(directory: &Path) -> Result<Self, Refused> {
        const TRIES: usize = 100;
        let path = directory.join(LOCK);
        if fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink()) {
            // Made by somebody else: nothing is opened through it.
            let why = format!("{LOCK} is a link");
            return Err(Refused::Failed(io::Error::other(why)));
        }
        for _ in 0..TRIES {
            let file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(Refused::Failed)?;
            let is_exclusive = match file.try_lock() {
                Ok(()) => true,
                Err(fs::TryLockError::WouldBlock) => return Err(Refused::Taken),
                // Some network file systems know no locks; runs are then kept apart by their digests alone.
                Err(fs::TryLockError::Error(_)) => false,
            };
            // Its holder may have removed it between the opening and the locking: then it locks nothing.
            if is_still_at(&file, &path) {
                return Ok(Lock {
                    path,
                    _held: file,
                    is_exclusive,
                });
            }
        }
        Err(Refused::Taken)
    }

    /// False on a file system without locks, where others may be at work unknown to us.
    pub(super) fn is_exclusive(&self) -> bool {
        self.is_exclusive
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is held: whoever has opened it and waits sees that the name is gone.
        if self.is_exclusive {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_it_and_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let held = Lock::take(directory.path()).unwrap();
        assert!(held.is_exclusive());
        assert!(matches!(Lock::take(directory.path()), Err(Refused::Taken)));
        drop(held);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        drop(Lock::take(directory.path()).unwrap());
        // What a killed process has left is no lock.
        fs::write(directory.path().join(LOCK), b"").unwrap();
        drop(Lock::take(directory.path()).unwrap());
    }

    #[test]
    fn many_threads_are_never_in_it_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let inside = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        if let Ok(_held) = Lock::take(directory.path()) {
                            let others = inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                            assert_eq!(others, 0);
                            inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                        }
                    }
                });
            }
        });
    }
}
