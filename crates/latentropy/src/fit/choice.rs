//! Choices by cross-validation: the ridge and the number of hidden units that the data support.
//!
//! Both follow a one-standard-error rule: of all values that are not clearly worse than the best, the
//! simplest is chosen, the largest ridge or the smallest machine. "Not clearly worse" compares row by
//! row: the mean over the rows of (best − this) is at most its own standard error. Every value scores
//! the same rows on the same folds, so the rows' common difficulty, which makes most of the standard
//! error of a single mean, cancels in the difference.

use super::evidence::EvidenceChoice;
use super::held_out::{CrossValidation, HeldOut, mean_and_error};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// Differences below this, in nats a row, are arithmetic, not evidence.
const NO_DIFFERENCE: f64 = 1e-9;

/// What was chosen before the fit itself, and on what grounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Choices {
    /// Where several sizes were compared.
    pub size: Option<SizeChoice>,
    /// Where the ridge was cross-validated.
    pub ridge: Option<RidgeChoice>,
    /// Where the ridge was found by evidence, and the machine is not too large for it.
    pub evidence: Option<EvidenceChoice>,
}

/// How a value stands against the best one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// Mean log-likelihood of a held-out row.
    pub mean: f64,
    /// Its standard error over the rows.
    pub std_err: f64,
    /// By how much the mean is below the best one.
    pub behind: f64,
    /// Standard error of this difference, over the rows' own differences.
    pub behind_std_err: f64,
}

impl Standing {
    fn new(held_out: &HeldOut, best: &HeldOut) -> Self {
        let pairs = best.by_row.iter().zip(&held_out.by_row);
        let differences: Vec<f64> = pairs.map(|(best, own)| best - own).collect();
        let (behind, behind_std_err) = mean_and_error(&differences, &held_out.weights);
        Standing {
            mean: held_out.mean,
            std_err: held_out.std_err,
            behind,
            behind_std_err,
        }
    }

    /// True if the best is ahead by no more than one standard error of the difference.
    pub fn is_within_one_error(&self) -> bool {
        self.behind <= self.behind_std_err.max(NO_DIFFERENCE)
    }
}

/// One ridge of the table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RidgeScore {
    /// The ridge α.
    pub ridge: f64,
    /// How it did.
    pub standing: Standing,
}

/// Which ridge, and on what grounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RidgeChoice {
    /// Every ridge tried, from the largest to the smallest.
    pub table: Vec<RidgeScore>,
    /// The largest ridge within one standard error of the best.
    pub chosen: f64,
}

impl RidgeChoice {
    /// True if a larger ridge than the chosen one was never tried, while a smaller one was.
    pub fn is_largest(&self) -> bool {
        self.table.len() > 1 && self.table.iter().all(|score| score.ridge <= self.chosen)
    }

    /// True if a smaller ridge than the chosen one was never tried, while a larger one was.
    pub fn is_smallest(&self) -> bool {
        self.table.len() > 1 && self.table.iter().all(|score| score.ridge >= self.chosen)
    }
}

/// One number of hidden units of the table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeScore {
    /// How many hidden units.
    pub hidden: usize,
    /// The ridge chosen for this size, or the only one there was.
    pub ridge: f64,
    /// How it did with that ridge.
    pub standing: Standing,
}

/// Which number of hidden units, and on what grounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeChoice {
    /// Every size tried, from the smallest to the largest.
    pub table: Vec<SizeScore>,
    /// The smallest size within one standard error of the best.
    pub chosen: usize,
    /// The choice of the ridge at that size.
    pub ridge: RidgeChoice,
}

/// Chooses a ridge by the held-out scores of all, and gives those of the chosen one.
pub(super) fn choose_ridge(
    validation: &CrossValidation,
    mut scores: Vec<HeldOut>,
) -> Result<(RidgeChoice, HeldOut)> {
    let ridges = validation.descending()?;
    let (standings, at) = compare(&scores.iter().collect::<Vec<_>>())?;
    let table = ridges.iter().zip(standings);
    let choice = RidgeChoice {
        table: table
            .map(|(&ridge, standing)| RidgeScore { ridge, standing })
            .collect(),
        chosen: ridges[at],
    };
    Ok((choice, scores.swap_remove(at)))
}

/// Chooses among numbers of hidden units (ascending), each with its own choice among ridges.
///
/// A size stands by the score of its chosen ridge, the machine that would be fitted. The same rows
/// choose the ridge and score the size: a small optimism that all sizes share.
pub(super) fn choose_size(tried: Vec<(usize, RidgeChoice, HeldOut)>) -> Result<SizeChoice> {
    let scores: Vec<&HeldOut> = tried.iter().map(|(_, _, score)| score).collect();
    let (standings, at) = compare(&scores)?;
    let table = tried.iter().zip(standings);
    Ok(SizeChoice {
        table: table
            .map(|((hidden, ridge, _), standing)| SizeScore {
                hidden: *hidden,
                ridge: ridge.chosen,
                standing,
            })
            .collect(),
        chosen: tried[at].0,
        ridge: tried[at].1.clone(),
    })
}

/// How each stands against the best, and the first that is within one standard error of it.
fn compare(scores: &[&HeldOut]) -> Result<(Vec<Standing>, usize)> {
    let best = scores
        .iter()
        .max_by(|a, b| a.mean.total_cmp(&b.mean))
        .ok_or_else(|| Error::invalid("there is nothing to compare".to_string()))?;
    let standings: Vec<Standing> = scores
        .iter()
        .map(|score| Standing::new(score, best))
        .collect();
    let chosen = standings.iter().position(Standing::is_within_one_error);
    let chosen =
        chosen.ok_or_else(|| Error::failed("held-out likelihoods are not numbers".to_string()))?;
    Ok((standings, chosen))
}
