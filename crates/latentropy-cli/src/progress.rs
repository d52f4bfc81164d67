//! Progress on standard error: bars with the time left, on a terminal only.

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt;
use std::io::{self, IsTerminal};
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

    /// Says more behind the bar.
    pub(crate) fn say(&self, what: &str) {
        self.0.set_message(what.to_string());
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
