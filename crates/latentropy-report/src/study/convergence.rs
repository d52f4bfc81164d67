//! Figure 2: how fast learners climb, by iterations, by cost and by the clock.

use super::StudyFigure;
use crate::charts::{Axis, Figure, Kind, Plot, Point, Series};
use latentropy_study::{Arm, Convergence, Curve, Spec, Summary, Table, TracePoint};

const HEIGHT: &str = "mean log-likelihood of a row (nats)";
/// Gaps below this are rounding.
const LEAST_GAP: f64 = 1e-6;

/// An arm's name in a legend, with the step that did best.
fn label(arm: &Arm, step: Option<f64>) -> String {
    match step {
        Some(step) => format!("{}: {step}", arm.label()),
        None => arm.label().to_string(),
    }
}

/// Curves with their names.
fn named<'a>(
    settings: &'a Convergence,
    summary: &'a Summary,
) -> impl Iterator<Item = (String, &'a Curve)> {
    summary.curves.iter().filter_map(|curve| {
        let arm = settings.arms.iter().find(|arm| arm.name == curve.arm)?;
        Some((label(arm, curve.step), curve))
    })
}

/// Log-likelihoods from the first start, and how far they are below the highest that any learner reached.
pub(super) fn convergence(spec: &Spec, settings: &Convergence, summary: &Summary) -> Figure {
    let points = summary.curves.iter().flat_map(|curve| &curve.trace);
    let highest = points
        .map(|point| point.log_likelihood)
        .fold(f64::NEG_INFINITY, f64::max);
    let panel = |title: &str,
                 x: &str,
                 y: Axis,
                 at: &dyn Fn(&TracePoint) -> u64,
                 height: &dyn Fn(f64) -> f64| {
        let mut plot = Plot::new(title).x(Axis::log(x)).y(y);
        for (name, curve) in named(settings, summary) {
            // A logarithmic axis has no zero: the start itself is left out.
            let points = curve.trace.iter().filter(|point| at(point) > 0);
            let points =
                points.map(|point| Point::new(at(point) as f64, height(point.log_likelihood)));
            plot = plot.series(Series::new(name, Kind::Line, points));
        }
        plot
    };
    let iterations = |point: &TracePoint| point.iterations;
    let passes = |point: &TracePoint| point.passes;
    let gap = |value: f64| {
        if highest - value >= LEAST_GAP {
            highest - value
        } else {
            f64::NAN
        }
    };
    let gap_axis = || Axis::log("below the highest reached (nats)");
    let (by_iterations, by_passes) = ("iterations", "passes over the states");
    Figure::new("Figure 2. How fast learners climb from the same start")
        .caption(format!(
            "{} visible and {} hidden units, pairs only, T = {}: the first start of the first truth, seed {}. Above the \
             log-likelihood, below its distance to the highest that any of the learners reached. A pass is one E step, one \
             free phase or one update of a single term; a Hessian counts as two. Fixed steps: the one that ends highest on \
             average over {} truths × {} starts. The annealed run has its own start.",
            settings.truth.visible, settings.fitted.hidden, settings.rows, spec.seed, settings.truths, settings.starts
        ))
        .panel(panel("by iterations", by_iterations, Axis::linear(HEIGHT), &iterations, &|v| v))
        .panel(panel("by cost", by_passes, Axis::linear(HEIGHT), &passes, &|v| v))
        .panel(panel("", by_iterations, gap_axis(), &iterations, &gap))
        .panel(panel("", by_passes, gap_axis(), &passes, &gap))
        .panel_size(560.0, 360.0)
}

/// Figure 2 by the clock, from the points that each arm reached and when; its times differ from run to run.
pub fn convergence_by_time(
    spec: &Spec,
    summary: &Summary,
    reached: &[Vec<(TracePoint, f64)>],
) -> Option<StudyFigure> {
    let settings = spec.convergence.as_ref()?;
    let mut table = Table::new(&["arm", "step", "iterations", "seconds", "log_likelihood"]);
    let mut plot = Plot::new("")
        .x(Axis::log("seconds"))
        .y(Axis::linear(HEIGHT));
    for ((name, curve), points) in named(settings, summary).zip(reached) {
        table.rows.extend(points.iter().map(|(point, seconds)| {
            vec![
                curve.arm.clone(),
                curve.step.map(|step| step.to_string()).unwrap_or_default(),
                point.iterations.to_string(),
                format!("{seconds:e}"),
                format!("{:?}", point.log_likelihood),
            ]
        }));
        let points = points
            .iter()
            .map(|(point, seconds)| Point::new(*seconds, point.log_likelihood));
        plot = plot.series(Series::new(name, Kind::Line, points));
    }
    Some(StudyFigure {
        name: "figure-2-time".to_string(),
        figure: Figure::new("Figure 2 by the clock")
            .caption(
                "The shortest of five runs of so many iterations, on one thread of the machine that drew this, whatever \
                 else it was doing.",
            )
            .panel(plot)
            .panel_size(820.0, 460.0),
        tables: vec![("figure-2-time.csv".to_string(), table)],
    })
}
