//! The matrix of a Matlab file: which of its variables is read, and its rows.

use super::elements::Items;
use super::variable::{self, Numbers, Variable};
use crate::data::cell::Cell;
use crate::data::columns::made_up_names;
use crate::data::limits::{LARGEST_UNPACKED, check_columns};
use crate::data::load::load;
use crate::data::loaded::{Loaded, ReadOptions};
use crate::data::numpy::row_place;
use crate::data::source::{Line, Source};
use crate::error::{Error, Result, shortened};
use crate::message::Message;
use crate::remark::Remark;
use std::borrow::Cow;
use std::path::Path;

/// The matrix to read where a file holds several, in order of preference.
const PREFERRED: [&str; 3] = ["X", "x", "data"];

/// The length of the text and numbers that a file begins with.
const HEADER: usize = 128;

/// Reads the one matrix of a file, or the one that is called as data usually are.
pub(in crate::data) fn read_mat(
    path: &Path,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Loaded> {
    let damaged = || {
        let remedy = "save it again, in Matlab with save(FILE, 'X', '-v7') or from Python with scipy.io.savemat";
        let problem = format!(
            "is a damaged or incomplete Matlab file, or has more than {LARGEST_UNPACKED} bytes once it is unpacked"
        );
        Error::file(path, None, problem, remedy)
    };
    let is_big_endian = match bytes.get(HEADER - 2..HEADER) {
        Some(b"IM") => false,
        Some(b"MI") => true,
        _ => return Err(damaged()),
    };
    let mut variables = Vec::new();
    let mut left = LARGEST_UNPACKED;
    for item in Items::new(&bytes[HEADER..], is_big_endian) {
        let item = item.ok_or_else(damaged)?;
        let found = variable::read(&item, is_big_endian, &mut left).map_err(|()| damaged())?;
        // What Matlab keeps for itself has no name.
        variables.extend(found.filter(|variable| !variable.name.is_empty()));
    }
    let chosen = choose(path, variables)?;
    let (rows, columns) = (chosen.sizes[0], chosen.sizes[1]);
    let numbers = chosen.numbers.map_err(|_| damaged())?;
    check_columns(path, columns)?;
    let matrix = Matrix {
        name: chosen.name,
        names: made_up_names(columns),
        rows,
        numbers,
    };
    load(path, &matrix, options)
}

fn choose<'a>(path: &Path, variables: Vec<Variable<'a>>) -> Result<Variable<'a>> {
    let described: Vec<String> = variables.iter().map(Variable::described).collect();
    let list = match described.is_empty() {
        true => "no variable".to_string(),
        false => shortened(&described),
    };
    let refused = |problem: String, remedy: &str| Err(Error::file(path, None, problem, remedy));
    let mut tables: Vec<Variable<'a>> = variables.into_iter().filter(Variable::is_table).collect();
    if tables.is_empty() {
        return refused(
            format!("holds no matrix of numbers (it holds: {list})"),
            "save one matrix of 0, 1 and NaN, rows by columns (full(X) of a sparse one)",
        );
    }
    // Single numbers beside one matrix are settings, not data.
    if tables.len() > 1 && tables.iter().any(|table| table.sizes != [1, 1]) {
        tables.retain(|table| table.sizes != [1, 1]);
    }
    let at = match tables.len() {
        1 => Some(0),
        _ => {
            let mut names = PREFERRED.iter();
            names.find_map(|name| tables.iter().position(|table| table.name == *name))
        }
    };
    match at {
        Some(at) => Ok(tables.swap_remove(at)),
        None => refused(
            format!("holds several variables: {list}"),
            "save one matrix only, or call it X",
        ),
    }
}

/// A matrix, column by column.
struct Matrix<'a> {
    name: String,
    names: Vec<String>,
    rows: usize,
    numbers: Numbers<'a>,
}

/// One row of it.
struct MatrixRow<'a> {
    matrix: &'a Matrix<'a>,
    row: usize,
}

impl MatrixRow<'_> {
    fn bytes(&self, column: usize) -> &[u8] {
        self.matrix
            .numbers
            .get(column * self.matrix.rows + self.row)
    }
}

impl Line for MatrixRow<'_> {
    fn place(&self) -> String {
        row_place(self.row)
    }

    fn cell(&self, column: usize) -> Option<Cell> {
        self.matrix.numbers.element.cell(self.bytes(column))
    }

    fn text(&self, column: usize) -> Cow<'_, str> {
        Cow::Owned(self.matrix.numbers.element.describe(self.bytes(column)))
    }
}

impl Source for Matrix<'_> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn has_header(&self) -> bool {
        false
    }

    fn prefix(&self) -> String {
        format!("variable {}, ", self.name)
    }

    fn each(&self, see: &mut dyn FnMut(&dyn Line) -> Result<bool>) -> Result<Vec<Remark>> {
        for row in 0..self.rows {
            if !see(&MatrixRow { matrix: self, row })? {
                break;
            }
        }
        Ok(Vec::new())
    }

    fn slip_remedy(&self, _: Message, _: bool) -> Message {
        "every element must be 0, 1 or, where missing, NaN".into()
    }
}
