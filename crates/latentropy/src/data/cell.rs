//! One cell of a data table and the spellings it may have.

/// A binary cell: zero, one, or not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// 0, false, no, n.
    Zero,
    /// 1, true, yes, y.
    One,
    /// Empty, `?`, `NA`, `NaN`.
    Missing,
}

impl Cell {
    /// Reads one of the spellings, whatever the case and the surrounding blanks; `None` for anything else.
    pub fn parse(text: &str) -> Option<Cell> {
        let text = text.trim();
        let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
        if is(&["0", "false", "no", "n", "0.0"]) {
            Some(Cell::Zero)
        } else if is(&["1", "true", "yes", "y", "1.0"]) {
            Some(Cell::One)
        } else if is(&["", "?", "na", "nan"]) {
            Some(Cell::Missing)
        } else {
            None
        }
    }
}
