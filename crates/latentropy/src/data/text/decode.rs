//! Turns a file's bytes into text, or says what kind of file it is instead.

use crate::error::{Error, Result};
use std::path::Path;

/// The text of a file, without a byte order mark.
pub(super) fn decode<'a>(path: &Path, bytes: &'a [u8]) -> Result<&'a str> {
    if let Some((what, remedy)) = recognise(bytes) {
        return Err(Error::file(path, None, what, remedy));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let at_fault = match std::str::from_utf8(bytes) {
        Ok(text) => match text.find('\0') {
            None => return Ok(text),
            Some(at) => (at, "holds a zero byte, so it is not a text file"),
        },
        Err(error) => (error.valid_up_to(), "is not UTF-8 text"),
    };
    let (at, what) = at_fault;
    Err(Error::file(
        path,
        format!("line {}", line_of(bytes, at)),
        format!("{what} (byte 0x{:02x})", bytes[at]),
        "save the file as UTF-8 text (csv or tsv), or as npy or npz",
    ))
}

/// Kinds of file that are often given in place of text.
fn recognise(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    if bytes.starts_with(b"\x1f\x8b") {
        Some(("is compressed with gzip", "unpack it first"))
    } else if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        Some(("is UTF-16 text", "save it as UTF-8 text"))
    } else if bytes.starts_with(b"PAR1") {
        Some(("is a Parquet file", "save the table as csv"))
    } else if bytes.starts_with(b"MATLAB 7.3") {
        Some((
            "is a Matlab file of version 7.3 (HDF5)",
            "save it in Matlab with save(FILE, 'X', '-v7'), or from Python as npy with numpy.save",
        ))
    } else if bytes.starts_with(b"\x89HDF") {
        Some(("is an HDF5 file", "save the table as csv or npy"))
    } else {
        None
    }
}

/// The physical line, counting from 1, of the byte at `at`.
fn line_of(bytes: &[u8], at: usize) -> usize {
    let before = &bytes[..at];
    let ends = before.iter().enumerate().filter(|&(index, &byte)| {
        byte == b'\n' || (byte == b'\r' && bytes.get(index + 1) != Some(&b'\n'))
    });
    1 + ends.count()
}
