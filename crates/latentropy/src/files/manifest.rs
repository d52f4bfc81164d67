//! What a run says of its files, and which of them are not its own.

use super::MANIFEST;
use super::bounded::read_bounded;
use super::disk::{Disk, RealDisk};
use super::names;
use crate::error::{Error, Result};
use crate::random::Digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Most bytes that a file of a run may have to be checked.
const LONGEST: u64 = 1 << 30;

/// The part of `run.json` that holds its files together; the rest of it is the run's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Manifest {
    /// What kind of run it is: `fit`, `study`.
    #[serde(default)]
    pub kind: String,
    /// The run's name, which stands in each of its files: a digest of its results, so that the same run has the same.
    #[serde(default)]
    pub run: String,
    /// The digests of its files by their names; an empty one is of a file that may be made anew at any time.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// A digest of a file's bytes as it stands in manifests.
pub fn digest_of(bytes: &[u8]) -> String {
    let mut digest = Digest::default();
    digest.eat(bytes);
    format!("{:016x}", digest.value())
}

impl Manifest {
    /// The name of a run with these results.
    pub fn name_of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
        let mut digest = Digest::default();
        for part in parts {
            digest.eat(&(part.len() as u64).to_le_bytes());
            digest.eat(part);
        }
        // A letter first: a table that takes it for a number would change it.
        format!("r{:016x}", digest.value())
    }

    /// The manifest in a directory; none where there is none, or nothing that says which files are of its run.
    pub(super) fn of(disk: &dyn Disk, directory: &Path) -> Option<Self> {
        let bytes = disk.read(&directory.join(MANIFEST)).ok()?;
        Manifest::parse(&bytes)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let found: Manifest = serde_json::from_slice(bytes).ok()?;
        // Names alone: a manifest says nothing of files elsewhere.
        let is_plain =
            |name: &String| !name.contains(['/', '\\']) && name != ".." && !name.is_empty();
        (!found.run.is_empty() && found.files.keys().all(is_plain)).then_some(found)
    }

    /// Whether the bytes of a file are those that the run wrote under this name.
    pub(super) fn is_of_run(&self, name: &str, bytes: &[u8]) -> bool {
        match self.files.get(name).map(String::as_str) {
            None => name == MANIFEST,
            Some("") => contains(bytes, self.run.as_bytes()),
            Some(digest) => digest == digest_of(bytes),
        }
    }

    /// Reads the manifest of a directory and checks these of its files, or all; `remedy` says what to do about an odd one.
    pub fn check(directory: &Path, only: Option<&str>, remedy: &str) -> Result<Self> {
        let path = directory.join(MANIFEST);
        let bytes = read_bounded(&path, LONGEST)?;
        let Some(manifest) = Manifest::parse(&bytes) else {
            let problem = "does not say which files are of its run";
            return Err(Error::file(&path, None, problem, remedy));
        };
        for (name, digest) in &manifest.files {
            if only.is_some_and(|only| only != name) {
                continue;
            }
            let path = directory.join(name);
            // A link is none of the run's files; what can be made again is replaced, and nothing is written through it.
            let is_link = path.is_symlink();
            let bytes = match read_bounded(&path, LONGEST) {
                Err(_) if digest.is_empty() => continue,
                Ok(_) if digest.is_empty() && is_link => continue,
                other => other?,
            };
            if !manifest.is_of_run(name, &bytes) {
                return Err(Error::file(
                    &path,
                    None,
                    format!(
                        "is not as the run {} wrote it, whose {MANIFEST} lies beside it: it is of another run, or was \
                         changed since",
                        manifest.run
                    ),
                    remedy,
                ));
            }
        }
        Ok(manifest)
    }
}

/// Refuses a file that lies in the directory of a run under the name of one of its files, and is not that file.
pub fn check_beside(path: &Path) -> Result<()> {
    let directory = path.parent().unwrap_or(Path::new(""));
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Ok(());
    };
    let names = RealDisk.names(directory).unwrap_or_default();
    if names.iter().any(|name| names::is_commit(name)) {
        // It was cut off, or it is just going on; a run or a report finishes the former.
        return Err(Error::file(
            directory,
            None,
            "the files of a run are being put in place here",
            "wait until that is done; where it was cut off, `latentropy report` finishes it",
        ));
    }
    let manifest = Manifest::of(&RealDisk, directory);
    if manifest.is_none_or(|manifest| !manifest.files.contains_key(name)) {
        return Ok(());
    }
    let remedy =
        "copy all files of the run together, or put a file of your own into another directory";
    Manifest::check(directory, Some(name), remedy).map(drop)
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
