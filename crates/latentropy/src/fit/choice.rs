//! Choices by cross-validation: how values stand against the best, and the ridge.
//!
//! They follow a one-standard-error rule: of all values that are not clearly worse than the best, the
//! simplest is chosen, the largest ridge or the machine with the fewest weights. "Not clearly worse" compares row by
//! row: the mean over the rows of (best − this) is at most its own standard error, or its sum over all rows is below
//! half a nat. Every value scores the same rows on the same folds, so the rows' common difficulty, which makes most of
//! the standard error of a single mean, cancels in the difference.

use super::comparison::Comparison;
use super::cross_validation::CrossValidation;
use super::evidence::EvidenceChoice;
use super::held_out::{HeldOut, mean_and_error};
use crate::error::{Error, Result};
use crate::selection::Principle;
use serde::{Deserialize, Serialize};

/// Differences below this, in nats a row, are arithmetic, not evidence.
const NO_DIFFERENCE: f64 = 1e-9;

/// What foretells all held-out rows together better by less than this, in nats, says nothing that the other does not,
/// however sure that little is: a hidden unit that hardly speaks can be ahead by a millionth in almost every row.
const NO_GAIN: f64 = 0.5;

/// What was chosen before the fit itself, and on what grounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Choices {
    /// Where several machines were compared.
    pub comparison: Option<Comparison>,
    /// Where the folds chose between the principles.
    pub principle: Option<PrincipleChoice>,
    /// Where the rows of a validation table chose another solution than highest entropy would have.
    #[serde(default)]
    pub solution: Option<SolutionChoice>,
    /// Where the ridge was cross-validated.
    pub ridge: Option<RidgeChoice>,
    /// Where the ridge was found by evidence, and the machine is not too large for it.
    pub evidence: Option<EvidenceChoice>,
}

/// How the choices of both principles foretell rows held out, and which does it better.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrincipleChoice {
    /// The one that is ahead.
    pub chosen: Principle,
    /// Mean log-likelihood of a held-out row under the choice of highest entropy.
    pub by_entropy: f64,
    /// And under that of highest likelihood.
    pub by_likelihood: f64,
    /// Standard error of the difference, over the rows' own differences.
    pub std_err: f64,
}

impl PrincipleChoice {
    pub(super) fn new(by_entropy: &HeldOut, by_likelihood: &HeldOut) -> Self {
        let (ahead, std_err) = difference(by_likelihood, by_entropy);
        PrincipleChoice {
            chosen: match ahead > NO_DIFFERENCE {
                true => Principle::MaximumLikelihood,
                false => Principle::LatentMaximumEntropy,
            },
            by_entropy: by_entropy.mean,
            by_likelihood: by_likelihood.mean,
            std_err,
        }
    }
}

/// The solution that foretells the rows of a validation table best, where that is not the one of highest entropy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolutionChoice {
    /// Its candidate's position.
    pub candidate: usize,
    /// How many solutions were looked at.
    pub among: usize,
    /// By how much it is ahead of the solution of highest entropy, per row.
    pub ahead: f64,
    /// Standard error of that, over the rows' own differences.
    pub std_err: f64,
}

impl SolutionChoice {
    /// Of the solutions' candidates and what each says of the rows, the one of highest entropy first; none where no other is ahead
    /// of that by half a nat over all rows.
    pub(super) fn new(solutions: &[(usize, HeldOut)]) -> Option<Self> {
        let (_, by_entropy) = solutions.first()?;
        let mut best = solutions.first()?;
        for other in solutions {
            if other.1.mean > best.1.mean {
                best = other;
            }
        }
        let (candidate, told) = best;
        let (ahead, std_err) = difference(told, by_entropy);
        is_clear(ahead, 0.0, told.row_count()).then_some(SolutionChoice {
            candidate: *candidate,
            among: solutions.len(),
            ahead,
            std_err,
        })
    }
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
    /// What the rows held out weigh together.
    pub rows: f64,
}

impl Standing {
    fn new(held_out: &HeldOut, best: &HeldOut) -> Self {
        let (behind, behind_std_err) = difference(best, held_out);
        Standing {
            mean: held_out.mean,
            std_err: held_out.std_err,
            behind,
            behind_std_err,
            rows: held_out.row_count(),
        }
    }

    /// True if the best is ahead by no more than one standard error of the difference, or by less than half a nat over
    /// all rows.
    pub fn is_not_clearly_behind(&self) -> bool {
        !is_clear(self.behind, self.behind_std_err, self.rows)
    }

    /// True if the best is ahead by less than half a nat over all rows.
    pub fn is_as_good(&self) -> bool {
        !is_clear(self.behind, 0.0, self.rows)
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
    /// The largest ridge within one standard error of the best, or within half a nat over all rows.
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

/// Chooses a ridge by the held-out scores of all, and gives those of the chosen one.
pub(super) fn choose_ridge(
    validation: &CrossValidation,
    mut scores: Vec<HeldOut>,
) -> Result<(RidgeChoice, HeldOut)> {
    let ridges = validation.descending()?;
    let (standings, best) = standings(&scores.iter().collect::<Vec<_>>())?;
    let at = standings
        .iter()
        .position(Standing::is_not_clearly_behind)
        .unwrap_or(best);
    let table = ridges.iter().zip(standings);
    let choice = RidgeChoice {
        table: table
            .map(|(&ridge, standing)| RidgeScore { ridge, standing })
            .collect(),
        chosen: ridges[at],
    };
    Ok((choice, scores.swap_remove(at)))
}

/// How each stands against the best, and which is best.
pub(super) fn standings(scores: &[&HeldOut]) -> Result<(Vec<Standing>, usize)> {
    let best = (0..scores.len())
        .max_by(|&a, &b| scores[a].mean.total_cmp(&scores[b].mean).then(b.cmp(&a)))
        .ok_or_else(|| Error::invalid("there is nothing to compare"))?;
    if scores.iter().any(|score| !score.mean.is_finite()) {
        return Err(Error::failed("held-out likelihoods are not numbers"));
    }
    let standings = scores
        .iter()
        .map(|score| Standing::new(score, scores[best]));
    Ok((standings.collect(), best))
}

/// True if the first foretells rows clearly better than the second: by more than one standard error, and by half a nat
/// or more over all rows.
pub(super) fn is_clearly_better(a: &HeldOut, b: &HeldOut) -> bool {
    let (gain, error) = difference(a, b);
    is_clear(gain, error, a.row_count())
}

fn is_clear(gain: f64, std_err: f64, rows: f64) -> bool {
    gain > std_err.max(NO_DIFFERENCE) && gain * rows >= NO_GAIN
}

/// By how much the first is above the second per row, and the standard error of that over the rows' own differences.
pub(super) fn difference(a: &HeldOut, b: &HeldOut) -> (f64, f64) {
    let differences: Vec<f64> = a.by_row.iter().zip(&b.by_row).map(|(a, b)| a - b).collect();
    let (mean, error) = mean_and_error(&differences, &a.weights);
    if std::ptr::eq(a, b) {
        return (mean, error);
    }
    // Each has a log Z of its own.
    let sampled = a.log_partition_error.hypot(b.log_partition_error);
    (mean, error.hypot(sampled))
}
