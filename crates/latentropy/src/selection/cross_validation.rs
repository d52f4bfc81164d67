//! Cross-validation: how well machines foretell rows that they were not learned from.

use super::candidate::Candidate;
use super::certificate::CertificateKind;
use super::cluster::cluster;
use super::folds::{folds, known_rows};
use super::restarts::{FitSettings, Observer, prepare};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::inference::score;
use crate::learning::{LearningSettings, Penalty, Problem, learn_with, random_start};
use crate::network::Network;
use rayon::prelude::*;

/// The ridges tried unless told otherwise: 0.01 to 100 in half decades.
const RIDGES: [f64; 9] = [100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01];

/// How to cross-validate.
#[derive(Clone, Debug, PartialEq)]
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

    /// The ridges from the largest to the smallest, each once.
    pub(super) fn descending(&self) -> Result<Vec<f64>> {
        let mut ridges = self.ridges.clone();
        if let Some(bad) = ridges.iter().find(|r| !(r.is_finite() && **r >= 0.0)) {
            return Err(Error::invalid(format!(
                "a ridge must be a number of at least 0, not {bad}"
            )));
        }
        if ridges.is_empty() {
            return Err(Error::invalid("there is no ridge to compare".to_string()));
        }
        ridges.sort_by(|a, b| b.total_cmp(a));
        ridges.dedup();
        Ok(ridges)
    }

    /// How many candidates [`held_out`] learns: one for each fold, ridge and restart.
    pub fn candidates_of(
        &self,
        structure: &Network,
        data: &Dataset,
        settings: &FitSettings,
    ) -> Result<usize> {
        let folds = self.folds.min(known_rows(data).len());
        let ridges = self.descending()?.len();
        Ok(folds * ridges * self.restarts_of(structure, data, settings))
    }

    /// How many restarts each fold and ridge gets.
    ///
    /// Without a hidden unit and a missing cell the objective is concave: one start finds its one maximum.
    pub(super) fn restarts_of(
        &self,
        structure: &Network,
        data: &Dataset,
        settings: &FitSettings,
    ) -> usize {
        if structure.hidden().is_empty() && data.missing_cells() == 0 {
            1
        } else {
            settings.restarts.min(self.restarts).max(1)
        }
    }
}

/// What machines say about rows that they were not learned from.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldOut {
    /// log p(known cells) of each row with a known cell, in the order of the data.
    pub by_row: Vec<f64>,
    /// The mean over these rows.
    pub mean: f64,
    /// Its standard error over the rows.
    pub std_err: f64,
}

impl HeldOut {
    fn new(by_row: Vec<f64>) -> Self {
        let (mean, std_err) = mean_and_error(by_row.iter().copied());
        HeldOut {
            by_row,
            mean,
            std_err,
        }
    }
}

/// The mean and its standard error; a single value has an error of zero.
pub(super) fn mean_and_error(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    let error = (squares / (count - 1.0).max(1.0) / count).sqrt();
    (mean, error)
}

/// One fold: the problem of learning from the other rows, and the rows held out.
struct Part<'a> {
    fold: usize,
    problem: Problem,
    held: Dataset,
    rows: &'a [usize],
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

/// Learns `structure` without each fold in turn, once for each ridge of `validation`, and scores the rows held out.
///
/// Returns one entry a ridge, from the largest to the smallest; `observer` hears of every candidate. A ridge is the precision of a prior
/// on the weights, so it means the same for a fold's fewer rows as for all of them. Within a fold
/// the winner is chosen by the settings' principle. Each distinct solution at one ridge is a start
/// at the next; restarts that ended at a solution of an earlier restart, at a saddle or at the
/// trivial solution begin anew from their own random start, since a large ridge draws all of them
/// to one point and the choice among solutions would be lost.
pub fn held_out(
    structure: &Network,
    data: &Dataset,
    settings: &FitSettings,
    validation: &CrossValidation,
    observer: &dyn Observer,
) -> Result<Vec<HeldOut>> {
    let learning = settings.learning.checked()?;
    let ridges = validation.descending()?;
    let folds = folds(data, validation.folds, settings.seed)?;
    let restarts = validation.restarts_of(structure, data, settings);
    let known = known_rows(data);
    let mut parts = folds
        .par_iter()
        .enumerate()
        .map(|(fold, rows)| {
            let others = known.iter().filter(|row| rows.binary_search(row).is_err());
            let others: Vec<usize> = others.copied().collect();
            let problem = prepare(structure, &data.rows_subset(&others), &learning)?;
            let start = |index| Start::random(&problem, settings.seed, index);
            Ok(Part {
                fold,
                starts: (0..restarts).map(start).collect(),
                problem,
                held: data.rows_subset(rows),
                rows,
            })
        })
        .collect::<Result<Vec<Part<'_>>>>()?;
    let mut found = Vec::with_capacity(ridges.len());
    for ridge in ridges {
        let penalty = Penalty {
            ridge,
            bound: learning.bound,
        };
        for part in &mut parts {
            part.problem = part.problem.with_penalty(penalty);
        }
        let jobs: Vec<(&Part<'_>, usize)> = parts
            .iter()
            .flat_map(|part| (0..restarts).map(move |index| (part, index)))
            .collect();
        let mut candidates = jobs
            .into_par_iter()
            .with_max_len(1)
            .map(|(part, index)| {
                let candidate = part.learn(index, learning, settings.seed)?;
                observer.candidate_done(&candidate);
                Ok(candidate)
            })
            .collect::<Result<Vec<Candidate>>>()?;
        let mut by_row = vec![f64::NAN; data.len()];
        for (part, candidates) in parts.iter_mut().zip(candidates.chunks_mut(restarts)) {
            part.score(candidates, settings, &mut by_row)?;
            part.restart_from(candidates, settings.seed);
        }
        let scores = known.iter().map(|&row| by_row[row]).collect();
        found.push(HeldOut::new(scores));
    }
    Ok(found)
}

impl Part<'_> {
    /// One restart from its start.
    ///
    /// Learners by samples draw from a stream of the fold and the restart, the same at every ridge: noise in common
    /// cancels where ridges are compared.
    fn learn(&self, index: usize, mut learning: LearningSettings, seed: u64) -> Result<Candidate> {
        let Start { weights, is_warm } = self.starts[index].clone();
        if is_warm {
            // Only a finish has a warm-up before it.
            learning.warm_up = 0;
        }
        let stream = (self.fold as u64 + 1) << 32 | index as u64;
        let outcome = learn_with(&self.problem, weights, &learning, false, (seed, stream))?;
        Candidate::new(&self.problem, index, outcome, learning.tolerance)
    }

    /// Writes the chosen candidate's log-likelihoods of the rows held out.
    fn score(
        &self,
        candidates: &[Candidate],
        settings: &FitSettings,
        by_row: &mut [f64],
    ) -> Result<()> {
        let (chosen, _) = settings
            .principle
            .select(candidates)
            .ok_or_else(|| Error::failed("no restart gave a candidate".to_string()))?;
        let scores = score(&candidates[chosen].network, &self.held)?.by_distinct_row;
        for (&row, &distinct) in self.rows.iter().zip(self.held.distinct_of()) {
            by_row[row] = scores[distinct as usize];
        }
        Ok(())
    }

    /// Sets the starts at the next ridge.
    fn restart_from(&mut self, candidates: &mut [Candidate], seed: u64) {
        cluster(candidates);
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
                Start::random(&self.problem, seed, at)
            };
        }
    }
}
