//! Progress on standard error: bars with the time left, on a terminal only.

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use latentropy::selection::{Candidate, Observer};
use std::fmt;
use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A bar that counts, and is wiped when it goes out of scope.
#[derive(Debug)]
pub(crate) struct Counter(ProgressBar);

impl Counter {
    /// A bar up to `total` `things`; invisible unless standard error is a terminal and not quiet.
    pub(crate) fn new(total: usize, things: &'static str, quiet: bool) -> Self {
        let template =
            format!("{{bar:20}} {{pos}}/{{len}} {things}, {{elapsed}} so far{{left}}{{msg}}");
        Counter(bar(total as u64, &template, quiet))
    }

    /// Counts more things.
    pub(crate) fn advance(&self, by: usize) {
        self.0.inc(by as u64);
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A sign of life for work of unknown length, wiped when it goes out of scope.
#[derive(Debug)]
pub(crate) struct Busy(ProgressBar);

impl Busy {
    /// Says what is going on.
    pub(crate) fn new(what: &str, quiet: bool) -> Self {
        let busy = bar(0, "{spinner} {msg}, {elapsed} so far", quiet);
        busy.set_message(what.to_string());
        Busy(busy)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn bar(total: u64, template: &str, quiet: bool) -> ProgressBar {
    if quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    // A template that cannot be read leaves the plain style.
    if let Ok(style) = ProgressStyle::with_template(template) {
        let left = |state: &ProgressState, text: &mut dyn fmt::Write| {
            // Before the first thing is done there is nothing to tell the time left from.
            if state.pos() > 0 {
                let _ = write!(text, ", {} left", HumanDuration(state.eta()));
            }
        };
        bar.set_style(style.progress_chars("=> ").with_key("left", left));
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Watches a bootstrap: counts refits.
#[derive(Debug)]
pub(crate) struct RefitProgress(Counter);

impl RefitProgress {
    /// A bar over so many refits.
    pub(crate) fn new(refits: usize, quiet: bool) -> Self {
        RefitProgress(Counter::new(refits, "refits", quiet))
    }
}

impl Observer for RefitProgress {
    fn refit_done(&self) {
        self.0.advance(1);
    }
}

/// Watches a fit: counts restarts and shows the best log-likelihood so far.
#[derive(Debug)]
pub(crate) struct FitProgress {
    counter: Counter,
    best: Mutex<f64>,
}

impl FitProgress {
    /// A bar over so many restarts.
    pub(crate) fn new(restarts: usize, quiet: bool) -> Self {
        FitProgress {
            counter: Counter::new(restarts, "restarts", quiet),
            best: Mutex::new(f64::NEG_INFINITY),
        }
    }
}

impl Observer for FitProgress {
    fn candidate_done(&self, candidate: &Candidate) {
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        *best = best.max(candidate.log_likelihood);
        self.counter.0.set_message(format!(", best {:.4}", *best));
        self.counter.advance(1);
    }
}

/// Watches a cross-validation: counts its fits.
#[derive(Debug)]
pub(crate) struct ChoiceProgress(Counter);

impl ChoiceProgress {
    /// A bar over so many fits; `what` says what they are for.
    pub(crate) fn new(fits: usize, what: &str, quiet: bool) -> Self {
        let counter = Counter::new(fits, "fits", quiet);
        counter.0.set_message(format!(", {what}"));
        ChoiceProgress(counter)
    }
}

impl Observer for ChoiceProgress {
    fn candidate_done(&self, _candidate: &Candidate) {
        self.0.advance(1);
    }
}
