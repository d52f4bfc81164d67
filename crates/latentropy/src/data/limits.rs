//! How large data may be: bounds that no table of people or measurements comes near, so that a file cannot use up the machine.

use crate::error::{Error, Result};
use crate::files::read_bounded;
use std::path::Path;

/// Most columns.
pub(super) const MOST_COLUMNS: usize = 1 << 16;
/// Most rows.
pub(super) const MOST_ROWS: usize = 100_000_000;
/// Most bytes of an array once it is unpacked; an archive can claim a thousand times its own size.
pub(super) const LARGEST_UNPACKED: u64 = 512 << 20;
/// Most bytes of a file, and of what has no length of its own: a pipe, a device.
const LARGEST_FILE: u64 = 4 << 30;
const LARGEST_STREAM: u64 = 512 << 20;

/// All bytes of a data file.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>> {
    let is_file = std::fs::metadata(path).is_ok_and(|found| found.is_file());
    read_bounded(
        path,
        if is_file {
            LARGEST_FILE
        } else {
            LARGEST_STREAM
        },
    )
}

/// Refuses more columns than can be dealt with.
pub(super) fn check_columns(path: &Path, columns: usize) -> Result<()> {
    match columns > MOST_COLUMNS {
        true => {
            let problem = format!("has {columns} columns; at most {MOST_COLUMNS} are read");
            let remedy = "give fewer columns; rows and columns may be exchanged";
            Err(Error::file(path, None, problem, remedy))
        }
        false => Ok(()),
    }
}

/// Refuses one row too many.
pub(super) fn check_rows(path: &Path, rows: usize) -> Result<()> {
    match rows > MOST_ROWS {
        true => {
            let problem = format!("has more than {MOST_ROWS} rows");
            Err(Error::file(path, None, problem, "give fewer rows"))
        }
        false => Ok(()),
    }
}
