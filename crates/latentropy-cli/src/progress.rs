//! Progress on standard error: bars with the time left, on a terminal only.

use crate::pace;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What is said last on a line, asked for whenever it is drawn.
pub(crate) type Behind = Arc<dyn Fn() -> String + Send + Sync>;

/// A bar that counts, and is wiped when it goes out of scope.
#[derive(Debug)]
pub(crate) struct Counter {
    bar: ProgressBar,
    /// When something was counted last, in milliseconds since the bar began.
    counted: Arc<AtomicU64>,
}

impl Counter {
    /// A bar up to `total` `things`; invisible unless standard error is a terminal and not quiet.
    pub(crate) fn new(total: usize, things: &'static str, quiet: bool) -> Self {
        Counter::with(total, things, Arc::new(String::new), quiet)
    }

    /// The same, with something that is said behind it.
    pub(crate) fn with(total: usize, things: &'static str, behind: Behind, quiet: bool) -> Self {
        let template = format!(
            "{{bar:20}} {{pos}}/{{len}} {things}, {{elapsed}} so far{{left}}{{msg}}{{behind}}"
        );
        let counted = Arc::new(AtomicU64::new(0));
        Counter {
            bar: bar(total as u64, &template, &counted, behind, quiet),
            counted,
        }
    }

    /// Says more behind the bar.
    pub(crate) fn say(&self, what: &str) {
        self.bar.set_message(what.to_string());
    }

    /// Counts more things.
    pub(crate) fn advance(&self, by: usize) {
        let now = self.bar.elapsed().as_millis() as u64;
        self.counted.store(now, Ordering::Relaxed);
        self.bar.inc(by as u64);
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A sign of life for work of unknown length, wiped when it goes out of scope.
#[derive(Debug)]
pub(crate) struct Busy(ProgressBar);

impl Busy {
    /// Says what is going on.
    pub(crate) fn new(what: &str, quiet: bool) -> Self {
        Busy::with(what, Arc::new(String::new), quiet)
    }

    /// The same, with something that is said behind it.
    pub(crate) fn with(what: &str, behind: Behind, quiet: bool) -> Self {
        let template = "{spinner} {msg}, {elapsed} so far{behind}";
        let busy = bar(0, template, &Arc::default(), behind, quiet);
        busy.set_message(what.to_string());
        Busy(busy)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Whether progress is shown at all.
pub(crate) fn is_shown(quiet: bool) -> bool {
    !quiet && io::stderr().is_terminal()
}

fn bar(
    total: u64,
    template: &str,
    counted: &Arc<AtomicU64>,
    behind: Behind,
    quiet: bool,
) -> ProgressBar {
    if !is_shown(quiet) {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    // A template that cannot be read leaves the plain style.
    if let Ok(style) = ProgressStyle::with_template(template) {
        let counted = Arc::clone(counted);
        let left = move |state: &ProgressState, text: &mut dyn fmt::Write| {
            let counted = counted.load(Ordering::Relaxed) as f64 / 1e3;
            let (done, all) = (state.pos(), state.len().unwrap_or(0));
            let now = state.elapsed().as_secs_f64();
            if let Some(left) = pace::by_count(counted, now, done, all) {
                let _ = write!(text, ", {}", pace::about(left));
            }
        };
        let behind = move |_: &ProgressState, text: &mut dyn fmt::Write| {
            let _ = text.write_str(&behind());
        };
        let style = style.progress_chars("=> ");
        bar.set_style(style.with_key("left", left).with_key("behind", behind));
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
