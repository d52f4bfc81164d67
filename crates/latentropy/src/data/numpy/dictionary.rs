//! The Python dictionary in the header of an npy file.
//!
//! Only the form that NumPy writes is understood, in one pass whatever the text holds.

/// The three entries of the dictionary.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Dictionary {
    /// The element type, as text.
    pub(super) descriptor: String,
    /// Whether columns, not rows, are contiguous.
    pub(super) is_fortran: bool,
    /// The lengths of the dimensions, as claimed.
    pub(super) shape: Vec<u64>,
}

impl Dictionary {
    /// Parses `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
    pub(super) fn parse(text: &str) -> Option<Dictionary> {
        let (mut descriptor, mut is_fortran, mut shape) = (None, None, None);
        let mut rest = text.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
        while !rest.is_empty() {
            let (key, after) = quoted(rest)?;
            rest = after.trim_start().strip_prefix(':')?.trim_start();
            rest = match key {
                "descr" if rest.starts_with('[') => {
                    // A record type: no end is looked for, since it is refused whatever it holds.
                    descriptor = Some(rest.to_owned());
                    is_fortran = is_fortran.or(Some(false));
                    shape = shape.or(Some(Vec::new()));
                    break;
                }
                "descr" => {
                    let (value, after) = quoted(rest)?;
                    descriptor = Some(value.to_owned());
                    after
                }
                "fortran_order" => {
                    let after = rest.strip_prefix("True").or(rest.strip_prefix("False"))?;
                    is_fortran = Some(rest.starts_with("True"));
                    after
                }
                "shape" => {
                    let (inside, after) = rest.strip_prefix('(')?.split_once(')')?;
                    shape = Some(dimensions(inside)?);
                    after
                }
                _ => return None,
            };
            rest = rest.trim_start();
            match rest.strip_prefix(',') {
                Some(after) => rest = after.trim_start(),
                None if rest.is_empty() => {}
                None => return None,
            }
        }
        Some(Dictionary {
            descriptor: descriptor?,
            is_fortran: is_fortran?,
            shape: shape?,
        })
    }
}

/// A string in single or double quotes at the start of `text`, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| ['\'', '"'].contains(c))?;
    text[1..].split_once(quote)
}

/// `3, 4` or `3,`; Python 2 wrote long numbers as `3L`.
fn dimensions(text: &str) -> Option<Vec<u64>> {
    let text = text.trim();
    let text = text.strip_suffix(',').unwrap_or(text);
    if text.trim().is_empty() {
        return Some(Vec::new());
    }
    text.split(',')
        .map(|part| part.trim().trim_end_matches('L').parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionaries_as_numpy_writes_them() {
        for text in [
            "{'descr': '<i2', 'fortran_order': True, 'shape': (3, 4), }   \n",
            "{'shape': (3L, 4L), 'fortran_order': True, 'descr': \"<i2\"}\n",
            "{'descr':'<i2','fortran_order':True,'shape':(3,4)}",
        ] {
            let dictionary = Dictionary::parse(text).unwrap();
            assert_eq!(dictionary.descriptor, "<i2");
            assert_eq!(dictionary.shape, [3, 4]);
            assert!(dictionary.is_fortran);
        }
        let one = "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }";
        assert_eq!(Dictionary::parse(one).unwrap().shape, [3]);
        let record =
            "{'descr': [('a', '<i4'), ('b', '<f8')], 'fortran_order': False, 'shape': (3,)}";
        assert!(
            Dictionary::parse(record)
                .unwrap()
                .descriptor
                .starts_with('[')
        );
    }

    #[test]
    fn damaged_dictionaries_are_refused() {
        let nested = "[".repeat(60_000);
        for text in [
            "",
            "{",
            "{}",
            "{'descr'}",
            "{'descr': '<i2', 'fortran_order': True}",
            "{'descr': '<i2', 'fortran_order': 1, 'shape': (3, 4)}",
            "{'descr': '<i2', 'fortran_order': True, 'shape': (3, -4)}",
            "{'descr': '<i2', 'fortran_order': True, 'shape': (3, 4) 5}",
            "{'descr': '<i2', 'fortran_order': True, 'shape': (99999999999999999999, 4)}",
            "{'\u{e9}': 1}",
            "{\u{e9}: 1}",
            &nested,
        ] {
            assert_eq!(Dictionary::parse(text), None, "{text:.60}");
        }
    }
}
