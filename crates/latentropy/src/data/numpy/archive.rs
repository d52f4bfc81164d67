//! The zip archive that an npz file is: finds its arrays and unpacks one.
//!
//! Every place that the directory names is checked, and memory grows with what is really there.

use super::header::Header;
use super::refusal::Refusal;
use crate::data::limits::LARGEST_UNPACKED;
use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use std::io::Read;

/// How zip archives, and so npz files, begin.
pub(in crate::data) const ZIP_MAGIC: &[u8] = b"PK\x03\x04";

/// Enough of an array to hold its header.
const HEADER_SPACE: u64 = 128 << 10;

const WRITE_AGAIN: &str = "write the file again with numpy.savez or numpy.savez_compressed";

/// One file of the archive.
pub(super) struct Entry<'a> {
    pub(super) name: String,
    flags: u64,
    method: u64,
    checksum: u64,
    size: u64,
    packed: &'a [u8],
}

/// The entries that an archive's directory lists; `None` if the directory is damaged.
pub(super) fn list_entries(bytes: &[u8]) -> Option<Vec<Entry<'_>>> {
    let (count, mut at) = find_directory(bytes)?;
    let mut entries = Vec::new();
    for _ in 0..count {
        if bytes.get(at..)?.get(..4)? != b"PK\x01\x02" {
            return None;
        }
        let lengths = [28, 30, 32].map(|field| number(bytes, at + field, 2));
        let [name_length, extra_length, comment_length] = lengths.map(|n| n.map(|n| n as usize));
        let name_start = at + 46;
        let extra_start = name_start + name_length?;
        let end = extra_start + extra_length?;
        let name = bytes.get(name_start..extra_start)?;
        let mut sizes = [
            number(bytes, at + 24, 4)?,
            number(bytes, at + 20, 4)?,
            number(bytes, at + 42, 4)?,
        ];
        widen(&mut sizes, bytes.get(extra_start..end)?)?;
        let [size, packed_size, local_start] = sizes;
        entries.push(Entry {
            name: String::from_utf8_lossy(name).into_owned(),
            flags: number(bytes, at + 8, 2)?,
            method: number(bytes, at + 10, 2)?,
            checksum: number(bytes, at + 16, 4)?,
            size,
            packed: packed_bytes(bytes, local_start, packed_size)?,
        });
        at = end + comment_length?;
    }
    Some(entries)
}

/// How many entries the directory has and where it begins.
fn find_directory(bytes: &[u8]) -> Option<(u64, usize)> {
    // The closing record is followed only by a comment of at most 65535 bytes.
    let last = bytes.len().checked_sub(22)?;
    let end = (last.saturating_sub(0xffff)..=last)
        .rev()
        .find(|&at| bytes[at..].starts_with(b"PK\x05\x06"))?;
    let (count, start) = (number(bytes, end + 10, 2)?, number(bytes, end + 16, 4)?);
    if count < 0xffff && start < 0xffff_ffff {
        return Some((count, usize::try_from(start).ok()?));
    }
    // Too large for these fields: a wider record, found by a locator just before this one.
    let locator = end.checked_sub(20)?;
    if !bytes[locator..].starts_with(b"PK\x06\x07") {
        return None;
    }
    let wide = usize::try_from(number(bytes, locator + 8, 8)?).ok()?;
    if !bytes.get(wide..)?.starts_with(b"PK\x06\x06") {
        return None;
    }
    let field = |offset: usize| number(bytes, wide.checked_add(offset)?, 8);
    Some((field(32)?, usize::try_from(field(48)?).ok()?))
}

/// Replaces each number that is too large for four bytes by its eight bytes from the extra fields.
fn widen(sizes: &mut [u64; 3], mut extra: &[u8]) -> Option<()> {
    while extra.len() >= 4 {
        let (kind, length) = (number(extra, 0, 2)?, number(extra, 2, 2)? as usize);
        let field = extra.get(4..4 + length)?;
        if kind == 1 {
            let wide = sizes.iter_mut().filter(|size| **size == 0xffff_ffff);
            for (at, size) in wide.enumerate() {
                *size = number(field, 8 * at, 8)?;
            }
            return Some(());
        }
        extra = &extra[4 + length..];
    }
    Some(())
}

/// The packed content of an entry, behind its local header.
fn packed_bytes(bytes: &[u8], local_start: u64, packed_size: u64) -> Option<&[u8]> {
    let local = bytes.get(usize::try_from(local_start).ok()?..)?;
    if !local.starts_with(b"PK\x03\x04") {
        return None;
    }
    let skipped = 30 + number(local, 26, 2)? as usize + number(local, 28, 2)? as usize;
    local
        .get(skipped..)?
        .get(..usize::try_from(packed_size).ok()?)
}

/// A little-endian number of `width` bytes.
fn number(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let field = bytes.get(at..)?.get(..width)?;
    Some(
        field
            .iter()
            .rev()
            .fold(0, |value, &byte| value << 8 | u64::from(byte)),
    )
}

impl Entry<'_> {
    /// The name of the array in this file, as NumPy understands it; `None` if it is no array file.
    pub(super) fn array_name(&self) -> Option<&str> {
        self.name.split('\0').next()?.strip_suffix(".npy")
    }

    /// Unpacks the array file, once its header and its size agree.
    pub(super) fn unpack(&self) -> Result<Vec<u8>, Refusal> {
        if self.flags & 1 == 1 {
            return Err(Refusal::new("the archive is encrypted", WRITE_AGAIN));
        }
        let mut content: Box<dyn Read> = match self.method {
            0 => Box::new(self.packed),
            8 => Box::new(DeflateDecoder::new(self.packed)),
            _ => {
                return Err(Refusal::new(
                    "the archive is packed in an unusual way",
                    WRITE_AGAIN,
                ));
            }
        };
        if self.size > LARGEST_UNPACKED {
            let problem = format!(
                "the array would take {} bytes unpacked; at most {LARGEST_UNPACKED} are",
                self.size
            );
            return Err(Refusal::new(
                problem,
                "give fewer rows or a smaller element type, X.astype(bool), or save it with numpy.save, which packs nothing",
            ));
        }
        let damaged = || {
            Refusal::new(
                "damaged archive: its content does not match its directory",
                WRITE_AGAIN,
            )
        };
        let mut array = Vec::new();
        content
            .by_ref()
            .take(HEADER_SPACE)
            .read_to_end(&mut array)
            .map_err(|_| damaged())?;
        // A bomb is recognised here: an array of the claimed size has a header that says so.
        Header::parse(&array, self.size)?;
        // One byte more than claimed, so that longer content is noticed.
        let rest = (self.size + 1).saturating_sub(array.len() as u64);
        content
            .take(rest)
            .read_to_end(&mut array)
            .map_err(|_| damaged())?;
        let mut checksum = Crc::new();
        checksum.update(&array);
        match (array.len() as u64, u64::from(checksum.sum())) == (self.size, self.checksum) {
            true => Ok(array),
            false => Err(damaged()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `numpy.savez_compressed("X.npz", X=[[0, 1], [1, 1], [1, 0]])` of NumPy 2.4 writes.
    const ARCHIVE: &[u8] = b"PK\x03\x04-\0\0\0\x08\0\0\0!\0\xe5R\xa8-\xff\xff\xff\xff\xff\xff\xff\xff\
        \x05\0\x14\0X.npy\x01\0\x10\0\xb0\0\0\0\0\0\0\0M\0\0\0\0\0\0\0\
        \x9b\xec\x17\xea\x1b\x10\xc9\xc8P\xc6P\xad\x9e\x92Z\x9c\\\xa4n\xa5\xa0n\x93i\xa1\xae\xa3\xa0\
        \x9e\x96_TR\x94\x98\x17\x9f_\x94\x92\n\x12wK\xcc)N\x05\x8a\x17g$\x16\xa4\x02\xf9\x1a\xc6:\
        \nF\x9a:\n\xb5\nd\x03.\x06(`$@\xc3\0\0\
        PK\x01\x02-\x03-\0\0\0\x08\0\0\0!\0\xe5R\xa8-M\0\0\0\xb0\0\0\0\x05\0\0\0\0\0\0\0\0\0\0\0\
        \x80\x01\0\0\0\0X.npyPK\x05\x06\0\0\0\0\x01\0\x01\x003\0\0\0\x84\0\0\0\0\0";

    /// The cells of that array, as it was saved.
    fn cells() -> Vec<u8> {
        [0i64, 1, 1, 1, 1, 0].map(i64::to_le_bytes).concat()
    }

    fn position(bytes: &[u8], signature: &[u8]) -> usize {
        bytes
            .windows(4)
            .rposition(|window| window == signature)
            .unwrap()
    }

    #[test]
    fn an_archive_that_numpy_wrote() {
        let entries = list_entries(ARCHIVE).unwrap();
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].array_name(), Some("X"));
        let array = entries[0].unpack().unwrap();
        let header = Header::parse(&array, array.len() as u64).unwrap();
        assert_eq!((header.rows, header.columns), (3, 2));
        assert_eq!(array[header.data_start..], cells());
    }

    #[test]
    fn damaged_content_is_refused() {
        let (content, entry) = (55, position(ARCHIVE, b"PK\x01\x02"));
        let changed = |at: usize, value: u8| {
            let mut bytes = ARCHIVE.to_vec();
            bytes[at] = value;
            let problem = list_entries(&bytes).unwrap()[0]
                .unpack()
                .unwrap_err()
                .problem;
            assert!(problem.contains("damaged"), "{problem}");
        };
        changed(entry + 16, 0); // another checksum
        changed(entry + 20, 0x4a); // content cut off
        changed(content, 0xff); // no deflated content
        changed(entry + 10, 0); // deflated content that is said to be stored
    }

    #[test]
    fn names_of_arrays() {
        let mut entry = list_entries(ARCHIVE).unwrap().remove(0);
        for (file, array) in [
            ("a.npy", Some("a")),
            ("a.npy\0b", Some("a")),
            ("a\0.npy", None),
            (".npy", Some("")),
            ("a.csv", None),
            ("", None),
        ] {
            entry.name = file.to_owned();
            assert_eq!(entry.array_name(), array);
        }
    }

    #[test]
    fn a_wide_directory_end() {
        let mut bytes = ARCHIVE.to_vec();
        let end = position(&bytes, b"PK\x05\x06");
        let start = number(&bytes, end + 16, 4).unwrap();
        bytes.truncate(end);
        let mut wide = [0; 56];
        wide[..4].copy_from_slice(b"PK\x06\x06");
        wide[32] = 1;
        wide[48..].copy_from_slice(&start.to_le_bytes());
        let mut locator = [0; 20];
        locator[..4].copy_from_slice(b"PK\x06\x07");
        locator[8..16].copy_from_slice(&(end as u64).to_le_bytes());
        let mut last = [0xff; 22];
        last[..4].copy_from_slice(b"PK\x05\x06");
        last[20..].fill(0);
        bytes.extend([&wide[..], &locator, &last].concat());
        let entries = list_entries(&bytes).unwrap();
        assert_eq!(entries.len(), 1);
        assert!(entries[0].unpack().unwrap().ends_with(&cells()));
    }

    #[test]
    fn false_directories_are_refused() {
        let (entry, end) = (
            position(ARCHIVE, b"PK\x01\x02"),
            position(ARCHIVE, b"PK\x05\x06"),
        );
        for (at, value) in [
            (end + 10, 0xfe),   // more entries than there are
            (end + 16, 0xff),   // a directory somewhere else
            (entry + 20, 0xff), // content beyond the end
            (entry + 42, 0x01), // content without a local header
            (entry + 29, 0xff), // a name beyond the end
        ] {
            let mut forged = ARCHIVE.to_vec();
            forged[at] = value;
            assert!(list_entries(&forged).is_none(), "{at}");
        }
        let mut encrypted = ARCHIVE.to_vec();
        encrypted[entry + 8] |= 1;
        let entries = list_entries(&encrypted).unwrap();
        assert!(
            entries[0]
                .unpack()
                .unwrap_err()
                .problem
                .contains("encrypted")
        );
    }
}
