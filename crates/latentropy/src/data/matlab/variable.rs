//! One variable of a Matlab file: its name, its size, and its numbers where it is a matrix of them.

use super::elements::{Item, Items, number, unpacked};
use crate::data::numpy::Element;
use std::borrow::Cow;
use std::ops::Range;

/// The element type of a variable.
const MATRIX: u32 = 14;

/// A variable.
#[derive(Debug)]
pub(super) struct Variable<'a> {
    pub(super) name: String,
    pub(super) sizes: Vec<usize>,
    /// What it holds, or what it is instead.
    pub(super) numbers: Result<Numbers<'a>, &'static str>,
}

/// The numbers of a matrix, column by column.
#[derive(Debug)]
pub(super) struct Numbers<'a> {
    bytes: Cow<'a, [u8]>,
    at: Range<usize>,
    pub(super) element: Element,
}

impl Numbers<'_> {
    /// The bytes of one number.
    pub(super) fn get(&self, index: usize) -> &[u8] {
        let size = self.element.size();
        &self.bytes[self.at.clone()][index * size..][..size]
    }
}

impl Variable<'_> {
    /// Its name and size, for people.
    pub(super) fn described(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(usize::to_string).collect();
        let what = self.numbers.as_ref().err();
        let what = what.map(|what| format!(", {what}")).unwrap_or_default();
        format!("{} ({}{what})", self.name, sizes.join(" by "))
    }

    /// True of a matrix of numbers with rows and columns.
    pub(super) fn is_table(&self) -> bool {
        self.numbers.is_ok() && self.sizes.len() == 2 && !self.sizes.contains(&0)
    }
}

/// Reads an element of the file; `Ok(None)` if it is no variable, an error if it is damaged.
pub(super) fn read<'a>(
    item: &Item<'a>,
    is_big_endian: bool,
    left: &mut u64,
) -> Result<Option<Variable<'a>>, ()> {
    let (kind, bytes) = unpacked(item, is_big_endian, left).ok_or(())?;
    if kind != MATRIX {
        return Ok(None);
    }
    let header = Header::read(&bytes, is_big_endian).ok_or(())?;
    let Header {
        name,
        sizes,
        problem,
        data,
    } = header;
    let numbers = match problem {
        Some(what) => Err(what),
        None => {
            let (kind, at) = data.ok_or(())?;
            let element = element(kind, is_big_endian).ok_or(())?;
            let count = sizes
                .iter()
                .try_fold(1usize, |n, &size| n.checked_mul(size));
            let claimed = count.and_then(|count| count.checked_mul(element.size()));
            if claimed != Some(at.len()) {
                return Err(());
            }
            Ok(Numbers { bytes, at, element })
        }
    };
    Ok(Some(Variable {
        name,
        sizes,
        numbers,
    }))
}

/// What comes before the numbers, and where they are.
struct Header {
    name: String,
    sizes: Vec<usize>,
    problem: Option<&'static str>,
    data: Option<(u32, Range<usize>)>,
}

impl Header {
    fn read(bytes: &[u8], is_big_endian: bool) -> Option<Self> {
        let mut items = Items::new(bytes, is_big_endian);
        let mut next = || items.next().flatten();
        let flags = number(next()?.bytes.get(..4)?, is_big_endian);
        let sizes = next()?.bytes.chunks_exact(4);
        let sizes: Vec<usize> = sizes
            .map(|size| number(size, is_big_endian) as usize)
            .collect();
        let name = String::from_utf8_lossy(next()?.bytes).into_owned();
        let problem = match flags & 0xff {
            _ if flags & 0x800 != 0 => Some("complex numbers"),
            6..=15 => None,
            1 => Some("a cell array"),
            2 => Some("a structure"),
            3 => Some("an object"),
            4 => Some("text"),
            5 => Some("a sparse matrix"),
            _ => Some("of an unknown kind"),
        };
        let data = next().map(|item| {
            let start = item.bytes.as_ptr() as usize - bytes.as_ptr() as usize;
            (item.kind, start..start + item.bytes.len())
        });
        Some(Header {
            name,
            sizes,
            problem,
            data,
        })
    }
}

/// The type of the stored numbers, which may be smaller than the matrix's own.
fn element(kind: u32, is_big_endian: bool) -> Option<Element> {
    let order = if is_big_endian { '>' } else { '<' };
    let descriptor = match kind {
        1 => "|i1".to_string(),
        2 => "|u1".to_string(),
        3 => format!("{order}i2"),
        4 => format!("{order}u2"),
        5 => format!("{order}i4"),
        6 => format!("{order}u4"),
        7 => format!("{order}f4"),
        9 => format!("{order}f8"),
        12 => format!("{order}i8"),
        13 => format!("{order}u8"),
        _ => return None,
    };
    Element::from_descriptor(&descriptor).ok()
}
