//! A two-dimensional array of NumPy's, its header checked and its elements read as cells.

use super::header::Header;
use super::refusal::Refusal;
use crate::data::cell::Cell;
use crate::data::columns::made_up_names;
use crate::data::limits::check_columns;
use crate::data::load::load;
use crate::data::loaded::{Loaded, ReadOptions};
use crate::data::source::{Line, Source};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::remark::Remark;
use std::borrow::Cow;
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
    check_columns(path, header.columns)?;
    let names = made_up_names(header.columns);
    let elements = &bytes[header.data_start..];
    let array = Array {
        name: array,
        header,
        elements,
        names,
    };
    load(path, &array, options)
}

/// An array whose header is true of its elements.
struct Array<'a> {
    name: Option<&'a str>,
    header: Header,
    elements: &'a [u8],
    names: Vec<String>,
}

/// One row of it.
struct ArrayRow<'a> {
    array: &'a Array<'a>,
    row: usize,
}

impl Line for ArrayRow<'_> {
    fn place(&self) -> String {
        row_place(self.row)
    }

    fn cell(&self, column: usize) -> Option<Cell> {
        let bytes = self.array.element(self.row, column);
        self.array.header.element.cell(bytes)
    }

    fn text(&self, column: usize) -> Cow<'_, str> {
        let bytes = self.array.element(self.row, column);
        Cow::Owned(self.array.header.element.describe(bytes))
    }
}

impl Array<'_> {
    #[inline]
    fn element(&self, row: usize, column: usize) -> &[u8] {
        let index = match self.header.is_fortran {
            true => column * self.header.rows + row,
            false => row * self.header.columns + column,
        };
        let size = self.header.element.size();
        &self.elements[index * size..][..size]
    }
}

impl Source for Array<'_> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn has_header(&self) -> bool {
        false
    }

    fn prefix(&self) -> String {
        self.name
            .map(|name| format!("array {name}, "))
            .unwrap_or_default()
    }

    fn each(&self, see: &mut dyn FnMut(&dyn Line) -> Result<bool>) -> Result<Vec<Remark>> {
        for row in 0..self.header.rows {
            if !see(&ArrayRow { array: self, row })? {
                break;
            }
        }
        Ok(Vec::new())
    }

    fn slip_remedy(&self, _: Message, _: bool) -> Message {
        "every element must be 0, 1 or, where missing, NaN".into()
    }
}

pub(in crate::data) fn row_place(row: usize) -> String {
    format!("row {} (counting from 1)", row + 1)
}
