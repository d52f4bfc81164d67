//! The words of one column and the values they stand for, where they are not the usual spellings of 0 and 1.

use super::cell::{Cell, number};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which words of a column mean 1, which mean 0, and which mean that the cell is not known.
///
/// Words are compared without regard to case and surrounding blanks, numbers by their value. A column with a coding reads
/// its own words; the usual spellings (0/1, yes/no, …) too, unless one of them is among the words that mean 0 or 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Coding {
    /// The column's name.
    pub column: String,
    /// What means 1; the first is what a 1 is written as.
    pub one: Vec<String>,
    /// What means 0; the first is what a 0 is written as.
    pub zero: Vec<String>,
    /// What means that the cell is not known, besides the usual spellings of that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

impl Coding {
    /// No words yet.
    pub fn of_column(column: &str) -> Self {
        Coding {
            column: column.to_string(),
            ..Coding::default()
        }
    }

    /// The word that a value is written as: the first of its words, or `0` and `1` where it has none.
    pub fn word(&self, value: bool) -> &str {
        let (words, usual) = match value {
            true => (&self.one, "1"),
            false => (&self.zero, "0"),
        };
        words.first().map_or(usual, String::as_str)
    }

    /// Whether both values have words to speak of a value by, other than numbers.
    pub fn is_in_words(&self) -> bool {
        let mut first = [self.one.first(), self.zero.first()].into_iter();
        first.all(|word| word.is_some_and(|word| number(word.trim()).is_none()))
    }

    /// All words of a value: `agree or strongly agree`.
    pub fn words(&self, value: bool) -> String {
        const MOST: usize = 3;
        let all = if value { &self.one } else { &self.zero };
        match all.len() {
            0 => self.word(value).to_string(),
            1..=MOST => all.join(" or "),
            _ => all[..MOST].join(" or ") + " or …",
        }
    }

    /// What a cell says; `None` if it is neither a word of the coding nor a usual spelling that still counts.
    pub fn read(&self, text: &str) -> Option<Cell> {
        if let Some(cell) = self.own(text) {
            return Some(cell);
        }
        match Cell::parse(text)? {
            Cell::Missing => Some(Cell::Missing),
            usual => (!self.is_closed()).then_some(usual),
        }
    }

    /// What a word means by the coding itself.
    pub(super) fn own(&self, text: &str) -> Option<Cell> {
        let has = |words: &[String]| words.iter().any(|word| is_same(word, text));
        if has(&self.one) {
            Some(Cell::One)
        } else if has(&self.zero) {
            Some(Cell::Zero)
        } else {
            has(&self.missing).then_some(Cell::Missing)
        }
    }

    /// Gives a word a meaning, in place of one that it may have.
    pub(super) fn set(&mut self, word: &str, value: Cell) {
        for words in [&mut self.one, &mut self.zero, &mut self.missing] {
            words.retain(|other| !is_same(other, word));
        }
        let words = match value {
            Cell::One => &mut self.one,
            Cell::Zero => &mut self.zero,
            Cell::Missing => &mut self.missing,
        };
        words.push(word.to_string());
    }

    /// Whether it says what 0 and 1 are, and not only what is missing.
    pub(super) fn has_values(&self) -> bool {
        !(self.one.is_empty() && self.zero.is_empty())
    }

    /// Where a usual spelling is among the words, another one would be a slip: a 0 in a column of 1 and 2.
    fn is_closed(&self) -> bool {
        let mut words = self.one.iter().chain(&self.zero);
        words.any(|word| Cell::parse(word).is_some_and(|cell| cell != Cell::Missing))
    }
}

/// Whether two texts are the same word, or the same number.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let (a, b) = (a.trim(), b.trim());
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b || a.to_lowercase() == b.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coding(one: &[&str], zero: &[&str]) -> Coding {
        let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect();
        Coding {
            one: words(one),
            zero: words(zero),
            ..Coding::of_column("sex")
        }
    }

    #[test]
    fn words_are_read_whatever_their_case_and_numbers_by_value() {
        let sex = coding(&["M", "male"], &["F"]);
        assert_eq!(sex.read(" m "), Some(Cell::One));
        assert_eq!(sex.read("Male"), Some(Cell::One));
        assert_eq!(sex.read("f"), Some(Cell::Zero));
        assert_eq!(sex.read("?"), Some(Cell::Missing));
        assert_eq!(sex.read("x"), None);
        assert_eq!((sex.word(true), sex.word(false)), ("M", "F"));
        let answer = coding(&["2"], &["1"]);
        assert_eq!(answer.read("2.0"), Some(Cell::One));
        assert_eq!(answer.read("1"), Some(Cell::Zero));
    }

    #[test]
    fn usual_spellings_count_where_none_of_them_has_another_meaning() {
        assert_eq!(coding(&["M"], &["F"]).read("1"), Some(Cell::One));
        assert_eq!(coding(&["2"], &["1"]).read("0"), None);
        assert_eq!(coding(&["1"], &["-1"]).read("0"), None);
        let mut gaps = Coding::of_column("a");
        gaps.set("9", Cell::Missing);
        assert_eq!(gaps.read("9"), Some(Cell::Missing));
        assert_eq!(gaps.read("1"), Some(Cell::One));
        assert!(!gaps.has_values());
    }

    #[test]
    fn words_are_told_where_both_values_have_one_that_is_no_number() {
        assert!(coding(&["M"], &["F"]).is_in_words());
        assert!(coding(&["yes"], &["no"]).is_in_words());
        assert!(!coding(&["2"], &["1"]).is_in_words());
        assert!(!coding(&["M"], &[]).is_in_words());
        assert_eq!(coding(&["M", "male"], &["F"]).words(true), "M or male");
    }

    #[test]
    fn the_last_meaning_of_a_word_counts() {
        let mut sex = coding(&["M"], &["F"]);
        sex.set("m", Cell::Zero);
        assert_eq!(sex.read("M"), Some(Cell::Zero));
        assert!(sex.one.is_empty());
        assert_eq!(sex.word(true), "1");
    }
}
