//! A two-dimensional array of NumPy's, its header checked and its elements read as cells.

use super::header::Header;
use super::refusal::Refusal;
use crate::data::builder::Builder;
use crate::data::cell::Cell;
use crate::data::columns::{choose_columns, made_up_names};
use crate::data::loaded::{Loaded, ReadOptions};
use crate::data::remarks;
use crate::data::survey::Survey;
use crate::error::{Error, Result};
use std::path::Path;

/// Reads the array of an npy file.
pub(in crate::data) fn read_npy(
    path: &Path,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Loaded> {
    read_array(path, None, bytes, options)
}

/// The error for an array that cannot be read.
pub(super) fn refused(path: &Path, array: Option<&str>, refusal: Refusal) -> Error {
    let location = array.map(|name| format!("array {name}"));
    Error::file(path, location, refusal.problem, refusal.remedy)
}

/// Reads an array file; `array` is its name where it comes from an archive.
pub(super) fn read_array(
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
