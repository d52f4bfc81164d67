//! Writing one file so that it appears whole or not at all.

use super::disk::{Disk, RealDisk};
use crate::error::{Error, Result};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file whole or not at all: into a temporary file beside it, to the disk, then renamed
/// into place; on failure the temporary file is removed and the old file, if any, is untouched.
///
/// A symbolic link stays a link (the file behind it is replaced, or made). A device or a pipe cannot be
/// renamed onto, and is written to directly.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |source| Error::io(path, "write", source);
    if let Ok(metadata) = fs::metadata(path) {
        if metadata.is_dir() {
            return Err(failed(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        if !metadata.is_file() {
            let mut device = OpenOptions::new().write(true).open(path).map_err(failed)?;
            return device.write_all(bytes).map_err(failed);
        }
    }
    let target = behind_links(path).map_err(failed)?;
    write_on(&RealDisk, &target, bytes).map_err(failed)
}

/// Whether a file can be made in a directory: one is, and is removed.
pub fn probe(directory: &Path) -> io::Result<()> {
    let (path, file) = RealDisk.temporary(directory)?;
    drop(file);
    fs::remove_file(path)
}

/// Writes a file whole or not at all on any disk, under a name that is no link.
pub(crate) fn write_on(disk: &dyn Disk, target: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = target.parent().unwrap_or(Path::new(""));
    let (temporary, mut file) = disk.temporary(directory)?;
    let mut write = || {
        file.take_permissions_of(target)?;
        file.write_all(bytes)?;
        file.sync()?;
        // While it is held, nobody sweeps it.
        disk.rename(&temporary, target)?;
        disk.sync_directory(directory)
    };
    let written = write();
    if written.is_err() {
        // Already failing: the first error is the one to report.
        let _ = disk.remove(&temporary);
    }
    written
}

/// The file that a chain of links ends at, there or not.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    // As many as systems follow themselves.
    const LONGEST: usize = 40;
    let mut target = path.to_path_buf();
    for _ in 0..LONGEST {
        match fs::symlink_metadata(&target) {
            Ok(found) if found.is_symlink() => {
                let to = fs::read_link(&target)?;
                target = target.parent().unwrap_or(Path::new("")).join(to);
            }
            _ => return Ok(target),
        }
    }
    Err(io::Error::other("too many links, or links in a circle"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(directory: &Path) -> Vec<String> {
        RealDisk.names(directory).unwrap()
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
        let at = |name: &str| directory.path().join(name);
        fs::write(at("file"), b"old").unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        write_atomically(&at("link"), b"new").unwrap();
        assert_eq!(fs::read(at("file")).unwrap(), b"new");
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        // One that leads nowhere yet, by way of another, leads to the new file.
        std::os::unix::fs::symlink("absent", at("dangling")).unwrap();
        std::os::unix::fs::symlink("dangling", at("twice")).unwrap();
        write_atomically(&at("twice"), b"made").unwrap();
        assert_eq!(fs::read(at("absent")).unwrap(), b"made");
        assert!(fs::symlink_metadata(at("twice")).unwrap().is_symlink());
        std::os::unix::fs::symlink("circle", at("circle")).unwrap();
        assert!(write_atomically(&at("circle"), b"x").is_err());
        write_atomically(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
