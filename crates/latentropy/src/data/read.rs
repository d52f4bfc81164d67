//! Reads a data set from a file or from bytes, whatever the file's extension.

use super::{Dataset, numpy, text};
use crate::error::{Error, Result};
use crate::remark::Remark;
use std::path::Path;

/// What to read of a data file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Which columns to read; all of them if `None`.
    ///
    /// Each entry is a column's name, an inclusive range `first..last` in the order of the file, or
    /// one of these after `!` to leave it out; an entry that is a column's whole name is that column,
    /// whatever signs it holds. The entries make a set: their order and repetition do not matter,
    /// what is left out stays out, and the columns come in the order of the file. If every entry
    /// leaves something out, the rest is read. Cells of other columns are never looked at.
    pub columns: Option<Vec<String>>,
}

/// A data set, and what its reader found remarkable but not wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The data.
    pub dataset: Dataset,
    /// Constant columns, columns and rows without a known cell, skipped blank lines.
    pub remarks: Vec<Remark>,
}

/// Reads a data file: text in columns (comma, tab, semicolon or blanks; with or without a header),
/// or a NumPy `npy` or `npz` file. The content decides which it is, not the extension.
pub fn read_dataset(path: &Path, options: &ReadOptions) -> Result<Loaded> {
    if path.is_dir() {
        return Err(Error::file(
            path,
            None,
            "is a directory",
            "give a data file (csv, tsv, npy or npz)",
        ));
    }
    let bytes = std::fs::read(path).map_err(|source| Error::io(path, "read", source))?;
    read_dataset_bytes(path, &bytes, options)
}

/// Reads a data file that is already in memory; `name` is what messages call it, and is never opened.
pub fn read_dataset_bytes(name: &Path, bytes: &[u8], options: &ReadOptions) -> Result<Loaded> {
    if bytes.starts_with(numpy::NPY_MAGIC) {
        numpy::read_npy(name, bytes, options)
    } else if bytes.starts_with(numpy::ZIP_MAGIC) {
        numpy::read_npz(name, bytes, options)
    } else {
        text::read_text(name, bytes, options)
    }
}
