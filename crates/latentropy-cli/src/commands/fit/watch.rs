//! Watches a fit: progress for people, traces for the report.

use super::inside::Inside;
use crate::progress::{self, Behind, Busy, Counter};
use latentropy::fit::Stage;
use latentropy::learning::{Outcome, Progress};
use latentropy::{Candidate, Observer};
use latentropy_report::fit::TraceKeeper;
use std::sync::{Arc, Mutex, PoisonError};

/// All that is shown and kept while a fit runs.
pub(in crate::commands) struct Watch {
    quiet: bool,
    /// Whether anybody sees it.
    is_shown: bool,
    wants_traces: bool,
    traces: TraceKeeper,
    shown: Mutex<Shown>,
    /// What goes on inside the restarts, read whenever the bar is drawn.
    inside: Arc<Mutex<Inside>>,
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
    pub(in crate::commands) fn new(wants_traces: bool, quiet: bool) -> Self {
        Watch {
            quiet,
            is_shown: progress::is_shown(quiet),
            wants_traces,
            traces: TraceKeeper::default(),
            shown: Mutex::default(),
            inside: Arc::default(),
        }
    }

    /// Takes the progress off the screen; the traces stay.
    pub(in crate::commands) fn into_traces(self) -> TraceKeeper {
        self.traces
    }

    fn inside<T>(&self, ask: impl FnOnce(&mut Inside) -> T) -> T {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        ask(&mut inside)
    }

    /// What is said last on the line, as it is when the line is drawn.
    fn behind(&self, is_numbered: bool) -> Behind {
        let inside = Arc::clone(&self.inside);
        Arc::new(move || {
            let inside = inside.lock().unwrap_or_else(PoisonError::into_inner);
            match inside.told() {
                Some((restart, told)) if is_numbered => {
                    format!("; restart {}: {told}", restart + 1)
                }
                Some((_, told)) => format!("; {told}"),
                None => String::new(),
            }
        })
    }

    fn show(&self, bar: Bar) {
        self.inside(Inside::clear);
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
            counter: Counter::with(count, things, self.behind(shows_best), self.quiet),
            shows_best,
        };
        self.show(match stage {
            Stage::Comparing { machine, pieces } => {
                let counter = Counter::with(pieces, "folds", self.behind(false), self.quiet);
                counter.say(&format!(", comparing machines: {machine}"));
                Bar::Counter {
                    counter,
                    shows_best: false,
                }
            }
            Stage::Evidence => {
                let what = "finding the ridge by evidence";
                Bar::Busy(Busy::with(what, self.behind(false), self.quiet))
            }
            Stage::Restarts { count } => counter(count, "restarts", true),
            Stage::Refits { count } => counter(count, "refits", false),
        });
    }

    fn progress(&self, progress: &Progress<'_>) {
        if self.is_shown {
            self.inside(|inside| inside.take(progress));
        }
    }

    fn restart_done(&self, _: usize, outcome: &Outcome) {
        self.inside(Inside::done);
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
        self.inside(Inside::done);
        self.advance(None);
    }

    fn wants_traces(&self) -> bool {
        self.wants_traces
    }
}
