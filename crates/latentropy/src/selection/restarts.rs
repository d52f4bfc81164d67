//! Restarts in parallel: each from its own stream of random numbers, every candidate kept.

use super::candidate::Candidate;
use super::cluster::cluster;
use super::principle::Principle;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learning::{
    Learner, LearningEngine, LearningSettings, Outcome, Penalty, Problem, check_mini_batches,
    learn, learn_restart,
};
use crate::network::Network;
use rayon::prelude::*;

/// Everything that steers a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct FitSettings {
    /// Each restart's learning.
    pub learning: LearningSettings,
    /// How many restarts.
    pub restarts: usize,
    /// Seed of all streams of random numbers.
    pub seed: u64,
    /// How the winner is chosen.
    pub principle: Principle,
    /// Whether candidates keep their traces.
    pub keep_traces: bool,
}

impl Default for FitSettings {
    fn default() -> Self {
        FitSettings {
            learning: LearningSettings::default(),
            restarts: 100,
            seed: 0,
            principle: Principle::LatentMaximumEntropy,
            keep_traces: false,
        }
    }
}

/// Watches a fit or a cross-validation from outside; called from worker threads.
pub trait Observer: Sync {
    /// A restart has ended.
    fn candidate_done(&self, _candidate: &Candidate) {}

    /// How restart `index` ended in an earlier run of the same fit, where that is known; it is not learned again.
    fn known(&self, _index: usize) -> Option<Outcome> {
        None
    }

    /// A restart has just been learned.
    fn learned(&self, _index: usize, _outcome: &Outcome) {}

    /// A resample of the bootstrap has been refitted.
    fn refit_done(&self) {}

    /// Whether the candidates shown to [`Observer::candidate_done`] must have their traces, kept for good or not.
    fn wants_traces(&self) -> bool {
        false
    }
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

/// All candidates and the chosen one.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Position of the chosen candidate.
    pub selected: usize,
    /// False where no candidate was a proper solution; a warning says why.
    pub selected_is_feasible: bool,
    /// Every restart's result, in order.
    pub candidates: Vec<Candidate>,
    /// How many distinct solutions there are.
    pub distinct_solutions: usize,
    /// What a user should know.
    pub warnings: Vec<String>,
}

impl Fit {
    /// The chosen candidate.
    pub fn chosen(&self) -> &Candidate {
        &self.candidates[self.selected]
    }
}

/// Learns `structure` (its weights do not matter) from many starts and chooses by the principle.
pub fn fit(
    structure: &Network,
    data: &Dataset,
    settings: &FitSettings,
    observer: &dyn Observer,
) -> Result<Fit> {
    let learning = settings.learning.checked()?;
    if settings.restarts == 0 {
        return Err(Error::invalid("--restarts must be at least 1".to_string()));
    }
    let problem = prepare(structure, data, &learning)?;
    let mut candidates = (0..settings.restarts)
        .into_par_iter()
        .with_max_len(1)
        .map(|index| {
            let outcome = match observer.known(index) {
                Some(outcome) => outcome,
                None => {
                    let outcome = learn_restart(
                        &problem,
                        &learning,
                        settings.seed,
                        index as u64,
                        settings.keep_traces || observer.wants_traces(),
                    )?;
                    observer.learned(index, &outcome);
                    outcome
                }
            };
            let mut candidate = Candidate::new(&problem, index, outcome, learning.tolerance)?;
            observer.candidate_done(&candidate);
            if !settings.keep_traces {
                candidate.trace = Vec::new();
            }
            Ok(candidate)
        })
        .collect::<Result<Vec<Candidate>>>()?;
    let distinct_solutions = cluster(&mut candidates);
    let (selected, warning) = settings
        .principle
        .select(&candidates)
        .ok_or_else(|| Error::failed("no restart gave a candidate".to_string()))?;
    Ok(Fit {
        selected,
        selected_is_feasible: candidates[selected].feasible,
        candidates,
        distinct_solutions,
        warnings: warning.into_iter().collect(),
    })
}

/// The problem of a structure, rows and settings.
pub(super) fn prepare(
    structure: &Network,
    data: &Dataset,
    learning: &LearningSettings,
) -> Result<Problem> {
    let penalty = Penalty {
        ridge: learning.ridge,
        bound: learning.bound,
    };
    if learning.batch.is_some() {
        check_mini_batches(structure, data)?;
    }
    match learning.engine {
        LearningEngine::Exact => {
            Problem::new(structure, data, penalty, learning.learner == Learner::EmIs)
        }
        engine => Problem::by_engine(structure, data, penalty, engine),
    }
}

/// One restart, from these weights to its candidate.
pub(super) fn run(
    problem: &Problem,
    index: usize,
    start: Vec<f64>,
    learning: &LearningSettings,
    keep_trace: bool,
) -> Result<Candidate> {
    let outcome = learn(problem, start, learning, keep_trace)?;
    Candidate::new(problem, index, outcome, learning.tolerance)
}
