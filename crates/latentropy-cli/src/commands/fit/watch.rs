//! Watches the restarts of a fit: progress for people, traces for the report, the journal for a run that is cut off.

use super::journal::Journal;
use super::plan::Plan;
use crate::progress::FitProgress;
use latentropy::learning::Outcome;
use latentropy::selection::{Candidate, Observer};
use latentropy_report::fit::TraceKeeper;

/// All observers in one.
pub(super) struct Watch {
    progress: FitProgress,
    traces: TraceKeeper,
    wants_traces: bool,
    journal: Option<Journal>,
}

impl Watch {
    /// Whether restarts keep their traces for a report.
    pub(super) fn traced(plan: &Plan, reported: bool) -> bool {
        // A learner by samples would be evaluated along its way, and so might stop elsewhere.
        reported && !plan.settings.learning.learner.is_stochastic()
    }

    /// With a journal the run can be resumed, and has a report.
    pub(super) fn new(plan: &Plan, quiet: bool, journal: Option<Journal>) -> Self {
        Watch {
            progress: FitProgress::new(plan.settings.restarts, quiet),
            traces: TraceKeeper::default(),
            wants_traces: Watch::traced(plan, journal.is_some()),
            journal,
        }
    }

    /// Takes the progress off the screen; the traces and the journal stay.
    pub(super) fn into_parts(self) -> (TraceKeeper, Option<Journal>) {
        (self.traces, self.journal)
    }
}

impl Observer for Watch {
    fn candidate_done(&self, candidate: &Candidate) {
        self.progress.candidate_done(candidate);
        if self.wants_traces {
            self.traces.keep(candidate);
        }
    }

    fn known(&self, index: usize) -> Option<Outcome> {
        self.journal.as_ref()?.known(index)
    }

    fn learned(&self, index: usize, outcome: &Outcome) {
        if let Some(journal) = &self.journal {
            journal.add(index, outcome);
        }
    }

    fn wants_traces(&self) -> bool {
        self.wants_traces
    }
}
