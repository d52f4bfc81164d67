//! Reads two-dimensional arrays from NumPy's npy and npz files, of which nothing is believed unchecked.

mod archive;
mod dictionary;
mod element;
mod header;

use super::builder::Builder;
use super::columns::{choose_columns, list_names, made_up_names};
use super::read::{Loaded, ReadOptions};
use super::survey::Survey;
use super::{Cell, remarks};
use crate::error::{Error, Result};
use header::{Header, Refusal};
use std::path::Path;

/// How npy files begin.
pub(super) const NPY_MAGIC: &[u8] = b"\x93NUMPY";

/// How zip archives, and so npz files, begin.
pub(super) const ZIP_MAGIC: &[u8] = b"PK\x03\x04";

/// The array to read where an archive holds several, in order of preference.
const PREFERRED: [&str; 4] = ["X", "x", "data", "arr_0"];

/// Reads the array of an npy file.
pub(super) fn read_npy(path: &Path, bytes: &[u8], options: &ReadOptions) -> Result<Loaded> {
    read_array(path, None, bytes, options)
}

/// Reads the one array of an npz file, or the one that is called as data usually are.
pub(super) fn read_npz(path: &Path, bytes: &[u8], options: &ReadOptions) -> Result<Loaded> {
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
            let problem = format!("holds several arrays ({})", list_names(&names));
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
            list_names(names)
        ),
        "unpack it and give the data file itself",
    )
}

fn refused(path: &Path, array: Option<&str>, refusal: Refusal) -> Error {
    let location = array.map(|name| format!("array {name}"));
    Error::file(path, location, refusal.problem, refusal.remedy)
}

fn read_array(
    path: &Path,
    array: Option<&str>,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Loaded> {
    let header = Header::parse(bytes, bytes.len() as u64)
        .map_err(|refusal| refused(path, array, refusal))?;
    let names = made_up_names(header.columns);
    let chosen = choose_columns(path, &names, options.columns.as_deref())?;
    let elements = &bytes[header.data_start..];
    Array {
        path,
        name: array,
        header,
        elements,
        names,
        chosen,
    }
    .load()
}

/// An array whose header is true of its elements, and the columns to be read of it.
struct Array<'a> {
    path: &'a Path,
    name: Option<&'a str>,
    header: Header,
    elements: &'a [u8],
    names: Vec<String>,
    chosen: Vec<usize>,
}

impl Array<'_> {
    fn load(&self) -> Result<Loaded> {
        let names = self
            .chosen
            .iter()
            .map(|&column| self.names[column].clone())
            .collect();
        let mut builder = Builder::new(names, false);
        let mut first_unknown = None;
        for row in 0..self.header.rows {
            for (at, &column) in self.chosen.iter().enumerate() {
                match self.header.element.cell(self.element(row, column)) {
                    Some(cell) => builder.set(at, cell),
                    None => return Err(self.unreadable(row, at)),
                }
            }
            if !builder.end_row() && first_unknown.is_none() {
                first_unknown = Some(row_place(row));
            }
        }
        let dataset = builder.finish();
        let remarks = remarks::describe(&dataset, first_unknown);
        Ok(Loaded { dataset, remarks })
    }

    #[inline]
    fn element(&self, row: usize, column: usize) -> &[u8] {
        let index = match self.header.is_fortran {
            true => column * self.header.rows + row,
            false => row * self.header.columns + column,
        };
        let size = self.header.element.size();
        &self.elements[index * size..][..size]
    }

    fn unreadable(&self, row: usize, at: usize) -> Error {
        let column = self.chosen[at];
        let element = self.header.element;
        let mut survey = Survey::new(&self.names, &self.chosen, at);
        for row in 0..self.header.rows {
            for (at, &column) in self.chosen.iter().enumerate() {
                let bytes = self.element(row, column);
                let cell = element.cell(bytes);
                // Text is made only where it may be shown.
                let text = if cell == Some(Cell::Missing) {
                    String::new()
                } else {
                    element.describe(bytes)
                };
                survey.observe(at, cell, &text);
            }
        }
        let array = self
            .name
            .map(|name| format!("array {name}, "))
            .unwrap_or_default();
        let remedy = match survey.is_slip() {
            true => "every element must be 0, 1 or, where missing, NaN".into(),
            false => survey.remedy(),
        };
        Error::file(
            self.path,
            format!("{array}{}, column {}", row_place(row), self.names[column]),
            format!(
                "`{}` is not a binary value",
                element.describe(self.element(row, column))
            ),
            remedy,
        )
    }
}

fn row_place(row: usize) -> String {
    format!("row {} (counting from 1)", row + 1)
}
