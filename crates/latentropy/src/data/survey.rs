//! What the columns of a file hold, counted once a cell could not be read, to tell a slip from a column that is not binary.

use super::cell::{Cell, SPELLINGS};
use crate::message::{Message, Setting, words};

/// How many runs of columns a remedy leaves out before it only counts the others.
const SPELLED_OUT: usize = 4;

/// How much of a value a message shows.
const SHOWN: usize = 40;

/// Counts over the chosen columns of a file, one of which held the cell that could not be read.
pub(super) struct Survey<'a> {
    names: &'a [String],
    chosen: &'a [usize],
    /// Which of the chosen columns held the cell.
    offender: usize,
    known: Vec<u64>,
    unreadable: Vec<u64>,
    /// Up to three different known values of that column.
    values: Vec<String>,
}

impl<'a> Survey<'a> {
    /// Nothing counted yet; `offender` is a position in `chosen`, which holds positions in `names`.
    pub(super) fn new(names: &'a [String], chosen: &'a [usize], offender: usize) -> Self {
        Survey {
            names,
            chosen,
            offender,
            known: vec![0; chosen.len()],
            unreadable: vec![0; chosen.len()],
            values: Vec::new(),
        }
    }

    /// Counts one cell of chosen column `at`; `cell` is what was read from `value`, if anything.
    pub(super) fn observe(&mut self, at: usize, cell: Option<Cell>, value: &str) {
        if cell == Some(Cell::Missing) {
            return;
        }
        self.known[at] += 1;
        self.unreadable[at] += u64::from(cell.is_none());
        let is_new = |values: &[String]| !values.iter().any(|seen| seen == value);
        if at == self.offender && self.values.len() < 3 && is_new(&self.values) {
            self.values.push(value.to_owned());
        }
    }

    /// True if the cell is a slip in a column that is binary otherwise.
    pub(super) fn is_slip(&self) -> bool {
        !self.is_not_binary(self.offender)
    }

    /// Not binary: no known cell can be read, or more than a tenth (and not just one) cannot.
    fn is_not_binary(&self, at: usize) -> bool {
        let (known, unreadable) = (self.known[at], self.unreadable[at]);
        unreadable > 0 && (unreadable == known || (unreadable > 1 && unreadable * 10 > known))
    }

    /// What the user can do about the cell.
    pub(super) fn remedy(&self) -> Message {
        if self.is_slip() {
            return Message::from(format!("write it as {SPELLINGS}"));
        }
        let choice = self.choice_without();
        match &self.values[..] {
            [one, other] => words![
                format!(
                    "the column holds only {} and {}: recode them as 0 and 1, or leave it out with ",
                    shown(one),
                    shown(other)
                ),
                choice,
            ],
            _ => words![
                "leave the column out with ",
                choice,
                format!(", or recode it as {SPELLINGS}"),
            ],
        }
    }

    /// The choice of columns that leaves out every column that is not binary, neighbours together.
    fn choice_without(&self) -> Message {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for at in (0..self.chosen.len()).filter(|&at| self.is_not_binary(at)) {
            let column = self.chosen[at];
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == column => *last = column,
                _ => runs.push((column, column)),
            }
        }
        // The column of the message is always among those shown.
        let offender = self.chosen[self.offender];
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
        let mut survey = Survey::new(&names, &chosen, offender);
        for (at, (_, values)) in columns.iter().enumerate() {
            for value in values.iter() {
                survey.observe(at, Cell::parse(value), value);
            }
        }
        (survey.is_slip(), survey.remedy().to_string())
    }

    #[test]
    fn a_slip_is_told_from_a_column_that_is_not_binary() {
        let (slip, remedy) = survey_of(&[("a", &["0", "1", "2", "?"])], 0);
        assert!(slip && remedy.contains("true/false") && !remedy.contains("the columns"));
        let (slip, remedy) = survey_of(&[("it's", &["3", "4", "5", "?"])], 0);
        assert!(!slip && remedy.contains("the columns !it's"), "{remedy}");
    }

    #[test]
    fn two_values_are_to_be_recoded() {
        let (_, remedy) = survey_of(&[("sex", &["1", "2", "2", "1", "NA"])], 0);
        assert!(
            remedy.contains("only `1` and `2`: recode them as 0 and 1"),
            "{remedy}"
        );
    }

    #[test]
    fn neighbours_are_left_out_together() {
        let bad: &[&str] = &["a", "b", "c"];
        let good: &[&str] = &["0", "1", "1"];
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
