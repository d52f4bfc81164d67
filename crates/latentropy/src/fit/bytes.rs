//! Values in a compact binary form behind a head: what it is, the layout, the version of the program, and a checksum.

use crate::error::{Error, Result};
use crate::random::Digest;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The version of the program, which the layout of a value's body depends on.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A value behind a head, the version and a checksum.
pub(super) fn to_bytes(head: &[u8], value: &impl Serialize) -> Result<Vec<u8>> {
    let body = postcard::to_stdvec(value)
        .map_err(|error| Error::failed(format!("cannot be written down: {error}")))?;
    Ok([head, VERSION.as_bytes(), b"\n", &checksum(&body), &body].concat())
}

/// What damage on the way is recognised by.
fn checksum(body: &[u8]) -> [u8; 8] {
    let mut digest = Digest::default();
    digest.eat(body);
    digest.value().to_le_bytes()
}

/// The value again; `what` names it where it is not.
pub(super) fn from_bytes<T: DeserializeOwned>(head: &[u8], what: &str, bytes: &[u8]) -> Result<T> {
    let wrong = |why: String| Error::invalid(format!("this is not {what}: {why}"));
    let cut = || wrong("it is cut short or damaged".to_string());
    let rest = bytes
        .strip_prefix(head)
        .ok_or_else(|| wrong("it begins otherwise, or is of another version".to_string()))?;
    let end = rest
        .iter()
        .position(|&byte| byte == b'\n')
        .ok_or_else(cut)?;
    let (version, rest) = (&rest[..end], &rest[end + 1..]);
    if version != VERSION.as_bytes() {
        let version = String::from_utf8_lossy(version);
        return Err(wrong(format!(
            "it was made by version {version} of latentropy, and this is {VERSION}"
        )));
    }
    let whole = rest
        .split_first_chunk()
        .filter(|(sum, body)| checksum(body) == **sum);
    let (_, body) = whole.ok_or_else(cut)?;
    postcard::from_bytes(body).map_err(|error| wrong(error.to_string()))
}
