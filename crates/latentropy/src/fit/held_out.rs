//! Cross-validation: how well machines foretell rows that they were not learned from.
//!
//! A piece of the work is one fold of one machine, over all ridges: within it each ridge starts from the solutions of
//! the last one, and pieces do not depend on each other.

use super::control::Control;
use super::folds::folds;
use super::setup::Setup;
use crate::answers::score_given;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::inference::{Demand, Sums};
use crate::learning::{Course, Finish, Objective, Problem, Restart, drive, random_start};
use crate::message::{Setting, words};
use crate::network::{Clamp, Network};
use crate::random::{evaluation_seed, index_in_fold};
use crate::selection::{Candidate, CertificateKind, cluster};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The ridges tried unless told otherwise: 0.01 to 100 in half decades.
const RIDGES: [f64; 9] = [100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01];

/// How to cross-validate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrossValidation {
    /// How many folds, at least 2; with fewer rows, as many as there are rows.
    pub folds: usize,
    /// The most restarts for each fold and ridge.
    pub restarts: usize,
    /// The ridges to compare, in any order.
    pub ridges: Vec<f64>,
}

impl Default for CrossValidation {
    fn default() -> Self {
        CrossValidation {
            folds: 5,
            restarts: 8,
            ridges: RIDGES.to_vec(),
        }
    }
}

impl CrossValidation {
    /// The same with one ridge only: sizes are compared, ridges are not.
    pub fn with_ridge(self, ridge: f64) -> Self {
        CrossValidation {
            ridges: vec![ridge],
            ..self
        }
    }

    /// Refuses what makes no sense whatever the data are.
    pub(super) fn check(&self) -> Result<()> {
        if self.folds < 2 {
            return Err(Error::invalid(words![
                Setting::Folds,
                format!(" must be at least 2, not {}", self.folds)
            ]));
        }
        if self.restarts == 0 {
            return Err(Error::invalid("each fold needs at least 1 restart"));
        }
        self.descending().map(drop)
    }

    /// The ridges from the largest to the smallest, each once.
    pub(super) fn descending(&self) -> Result<Vec<f64>> {
        let mut ridges = self.ridges.clone();
        if let Some(bad) = ridges.iter().find(|r| !(r.is_finite() && **r >= 0.0)) {
            return Err(Error::invalid(format!(
                "a ridge must be a number of at least 0, not {bad}"
            )));
        }
        if ridges.is_empty() {
            return Err(Error::invalid("there is no ridge to compare"));
        }
        ridges.sort_by(|a, b| b.total_cmp(a));
        ridges.dedup();
        Ok(ridges)
    }

    /// How many pieces of work a machine makes: its folds.
    pub(super) fn pieces(&self, data: &Dataset) -> usize {
        self.folds.min(data.informative_rows().len())
    }

    /// How many candidates are learned of a machine: one for each fold, ridge and restart.
    pub fn candidates_of(&self, structure: &Network, data: &Dataset, most: usize) -> Result<usize> {
        let ridges = self.descending()?.len();
        Ok(self.pieces(data) * ridges * self.restarts_of(structure, data, most))
    }

    /// How many restarts each fold and ridge gets: a concave objective has one maximum, and one start finds it.
    fn restarts_of(&self, structure: &Network, data: &Dataset, most: usize) -> usize {
        if Problem::is_concave(structure, data) {
            1
        } else {
            most.min(self.restarts).max(1)
        }
    }
}

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
}

impl HeldOut {
    fn new(by_row: Vec<f64>, weights: Vec<f64>) -> Self {
        let (mean, std_err) = mean_and_error(&by_row, &weights);
        HeldOut {
            by_row,
            weights,
            mean,
            std_err,
        }
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

/// What one fold of one machine says of its rows, one entry per ridge from the largest to the smallest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoldScores {
    /// The number of hidden units.
    pub hidden: usize,
    /// Which fold.
    pub fold: usize,
    /// log p of each row of the fold, for each ridge.
    pub by_ridge: Vec<Vec<f64>>,
}

/// One fold: the problem of learning from the other rows, and the rows held out.
struct Fold<'a> {
    number: usize,
    setup: &'a Setup<'a>,
    problem: Problem,
    held: Dataset,
    starts: Vec<Start>,
}

/// Where a restart begins.
#[derive(Clone)]
struct Start {
    weights: Vec<f64>,
    /// True at a solution of the ridge before: it lies in its basin already.
    is_warm: bool,
}

impl Start {
    fn random(problem: &Problem, seed: u64, index: usize) -> Self {
        Start {
            weights: random_start(problem, seed, index as u64),
            is_warm: false,
        }
    }
}

/// Learns the machine without fold `number`, once for each ridge of `validation`, and scores the rows held out.
///
/// A ridge is the precision of a prior on the weights, so it means the same for a fold's fewer rows as for all of them.
/// Within a fold the winner is chosen by the setup's principle. Each distinct solution at one ridge is a start
/// at the next; restarts that ended at a solution of an earlier restart, at a saddle or at the
/// trivial solution begin anew from their own random start, since a large ridge draws all of them
/// to one point and the choice among solutions would be lost.
pub(super) fn score_fold(
    setup: &Setup<'_>,
    validation: &CrossValidation,
    number: usize,
    control: &Control<'_>,
) -> Result<FoldScores> {
    let (structure, data) = (setup.structure, setup.data);
    let ridges = validation.descending()?;
    let restarts = validation.restarts_of(structure, data, setup.restarts);
    let dealt = folds(data, validation.folds, setup.seed)?;
    let rows = &dealt[number];
    let others = data.informative_rows();
    let others: Vec<usize> = others
        .into_iter()
        .filter(|row| rows.binary_search(row).is_err())
        .collect();
    let first = Objective {
        ridge: ridges[0],
        ..setup.objective
    };
    let problem = setup.problem_of(&data.rows_subset(&others), first)?;
    let mut fold = Fold {
        number,
        setup,
        starts: (0..restarts)
            .map(|index| Start::random(&problem, setup.seed, index))
            .collect(),
        problem,
        held: data.rows_subset(rows),
    };
    let mut by_ridge = Vec::with_capacity(ridges.len());
    for ridge in ridges {
        let objective = Objective {
            ridge,
            ..setup.objective
        };
        fold.problem = fold.problem.with_objective(objective)?;
        let mut candidates = (0..restarts)
            .into_par_iter()
            .with_max_len(1)
            .map(|index| fold.learn(index, control))
            .collect::<Result<Vec<Candidate>>>()?;
        cluster(&mut candidates);
        by_ridge.push(fold.score(&candidates)?);
        fold.restart_from(&candidates);
    }
    Ok(FoldScores {
        hidden: structure.hidden().len(),
        fold: number,
        by_ridge,
    })
}

/// Puts the folds of one machine together: one entry per ridge, from the largest to the smallest.
pub(super) fn assemble(
    setup: &Setup<'_>,
    validation: &CrossValidation,
    parts: &[FoldScores],
) -> Result<Vec<HeldOut>> {
    let data = setup.data;
    let dealt = folds(data, validation.folds, setup.seed)?;
    let known = data.informative_rows();
    let mut found = Vec::new();
    for ridge in 0..validation.descending()?.len() {
        let mut by_row: Vec<Option<f64>> = vec![None; data.len()];
        for part in parts {
            let scores = part.by_ridge.get(ridge);
            let (Some(scores), Some(rows)) = (scores, dealt.get(part.fold)) else {
                return Err(Error::invalid(
                    "a fold lacks some of its ridges, or is none of these",
                ));
            };
            for (&row, &score) in rows.iter().zip(scores) {
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

impl Fold<'_> {
    /// One restart from its start.
    ///
    /// Learners by samples draw from a stream of the fold and the restart, the same at every ridge: noise in common
    /// cancels where ridges are compared.
    fn learn(&self, index: usize, control: &Control<'_>) -> Result<Candidate> {
        let Start { weights, is_warm } = self.starts[index].clone();
        let mut course: Course = self.setup.course.clone();
        if is_warm {
            course.finish = course.finish.map(|_| Finish { warm_up: 0 });
        }
        let outcome = control.with_loop(|control| {
            let restart = Restart {
                seed: self.setup.seed,
                index: index_in_fold(self.number, index),
                keep_trace: false,
                control,
            };
            drive(&self.problem, weights, &course, restart)
        })?;
        control.observer.restart_done(index, &outcome);
        Candidate::new(&self.problem, index, outcome, course.tolerance)
    }

    /// The chosen candidate's log-likelihoods of the rows held out.
    fn score(&self, candidates: &[Candidate]) -> Result<Vec<f64>> {
        let selected = self.setup.principle.select(candidates);
        let selected = selected.ok_or_else(|| Error::failed("no restart gave a candidate"))?;
        let chosen = &candidates[selected.at];
        let none = Clamp::none(chosen.network.units().len());
        let scored_by = self.setup.scored_by;
        let engine = scored_by.engine();
        let prepared = engine.prepare(&chosen.network, &none, &Demand::default())?;
        let log_partition = match scored_by.gives().exact_sums {
            true => {
                let found = prepared.answer(chosen.network.weights())?;
                found.expectations.log_partition.value
            }
            false => {
                let mut sums = Sums::default();
                let stream = index_in_fold(self.number, chosen.index);
                sums.seed = evaluation_seed(self.setup.seed, stream);
                prepared.sums(chosen.network.weights(), &mut sums)?;
                sums.log_partition
            }
        };
        let scores = score_given(&chosen.network, &self.held, log_partition)?;
        let rows = self.held.distinct_of().iter();
        Ok(rows.map(|&distinct| scores[distinct as usize]).collect())
    }

    /// Sets the starts at the next ridge.
    fn restart_from(&mut self, candidates: &[Candidate]) {
        let mut solutions = 0;
        for (at, candidate) in candidates.iter().enumerate() {
            let is_new = candidate.solution == solutions;
            solutions += usize::from(is_new);
            let is_saddle = candidate.certificate.kind == CertificateKind::Saddle;
            self.starts[at] = if is_new && !candidate.trivial && !is_saddle {
                Start {
                    weights: candidate.network.weights().to_vec(),
                    is_warm: true,
                }
            } else {
                Start::random(&self.problem, self.setup.seed, at)
            };
        }
    }
}
