//! The words of a text with their lines, and numbers read from them with errors that say where.

use super::fault::{Fault, shown};

/// Words separated by white space.
pub(super) struct Tokens<'a> {
    words: Box<dyn Iterator<Item = (usize, &'a str)> + 'a>,
    /// The line of the last word, from 1.
    line: usize,
}

type Parsed<T> = std::result::Result<T, Fault>;

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let words = text
            .lines()
            .enumerate()
            .flat_map(|(line, words)| words.split_whitespace().map(move |word| (line + 1, word)));
        Tokens {
            words: Box::new(words),
            line: 1,
        }
    }

    /// The next word, or `None` at the end.
    pub(super) fn next(&mut self) -> Option<&'a str> {
        let (line, word) = self.words.next()?;
        self.line = line;
        Some(word)
    }

    /// The next word, which must be there; `wanted` says in words what it is.
    pub(super) fn word(&mut self, wanted: impl Fn() -> String) -> Parsed<&'a str> {
        self.next().ok_or_else(|| {
            self.fault(
                format!("the file looks cut off: it ends before {}", wanted()),
                "write or fetch it again",
            )
        })
    }

    /// The next word as a count or a position.
    pub(super) fn count(&mut self, wanted: impl Fn() -> String) -> Parsed<usize> {
        let word = self.word(&wanted)?;
        word.parse().map_err(|_| {
            let problem = format!("`{}` cannot be {}", shown(word), wanted());
            self.fault(problem, "write a non-negative integer")
        })
    }

    /// The next word as a finite number that is not negative.
    pub(super) fn entry(&mut self, wanted: impl Fn() -> String) -> Parsed<f64> {
        let word = self.word(&wanted)?;
        let value = word.parse().ok();
        let value = value.filter(|value: &f64| value.is_finite() && *value >= 0.0);
        value.ok_or_else(|| {
            let problem = format!("`{}` cannot be {}", shown(word), wanted());
            self.fault(problem, "table entries are finite numbers, 0 or larger")
        })
    }

    /// A fault at the line of the last word.
    pub(super) fn fault(&self, problem: impl Into<String>, remedy: impl Into<String>) -> Fault {
        Fault::at(format!("line {}", self.line), problem, remedy)
    }
}
