//! Watches the restarts of a fit: progress for people, traces for the report.

use super::plan::Plan;
use crate::progress::FitProgress;
use latentropy::selection::{Candidate, Observer};
use latentropy_report::fit::TraceKeeper;

/// Both observers in one.
pub(super) struct Watch {
    progress: FitProgress,
    traces: TraceKeeper,
    wants_traces: bool,
}

impl Watch {
    /// `reported` is true where the run will have a report.
    pub(super) fn new(plan: &Plan, quiet: bool, reported: bool) -> Self {
        Watch {
            progress: FitProgress::new(plan.settings.restarts, quiet),
            traces: TraceKeeper::default(),
            // A learner by samples would be evaluated along its way, and so might stop elsewhere.
            wants_traces: reported && !plan.settings.learning.learner.is_stochastic(),
        }
    }

    /// Takes the progress off the screen; the traces stay.
    pub(super) fn into_traces(self) -> TraceKeeper {
        self.traces
    }
}

impl Observer for Watch {
    fn candidate_done(&self, candidate: &Candidate) {
        self.progress.candidate_done(candidate);
        if self.wants_traces {
            self.traces.keep(candidate);
        }
    }

    fn wants_traces(&self) -> bool {
        self.wants_traces
    }
}
