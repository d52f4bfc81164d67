//! Finds out from the first records how a table is laid out: its width, whether it has a header, its column names.

use super::records::Record;
use crate::data::cell::{Cell, number};
use crate::data::coding::is_same;
use crate::data::columns::made_up_names;
use crate::error::{Error, Result};
use crate::plain::plain_name;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// How a table is laid out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// One name per column; made up if there is no header.
    pub(super) names: Vec<String>,
    /// Whether the first record is a header.
    pub(super) has_header: bool,
    /// Whether the header has no name for the first column.
    pub(super) is_first_unnamed: bool,
}

/// What the text of one cell looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Missing,
    Value,
    Number,
    Text,
}

fn look_of(text: &str) -> Look {
    match Cell::parse(text) {
        Some(Cell::Missing) => Look::Missing,
        Some(_) => Look::Value,
        None if number(text).is_some() => Look::Number,
        None => Look::Text,
    }
}

/// The layout that the first records of a table show; `sample` is not empty, and `known` are names that columns may have.
pub(super) fn find_layout(path: &Path, sample: &[Record], known: &[&str]) -> Result<Layout> {
    let first = &sample[0].cells;
    let width = usual_width(sample);
    let rows: Vec<&Record> = sample[1..]
        .iter()
        .filter(|record| record.cells.len() == width)
        .collect();
    let has_row_names = has_unnamed_row_names(first, &rows, width);
    if first.len() != width && !has_row_names {
        return Err(ragged(path, &sample[0], width, "most lines have"));
    }
    let is_known = first
        .iter()
        .any(|cell| look_of(cell) == Look::Text && known.contains(&cell.trim()));
    if !has_row_names && !is_known && !is_header(first, &rows) {
        return Ok(Layout {
            names: made_up_names(width),
            has_header: false,
            is_first_unnamed: false,
        });
    }
    let no_name = Cow::Borrowed("");
    let named = has_row_names.then_some(&no_name).into_iter().chain(first);
    let name_of = |(at, cell): (usize, &Cow<str>)| match cell.trim() {
        "" => format!("column {}", at + 1),
        name => plain_name(name).into_owned(),
    };
    let names: Vec<String> = named.enumerate().map(name_of).collect();
    refuse_duplicates(path, &names, sample[0].line)?;
    Ok(Layout {
        names,
        has_header: true,
        is_first_unnamed: has_row_names || first[0].trim().is_empty(),
    })
}

/// The error for a record with too few or too many cells; `source` says where their number is from.
pub(super) fn ragged(path: &Path, record: &Record, expected: usize, source: &str) -> Error {
    let found = record.cells.len();
    let cells = if found == 1 { "cell" } else { "cells" };
    let until = match record.last_line > record.line {
        true => format!(
            " (a quoted cell makes it run on to line {})",
            record.last_line
        ),
        false => String::new(),
    };
    Error::file(
        path,
        format!("line {}", record.line),
        format!("{found} {cells} found where {source} {expected}{until}"),
        "give every line the same number of cells, and delete lines that are no rows",
    )
}

/// The most frequent number of cells; the first record's where several are equally frequent.
fn usual_width(sample: &[Record]) -> usize {
    let width_of = |record: &Record| record.cells.len();
    let count = |width: usize| {
        sample
            .iter()
            .filter(|other| width_of(other) == width)
            .count()
    };
    let first = width_of(&sample[0]);
    let best = sample
        .iter()
        .map(width_of)
        .max_by_key(|&width| (count(width), width == first));
    best.unwrap_or(first)
}

/// Whether the first record names the columns below it rather than being a row itself.
///
/// Each column whose other cells are mostly values or numbers has a vote: for a header if its
/// first cell is neither, against one if it is. A column of one or two words has one, too: against a
/// header if its first cell is one of them, for it if not. Other columns of words say nothing (the first cell
/// is a word in any case), nor does a first cell that is empty or spells a missing value.
fn is_header(first: &[Cow<str>], rows: &[&Record]) -> bool {
    let (mut votes_for, mut votes_against) = (0, 0);
    for (at, cell) in first.iter().enumerate() {
        let words = rows
            .iter()
            .filter(|row| look_of(&row.cells[at]) == Look::Text)
            .count();
        if 2 * words > rows.len() {
            match is_among_few_words(cell, rows, at) {
                Some(true) => votes_against += 1,
                Some(false) => votes_for += 1,
                None => {}
            }
            continue;
        }
        match look_of(cell) {
            Look::Text => votes_for += 1,
            Look::Value | Look::Number => votes_against += 1,
            Look::Missing => {}
        }
    }
    votes_for > votes_against
}

/// Whether a first cell is one of the one or two words that a column holds below it; `None` where it holds more.
fn is_among_few_words(first: &str, rows: &[&Record], at: usize) -> Option<bool> {
    if look_of(first) == Look::Missing {
        return None;
    }
    let mut values: Vec<&str> = Vec::new();
    let known = rows.iter().map(|row| row.cells[at].as_ref());
    for value in known.filter(|value| look_of(value) != Look::Missing) {
        if !values.iter().any(|seen| is_same(seen, value)) {
            values.push(value);
        }
    }
    ((1..=2).contains(&values.len()) && rows.len() > 2)
        .then(|| values.iter().any(|seen| is_same(seen, first)))
}

/// Whether the first column holds row names and the header has no cell for it, as R writes tables.
///
/// Row names differ from each other; and where every line ends in a delimiter, it is the last
/// column that has no name.
fn has_unnamed_row_names(first: &[Cow<str>], rows: &[&Record], width: usize) -> bool {
    let is_name = |cell: &Cow<str>| look_of(cell) == Look::Text;
    if first.len() + 1 != width || rows.is_empty() || !first.iter().all(is_name) {
        return false;
    }
    let mut seen = HashSet::new();
    rows.iter().all(|row| seen.insert(row.cells[0].as_ref()))
        && rows
            .iter()
            .any(|row| !matches!(look_of(&row.cells[0]), Look::Value | Look::Missing))
        && rows.iter().any(|row| !row.cells[width - 1].is_empty())
}

fn refuse_duplicates(path: &Path, names: &[String], line: usize) -> Result<()> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (at, name) in names.iter().enumerate() {
        if let Some(before) = seen.insert(name, at) {
            return Err(Error::file(
                path,
                format!("line {line}"),
                format!(
                    "columns {} and {} are both called `{name}`",
                    before + 1,
                    at + 1
                ),
                "give every column a name of its own in the header",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::records::{Delimiter, Records};
    use super::*;

    fn layout(text: &str) -> Result<Layout> {
        let mut records = Records::new(text, Delimiter::Byte(b','));
        let (mut record, mut sample) = (Record::default(), Vec::new());
        while records.read(&mut record).unwrap() {
            sample.push(record.clone());
        }
        find_layout(Path::new("f.csv"), &sample, &["known"])
    }

    fn names(text: &str) -> Option<Vec<String>> {
        let layout = layout(text).unwrap();
        layout.has_header.then_some(layout.names)
    }

    #[test]
    fn headers_are_recognised() {
        assert_eq!(names("a,b\n0,1\n").unwrap(), ["a", "b"]);
        assert_eq!(names("\"\",b\n5,1\n6,0\n").unwrap(), ["column 1", "b"]);
        assert_eq!(
            names("id,name,age,smokes\n7,bob,33,0\n8,eve,44,1\n")
                .unwrap()
                .len(),
            4
        );
        assert_eq!(
            names("party,v1,v2\nrep,y,n\ndem,n,?\n").unwrap(),
            ["party", "v1", "v2"]
        );
        assert_eq!(names("y,x1,x2\n0,1,1\n").unwrap(), ["y", "x1", "x2"]);
        assert_eq!(names("a,b,c\n").unwrap(), ["a", "b", "c"]);
        let words = "q1,q2\nagree,disagree\nagree,agree\ndisagree,NA\n";
        assert_eq!(names(words).unwrap(), ["q1", "q2"]);
    }

    #[test]
    fn known_names_are_a_header() {
        assert_eq!(names("known,q\nM,agree\n").unwrap(), ["known", "q"]);
        assert_eq!(names("other,q\nM,agree\n"), None);
    }

    #[test]
    fn rows_are_not_headers() {
        for text in [
            "rep,y,n\ndem,n,?\nrep,y,y\n",
            "agree,disagree\ndisagree,disagree\nagree,agree\n",
            "2,0,1\n0,1,1\n",
            "0,1,2\n0,1,1\n",
            "?,?\n0,1\n",
            "1,0\n",
            "rep,1,0\n",
            "o,1\n0,1\n1,1\n",
        ] {
            assert_eq!(names(text), None, "{text:?}");
        }
    }

    #[test]
    fn row_names_without_a_header_cell() {
        assert_eq!(
            names("a,b\nr1,0,1\nr2,1,1\n").unwrap(),
            ["column 1", "a", "b"]
        );
        assert_eq!(
            names("a,b\n1,0,1\n2,1,1\n").unwrap(),
            ["column 1", "a", "b"]
        );
        for text in [
            "a,b\n1,0,\n2,1,\n",
            "a,b\n0,0,1\n1,1,1\n",
            "22\n0,0,1\n1,1,1\n",
        ] {
            let message = layout(text).unwrap_err().to_string();
            assert!(
                message.contains("line 1: ") && message.contains("most lines have 3"),
                "{message}"
            );
        }
    }
}
