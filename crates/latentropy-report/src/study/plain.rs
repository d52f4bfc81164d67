//! Figures 2 to 7 as the paper prints them: its curves alone, in its line styles, from iteration 0.

use crate::charts::{Axis, Figure, Kind, Plot, Point, Series};
use latentropy_study::{Arm, Convergence, Curve, Experiment, Metric, Spec, Summary};

/// Styles whose dashes are those of the paper: solid, dashed and dotted.
const SOLID: usize = 0;
const DASHED: usize = 1;
const DOTTED: usize = 2;

/// A curve of the paper's figure 2, with its name and style; none of the others.
fn as_printed(arm: &Arm) -> Option<(&'static str, usize)> {
    let is_plain = arm.finish == Some(false) && !arm.anneal;
    match (arm.learner.name(), arm.inner) {
        ("em-is", Some(4)) if is_plain => Some(("EM-IS, S = 4", SOLID)),
        ("em-is", Some(1)) if is_plain => Some(("EM-IS, S = 1", DOTTED)),
        ("em-gradient", Some(1)) if is_plain && !arm.steps.is_empty() => {
            Some(("gradient ascent", DASHED))
        }
        _ => None,
    }
}

/// Figure 2: the log-likelihood of the three, from iteration 0; none where one of them is missing.
pub(super) fn convergence(settings: &Convergence, summary: &Summary) -> Option<Figure> {
    let of =
        |arm: &Arm| -> Option<&Curve> { summary.curves.iter().find(|curve| curve.arm == arm.name) };
    let mut plot = Plot::new("")
        .x(Axis::linear("iterations"))
        .y(Axis::linear("log-likelihood"));
    let mut drawn = 0;
    for arm in &settings.arms {
        let (Some((name, style)), Some(curve)) = (as_printed(arm), of(arm)) else {
            continue;
        };
        let points = curve.trace.iter();
        let points = points.map(|point| Point::new(point.iterations as f64, point.log_likelihood));
        plot = plot.series(Series::new(name, Kind::Line, points).style(style));
        drawn += 1;
    }
    let figure = Figure::new("Figure 2 as the paper prints it")
        .caption(
            "Log-likelihood versus iteration: solid EM-IS with S = 4, dotted EM-IS with S = 1, dashed gradient ascent (the best \
             of the fixed steps).",
        )
        .panel(plot)
        .panel_size(560.0, 400.0);
    (drawn == 3).then_some(figure)
}

/// Figures 3 to 7: the means of LME and MLE against T, of the experiment's first arm that has both.
pub(super) fn levels(
    spec: &Spec,
    summary: &Summary,
    experiment: &Experiment,
    metric: Metric,
    number: u32,
) -> Option<Figure> {
    let mut arms = experiment.arms.iter().filter_map(|name| spec.arm(name));
    let arm = arms.find(|arm| !arm.single)?;
    let label = match metric {
        Metric::LogLikelihood => "average log-likelihood",
        Metric::Entropy => "average entropy",
        Metric::Loss => "average cross entropy",
    };
    let mut plot = Plot::new("")
        .x(Axis::log("T, sample size"))
        .y(Axis::linear(label));
    for (estimate, name, style) in [("lme", "LME", SOLID), ("mle", "MLE", DASHED)] {
        let levels = summary.levels_of(&experiment.name, metric, &arm.name, estimate);
        let points = levels.iter();
        let points = points.map(|level| Point::new(level.rows as f64, level.mean));
        plot = plot.series(Series::line(name, points).style(style));
    }
    Some(
        Figure::new(format!("Figure {number} as the paper prints it"))
            .caption(format!(
                "LME and MLE against the sample size; {}.",
                arm.label()
            ))
            .panel(plot)
            .panel_size(560.0, 400.0),
    )
}
