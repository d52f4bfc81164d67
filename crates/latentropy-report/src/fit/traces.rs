//! Traces for the page: thinned while restarts end, so that whole ones need not be kept.

use latentropy::Candidate;
use latentropy::learning::thinned;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};

/// Most traces that are kept, the chosen restart's among them.
const MOST_TRACES: usize = 30;

/// A restart's way, thinned.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trace {
    pub(super) candidate: usize,
    /// Evaluation, log-likelihood, residual.
    pub(super) steps: Vec<(usize, f64, f64)>,
}

/// Collects thinned traces while restarts end.
#[derive(Debug, Default)]
pub struct TraceKeeper(Mutex<Vec<Trace>>);

impl TraceKeeper {
    /// Takes what matters of a candidate's trace.
    pub fn keep(&self, candidate: &Candidate) {
        let trace = &candidate.trace;
        let steps = thinned(trace.len())
            .into_iter()
            .map(|at| {
                (
                    trace[at].evaluation,
                    trace[at].log_likelihood,
                    trace[at].residual,
                )
            })
            .filter(|(_, likelihood, residual)| likelihood.is_finite() && residual.is_finite())
            .collect();
        let kept = Trace {
            candidate: candidate.index,
            steps,
        };
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(kept);
    }

    /// The traces that are shown, the chosen restart's first.
    pub(super) fn into_traces(self, chosen: usize) -> Vec<Trace> {
        let mut traces = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        traces.retain(|trace| !trace.steps.is_empty());
        traces.sort_by_key(|trace| (trace.candidate != chosen, trace.candidate));
        traces.truncate(MOST_TRACES);
        traces
    }
}
