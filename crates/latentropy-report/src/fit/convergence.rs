//! How the restarts got to where they ended: residual and likelihood by step.

use super::run::Run;
use super::traces::Trace;
use super::words;
use crate::charts::{Axis, Figure, Kind, Plot, Point, Reference, Series, label};
use crate::page::paragraph;
use latentropy::fit::record::LookRecord;

/// Residuals below this are as good as zero.
const LEAST: f64 = 1e-17;
/// So many steps are best seen as they are; more by their logarithms.
const MOST_LINEAR: usize = 400;

pub(super) fn html(run: &Run) -> String {
    let html = paragraph(&sentence(run)) + &looks(run);
    html + &match figure(run) {
        Some(figure) => figure.html(),
        None => paragraph(&why_no_figure(run)),
    }
}

/// The way of the restarts, or else the looks at the validation rows; none where neither was kept.
pub(super) fn figure(run: &Run) -> Option<Figure> {
    match run.exhibits.traces.iter().any(is_a_way) {
        true => Some(steps(run)),
        false => curve(run),
    }
}

/// One point is no way: a learner by samples measures its end alone.
fn is_a_way(trace: &Trace) -> bool {
    trace.steps.len() > 1
}

/// Why nothing is drawn, and what would change that.
fn why_no_figure(run: &Run) -> String {
    let learner = run.record.settings.learner.as_str();
    let what = match learner {
        "cd" | "pcd" => {
            " With rows kept for validation (`latentropy fit --validation 0.2`) it looks at them on its way, and that is drawn \
             here."
        }
        _ => "",
    };
    format!("This learner works by samples and keeps no trace of its steps.{what}")
}

/// How likely the rows are that were kept for validation, where there are any.
pub(super) fn of_validation_rows(run: &Run) -> Option<String> {
    let found = run.record.result.validation.as_ref()?;
    Some(format!(
        "The mean log-likelihood of {} that the machine was not learned from is {} ± {} nats.",
        words::counted(found.rows as u64, "row"),
        words::weight(found.log_likelihood),
        label(found.std_err, 2),
    ))
}

/// What the rows kept for validation say of the chosen machine.
fn looks(run: &Run) -> String {
    let (Some(found), Some(mut text)) = (&run.record.result.validation, of_validation_rows(run))
    else {
        return String::new();
    };
    if let (Some(kept), Some(last)) = (found.kept_pass, found.looks.last()) {
        text += &format!(
            " They were looked at {} while it learned; the weights are those of pass {kept} of {}, where they were \
             foretold best.",
            words::counted(found.looks.len() as u64, "time"),
            last.pass
        );
    }
    paragraph(&text)
}

/// The looks at the validation rows, where there were any.
fn curve(run: &Run) -> Option<Figure> {
    let found = run.record.result.validation.as_ref()?;
    let last = found.looks.last()?.pass;
    let line = |name: &str, style: usize, value: fn(&LookRecord) -> f64| {
        let points = found.looks.iter();
        let points =
            points.map(|look| Point::new(look.pass as f64, value(look)).error(look.std_err));
        Series::new(name, Kind::Line, points).style(style).solid()
    };
    let x = || match last {
        0..=MOST_LINEAR => Axis::linear("pass"),
        _ => Axis::log("pass"),
    };
    let likelihood = Plot::new("How likely the rows")
        .x(x())
        .y(Axis::linear("log-likelihood of a row (nats)"))
        .series(line("rows learned from", 0, |look| {
            look.training_log_likelihood
        }))
        .series(line("validation rows", 1, |look| {
            look.validation_log_likelihood
        }));
    let gaps = found.looks.iter();
    let gaps = gaps.map(|look| Point::new(look.pass as f64, look.free_energy_gap));
    let gap = Plot::new("How far apart the free energies")
        .x(x())
        .y(Axis::linear("validation less training (nats)"))
        .series(Series::new("", Kind::Line, gaps).style(2).solid());
    Some(
        Figure::new("")
            .panel_size(430.0, 330.0)
            .panel(likelihood)
            .panel(gap)
            .caption(
                "Each look judges the mean of the weights over about the last fifth of the passes. The gap of the mean free \
                 energies needs no log Z; it grows where a machine learns its rows by heart.",
            ),
    )
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
    if let Some(far) = run.record.result.residual_in_errors {
        return format!(
            "The machine was learned by samples in {}; its largest residual is {} of that constraint's standard error in \
             the data.",
            words::counted(run.chosen().iterations as u64, "step"),
            label(far, 1),
        );
    }
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
fn steps(run: &Run) -> Figure {
    let traces = run.exhibits.traces.iter();
    let (traces, restarts) = (
        traces.filter(|trace| is_a_way(trace)).count(),
        run.candidates.len(),
    );
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
