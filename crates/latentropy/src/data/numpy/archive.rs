//! The zip archive that an npz file is: finds its arrays and unpacks one.
//!
//! The directory is read here, bounds checked, because the zip crate panics on some forged entries
//! and reserves memory for as many as are claimed; the crate only inflates, one entry at a time.

use super::header::{Header, Refusal};
use npyz::zip::read::read_zipfile_from_stream;
use std::io::Read;

/// No array is unpacked beyond this size, whatever the archive claims.
const LARGEST: u64 = 2 << 30;

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
    /// Unpacks the array file, once its header and its size agree.
    pub(super) fn unpack(&self) -> Result<Vec<u8>, Refusal> {
        if self.flags & 1 == 1 {
            return Err(Refusal::new("the archive is encrypted", WRITE_AGAIN));
        }
        if !matches!(self.method, 0 | 8) {
            return Err(Refusal::new(
                "the archive is packed in an unusual way",
                WRITE_AGAIN,
            ));
        }
        if self.size > LARGEST || self.packed.len() as u64 > LARGEST {
            let problem = format!(
                "the array would take {} bytes unpacked, more than 2 GiB",
                self.size
            );
            return Err(Refusal::new(
                problem,
                "give fewer rows, or a smaller element type: X.astype(bool)",
            ));
        }
        let damaged = || {
            Refusal::new(
                "damaged archive: its content does not match its directory",
                WRITE_AGAIN,
            )
        };
        let header = self.local_header();
        let mut stream = header.as_slice().chain(self.packed);
        let mut file = match read_zipfile_from_stream(&mut stream) {
            Ok(Some(file)) => file,
            _ => return Err(damaged()),
        };
        let mut array = Vec::new();
        file.by_ref()
            .take(HEADER_SPACE)
            .read_to_end(&mut array)
            .map_err(|_| damaged())?;
        // A bomb is recognised here: an array of the claimed size has a header that says so.
        Header::parse(&array, self.size)?;
        // One byte more than claimed, so that the end is reached and the checksum compared.
        let rest = (self.size + 1).saturating_sub(array.len() as u64);
        file.by_ref()
            .take(rest)
            .read_to_end(&mut array)
            .map_err(|_| damaged())?;
        match array.len() as u64 == self.size {
            true => Ok(array),
            false => Err(damaged()),
        }
    }

    /// A local header made anew from the directory, for the zip crate to trust; sizes fit four bytes.
    fn local_header(&self) -> Vec<u8> {
        let mut header = b"PK\x03\x04\x14\0\0\0".to_vec();
        header.extend_from_slice(&(self.method as u16).to_le_bytes());
        header.extend_from_slice(&[0, 0, 0x21, 0]); // a time and the first date there is
        for number in [self.checksum, self.packed.len() as u64, self.size] {
            header.extend_from_slice(&(number as u32).to_le_bytes());
        }
        header.extend_from_slice(&[0; 4]); // no name, no extra fields
        header
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use npyz::zip::ZipWriter;
    use npyz::zip::write::FileOptions;
    use std::io::{Cursor, Write};

    /// An archive of one stored array of two cells.
    fn archive() -> Vec<u8> {
        let text = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2)}";
        let length = (text.len() as u16).to_le_bytes();
        let array = [b"\x93NUMPY\x01\0", &length[..], text.as_bytes(), &[0, 1]];
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        writer.start_file("X.npy", FileOptions::default()).unwrap();
        writer.write_all(&array.concat()).unwrap();
        writer.finish().unwrap().into_inner()
    }

    fn position(bytes: &[u8], signature: &[u8]) -> usize {
        bytes
            .windows(4)
            .rposition(|window| window == signature)
            .unwrap()
    }

    #[test]
    fn a_wide_directory_end() {
        let mut bytes = archive();
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
        assert!(entries[0].unpack().unwrap().ends_with(&[0, 1]));
    }

    #[test]
    fn false_directories_are_refused() {
        let bytes = archive();
        let (entry, end) = (
            position(&bytes, b"PK\x01\x02"),
            position(&bytes, b"PK\x05\x06"),
        );
        for (at, value) in [
            (end + 10, 0xfe),   // more entries than there are
            (end + 16, 0xff),   // a directory somewhere else
            (entry + 20, 0xff), // content beyond the end
            (entry + 42, 0x01), // content without a local header
            (entry + 29, 0xff), // a name beyond the end
        ] {
            let mut forged = bytes.clone();
            forged[at] = value;
            assert!(list_entries(&forged).is_none(), "{at}");
        }
        let mut encrypted = bytes.clone();
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
