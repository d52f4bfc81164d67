//! Reading files of strangers: no more than a stated number of bytes, whatever the file is.

use crate::error::{Error, Result};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// All bytes of a file that has at most so many; a larger or endless one (a device, a pipe) is refused.
pub fn read_bounded(path: &Path, most: u64) -> Result<Vec<u8>> {
    let failed = |source| Error::io(path, "read", source);
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    // One more than allowed tells a file that ends there from one that goes on.
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > most {
        let problem = format!(
            "has more than {} bytes, the most that is read",
            grouped(most)
        );
        let remedy = "check that it is the file that was meant";
        return Err(Error::file(path, None, problem, remedy));
    }
    Ok(bytes)
}

/// The same as text.
pub fn read_bounded_text(path: &Path, most: u64, remedy: &str) -> Result<String> {
    let bytes = read_bounded(path, most)?;
    String::from_utf8(bytes).map_err(|_| Error::file(path, None, "is not text", remedy))
}

/// A count with a comma between thousands.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_longer_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(read_bounded(&path, 5).unwrap(), b"12345");
        let refusal = read_bounded(&path, 4).unwrap_err().to_string();
        assert!(refusal.contains("more than 4 bytes"), "{refusal}");
        assert_eq!(grouped(1234567), "1,234,567");
    }

    #[cfg(unix)]
    #[test]
    fn an_endless_file_is_refused() {
        let refusal = read_bounded(Path::new("/dev/zero"), 1 << 20).unwrap_err();
        assert!(refusal.is_input());
    }
}
