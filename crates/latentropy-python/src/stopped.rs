//! Who watches a fit from Python: how far it is, and what there is of it if it is stopped.

use crate::failure::of_json;
use crate::network::Network;
use latentropy::fit::record::CandidateRecord;
use latentropy::fit::{Job, Stage};
use latentropy::learning::{Outcome, Progress};
use latentropy::{Candidate, Observer};
use latentropy_report::fit::TraceKeeper;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How far a fit is: what it does, pieces done, pieces in all, the residual of the latest restart, the best likelihood.
pub(crate) type HowFar = (String, usize, usize, Option<f64>, Option<f64>);

/// What is seen of a fit.
#[derive(Default)]
struct Seen {
    stage: String,
    done: usize,
    all: usize,
    counts_restarts: bool,
    residual: Option<f64>,
    best: Option<f64>,
    /// The restarts that have ended, and the job that they are of.
    ended: Vec<(usize, Outcome)>,
    job: Option<Arc<Job>>,
}

/// The observer of one fit.
pub(crate) struct Eyes {
    seen: Mutex<Seen>,
    wants_traces: bool,
    pub(crate) traces: TraceKeeper,
}

impl Eyes {
    pub(crate) fn new(wants_traces: bool) -> Self {
        Eyes {
            seen: Mutex::default(),
            wants_traces,
            traces: TraceKeeper::default(),
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The job whose restarts are to come.
    pub(crate) fn begin(&self, job: Arc<Job>) {
        self.seen().job = Some(job);
    }

    pub(crate) fn how_far(&self) -> HowFar {
        let seen = self.seen();
        (
            seen.stage.clone(),
            seen.done,
            seen.all,
            seen.residual,
            seen.best,
        )
    }
}

impl Observer for Eyes {
    fn stage(&self, stage: Stage) {
        let mut seen = self.seen();
        (seen.done, seen.counts_restarts) = (0, false);
        (seen.stage, seen.all) = match stage {
            Stage::Comparing { machine, pieces } => (format!("comparing {machine}"), pieces),
            Stage::Evidence => ("ridge by evidence".to_string(), 0),
            Stage::Restarts { count } => {
                seen.counts_restarts = true;
                ("restarts".to_string(), count)
            }
            Stage::Refits { count } => ("refits".to_string(), count),
        };
    }

    fn progress(&self, progress: &Progress<'_>) {
        self.seen().residual = Some(progress.residual);
    }

    fn restart_done(&self, index: usize, outcome: &Outcome) {
        let mut seen = self.seen();
        if seen.counts_restarts {
            seen.done += 1;
            let value = outcome.point.log_likelihood;
            seen.best = Some(seen.best.map_or(value, |best| best.max(value)));
            seen.ended.push((index, outcome.slim()));
        }
    }

    fn candidate_done(&self, candidate: &Candidate) {
        if self.wants_traces {
            self.traces.keep(candidate);
        }
    }

    fn piece_done(&self) {
        self.seen().done += 1;
    }

    fn refit_done(&self) {
        self.seen().done += 1;
    }

    fn wants_traces(&self) -> bool {
        self.wants_traces
    }
}

/// What Python holds while a fit runs: after an interrupt, the restarts that had ended are in it.
#[pyclass(module = "latentropy._core", frozen)]
#[derive(Default)]
pub(crate) struct Watch {
    eyes: Mutex<Option<Arc<Eyes>>>,
}

impl Watch {
    pub(crate) fn set(&self, eyes: Option<Arc<Eyes>>) {
        *self.eyes.lock().unwrap_or_else(PoisonError::into_inner) = eyes;
    }

    fn eyes(&self) -> Option<Arc<Eyes>> {
        let eyes = self.eyes.lock();
        eyes.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[pymethods]
impl Watch {
    #[new]
    fn new() -> Self {
        Watch::default()
    }

    /// The restarts that had ended: their records as JSON, and their machines.
    fn finished(&self, py: Python<'_>, threads: usize) -> PyResult<(String, Vec<Network>)> {
        let found = self.eyes().and_then(|eyes| {
            let mut seen = eyes.seen();
            let ended = std::mem::take(&mut seen.ended);
            Some((seen.job.clone()?, ended))
        });
        let Some((job, ended)) = found else {
            return Ok(("[]".to_string(), Vec::new()));
        };
        let candidates = crate::work::answer(py, threads, move || job.candidates_of(&ended))?;
        documents(candidates)
    }
}

/// Candidates: their records as JSON, and their machines.
pub(crate) fn documents(candidates: Vec<Candidate>) -> PyResult<(String, Vec<Network>)> {
    let records: Vec<CandidateRecord> = candidates.iter().map(CandidateRecord::new).collect();
    let networks = candidates
        .into_iter()
        .map(|candidate| Network::new(candidate.network, Vec::new()));
    let records = serde_json::to_string(&records).map_err(of_json)?;
    Ok((records, networks.collect()))
}
