//! A table in a text file: its layout is found first, then its rows are gone through one by one.

use super::layout::{self, Layout};
use super::records::{Broken, Delimiter, Record, Records};
use super::{decode, delimiter};
use crate::data::cell::Cell;
use crate::data::limits::MOST_COLUMNS;
use crate::data::load::load;
use crate::data::loaded::{Loaded, ReadOptions};
use crate::data::source::{Line, Source};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::plain::plain_lines;
use crate::remark::Remark;
use std::borrow::Cow;
use std::path::Path;

/// How many records are looked at to find the layout.
const SAMPLE: usize = 100;

/// Reads a table from the bytes of a text file.
pub(in crate::data) fn read_text(
    path: &Path,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Loaded> {
    let text = decode::decode(path, bytes)?;
    if text.trim().is_empty() {
        let what = if bytes.is_empty() {
            "is empty"
        } else {
            "holds only blank lines"
        };
        let remedy = "give a file with a row of cells on each line";
        return Err(Error::file(path, None, what, remedy));
    }
    let text = &*plain_lines(text);
    let delimiter = delimiter::detect_delimiter(text);
    let sample = first_records(path, text, delimiter)?;
    let layout = layout::find_layout(path, &sample, &options.named_columns())?;
    drop(sample);
    let table = Table {
        path,
        text,
        delimiter,
        layout,
    };
    load(path, &table, options)
}

fn first_records<'a>(path: &Path, text: &'a str, delimiter: Delimiter) -> Result<Vec<Record<'a>>> {
    let mut records = Records::new(text, delimiter);
    let mut sample = Vec::new();
    let mut record = Record::default();
    while sample.len() < SAMPLE && records.read(&mut record).map_err(|at| broken(path, at))? {
        sample.push(record.clone());
    }
    Ok(sample)
}

/// A text whose layout is known.
struct Table<'a> {
    path: &'a Path,
    text: &'a str,
    delimiter: Delimiter,
    layout: Layout,
}

impl Line for Record<'_> {
    fn place(&self) -> String {
        format!("line {}", self.line)
    }

    fn cell(&self, column: usize) -> Option<Cell> {
        Cell::parse(&self.cells[column])
    }

    fn text(&self, column: usize) -> Cow<'_, str> {
        Cow::Borrowed(&self.cells[column])
    }
}

impl Source for Table<'_> {
    fn names(&self) -> &[String] {
        &self.layout.names
    }

    fn has_header(&self) -> bool {
        self.layout.has_header
    }

    fn is_first_unnamed(&self) -> bool {
        self.layout.is_first_unnamed
    }

    fn each(&self, see: &mut dyn FnMut(&dyn Line) -> Result<bool>) -> Result<Vec<Remark>> {
        let mut records = Records::new(self.text, self.delimiter);
        let mut record = Record::default();
        let mut is_header = self.layout.has_header;
        let width = self.layout.names.len();
        while records
            .read(&mut record)
            .map_err(|at| broken(self.path, at))?
        {
            if std::mem::take(&mut is_header) {
                continue;
            }
            if record.cells.len() != width {
                let source = if self.layout.has_header {
                    "the header has"
                } else {
                    "most lines have"
                };
                return Err(layout::ragged(self.path, &record, width, source));
            }
            if !see(&record)? {
                return Ok(Vec::new());
            }
        }
        let blanks = Remark::BlankLines {
            count: records.blanks_between as u64,
            line: records.first_blank as u64,
        };
        Ok(Some(blanks)
            .filter(|_| records.blanks_between > 0)
            .into_iter()
            .collect())
    }

    fn slip_remedy(&self, mut usual: Message, is_first_row: bool) -> Message {
        if is_first_row && !self.layout.has_header {
            usual.push(", or, if this line is meant as a header, give every column a name that is neither a number nor a value");
        }
        usual
    }
}

fn broken(path: &Path, broken: Broken) -> Error {
    let line = match broken {
        Broken::Unclosed { line } => line,
        Broken::TooWide { line } => {
            return Error::file(
                path,
                format!("line {line}"),
                format!("has more than {MOST_COLUMNS} cells, the most that are read"),
                "check that it is the file that was meant; rows and columns may be exchanged",
            );
        }
    };
    Error::file(
        path,
        format!("line {line}"),
        "a cell begins with a quote (\") that is never closed",
        "close the quote or delete it",
    )
}
