//! Reads a data set from a file or from bytes, whatever the file's extension.

use super::dataset::Dataset;
use super::loaded::{Loaded, ReadOptions};
use super::{limits, matlab, numpy, text};
use crate::error::{Error, Result};
use std::path::Path;

/// Reads a data file: text in columns (comma, tab, semicolon or blanks; with or without a header),
/// a NumPy `npy` or `npz` file, or a Matlab file of version 5 to 7. The content decides which it is, not the extension.
///
/// ```
/// use latentropy::data::{Loaded, ReadOptions};
/// use latentropy::read_dataset;
/// let options = ReadOptions { columns: Some(vec!["!party".to_string()]), ..ReadOptions::default() };
/// let Loaded { dataset, remarks, .. } = read_dataset("data/house-votes-84.csv".as_ref(), &options)?;
/// for remark in remarks {
///     println!("{remark}");
/// }
/// assert_eq!(dataset.columns().len(), 16);
/// # Ok::<(), latentropy::Error>(())
/// ```
pub fn read_dataset(path: &Path, options: &ReadOptions) -> Result<Loaded> {
    if path.is_dir() {
        return Err(Error::file(
            path,
            None,
            "is a directory",
            "give a data file (csv, tsv, npy, npz or mat)",
        ));
    }
    let bytes = limits::read_file(path)?;
    read_dataset_bytes(path, &bytes, options)
}

/// Reads a data file that is already in memory; `name` is what messages call it, and is never opened.
pub fn read_dataset_bytes(name: &Path, bytes: &[u8], options: &ReadOptions) -> Result<Loaded> {
    if bytes.starts_with(numpy::NPY_MAGIC) {
        numpy::read_npy(name, bytes, options)
    } else if bytes.starts_with(numpy::ZIP_MAGIC) {
        numpy::read_npz(name, bytes, options)
    } else if bytes.starts_with(matlab::MAT_MAGIC) {
        matlab::read_mat(name, bytes, options)
    } else {
        text::read_text(name, bytes, options)
    }
}

impl Dataset {
    /// Reads a data file of any kind; `columns` chooses as in [`ReadOptions`], all of them if empty.
    ///
    /// Columns of two other values, such as 1 and 2 or M and F, are recognised. Which value was taken as 1, and what else is
    /// remarkable about the file, is told by [`read_dataset`].
    pub fn read(path: impl AsRef<Path>, columns: &[&str]) -> Result<Self> {
        let columns = columns.iter().map(|name| name.to_string());
        let options = ReadOptions {
            columns: (columns.len() > 0).then(|| columns.collect()),
            ..ReadOptions::default()
        };
        Ok(read_dataset(path.as_ref(), &options)?.dataset)
    }
}
