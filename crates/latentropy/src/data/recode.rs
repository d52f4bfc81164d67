//! A recoding as it is typed: which words mean 1, 0 or nothing, in all columns or in some.

use super::cell::Cell;
use super::coding::{Coding, is_same};
use super::columns::choose_columns;
use crate::error::Result;
use std::path::Path;
use std::str::FromStr;

/// How a recoding is written, for the remedy of a message.
const LAYOUT: &str =
    "write it as WORD=1,WORD=0 (or =NA for missing), after COLUMN: for some columns only";

/// Words and what they mean, in all columns or in some.
///
/// ```
/// use latentropy::data::Recode;
/// let recode: Vec<Recode> = Recode::list("agree=1,disagree=0; sex:M=1,F=0")?;
/// assert_eq!(recode.len(), 2);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recode {
    /// The columns, as [`ReadOptions::columns`](super::ReadOptions::columns) names them; all of them if `None`.
    pub columns: Option<String>,
    /// Words and their values.
    pub words: Vec<(String, Cell)>,
}

impl Recode {
    /// Reads several recodings with `;` between them.
    pub fn list(text: &str) -> std::result::Result<Vec<Self>, String> {
        let parts: Vec<&str> = text.split(';').collect();
        let filled = parts.iter().filter(|part| !part.trim().is_empty());
        let list: Vec<Self> = filled
            .map(|part| part.parse())
            .collect::<std::result::Result<_, _>>()?;
        match list.is_empty() {
            true => Err(format!("there is no word in it; {LAYOUT}")),
            false => Ok(list),
        }
    }

    /// Which of the chosen columns it is for.
    pub(super) fn concerns(&self, path: &Path, names: &[String]) -> Result<Vec<usize>> {
        let entries = self.columns.as_ref().map(|columns| vec![columns.clone()]);
        choose_columns(path, names, entries.as_deref())
    }

    /// Puts its words into a column's coding.
    pub(super) fn enter(&self, coding: &mut Coding) {
        for (word, value) in &self.words {
            coding.set(word, *value);
        }
    }
}

impl FromStr for Recode {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let before_values = text.find('=').unwrap_or(text.len());
        let (columns, rest) = match text[..before_values].rfind(':') {
            Some(at) => (Some(text[..at].trim()), &text[at + 1..]),
            None => (None, text),
        };
        if columns == Some("") {
            return Err(format!("there is no column before the colon; {LAYOUT}"));
        }
        let mut words: Vec<(String, Cell)> = Vec::new();
        for part in rest.split(',') {
            let (word, value) = part
                .rsplit_once('=')
                .ok_or_else(|| format!("`{}` has no value; {LAYOUT}", part.trim()))?;
            let (word, value) = (word.trim(), value.trim());
            if word.is_empty() {
                return Err(format!("there is no word before `={value}`; {LAYOUT}"));
            }
            let cell = Cell::parse(value)
                .ok_or_else(|| format!("`{value}` is no value for `{word}`; {LAYOUT}"))?;
            if words.iter().any(|(other, _)| is_same(other, word)) {
                return Err(format!("`{word}` is given two values; keep one of them"));
            }
            words.push((word.to_string(), cell));
        }
        Ok(Recode {
            columns: columns.map(str::to_string),
            words,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_columns_and_lists_are_read() {
        let all: Recode = "yes=1, no=0 ,don't know=NA".parse().unwrap();
        assert_eq!(all.columns, None);
        assert_eq!(all.words[2], ("don't know".to_string(), Cell::Missing));
        let one: Recode = "sex:M=1,F=0".parse().unwrap();
        assert_eq!(one.columns.as_deref(), Some("sex"));
        let range: Recode = "V1..V9:1=1,2=0".parse().unwrap();
        assert_eq!(range.columns.as_deref(), Some("V1..V9"));
        let odd: Recode = "a:b:x=y=1".parse().unwrap();
        assert_eq!(
            (odd.columns.as_deref(), odd.words[0].0.as_str()),
            (Some("a:b"), "x=y")
        );
        assert_eq!(Recode::list("a=1,b=0; sex:M=1,F=0;").unwrap().len(), 2);
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for (text, part) in [
            ("", "there is no word"),
            ("yes", "`yes` has no value"),
            ("yes=2", "`2` is no value for `yes`"),
            ("=1", "no word before `=1`"),
            (":a=1", "no column before the colon"),
            ("a=1,A=0", "`A` is given two values"),
        ] {
            let message = Recode::list(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
