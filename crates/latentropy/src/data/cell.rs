//! One cell of a data table and the spellings it may have.

/// The spellings, in the words of an error message's remedy.
pub(super) const SPELLINGS: &str =
    "0/1, true/false, yes/no or y/n (empty, ?, NA or NaN where missing)";

/// A binary cell: zero, one, or not known.
///
/// ```
/// use latentropy::Dataset;
/// use latentropy::data::Cell;
/// let data = Dataset::from_rows(&[[0, 1], [1, -1]])?;
/// assert_eq!((data.cell(0, 1), data.cell(1, 1)), (Cell::One, Cell::Missing));
/// # Ok::<(), latentropy::Error>(())
/// ```
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
    ///
    /// Zero and one may be written as any number (`1.0`, `0.000e+00`), as programs that save floats do.
    #[inline]
    pub fn parse(text: &str) -> Option<Cell> {
        // Nearly every cell of a large file is one character long.
        match text.as_bytes() {
            [b'0' | b'n' | b'N'] => Some(Cell::Zero),
            [b'1' | b'y' | b'Y'] => Some(Cell::One),
            [] | [b'?'] => Some(Cell::Missing),
            _ => Cell::parse_word(text.trim()),
        }
    }

    fn parse_word(text: &str) -> Option<Cell> {
        let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
        if is(&["0", "false", "no", "n"]) {
            return Some(Cell::Zero);
        }
        if is(&["1", "true", "yes", "y"]) {
            return Some(Cell::One);
        }
        if is(&["", "?", "na", "nan"]) {
            return Some(Cell::Missing);
        }
        match number(text) {
            Some(0.0) => Some(Cell::Zero),
            Some(1.0) => Some(Cell::One),
            _ => None,
        }
    }
}

/// The number that `text` spells in digits; words such as `inf` are none.
pub(super) fn number(text: &str) -> Option<f64> {
    let digits = text.trim_start_matches(['+', '-', '.']);
    digits
        .starts_with(|c: char| c.is_ascii_digit())
        .then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_read() {
        for text in [
            "0",
            " 0 ",
            "false",
            "FALSE",
            "No",
            "n",
            "0.0",
            "-0",
            "0.000e+00",
        ] {
            assert_eq!(Cell::parse(text), Some(Cell::Zero), "{text}");
        }
        for text in [
            "1",
            "\t1",
            "true",
            "True",
            "YES",
            "y",
            "Y",
            "1.0",
            "+1",
            "1.000e+00",
        ] {
            assert_eq!(Cell::parse(text), Some(Cell::One), "{text}");
        }
        for text in ["", "  ", "?", "NA", "na", "NaN", " nan "] {
            assert_eq!(Cell::parse(text), Some(Cell::Missing), "{text}");
        }
    }

    #[test]
    fn anything_else_is_not_read() {
        for text in [
            "2", "-1", "0.5", "10", "t", "inf", "null", "y n", "00x", "é", "1e", "+", ".",
        ] {
            assert_eq!(Cell::parse(text), None, "{text}");
        }
    }
}
