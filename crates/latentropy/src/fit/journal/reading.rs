//! A journal read back: whose it is, what it knows, and which of its lines are damaged.

use super::line::decode;
use super::{Identity, Line};
use crate::error::{Error, Result};
use crate::message::Message;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::path::Path;

/// What a journal holds.
#[derive(Debug)]
pub(super) struct Found<T> {
    pub(super) known: BTreeMap<String, T>,
    pub(super) damaged: Vec<String>,
    /// Whether its last line was cut short, so that nothing could be added to it.
    pub(super) is_cut: bool,
}

/// Who checks what a line says of a piece: what contradicts itself, the run or its data, in words.
pub(super) type Check<'a, T> = &'a dyn Fn(&str, &T) -> std::result::Result<(), String>;

/// The identity in the first line, where that can be read.
pub(super) fn identity_of(bytes: &[u8]) -> Option<Identity> {
    let first = bytes.split(|&byte| byte == b'\n').next()?;
    decode(first).ok()
}

/// Reads a journal that must be of this identity.
pub(super) fn read<T: DeserializeOwned>(
    path: &Path,
    bytes: &[u8],
    identity: &Identity,
    start_anew: &Message,
    check: Check<'_, T>,
) -> Result<Found<T>> {
    check_identity(path, identity_of(bytes), identity, start_anew)?;
    let mut found = Found {
        known: BTreeMap::new(),
        damaged: Vec::new(),
        is_cut: bytes.last() != Some(&b'\n'),
    };
    let mut places = BTreeMap::new();
    let lines = bytes.split(|&byte| byte == b'\n').enumerate().skip(1);
    for (at, text) in lines.filter(|(_, line)| !line.is_empty()) {
        let number = at + 1;
        let line: Line<T> = match decode(text) {
            Ok(line) => line,
            Err(why) => {
                // It costs itself alone: its piece is done again.
                found
                    .damaged
                    .push(format!("line {number} is damaged ({why})"));
                continue;
            }
        };
        let refused = |problem: String| {
            let place = format!("line {number}");
            Error::file(path, place, problem, start_anew.clone())
        };
        let piece = line.piece;
        check(&piece, &line.result).map_err(|why| refused(format!("{piece}: {why}")))?;
        // One piece may be noted twice, and says the same both times.
        let says = text.to_vec();
        if let Some((other, before)) = places.insert(piece.clone(), (number, says))
            && before != text
        {
            let problem = format!("{piece} is noted otherwise in line {other}");
            return Err(refused(problem));
        }
        found.known.insert(piece, line.result);
    }
    Ok(found)
}

fn check_identity(
    path: &Path,
    head: Option<Identity>,
    identity: &Identity,
    start_anew: &Message,
) -> Result<()> {
    let Some(head) = head.filter(|head| head.format == identity.format) else {
        let problem =
            "is damaged, or not a journal of this version: it does not say which run it is of";
        let place = "line 1".to_string();
        return Err(Error::file(path, place, problem, start_anew.clone()));
    };
    if head == *identity {
        return Ok(());
    }
    let problem = match head.seed == identity.seed {
        true => "belongs to a run with other data, machine or settings, or of another version of the program"
            .to_string(),
        false => format!(
            "belongs to a run with seed {}, not {}",
            head.seed, identity.seed
        ),
    };
    let mut remedy = Message::from("go on with what it was begun with, or ");
    remedy.push(start_anew.clone());
    Err(Error::file(path, None, problem, remedy))
}
