//! The array of an npz file: which of its arrays is read, and what is said where there is none.

use super::archive;
use super::array::{read_array, refused};
use crate::data::loaded::{Loaded, ReadOptions};
use crate::error::{Error, Result, shortened};
use std::path::Path;

/// The array to read where an archive holds several, in order of preference.
const PREFERRED: [&str; 4] = ["X", "x", "data", "arr_0"];

/// Reads the one array of an npz file, or the one that is called as data usually are.
pub(in crate::data) fn read_npz(
    path: &Path,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Loaded> {
    let entries = archive::list_entries(bytes).ok_or_else(|| {
        let remedy = "write the file again with numpy.savez, or copy it again";
        Error::file(path, None, "is a damaged or incomplete zip archive", remedy)
    })?;
    let arrays: Vec<_> = entries
        .iter()
        .filter_map(|entry| Some((entry.array_name()?, entry)))
        .collect();
    let preferred = || {
        PREFERRED
            .iter()
            .find_map(|&name| arrays.iter().find(|array| array.0 == name))
    };
    let (name, entry) = match &arrays[..] {
        [] => {
            let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
            return Err(no_array(path, &names));
        }
        [only] => only,
        _ => preferred().ok_or_else(|| {
            let names: Vec<&str> = arrays.iter().map(|array| array.0).collect();
            let problem = format!("holds several arrays ({})", shortened(&names));
            Error::file(path, None, problem, "save one array only, or call it X")
        })?,
    };
    let array = entry
        .unpack()
        .map_err(|refusal| refused(path, Some(name), refusal))?;
    read_array(path, Some(name), &array, options)
}

fn no_array(path: &Path, names: &[&str]) -> Error {
    if names.iter().any(|name| name.starts_with("xl/")) {
        return Error::file(path, None, "is a spreadsheet", "save the sheet as csv");
    }
    Error::file(
        path,
        None,
        format!(
            "is a zip archive without a NumPy array (it holds: {})",
            shortened(names)
        ),
        "unpack it and give the data file itself",
    )
}
