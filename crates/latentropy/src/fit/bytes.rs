//! Values in a compact binary form with a head that names what it is, and a checksum.

use crate::error::{Error, Result};
use crate::random::Digest;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value behind a head and a checksum.
pub(super) fn to_bytes(head: &[u8], value: &impl Serialize) -> Result<Vec<u8>> {
    let body = postcard::to_stdvec(value)
        .map_err(|error| Error::failed(format!("cannot be written down: {error}")))?;
    Ok([head, &checksum(&body), &body].concat())
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
    let rest = bytes
        .strip_prefix(head)
        .ok_or_else(|| wrong("it begins otherwise, or is of another version".to_string()))?;
    let whole = rest
        .split_first_chunk()
        .filter(|(sum, body)| checksum(body) == **sum);
    let (_, body) = whole.ok_or_else(|| wrong("it is cut short or damaged".to_string()))?;
    postcard::from_bytes(body).map_err(|error| wrong(error.to_string()))
}
