//! One line of a journal: a JSON object whose first field is a checksum of the rest.
//!
//! FNV-1a tells any change of one byte for certain, for each of its steps is one to one, and any other with a chance of 2⁻⁶⁴ to miss it.

use crate::error::{Error, Result};
use crate::random::Digest;
use serde::Serialize;
use serde::de::DeserializeOwned;

const START: &[u8] = b"{\"sum\":\"";
const MIDDLE: &[u8] = b"\",";
const DIGITS: usize = 16;

/// An object with its checksum, and the line's end.
pub(super) fn encode(value: &impl Serialize) -> Result<Vec<u8>> {
    let object = serde_json::to_vec(value)
        .map_err(|error| Error::failed(format!("cannot write the journal: {error}")))?;
    // Without its opening brace: the checksum comes first.
    let rest = object.get(1..).unwrap_or_default();
    let sum = format!("{:016x}", checksum(rest));
    Ok([START, sum.as_bytes(), MIDDLE, rest, b"\n"].concat())
}

/// The object of a line without its end; what is wrong with it, where something is.
pub(super) fn decode<T: DeserializeOwned>(line: &[u8]) -> std::result::Result<T, String> {
    let rest = line.strip_prefix(START);
    let rest = rest.ok_or("it does not begin with a checksum")?;
    let (sum, rest) = rest.split_at_checked(DIGITS).ok_or("it is cut short")?;
    let rest = rest.strip_prefix(MIDDLE).ok_or("its checksum is damaged")?;
    if format!("{:016x}", checksum(rest)).as_bytes() != sum {
        return Err("its checksum is that of other bytes".to_string());
    }
    let object = [b"{", rest].concat();
    serde_json::from_slice(&object)
        .map_err(|error| format!("it does not hold what it should: {error}"))
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut digest = Digest::default();
    digest.eat(bytes);
    digest.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_of_a_byte_and_every_cut_is_noticed() {
        let value = ("restart 7".to_string(), vec![0.1, -2.5e-300]);
        let value = serde_json::json!({"piece": value.0, "result": value.1});
        let line = encode(&value).unwrap();
        let line = &line[..line.len() - 1];
        assert_eq!(decode::<serde_json::Value>(line).unwrap(), value);
        for at in 0..line.len() {
            assert!(decode::<serde_json::Value>(&line[..at]).is_err());
            for bit in 0..8 {
                let mut damaged = line.to_vec();
                damaged[at] ^= 1 << bit;
                assert!(decode::<serde_json::Value>(&damaged).is_err(), "byte {at}");
            }
        }
    }
}
