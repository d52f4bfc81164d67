//! Finds out what separates the cells of a text.

use super::records::{Delimiter, Record, Records};

/// How many records are looked at.
const SAMPLE: usize = 50;

/// In order of preference where the text can be cut equally well in several ways.
const CANDIDATES: [Delimiter; 4] = [
    Delimiter::Byte(b'\t'),
    Delimiter::Byte(b','),
    Delimiter::Byte(b';'),
    Delimiter::Blanks,
];

/// The delimiter that cuts most of the first records into the same number of cells, two at least;
/// a comma where none does, which leaves a file of one column whole.
pub(super) fn detect_delimiter(text: &str) -> Delimiter {
    let mut best = (Delimiter::Byte(b','), 0.0);
    for delimiter in CANDIDATES {
        let share = agreement(text, delimiter);
        // A blank may well stand within a name, so a header alone does not make it a delimiter.
        let is_enough = match delimiter {
            Delimiter::Blanks => share > 0.5,
            Delimiter::Byte(_) => share >= 0.5,
        };
        if is_enough && share > best.1 {
            best = (delimiter, share);
        }
    }
    best.0
}

/// The share of the first records that have the most frequent number of cells above one.
fn agreement(text: &str, delimiter: Delimiter) -> f64 {
    let mut records = Records::new(text, delimiter);
    let mut record = Record::default();
    let mut widths = Vec::new();
    // A quote that is never closed ends the sample: the reader proper will report it.
    while widths.len() < SAMPLE && records.read(&mut record) == Ok(true) {
        widths.push(record.cells.len());
    }
    let agreeing = |width: usize| widths.iter().filter(|&&other| other == width).count();
    let most = widths
        .iter()
        .filter(|&&width| width > 1)
        .map(|&width| agreeing(width))
        .max();
    most.unwrap_or(0) as f64 / widths.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_delimiter_is_found() {
        let cases = [
            ("0\t1\n1\t0\n", Delimiter::Byte(b'\t')),
            ("0,1\n1,0\n", Delimiter::Byte(b',')),
            ("0, 1\n1, 0\n", Delimiter::Byte(b',')),
            ("0;1\n1;0\n", Delimiter::Byte(b';')),
            ("0 1\n1   0\n", Delimiter::Blanks),
        ];
        for (text, wanted) in cases {
            assert_eq!(detect_delimiter(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn signs_within_names_do_not_mislead() {
        let semicolon = "\"age, in years\";sex;x, y\n0;1;1\n1;1;0\n";
        assert_eq!(detect_delimiter(semicolon), Delimiter::Byte(b';'));
        assert_eq!(detect_delimiter("a,\"b;c\"\n0,1\n"), Delimiter::Byte(b','));
        assert_eq!(
            detect_delimiter("a name\tb, c\n0\t1\n"),
            Delimiter::Byte(b'\t')
        );
        assert_eq!(detect_delimiter("heart attack\n0\n"), Delimiter::Byte(b','));
    }

    #[test]
    fn a_first_line_of_its_own_does_not_mislead() {
        assert_eq!(
            detect_delimiter("22\n1,0,1\n0,0,1\n"),
            Delimiter::Byte(b',')
        );
    }
}
