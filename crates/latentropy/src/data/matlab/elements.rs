//! The elements that a Matlab file is made of: a type, a length, and bytes that really are there.

use flate2::bufread::ZlibDecoder;
use std::borrow::Cow;
use std::io::Read;

/// The element type of a compressed element.
const COMPRESSED: u32 = 15;

/// One element.
#[derive(Clone, Debug)]
pub(super) struct Item<'a> {
    pub(super) kind: u32,
    pub(super) bytes: &'a [u8],
}

/// The elements of some bytes, one after the other; each is `None` where the bytes are damaged, and then the last.
pub(super) struct Items<'a> {
    bytes: &'a [u8],
    is_big_endian: bool,
}

impl<'a> Items<'a> {
    pub(super) fn new(bytes: &'a [u8], is_big_endian: bool) -> Self {
        Items {
            bytes,
            is_big_endian,
        }
    }

    fn read(&mut self) -> Option<Item<'a>> {
        let tag = number(self.bytes.get(..4)?, self.is_big_endian) as u32;
        let (kind, start, length): (u32, usize, usize) = match tag >> 16 {
            // Up to four bytes may stand in the tag itself.
            0 => (
                tag,
                8,
                number(self.bytes.get(4..8)?, self.is_big_endian) as usize,
            ),
            small => (tag & 0xffff, 4, small as usize),
        };
        let bytes = self.bytes.get(start..start.checked_add(length)?)?;
        // Elements begin at multiples of eight bytes, compressed ones where the last one ends.
        let end = match kind {
            COMPRESSED => start + length,
            _ => (start + length).next_multiple_of(8),
        };
        self.bytes = self.bytes.get(end..).unwrap_or_default();
        Some(Item { kind, bytes })
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Option<Item<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.is_empty() {
            return None;
        }
        let item = self.read();
        if item.is_none() {
            self.bytes = &[];
        }
        Some(item)
    }
}

/// The bytes of one whole element, unpacked where it is compressed; `None` where that fails, or there is more of it than is
/// `left` for all variables together.
pub(super) fn unpacked<'a>(
    item: &Item<'a>,
    is_big_endian: bool,
    left: &mut u64,
) -> Option<(u32, Cow<'a, [u8]>)> {
    if item.kind != COMPRESSED {
        return Some((item.kind, Cow::Borrowed(item.bytes)));
    }
    let mut bytes = Vec::new();
    let mut unpacked = ZlibDecoder::new(item.bytes).take(*left + 1);
    unpacked.read_to_end(&mut bytes).ok()?;
    *left = left.checked_sub(bytes.len() as u64)?;
    let kind = number(bytes.get(..4)?, is_big_endian) as u32;
    let length = number(bytes.get(4..8)?, is_big_endian) as usize;
    let body = bytes.get(8..8usize.checked_add(length)?)?.to_vec();
    Some((kind, Cow::Owned(body)))
}

/// A whole number of at most eight bytes.
pub(super) fn number(bytes: &[u8], is_big_endian: bool) -> u64 {
    let join = |sum: u64, &byte: &u8| sum << 8 | u64::from(byte);
    match is_big_endian {
        true => bytes.iter().fold(0, join),
        false => bytes.iter().rev().fold(0, join),
    }
}
