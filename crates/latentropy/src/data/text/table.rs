//! A table in a text file: its layout is found first, then its rows are streamed into distinct rows.

use super::layout::{self, Layout};
use super::records::{Delimiter, Record, Records, Unclosed};
use super::{decode, delimiter};
use crate::data::builder::Builder;
use crate::data::cell::Cell;
use crate::data::columns::choose_columns;
use crate::data::loaded::{Loaded, ReadOptions};
use crate::data::remarks;
use crate::data::survey::{Survey, shown};
use crate::error::{Error, Result, shortened};
use crate::remark::Remark;
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
    let delimiter = delimiter::detect_delimiter(text);
    let sample = first_records(path, text, delimiter)?;
    let layout = layout::find_layout(path, &sample)?;
    drop(sample);
    let chosen = choose_columns(path, &layout.names, options.columns.as_deref())?;
    Table {
        path,
        text,
        delimiter,
        layout,
        chosen,
    }
    .load()
}

fn first_records<'a>(path: &Path, text: &'a str, delimiter: Delimiter) -> Result<Vec<Record<'a>>> {
    let mut records = Records::new(text, delimiter);
    let mut sample = Vec::new();
    let mut record = Record::default();
    while sample.len() < SAMPLE && records.read(&mut record).map_err(|at| unclosed(path, at))? {
        sample.push(record.clone());
    }
    Ok(sample)
}

/// A text whose layout is known, and the columns to be read of it.
struct Table<'a> {
    path: &'a Path,
    text: &'a str,
    delimiter: Delimiter,
    layout: Layout,
    chosen: Vec<usize>,
}

impl Table<'_> {
    fn load(&self) -> Result<Loaded> {
        let names = self
            .chosen
            .iter()
            .map(|&column| self.layout.names[column].clone())
            .collect();
        let mut builder = Builder::new(names, self.layout.has_header);
        let mut first_unknown = None;
        let mut rows = 0;
        let mut records = Records::new(self.text, self.delimiter);
        let mut record = Record::default();
        let mut is_header = self.layout.has_header;
        while records
            .read(&mut record)
            .map_err(|at| unclosed(self.path, at))?
        {
            if std::mem::take(&mut is_header) {
                continue;
            }
            let width = self.layout.names.len();
            if record.cells.len() != width {
                let source = if self.layout.has_header {
                    "the header has"
                } else {
                    "most lines have"
                };
                return Err(layout::ragged(self.path, &record, width, source));
            }
            for (at, &column) in self.chosen.iter().enumerate() {
                match Cell::parse(&record.cells[column]) {
                    Some(cell) => builder.set(at, cell),
                    None => return Err(self.unreadable(&record, at, rows == 0)),
                }
            }
            if !builder.end_row() && first_unknown.is_none() {
                first_unknown = Some(format!("line {}", record.line));
            }
            rows += 1;
        }
        if rows == 0 {
            return Err(Error::file(
                self.path,
                None,
                format!(
                    "holds a header ({}) and no rows",
                    shortened(&self.layout.names)
                ),
                "add rows of cells below it",
            ));
        }
        let dataset = builder.finish();
        let mut remarks = remarks::describe(&dataset, first_unknown);
        if records.blanks_between > 0 {
            remarks.push(Remark::BlankLines {
                count: records.blanks_between as u64,
                line: records.first_blank as u64,
            });
        }
        Ok(Loaded { dataset, remarks })
    }

    /// The error for a cell that is not a value; the rest of the file tells what may be wrong.
    fn unreadable(&self, record: &Record, at: usize, is_first_row: bool) -> Error {
        let column = self.chosen[at];
        let survey = self.survey(at);
        let mut remedy = survey.remedy();
        if is_first_row && !self.layout.has_header && survey.is_slip() {
            remedy.push(", or, if this line is meant as a header, give every column a name that is neither a number nor a value");
        }
        Error::file(
            self.path,
            format!("line {}, column {}", record.line, self.layout.names[column]),
            format!("{} is not a binary value", shown(&record.cells[column])),
            remedy,
        )
    }

    fn survey(&self, offender: usize) -> Survey<'_> {
        let mut survey = Survey::new(&self.layout.names, &self.chosen, offender);
        let mut records = Records::new(self.text, self.delimiter);
        let mut record = Record::default();
        let mut is_header = self.layout.has_header;
        while records.read(&mut record) == Ok(true) {
            if std::mem::take(&mut is_header) {
                continue;
            }
            for (at, &column) in self.chosen.iter().enumerate() {
                if let Some(text) = record.cells.get(column) {
                    survey.observe(at, Cell::parse(text), text);
                }
            }
        }
        survey
    }
}

fn unclosed(path: &Path, Unclosed { line }: Unclosed) -> Error {
    Error::file(
        path,
        format!("line {line}"),
        "a cell begins with a quote (\") that is never closed",
        "close the quote or delete it",
    )
}
