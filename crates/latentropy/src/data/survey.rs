//! What the columns of a file hold, counted once a cell could not be read, to tell slips, words for 0 and 1, names of rows
//! and columns that are not binary apart.

use super::cell::{Cell, SPELLINGS, number};
use super::coding::is_same;
use crate::message::{Message, Setting, words};
use std::collections::HashSet;

/// How many runs of columns a remedy leaves out before it only counts the others.
const SPELLED_OUT: usize = 4;

/// How much of a value a message shows.
const SHOWN: usize = 40;

/// How many different values of a column are kept: more of them are not worth spelling out in a recoding.
const MOST_VALUES: usize = 6;

/// What one column holds.
#[derive(Debug, Default)]
pub(super) struct ColumnSurvey {
    known: u64,
    unreadable: u64,
    /// Different known values, as first written.
    pub(super) values: Vec<String>,
    /// How often the first of them occurs.
    first_count: u64,
    /// All of its texts, until one comes twice or is missing.
    texts: Option<HashSet<String>>,
}

impl ColumnSurvey {
    fn observe(&mut self, cell: Option<Cell>, value: &str) {
        if let Some(texts) = &mut self.texts {
            let is_new = cell != Some(Cell::Missing) && texts.insert(value.to_owned());
            if !is_new {
                self.texts = None;
            }
        }
        if cell == Some(Cell::Missing) {
            return;
        }
        self.known += 1;
        self.unreadable += u64::from(cell.is_none());
        let is_new = |values: &[String]| !values.iter().any(|seen| is_same(seen, value));
        if self.values.len() < MOST_VALUES && is_new(&self.values) {
            self.values.push(value.trim().to_owned());
        }
        let is_first = self
            .values
            .first()
            .is_some_and(|first| is_same(first, value));
        self.first_count += u64::from(is_first);
    }

    /// Whether some cell of it could not be read.
    pub(super) fn is_unreadable(&self) -> bool {
        self.unreadable > 0
    }

    /// Whether no two of its cells are the same, and none is missing: names or numbers of rows.
    pub(super) fn names_rows(&self) -> bool {
        self.is_unreadable() && self.known > 1 && self.texts.is_some()
    }

    /// Whether the first value never comes again, so that without a header it may itself be a name.
    pub(super) fn begins_oddly(&self) -> bool {
        self.first_count == 1 && self.known > 2
    }

    /// Its cells can be read after all.
    pub(super) fn settle(&mut self) {
        self.unreadable = 0;
    }

    /// Whether its values look like weights: numbers of at least 0 that are not all whole.
    fn looks_like_weights(&self) -> bool {
        let numbers = self.values.iter().map(|value| number(value));
        numbers
            .clone()
            .all(|value| value.is_some_and(|value| value >= 0.0))
            && numbers.flatten().any(|value| value.fract() != 0.0)
    }

    /// How many cells are known.
    pub(super) fn known(&self) -> u64 {
        self.known
    }

    /// Not binary: no known cell can be read, or more than a tenth (and not just one) cannot.
    fn is_not_binary(&self) -> bool {
        let (known, unreadable) = (self.known, self.unreadable);
        unreadable > 0 && (unreadable == known || (unreadable > 1 && unreadable * 10 > known))
    }

    /// A recoding that gives every value of the column a meaning; `None` where there are too many values.
    fn recoding(&self, name: &str) -> Option<String> {
        if self.values.len() >= MOST_VALUES {
            return None;
        }
        let mut values: Vec<&String> = self.values.iter().collect();
        values.sort_by(|a, b| match (number(a), number(b)) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => a.cmp(b),
        });
        let half = values.len() / 2;
        let word = |(at, value): (usize, &&String)| {
            let meaning = match Cell::parse(value).filter(|_| number(value).is_none()) {
                Some(Cell::One) => 1,
                Some(_) => 0,
                None => u8::from(at >= half),
            };
            format!("{value}={meaning}")
        };
        let list: Vec<String> = values.iter().enumerate().map(word).collect();
        Some(format!("{name}:{}", list.join(",")))
    }
}

/// Counts over the chosen columns of a file.
pub(super) struct Survey<'a> {
    names: &'a [String],
    chosen: &'a [usize],
    pub(super) columns: Vec<ColumnSurvey>,
}

impl<'a> Survey<'a> {
    /// Nothing counted yet; `chosen` holds positions in `names`.
    pub(super) fn new(names: &'a [String], chosen: &'a [usize]) -> Self {
        let column = || ColumnSurvey {
            texts: Some(HashSet::new()),
            ..ColumnSurvey::default()
        };
        Survey {
            names,
            chosen,
            columns: chosen.iter().map(|_| column()).collect(),
        }
    }

    /// Counts one cell of chosen column `at`; `cell` is what was read from `value`, if anything.
    pub(super) fn observe(&mut self, at: usize, cell: Option<Cell>, value: &str) {
        self.columns[at].observe(cell, value);
    }

    /// Leaves out the first column, which turned out to name the rows.
    pub(super) fn leave_out_first(&mut self) {
        self.chosen = &self.chosen[1..];
        self.columns.remove(0);
    }

    /// True if the cell that cannot be read is a slip in a column that is binary otherwise.
    pub(super) fn is_slip(&self, at: usize) -> bool {
        !self.columns[at].is_not_binary()
    }

    /// What the user can do about a column with a cell that cannot be read.
    pub(super) fn remedy(&self, at: usize) -> Message {
        let (name, column) = (&self.names[self.chosen[at]], &self.columns[at]);
        if self.is_slip(at) {
            return Message::from(format!("write it as {SPELLINGS}"));
        }
        let mut remedy = words!["leave the column out with ", self.choice_without(at)];
        if column.looks_like_weights() {
            remedy.push(words![
                ", or weigh the rows by it with ",
                Setting::Weights.at(name)
            ]);
            return remedy;
        }
        if column.names_rows() {
            remedy.push(words![
                ", or take it as the names of the rows with ",
                Setting::Id.at(name)
            ]);
            return remedy;
        }
        match column.recoding(name) {
            Some(recoding) => remedy.push(words![
                ", or say which of its values mean 1, such as ",
                Setting::Recode.at(recoding)
            ]),
            None => remedy.push(format!(", or recode it as {SPELLINGS}")),
        }
        remedy
    }

    /// The choice of columns that leaves out every column that is not binary, neighbours together.
    fn choice_without(&self, offender: usize) -> Message {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        let columns = self.columns.iter().zip(self.chosen);
        for (_, &column) in columns.filter(|(column, _)| column.is_not_binary()) {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == column => *last = column,
                _ => runs.push((column, column)),
            }
        }
        // The column of the message is always among those shown.
        let offender = self.chosen[offender];
        runs.sort_by_key(|&(first, last)| !(first..=last).contains(&offender));
        let mut choice = Message::default();
        for (at, &(first, last)) in runs.iter().take(SPELLED_OUT).enumerate() {
            if at > 0 {
                choice.push(" ");
            }
            choice.push(Setting::Columns.at(match first == last {
                true => format!("!{}", self.names[first]),
                false => format!("!{}..{}", self.names[first], self.names[last]),
            }));
        }
        if runs.len() > SPELLED_OUT {
            choice.push(" (and so on: more columns are not binary)");
        }
        choice
    }
}

/// A value as a message shows it: between back ticks, control characters escaped, not too long.
pub(super) fn shown(value: &str) -> String {
    let start: String = value
        .chars()
        .take(SHOWN)
        .flat_map(char::escape_debug)
        .collect();
    let dots = if value.chars().nth(SHOWN).is_some() {
        "…"
    } else {
        ""
    };
    format!("`{start}{dots}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey_of(columns: &[(&str, &[&str])], offender: usize) -> (bool, String) {
        let names: Vec<String> = columns.iter().map(|(name, _)| name.to_string()).collect();
        let chosen: Vec<usize> = (0..names.len()).collect();
        let mut survey = Survey::new(&names, &chosen);
        for (at, (_, values)) in columns.iter().enumerate() {
            for value in values.iter() {
                survey.observe(at, Cell::parse(value), value);
            }
        }
        (
            survey.is_slip(offender),
            survey.remedy(offender).to_string(),
        )
    }

    #[test]
    fn a_slip_is_told_from_a_column_that_is_not_binary() {
        let (slip, remedy) = survey_of(&[("a", &["0", "1", "2", "?"])], 0);
        assert!(slip && remedy.contains("true/false") && !remedy.contains("the columns"));
        let (slip, remedy) = survey_of(&[("it's", &["3", "4", "5", "3", "?"])], 0);
        assert!(!slip && remedy.contains("the columns !it's"), "{remedy}");
    }

    #[test]
    fn few_values_come_with_a_recoding() {
        let (_, remedy) = survey_of(&[("pain", &["3", "1", "2", "4", "1", "NA"])], 0);
        assert!(remedy.contains("pain:1=0,2=0,3=1,4=1"), "{remedy}");
        let (_, remedy) = survey_of(&[("pain", &["0", "9", "9", "0"])], 0);
        assert!(remedy.contains("pain:0=0,9=1"), "{remedy}");
    }

    #[test]
    fn values_that_all_differ_are_names_of_rows() {
        let (_, remedy) = survey_of(&[("name", &["ann", "bob", "eve"])], 0);
        assert!(
            remedy.contains("the names of the rows with the row names name"),
            "{remedy}"
        );
    }

    #[test]
    fn neighbours_are_left_out_together() {
        let bad: &[&str] = &["a", "b", "c", "c"];
        let good: &[&str] = &["0", "1", "1", "1"];
        let columns = [("p", bad), ("q", bad), ("r", good), ("s", bad)];
        let (_, remedy) = survey_of(&columns, 3);
        assert!(
            remedy.contains("the columns !s the columns !p..q"),
            "{remedy}"
        );
    }

    #[test]
    fn long_and_strange_values_are_tamed() {
        assert_eq!(shown("a\tb"), r"`a\tb`");
        assert_eq!(shown(&"x".repeat(50)), format!("`{}…`", "x".repeat(40)));
    }
}
