//! Folds: which rows are held out together.

use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learning::stream;
use rand::seq::SliceRandom;

/// The stream of random numbers that deals rows to folds, far from those of the restarts.
const DEALING_STREAM: u64 = u64::MAX;

/// Deals the original rows with a known cell to folds whose sizes differ by at most one.
///
/// Rows are shuffled by their own stream of the seed; within a fold they keep the data's order.
pub fn folds(data: &Dataset, count: usize, seed: u64) -> Result<Vec<Vec<usize>>> {
    if count < 2 {
        return Err(Error::invalid(format!(
            "--folds must be at least 2, not {count}"
        )));
    }
    let mut rows = known_rows(data);
    if rows.len() < 2 {
        return Err(Error::invalid(format!(
            "cross-validation holds rows out, and needs at least 2 with a known cell; the data have {}: \
             give more rows, or one number for --ridge and one for --hidden",
            rows.len()
        )));
    }
    rows.shuffle(&mut stream(seed, DEALING_STREAM));
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

/// The original rows that say something.
pub(super) fn known_rows(data: &Dataset) -> Vec<usize> {
    let is_known = |&row: &usize| {
        let distinct = &data.rows()[data.distinct_of()[row] as usize];
        distinct.missing.count() < data.columns().len()
    };
    (0..data.len()).filter(is_known).collect()
}
