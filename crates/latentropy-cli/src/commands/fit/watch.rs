//! Watches a fit: progress for people, traces for the report.

use crate::progress::{Busy, Counter};
use latentropy::fit::Stage;
use latentropy::learning::Outcome;
use latentropy::{Candidate, Observer};
use latentropy_report::fit::TraceKeeper;
use std::sync::{Mutex, PoisonError};

/// All that is shown and kept while a fit runs.
pub(super) struct Watch {
    quiet: bool,
    wants_traces: bool,
    traces: TraceKeeper,
    shown: Mutex<Shown>,
}

/// What is on the screen.
#[derive(Default)]
struct Shown {
    bar: Option<Bar>,
    best: Option<f64>,
}

/// A sign of life, or a bar that counts.
enum Bar {
    Busy(#[allow(dead_code, reason = "it is wiped when it goes out of scope")] Busy),
    Counter { counter: Counter, shows_best: bool },
}

impl Watch {
    /// Candidates keep their traces for a report where `wants_traces` is set.
    pub(super) fn new(wants_traces: bool, quiet: bool) -> Self {
        Watch {
            quiet,
            wants_traces,
            traces: TraceKeeper::default(),
            shown: Mutex::default(),
        }
    }

    /// Takes the progress off the screen; the traces stay.
    pub(super) fn into_traces(self) -> TraceKeeper {
        self.traces
    }

    fn show(&self, bar: Bar) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        // The old one is wiped before the new one is drawn.
        shown.bar = None;
        *shown = Shown {
            bar: Some(bar),
            best: None,
        };
    }

    /// True while the fit's own restarts are counted.
    fn counts_restarts(&self) -> bool {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(
            shown.bar,
            Some(Bar::Counter {
                shows_best: true,
                ..
            })
        )
    }

    fn advance(&self, log_likelihood: Option<f64>) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = log_likelihood {
            shown.best = Some(shown.best.map_or(value, |best: f64| best.max(value)));
        }
        if let Some(Bar::Counter {
            counter,
            shows_best,
        }) = &shown.bar
        {
            if let (true, Some(best)) = (*shows_best, shown.best) {
                counter.say(&format!(", best {best:.4}"));
            }
            counter.advance(1);
        }
    }
}

impl Observer for Watch {
    fn stage(&self, stage: Stage) {
        let counter = |count: usize, things: &'static str, shows_best: bool| Bar::Counter {
            counter: Counter::new(count, things, self.quiet),
            shows_best,
        };
        self.show(match stage {
            Stage::Comparing { machine, pieces } => {
                let counter = Counter::new(pieces, "folds", self.quiet);
                counter.say(&format!(", comparing machines: {machine}"));
                Bar::Counter {
                    counter,
                    shows_best: false,
                }
            }
            Stage::Evidence => Bar::Busy(Busy::new("finding the ridge by evidence", self.quiet)),
            Stage::Restarts { count } => counter(count, "restarts", true),
            Stage::Refits { count } => counter(count, "refits", false),
        });
    }

    fn restart_done(&self, _: usize, outcome: &Outcome) {
        // Restarts within a fold are no restarts of the fit.
        if self.counts_restarts() {
            self.advance(Some(outcome.point.log_likelihood));
        }
    }

    fn piece_done(&self) {
        self.advance(None);
    }

    fn candidate_done(&self, candidate: &Candidate) {
        if self.wants_traces {
            self.traces.keep(candidate);
        }
    }

    fn refit_done(&self) {
        self.advance(None);
    }

    fn wants_traces(&self) -> bool {
        self.wants_traces
    }
}
