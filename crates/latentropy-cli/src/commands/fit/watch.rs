//! Watches a fit: progress for people, traces for the report.

use crate::progress::{Busy, Counter};
use crate::render::words;
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
            Stage::Comparing {
                candidates,
                ridges,
                machines,
                folds,
            } => {
                let counter = Counter::new(candidates, "fits", self.quiet);
                counter.say(&format!(
                    ", cross-validating {} for {} with {}",
                    words::counted(ridges as u64, "ridge"),
                    words::counted(machines as u64, "machine"),
                    words::counted(folds as u64, "fold"),
                ));
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
        self.advance(Some(outcome.point.log_likelihood));
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
