//! Traces for the page: thinned while restarts end, so that whole ones need not be kept.

use latentropy::Candidate;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};

/// Most points that are kept of a trace.
const MOST_STEPS: usize = 120;
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
            .map(|at| (at, trace[at].log_likelihood, trace[at].residual))
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

/// Which of `length` steps to keep: the early ones densely, the later ones ever more thinly, and the last.
fn thinned(length: usize) -> Vec<usize> {
    if length <= MOST_STEPS {
        return (0..length).collect();
    }
    let last = (length - 1) as f64;
    let place = |at: usize| {
        let share = at as f64 / (MOST_STEPS - 1) as f64;
        ((last + 1.0).powf(share) - 1.0).round() as usize
    };
    let mut places: Vec<usize> = (0..MOST_STEPS).map(place).collect();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_keep_their_ends() {
        assert_eq!(thinned(3), [0, 1, 2]);
        for length in [121, 1000, 1_000_000] {
            let kept = thinned(length);
            assert!(kept.len() <= MOST_STEPS && kept.windows(2).all(|w| w[0] < w[1]));
            assert_eq!((kept[0], kept[kept.len() - 1]), (0, length - 1));
        }
    }
}
