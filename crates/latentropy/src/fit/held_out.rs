//! What machines say of rows that they were not learned from, put together from the pieces of the work.

use super::cross_validation::CrossValidation;
use super::folds::folds;
use super::pieces::FoldScores;
use crate::data::Dataset;
use crate::error::{Error, Result};

/// What machines say about rows that they were not learned from.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldOut {
    /// log p(known cells) of each row with a known cell, in the order of the data.
    pub by_row: Vec<f64>,
    /// What each of these rows weighs.
    pub weights: Vec<f64>,
    /// The mean over these rows.
    pub mean: f64,
    /// Its standard error over the rows.
    pub std_err: f64,
    /// The Monte-Carlo error of log Z, which all rows have in common; zero where it is exact.
    pub log_partition_error: f64,
}

impl HeldOut {
    pub(super) fn new(by_row: Vec<f64>, weights: Vec<f64>) -> Self {
        let (mean, std_err) = mean_and_error(&by_row, &weights);
        HeldOut {
            by_row,
            weights,
            mean,
            std_err,
            log_partition_error: 0.0,
        }
    }

    /// How many rows these are, by their weights.
    pub(super) fn row_count(&self) -> f64 {
        self.weights.iter().sum()
    }
}

/// The weighted mean and its standard error; a single value has an error of zero.
pub(super) fn mean_and_error(values: &[f64], weights: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    if weights.iter().all(|&weight| weight == 1.0) {
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        return (mean, (squares / (count - 1.0).max(1.0) / count).sqrt());
    }
    let total: f64 = weights.iter().sum();
    let weighted = values.iter().zip(weights);
    let mean = weighted.clone().map(|(v, w)| v * w).sum::<f64>() / total;
    // The variance of a ratio of sums over rows (linearised), as for any weighted mean of a sample.
    let squares: f64 = weighted.map(|(v, w)| (w * (v - mean)).powi(2)).sum();
    let shrink = count / (count - 1.0).max(1.0);
    (mean, (squares * shrink).sqrt() / total)
}
/// What the rows kept for validation say of one machine: one entry per ridge, from the largest to the smallest.
pub(super) fn of_kept(kept: &Dataset, piece: &FoldScores) -> Vec<HeldOut> {
    let known = kept.informative_rows();
    let weights: Vec<f64> = known.iter().map(|&row| kept.row_weight(row)).collect();
    let by_ridge = piece.by_ridge.iter().enumerate();
    let scored = by_ridge.map(|(at, by_row)| HeldOut {
        log_partition_error: piece.log_partition_errors.get(at).copied().unwrap_or(0.0),
        ..HeldOut::new(by_row.clone(), weights.clone())
    });
    scored.collect()
}

/// Puts the folds of one machine together: one entry per ridge, from the largest to the smallest.
pub(super) fn assemble(
    data: &Dataset,
    seed: u64,
    validation: &CrossValidation,
    parts: &[FoldScores],
) -> Result<Vec<HeldOut>> {
    let dealt = folds(data, validation.folds, seed)?;
    let known = data.informative_rows();
    let mut found = Vec::new();
    let ridges = parts.first().map_or(0, |part| part.by_ridge.len());
    for ridge in 0..ridges {
        let mut by_row: Vec<Option<f64>> = vec![None; data.len()];
        for part in parts.iter().filter(|part| part.fold < dealt.len()) {
            let Some(scores) = part.by_ridge.get(ridge) else {
                return Err(Error::invalid("a fold lacks some of its ridges"));
            };
            for (&row, &score) in dealt[part.fold].iter().zip(scores) {
                by_row[row] = Some(score);
            }
        }
        let scored = known.iter().map(|&row| {
            by_row[row].ok_or_else(|| {
                let row = row + 1;
                Error::invalid(format!(
                    "row {row} was not scored: its fold is in none of the parts"
                ))
            })
        });
        let scores = scored.collect::<Result<Vec<f64>>>()?;
        let weights = known.iter().map(|&row| data.row_weight(row)).collect();
        found.push(HeldOut::new(scores, weights));
    }
    Ok(found)
}
