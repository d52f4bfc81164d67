//! How the restarts got to where they ended: residual and likelihood by step.

use super::evidence::Trace;
use super::run::Run;
use super::words;
use crate::charts::{Axis, Figure, Kind, Plot, Point, Reference, Series};
use crate::page::paragraph;

/// Residuals below this are as good as zero.
const LEAST: f64 = 1e-17;

pub(super) fn html(run: &Run) -> String {
    let traces = &run.evidence.traces;
    let restarts = run.candidates.len();
    let converged = run
        .candidates
        .iter()
        .filter(|c| c.stop == "converged")
        .count();
    let steps = run
        .candidates
        .iter()
        .map(|c| c.iterations)
        .max()
        .unwrap_or(0);
    let tolerance: Option<f64> = run.setting("tol").parse().ok();
    let who = match (converged, restarts) {
        (0, 1) => "The restart did not come".to_string(),
        (1, 1) => "The restart came".to_string(),
        (0, _) => format!("None of {restarts} restarts came"),
        (some, all) if some == all => format!("All {all} restarts came"),
        (some, all) => format!("{some} of {all} restarts came"),
    };
    let mut html = paragraph(&format!(
        "{who} to the tolerance of {}; {} {}.",
        words::typed(tolerance.unwrap_or(f64::NAN)),
        if restarts == 1 {
            "it took"
        } else {
            "the longest took"
        },
        words::counted(steps as u64, "step"),
    ));
    if traces.is_empty() {
        return html + &paragraph("This learner works by samples and keeps no trace of its steps.");
    }
    let chosen = run.chosen().index;
    let way = |title: &str, y: Axis, value: fn(&(usize, f64, f64)) -> f64| {
        let x = match steps {
            // A few hundred steps are best seen as they are.
            0..=400 => Axis::linear("step"),
            _ => Axis::log("step"),
        };
        let mut plot = Plot::new(title).x(x).y(y);
        let line = |trace: &Trace, name: &str, style: usize, opacity: f64| {
            let points = trace.steps.iter();
            let points = points.map(|step| Point::new(step.0 as f64 + 1.0, value(step)));
            Series::new(name, Kind::Line, points)
                .style(style)
                .solid()
                .opacity(opacity)
        };
        for trace in traces.iter().filter(|trace| trace.candidate != chosen) {
            plot = plot.series(line(trace, "other restarts", 0, 0.35));
        }
        for trace in traces.iter().filter(|trace| trace.candidate == chosen) {
            plot = plot.series(line(trace, "the chosen restart", 1, 1.0));
        }
        plot
    };
    let mut residual = way("How far from a solution", Axis::log("residual"), |step| {
        step.2.max(LEAST)
    });
    if let Some(tolerance) = tolerance {
        residual = residual.reference(Reference::Horizontal(tolerance, "tolerance".to_string()));
    }
    let likelihood = way(
        "How likely the data",
        Axis::linear("log-likelihood of a row (nats)"),
        |step| step.1,
    );
    let shown = match traces.len() {
        count if count < restarts => format!(" {count} of the {restarts} restarts are shown."),
        _ => String::new(),
    };
    html += &Figure::new("")
        .panel_size(430.0, 330.0)
        .panel(residual)
        .panel(likelihood)
        .caption(format!(
            "The residual is the largest difference between what the data ask for and what the machine gives.{shown}"
        ))
        .html();
    html
}
