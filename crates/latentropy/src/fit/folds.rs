//! Folds: which rows are held out together.

use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::message::{Setting, words};
use crate::random::{Purpose, stream};
use rand::seq::SliceRandom;

/// Deals the original rows with a known cell to folds whose sizes differ by at most one.
///
/// Rows are shuffled by their own stream of the seed; within a fold they keep the data's order.
pub fn folds(data: &Dataset, count: usize, seed: u64) -> Result<Vec<Vec<usize>>> {
    if count < 2 {
        return Err(Error::invalid(words![
            Setting::Folds,
            format!(" must be at least 2, not {count}")
        ]));
    }
    let rows = data.informative_rows();
    if rows.len() < 2 {
        return Err(Error::invalid(words![
            format!(
                "cross-validation holds rows out, and needs at least 2 with a known cell; the data have {}: \
                 give more rows, or one number for ",
                rows.len()
            ),
            Setting::Ridge,
            " and one for ",
            Setting::Hidden,
        ]));
    }
    let rows = shuffled(data, seed);
    let mut dealt = vec![Vec::new(); count.min(rows.len())];
    let folds = dealt.len();
    for (at, row) in rows.into_iter().enumerate() {
        dealt[at % folds].push(row);
    }
    for fold in &mut dealt {
        fold.sort_unstable();
    }
    Ok(dealt)
}

/// The original rows with a known cell in the order in which they are dealt.
pub(super) fn shuffled(data: &Dataset, seed: u64) -> Vec<usize> {
    let mut rows = data.informative_rows();
    rows.shuffle(&mut stream(seed, Purpose::Folds, 0));
    rows
}
