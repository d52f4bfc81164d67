//! Cuts text into records of cells: quotes, the three line ends, physical line numbers.
//!
//! Written here because a table may be cut at runs of blanks, and because cells are borrowed from the text.

use crate::data::limits::MOST_COLUMNS;
use crate::plain::{of_csv_cell, plain_name};
use std::borrow::Cow;

/// What stands between two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delimiter {
    /// One character: a tab, a comma or a semicolon.
    Byte(u8),
    /// Any number of blanks and tabs.
    Blanks,
}

/// What a cell says that was written so that no spreadsheet takes it for a formula.
fn of_written(cell: Cow<'_, str>) -> Cow<'_, str> {
    match cell {
        Cow::Borrowed(text) => Cow::Borrowed(of_csv_cell(text)),
        Cow::Owned(text) => Cow::Owned(of_csv_cell(&text).to_string()),
    }
}

/// One record: its cells, without quotes and surrounding blanks, and the lines it spans.
#[derive(Clone, Debug, Default)]
pub(super) struct Record<'a> {
    pub(super) cells: Vec<Cow<'a, str>>,
    /// The physical line it begins on, counting from 1.
    pub(super) line: usize,
    /// The physical line it ends on: the same, unless a quoted cell holds line ends.
    pub(super) last_line: usize,
}

/// Why a text cannot be cut into records.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// A quoted cell, opened on this line, is not closed before the text ends.
    Unclosed { line: usize },
    /// This line has more cells than any table.
    TooWide { line: usize },
}

/// The records of a text, one after the other.
pub(super) struct Records<'a> {
    text: &'a str,
    delimiter: Delimiter,
    at: usize,
    line: usize,
    /// Blank lines since the last record; those after the very last one do not matter.
    pending_blanks: usize,
    /// How many blank lines lie between records, and the first of them.
    pub(super) blanks_between: usize,
    pub(super) first_blank: usize,
    started: bool,
}

impl<'a> Records<'a> {
    /// Begins at the start of `text`.
    pub(super) fn new(text: &'a str, delimiter: Delimiter) -> Self {
        Records {
            text,
            delimiter,
            at: 0,
            line: 1,
            pending_blanks: 0,
            blanks_between: 0,
            first_blank: 0,
            started: false,
        }
    }

    /// Reads the next record that is not a blank line into `record`; false at the end of the text.
    pub(super) fn read(&mut self, record: &mut Record<'a>) -> Result<bool, Broken> {
        while self.at < self.text.len() {
            record.line = self.line;
            record.cells.clear();
            let is_blank = self.read_cells(&mut record.cells)?;
            record.last_line = self.line;
            self.end_line();
            if is_blank {
                self.pending_blanks += usize::from(self.started);
                continue;
            }
            if self.blanks_between == 0 {
                self.first_blank = record.line - self.pending_blanks;
            }
            self.blanks_between += std::mem::take(&mut self.pending_blanks);
            self.started = true;
            return Ok(true);
        }
        Ok(false)
    }

    /// Reads cells up to the end of the line; true if the line is blank.
    fn read_cells(&mut self, cells: &mut Vec<Cow<'a, str>>) -> Result<bool, Broken> {
        loop {
            self.skip_blanks();
            if self.delimiter == Delimiter::Blanks && self.is_at_line_end() {
                return Ok(cells.is_empty());
            }
            let start = self.at;
            let quoted = match self.peek() {
                Some(b'"') => self.read_quoted()?,
                _ => None,
            };
            let is_quoted = quoted.is_some();
            let cell = quoted.unwrap_or_else(|| Cow::Borrowed(self.read_plain()));
            cells.push(of_written(cell));
            if cells.len() > MOST_COLUMNS {
                return Err(Broken::TooWide { line: self.line });
            }
            match self.peek() {
                Some(byte) if self.is_delimiter(byte) => self.at += 1,
                _ => return Ok(cells.len() == 1 && self.at == start && !is_quoted),
            }
        }
    }

    /// Reads up to the next delimiter or line end.
    fn read_plain(&mut self) -> &'a str {
        let bytes = &self.text.as_bytes()[self.at..];
        let length = bytes
            .iter()
            .position(|&byte| is_line_end(byte) || self.is_delimiter(byte));
        let start = self.at;
        self.at += length.unwrap_or(bytes.len());
        // Every character that ends a cell is ASCII, so both ends are character boundaries.
        self.text[start..self.at].trim_end_matches([' ', '\t'])
    }

    /// Reads a cell that begins with a quote; `None`, with nothing read, if it goes on after the
    /// closing quote (`"5" disk`), where the quotes are part of the value.
    fn read_quoted(&mut self) -> Result<Option<Cow<'a, str>>, Broken> {
        let (start, line) = (self.at, self.line);
        let mut is_doubled = false;
        self.at += 1;
        loop {
            match self.peek() {
                None => return Err(Broken::Unclosed { line }),
                Some(b'"') if self.text.as_bytes().get(self.at + 1) == Some(&b'"') => {
                    is_doubled = true;
                    self.at += 2;
                }
                Some(b'"') => break,
                Some(byte) if is_line_end(byte) => self.end_line(),
                Some(_) => self.at += 1,
            }
        }
        let inside = &self.text[start + 1..self.at];
        self.at += 1;
        if self.delimiter != Delimiter::Blanks {
            self.skip_blanks();
        }
        let ends_cell =
            self.is_at_line_end() || self.peek().is_some_and(|byte| self.is_delimiter(byte));
        if !ends_cell {
            (self.at, self.line) = (start, line);
            return Ok(None);
        }
        // A cell is one line, whatever its quotes hold.
        let inside = plain_name(inside);
        Ok(Some(match is_doubled {
            true => Cow::Owned(inside.replace("\"\"", "\"")),
            false => inside,
        }))
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn is_delimiter(&self, byte: u8) -> bool {
        match self.delimiter {
            Delimiter::Byte(delimiter) => byte == delimiter,
            Delimiter::Blanks => byte == b' ' || byte == b'\t',
        }
    }

    /// Blanks around a cell do not belong to it; a tab that separates cells is no blank.
    #[inline]
    fn skip_blanks(&mut self) {
        let tab_is_blank = self.delimiter != Delimiter::Byte(b'\t');
        while self
            .peek()
            .is_some_and(|byte| byte == b' ' || (byte == b'\t' && tab_is_blank))
        {
            self.at += 1;
        }
    }

    fn is_at_line_end(&self) -> bool {
        self.peek().is_none_or(is_line_end)
    }

    /// Steps over `\n`, `\r\n` or `\r`, or the end of the text.
    fn end_line(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += match rest {
            [b'\r', b'\n', ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            _ => 0,
        };
        self.line += 1;
    }
}

fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, delimiter: Delimiter) -> Result<Vec<(usize, Vec<String>)>, Broken> {
        let mut records = Records::new(text, delimiter);
        let (mut record, mut all) = (Record::default(), Vec::new());
        while records.read(&mut record)? {
            all.push((
                record.line,
                record.cells.iter().map(|cell| cell.to_string()).collect(),
            ));
        }
        Ok(all)
    }

    fn comma(text: &str) -> Vec<(usize, Vec<String>)> {
        cut(text, Delimiter::Byte(b',')).unwrap()
    }

    fn expect(cut: Vec<(usize, Vec<String>)>, wanted: &[(usize, &[&str])]) {
        let cut: Vec<(usize, Vec<&str>)> = cut
            .iter()
            .map(|(at, cells)| (*at, cells.iter().map(String::as_str).collect()))
            .collect();
        let wanted: Vec<(usize, Vec<&str>)> = wanted
            .iter()
            .map(|(at, cells)| (*at, cells.to_vec()))
            .collect();
        assert_eq!(cut, wanted);
    }

    #[test]
    fn line_ends_and_blank_lines() {
        let wanted: &[(usize, &[&str])] = &[(1, &["a", "b"]), (2, &["0", "1"]), (4, &["1", ""])];
        expect(comma("a,b\n0,1\n\n1,\n\n"), wanted);
        expect(comma("a,b\r\n0,1\r\n \t\r\n1,"), wanted);
        expect(comma("a,b\r0,1\r\r1,\r"), wanted);
    }

    #[test]
    fn quotes() {
        expect(comma("\"a, b\" , \"c\"\n"), &[(1, &["a, b", "c"])]);
        expect(comma("\"say \"\"no\"\"\",1"), &[(1, &["say \"no\"", "1"])]);
        expect(comma("\"5\" disk,1\n"), &[(1, &["\"5\" disk", "1"])]);
    }

    #[test]
    fn a_quoted_line_end_counts_as_a_line() {
        expect(
            comma("\"a\nb\",1\n0,1\n"),
            &[(1, &["a b", "1"]), (3, &["0", "1"])],
        );
        assert_eq!(
            cut("0,1\n1,\"0\n", Delimiter::Byte(b',')),
            Err(Broken::Unclosed { line: 2 })
        );
    }

    #[test]
    fn an_empty_quoted_cell_is_no_blank_line() {
        expect(
            comma("1\n\"\"\n0\n"),
            &[(1, &["1"]), (2, &[""]), (3, &["0"])],
        );
    }

    #[test]
    fn runs_of_blanks() {
        let text = "  a  \"b c\"\t d \n\n0 1\t\t?";
        expect(
            cut(text, Delimiter::Blanks).unwrap(),
            &[(1, &["a", "b c", "d"]), (3, &["0", "1", "?"])],
        );
    }

    #[test]
    fn tabs_keep_empty_cells() {
        expect(
            cut("\t1\t\n", Delimiter::Byte(b'\t')).unwrap(),
            &[(1, &["", "1", ""])],
        );
    }

    #[test]
    fn blank_lines_between_records_are_counted() {
        let mut records = Records::new("\n\na\n\n\nb\n\n", Delimiter::Byte(b','));
        let mut record = Record::default();
        while records.read(&mut record).unwrap() {}
        assert_eq!((records.blanks_between, records.first_blank), (2, 4));
    }
}
