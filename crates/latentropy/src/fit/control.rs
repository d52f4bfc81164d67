//! Who watches a fit, who may stop it, and where its pieces are noted.

use super::journal::Journal;
use crate::learning::{Cancel, LoopControl, Outcome, Progress};
use crate::selection::Candidate;

/// What a fit is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Learning one of the machines that are compared without some rows, which it is then to foretell.
    Comparing {
        /// The machine's name.
        machine: String,
        /// How many pieces that takes: its folds, and all rows.
        pieces: usize,
    },
    /// Finding the ridge by evidence.
    Evidence,
    /// Learning from many starts.
    Restarts {
        /// How many.
        count: usize,
    },
    /// Refitting to resamples.
    Refits {
        /// How many.
        count: usize,
    },
}

/// Watches a fit from outside; called from worker threads.
pub trait Observer: Sync {
    /// A stage begins.
    fn stage(&self, _stage: Stage) {}

    /// A restart goes on.
    fn progress(&self, _progress: &Progress<'_>) {}

    /// A restart has ended, of the comparison or of the fit itself.
    fn restart_done(&self, _index: usize, _outcome: &Outcome) {}

    /// A restart of the fit itself has been certified; its trace is with it where that is wanted.
    fn candidate_done(&self, _candidate: &Candidate) {}

    /// A fold of a comparison has been scored.
    fn piece_done(&self) {}

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

/// Control over a fit from outside.
#[derive(Clone)]
pub struct Control<'a> {
    /// Stops it.
    pub cancel: Cancel,
    /// Watches it.
    pub observer: &'a dyn Observer,
    /// Notes every restart that ends, and knows those that ended before.
    pub journal: Option<&'a Journal<Outcome>>,
}

impl Default for Control<'_> {
    fn default() -> Self {
        Control {
            cancel: Cancel::default(),
            observer: &Silent,
            journal: None,
        }
    }
}

impl Control<'_> {
    /// Runs something that wants a control for its loops.
    pub(crate) fn with_loop<T>(&self, run: impl FnOnce(LoopControl<'_>) -> T) -> T {
        let watch = |progress: &Progress<'_>| self.observer.progress(progress);
        run(LoopControl {
            cancel: &self.cancel,
            watch: &watch,
        })
    }
}
