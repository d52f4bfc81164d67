//! How the restarts got to where they ended: residual and likelihood by step.

use super::run::Run;
use super::traces::Trace;
use super::words;
use crate::charts::{Axis, Figure, Kind, Plot, Point, Reference, Series};
use crate::page::paragraph;

/// Residuals below this are as good as zero.
const LEAST: f64 = 1e-17;
/// So many steps are best seen as they are; more by their logarithms.
const MOST_LINEAR: usize = 400;

pub(super) fn html(run: &Run) -> String {
    let html = paragraph(&sentence(run));
    if run.exhibits.traces.is_empty() {
        return html + &paragraph("This learner works by samples and keeps no trace of its steps.");
    }
    html + &figure(run).html()
}

/// The most steps that a restart made.
fn longest(run: &Run) -> usize {
    let steps = run.candidates.iter().map(|c| c.iterations);
    steps.max().unwrap_or(0)
}

fn sentence(run: &Run) -> String {
    let restarts = run.candidates.len();
    let is_converged = |stop: &str| stop == "converged";
    let converged = run.candidates.iter().filter(|c| is_converged(&c.stop));
    let who = match (converged.count(), restarts) {
        (0, 1) => "The restart did not come".to_string(),
        (1, 1) => "The restart came".to_string(),
        (0, _) => format!("None of {restarts} restarts came"),
        (some, all) if some == all => format!("All {all} restarts came"),
        (some, all) => format!("{some} of {all} restarts came"),
    };
    format!(
        "{who} to the tolerance of {}; {} {}.",
        words::typed(run.record.settings.tol),
        if restarts == 1 {
            "it took"
        } else {
            "the longest took"
        },
        words::counted(longest(run) as u64, "step"),
    )
}

/// Residual and likelihood by step.
pub(super) fn figure(run: &Run) -> Figure {
    let (traces, restarts) = (run.exhibits.traces.len(), run.candidates.len());
    let tolerance = Reference::Horizontal(run.record.settings.tol, "tolerance".to_string());
    let residual = ways(
        run,
        "How far from a solution",
        Axis::log("residual"),
        |step| step.2.max(LEAST),
    );
    let likelihood = ways(
        run,
        "How likely the data",
        Axis::linear("log-likelihood of a row (nats)"),
        |step| step.1,
    );
    let shown = match traces {
        count if count < restarts => format!(" {count} of the {restarts} restarts are shown."),
        _ => String::new(),
    };
    Figure::new("")
        .panel_size(430.0, 330.0)
        .panel(residual.reference(tolerance))
        .panel(likelihood)
        .caption(format!(
            "The residual is the largest difference between what the data ask for and what the machine gives.{shown}"
        ))
}

/// One line per trace, the chosen restart's on top.
fn ways(run: &Run, title: &str, y: Axis, value: fn(&(usize, f64, f64)) -> f64) -> Plot {
    let x = match longest(run) {
        0..=MOST_LINEAR => Axis::linear("step"),
        _ => Axis::log("step"),
    };
    let line = |trace: &Trace, name: &str, style: usize, opacity: f64| {
        let points = trace.steps.iter();
        let points = points.map(|step| Point::new(step.0 as f64 + 1.0, value(step)));
        Series::new(name, Kind::Line, points)
            .style(style)
            .solid()
            .opacity(opacity)
    };
    let chosen = run.chosen().index;
    let is_chosen = |trace: &&Trace| trace.candidate == chosen;
    let traces = &run.exhibits.traces;
    let mut plot = Plot::new(title).x(x).y(y);
    for trace in traces.iter().filter(|trace| !is_chosen(trace)) {
        plot = plot.series(line(trace, "other restarts", 0, 0.35));
    }
    for trace in traces.iter().filter(is_chosen) {
        plot = plot.series(line(trace, "the chosen restart", 1, 1.0));
    }
    plot
}
