//! The header of an npy file: element type, order and shape, checked against what the file really holds.

use super::dictionary::Dictionary;
use super::element::Element;
use super::refusal::Refusal;

/// How npy files begin.
pub(in crate::data) const NPY_MAGIC: &[u8] = b"\x93NUMPY";

/// What the header of a two-dimensional array says, once it is known to be true.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) element: Element,
    /// Whether columns, not rows, are contiguous.
    pub(super) is_fortran: bool,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Where the elements begin.
    pub(super) data_start: usize,
}

const WRITE_AGAIN: &str = "write the file again with numpy.save or numpy.savez";

impl Header {
    /// Reads the header at the start of `bytes`; the whole array file is `total` bytes long.
    ///
    /// `bytes` may be the beginning of the file only, as long as the header is in it.
    pub(super) fn parse(bytes: &[u8], total: u64) -> Result<Header, Refusal> {
        let (text, data_start) = header_text(bytes)
            .map_err(|problem| Refusal::new(format!("damaged npy file: {problem}"), WRITE_AGAIN))?;
        let fields = Dictionary::parse(text).ok_or_else(|| {
            Refusal::new(
                "damaged npy file: its header cannot be understood",
                WRITE_AGAIN,
            )
        })?;
        let element = Element::from_descriptor(&fields.descriptor)?;
        let &[rows, columns] = &fields.shape[..] else {
            let count = fields.shape.len();
            return Err(Refusal::new(
                format!("the array has {count} dimensions, not two (rows and columns)"),
                match count {
                    1 => "save X.reshape(-1, 1) if it is a column, X.reshape(1, -1) if it is a row",
                    _ => "save X.reshape(len(X), -1)",
                },
            ));
        };
        if rows == 0 || columns == 0 {
            return Err(Refusal::new(
                format!("the array is empty ({rows} rows, {columns} columns)"),
                "give at least one row and one column",
            ));
        }
        let claimed = rows
            .checked_mul(columns)
            .and_then(|n| n.checked_mul(element.size() as u64));
        let held = total.saturating_sub(data_start as u64);
        if claimed != Some(held) {
            let sizes = format!("its header claims {rows} rows and {columns} columns");
            let excess = if claimed.is_some_and(|n| n < held) {
                "more"
            } else {
                "less"
            };
            return Err(Refusal::new(
                format!("damaged npy file: {sizes}, but it holds {excess} ({held} bytes)"),
                "write the file again, one array in it, with numpy.save or numpy.savez",
            ));
        }
        // The elements are really there, so both numbers fit the address space.
        let in_memory = |n: u64| usize::try_from(n);
        match (in_memory(rows), in_memory(columns)) {
            (Ok(rows), Ok(columns)) => Ok(Header {
                element,
                is_fortran: fields.is_fortran,
                rows,
                columns,
                data_start,
            }),
            _ => Err(Refusal::new("the array is too large", "give fewer rows")),
        }
    }
}

/// The header's text and where it ends.
fn header_text(bytes: &[u8]) -> Result<(&str, usize), &'static str> {
    let rest = bytes
        .strip_prefix(NPY_MAGIC)
        .ok_or("it does not begin as npy files do")?;
    let (length, start) = match rest {
        [1, _, low, high, ..] => (u32::from(u16::from_le_bytes([*low, *high])), 10),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([*a, *b, *c, *d]), 12),
        [1..=3, ..] | [] => return Err("it ends within its header"),
        _ => return Err("its format version is not known"),
    };
    let end = usize::saturating_add(start, length as usize);
    let text = bytes
        .get(start..end)
        .ok_or("its header is longer than the file")?;
    let text = std::str::from_utf8(text).map_err(|_| "its header is not text")?;
    Ok((text, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: u8, dictionary: &str, elements: usize) -> Vec<u8> {
        let mut bytes = [NPY_MAGIC, &[version, 0]].concat();
        match version {
            1 => bytes.extend((dictionary.len() as u16).to_le_bytes()),
            _ => bytes.extend((dictionary.len() as u32).to_le_bytes()),
        }
        bytes.extend(dictionary.bytes());
        bytes.resize(bytes.len() + elements, 0);
        bytes
    }

    fn parse(version: u8, dictionary: &str, elements: usize) -> Result<Header, Refusal> {
        let bytes = file(version, dictionary, elements);
        Header::parse(&bytes, bytes.len() as u64)
    }

    #[test]
    fn every_format_version() {
        let text = "{'descr': '<i2', 'fortran_order': True, 'shape': (3, 4), }\n";
        for version in 1..=3 {
            let header = parse(version, text, 24).unwrap();
            assert_eq!(
                (header.rows, header.columns, header.is_fortran),
                (3, 4, true)
            );
            assert_eq!(header.element.size(), 2);
        }
        assert!(parse(4, text, 24).unwrap_err().problem.contains("version"));
        assert!(
            parse(1, "{}", 24)
                .unwrap_err()
                .problem
                .contains("cannot be understood")
        );
    }

    #[test]
    fn claims_are_checked_against_the_file() {
        let claim =
            |shape: &str| format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}");
        for shape in [
            "(1000000000000, 20)",
            "(18446744073709551615, 18446744073709551615)",
            "(3, 3)",
        ] {
            let refusal = parse(1, &claim(shape), 64).unwrap_err();
            assert!(
                refusal.problem.contains("holds less"),
                "{}",
                refusal.problem
            );
        }
        assert!(
            parse(1, &claim("(2, 2)"), 64)
                .unwrap_err()
                .problem
                .contains("holds more")
        );
        assert!(
            parse(1, &claim("(0, 2)"), 0)
                .unwrap_err()
                .problem
                .contains("empty")
        );
        assert!(
            parse(1, &claim("(1000000000000, 0)"), 0)
                .unwrap_err()
                .problem
                .contains("empty")
        );
        assert!(
            parse(1, &claim("(8,)"), 64)
                .unwrap_err()
                .remedy
                .contains("reshape(-1, 1)")
        );
        assert!(
            parse(1, &claim("()"), 8)
                .unwrap_err()
                .problem
                .contains("0 dimensions")
        );
        assert!(
            parse(1, &claim("(2, 2, 2)"), 64)
                .unwrap_err()
                .remedy
                .contains("reshape(len(X), -1)")
        );
    }

    #[test]
    fn a_header_longer_than_the_file_is_refused() {
        let bytes = [NPY_MAGIC, &[2, 0, 0xff, 0xff, 0xff, 0xff, b'{']].concat();
        let refusal = Header::parse(&bytes, bytes.len() as u64).unwrap_err();
        assert!(
            refusal.problem.contains("longer than the file"),
            "{}",
            refusal.problem
        );
        for length in 0..12 {
            assert!(Header::parse(&bytes[..length], length as u64).is_err());
        }
    }
}
