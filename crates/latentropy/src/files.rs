//! Writing files so that they appear whole or not at all.

use crate::error::{Error, Result};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Writes a file whole or not at all: into a temporary file beside it, to the disk, then renamed
/// into place; on failure the temporary file is removed and the old file, if any, is untouched.
///
/// A symbolic link stays a link (the file behind it is replaced). A device or a pipe cannot be
/// renamed onto, and is written to directly.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |source| Error::io(path, "write", source);
    if let Ok(metadata) = fs::metadata(path) {
        if metadata.is_dir() {
            let kind = std::io::ErrorKind::IsADirectory;
            return Err(failed(std::io::Error::from(kind)));
        }
        if !metadata.is_file() {
            let mut device = OpenOptions::new().write(true).open(path).map_err(failed)?;
            return device.write_all(bytes).map_err(failed);
        }
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let temporary = temporary_beside(&target);
    let written = write_and_rename(&temporary, &target, bytes);
    if written.is_err() {
        // Already failing: the first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(failed)
}

/// A name in the same directory (a rename never crosses file systems) that no other thread or
/// process takes; it does not contain the file's own name, which may be as long as names can be.
fn temporary_beside(target: &Path) -> PathBuf {
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    target.with_file_name(format!(".latentropy-{}-{count}.tmp", std::process::id()))
}

fn write_and_rename(temporary: &Path, target: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(temporary)?;
    if let Ok(old) = fs::metadata(target) {
        file.set_permissions(old.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()?;
    drop(file);
    fs::rename(temporary, target)?;
    // The rename itself reaches the disk with its directory, where the system lets one be opened.
    if let Some(Ok(directory)) = target.parent().map(File::open) {
        let _ = directory.sync_all();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_written_and_replaced_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("model.json");
        write_atomically(&path, b"first, and longer").unwrap();
        write_atomically(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(names_in(directory.path()), ["model.json"]);
    }

    #[test]
    fn a_failure_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let taken = directory.path().join("taken");
        fs::create_dir(&taken).unwrap();
        assert!(write_atomically(&taken, b"x").is_err());
        assert!(write_atomically(&directory.path().join("absent/model.json"), b"x").is_err());
        let long = directory.path().join("n".repeat(300));
        assert!(write_atomically(&long, b"x").is_err());
        assert_eq!(names_in(directory.path()), ["taken"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_devices_stay_devices() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        fs::write(&file, b"old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_atomically(&link, b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write_atomically(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn names_without_a_directory_are_beside_the_current_one() {
        assert_eq!(
            temporary_beside(Path::new("a.json")).parent(),
            Some(Path::new(""))
        );
    }
}
