//! Names of what is in the making: random, recognised as ours, and swept once their makers are dead.

use std::collections::hash_map::RandomState;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

const START: &str = ".latentropy-";
/// A file on its way to its name.
const TEMPORARY: &str = ".tmp";
/// A directory of files that are not of a run yet.
const STAGING: &str = ".staging";
/// A directory of files that are of a run, on their way to their names.
const COMMIT: &str = ".commit";
/// Where the lock of a directory is.
pub(super) const LOCK: &str = ".latentropy.lock";

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Sixteen digits that nobody else has: processes of one number (1 in every container) share a directory, too.
fn random_digits() -> String {
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u64(COUNTER.fetch_add(1, Ordering::Relaxed));
    hasher.write_u32(std::process::id());
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    hasher.write_u128(now.unwrap_or_default().as_nanos());
    format!("{:016x}", hasher.finish())
}

/// A name for a file in the making; it does not contain the file's own, which may be as long as names can be.
pub(super) fn temporary() -> String {
    format!("{START}{}{TEMPORARY}", random_digits())
}

/// A name for a directory in the making.
pub(super) fn staging() -> String {
    format!("{START}{}{STAGING}", random_digits())
}

/// The name of a staging directory once it is committed.
pub(super) fn committed(staging: &str) -> String {
    staging.replace(STAGING, COMMIT)
}

pub(super) fn is_temporary(name: &str) -> bool {
    is_ours(name, TEMPORARY)
}

pub(super) fn is_staging(name: &str) -> bool {
    is_ours(name, STAGING)
}

pub(super) fn is_commit(name: &str) -> bool {
    is_ours(name, COMMIT)
}

/// Exactly our form: what merely looks like it was made by somebody else, and stays.
fn is_ours(name: &str, ending: &str) -> bool {
    let middle = name
        .strip_prefix(START)
        .and_then(|rest| rest.strip_suffix(ending));
    middle.is_some_and(|digits| {
        digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Removes temporary files in a directory that nobody is writing any more: their locks died with their writers.
pub(super) fn sweep_temporary(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if !is_file || !name.to_str().is_some_and(is_temporary) {
            continue;
        }
        let path = entry.path();
        // Held while it is removed, so that a writer who comes by at this moment sees that it is lost.
        if let Ok(file) = OpenOptions::new().write(true).open(&path)
            && file.try_lock().is_ok()
            && is_still_at(&file, &path)
        {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Whether an open file is still the one of this name.
#[cfg(unix)]
pub(super) fn is_still_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |found: fs::Metadata| (found.dev(), found.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => place(open) == place(named),
        _ => false,
    }
}

/// Elsewhere an open file cannot be removed.
#[cfg(not(unix))]
pub(super) fn is_still_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ours_and_nobody_elses() {
        let (file, directory) = (temporary(), staging());
        assert!(is_temporary(&file) && is_staging(&directory));
        assert!(is_commit(&committed(&directory)));
        assert_ne!(temporary(), temporary());
        for other in [
            ".latentropy-1-0.tmp",
            ".latentropy-mine.tmp",
            "latentropy.tmp",
            ".latentropy.lock",
        ] {
            assert!(
                !is_temporary(other) && !is_staging(other) && !is_commit(other),
                "{other}"
            );
        }
    }

    #[test]
    fn only_the_dead_are_swept() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let (dead, alive) = (temporary(), temporary());
        fs::write(path(&dead), b"x").unwrap();
        fs::write(path("kept.tmp"), b"x").unwrap();
        let held = File::create(path(&alive)).unwrap();
        held.try_lock().unwrap();
        sweep_temporary(directory.path());
        assert!(!path(&dead).exists() && path(&alive).exists() && path("kept.tmp").exists());
        drop(held);
        sweep_temporary(directory.path());
        assert!(!path(&alive).exists());
    }
}
