//! The files of pieces that are under way, beside their journal.

use crate::files::Disk;
use std::path::{Path, PathBuf};

/// The first bytes of a checkpoint: what it is, and the version of its layout.
pub(super) const HEAD: &[u8] = b"latentropy-checkpoint/1\n";
const ENDING: &str = ".checkpoint";

/// Beside the journal, under its name and the piece's.
pub(super) fn path_of(journal: &Path, piece: &str) -> PathBuf {
    let name = journal.file_name().unwrap_or_default().to_string_lossy();
    let piece = piece.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    journal.with_file_name(format!("{name}.{piece}{ENDING}"))
}

/// Removes all checkpoints beside a journal.
pub(super) fn remove_all(disk: &dyn Disk, journal: &Path) {
    for path in all(disk, journal) {
        let _ = disk.remove(&path);
    }
}

/// How many there are beside a journal.
pub(super) fn count(disk: &dyn Disk, journal: &Path) -> usize {
    all(disk, journal).len()
}

fn all(disk: &dyn Disk, journal: &Path) -> Vec<PathBuf> {
    let name = journal.file_name().unwrap_or_default().to_string_lossy();
    let start = format!("{name}.");
    let directory = journal.parent().unwrap_or(Path::new(""));
    let mut names = disk.names(directory).unwrap_or_default();
    names.retain(|name| name.starts_with(&start) && name.ends_with(ENDING));
    names.iter().map(|name| directory.join(name)).collect()
}
