//! A study's figures: which numbers of its summary stand in which panel, and the tables that go beside them.

use crate::charts::escape;
use crate::charts::{Axis, Figure, Kind, Plot, Point, Reference, Series};
use latentropy::study::{
    Arm, Experiment, Level, Metric, Spec, Summary, Table, Verdict, curves_table, levels_table, paired_table,
};

/// A figure, the name of its files, and its numbers.
#[derive(Clone, Debug)]
pub struct StudyFigure {
    /// The files' name without an extension.
    pub name: String,
    /// What is drawn.
    pub figure: Figure,
    /// Every number that is drawn, under the names of their files.
    pub tables: Vec<(String, Table)>,
}

/// The figures of a study; only one where its number is given.
pub fn figures(spec: &Spec, summary: &Summary, number: Option<u32>) -> Vec<StudyFigure> {
    let mut figures = Vec::new();
    if !summary.curves.is_empty() && number.is_none_or(|number| number == 2) {
        figures.push(StudyFigure {
            name: "figure-2".to_string(),
            figure: convergence(spec, summary),
            tables: vec![("figure-2.csv".to_string(), curves_table(summary))],
        });
    }
    for experiment in &spec.experiments {
        if !summary.levels.iter().any(|level| level.experiment == experiment.name) {
            continue;
        }
        let wanted = |figure: &&u32| number.is_none_or(|number| number == **figure);
        for &figure in experiment.figures.iter().filter(wanted) {
            let metric = match figure {
                3 => Metric::LogLikelihood,
                4 => Metric::Entropy,
                _ => Metric::Loss,
            };
            let heading = format!("Figure {figure}. ");
            add(&mut figures, spec, summary, experiment, metric, format!("figure-{figure}"), &heading);
        }
        if experiment.figures.is_empty() && number.is_none() {
            let name = format!("experiment-{}", experiment.name);
            add(&mut figures, spec, summary, experiment, Metric::Loss, name, "");
        }
    }
    figures
}

fn add(
    figures: &mut Vec<StudyFigure>,
    spec: &Spec,
    summary: &Summary,
    experiment: &Experiment,
    metric: Metric,
    name: String,
    heading: &str,
) {
    figures.push(StudyFigure {
        figure: levels(spec, summary, experiment, metric, heading),
        tables: vec![
            (format!("{name}.csv"), levels_table(summary, &experiment.name, metric)),
            (format!("{name}-paired.csv"), paired_table(summary, &experiment.name, metric)),
        ],
        name: name.clone(),
    });
    if metric == Metric::Loss && experiment.data.is_none() {
        figures.push(StudyFigure {
            figure: tails(spec, summary, experiment, heading),
            tables: vec![(format!("{name}-tails.csv"), levels_table(summary, &experiment.name, metric))],
            name: format!("{name}-tails"),
        });
    }
}

/// What an arm's name is in a legend, with the step that did best.
fn curve_label(arm: &Arm, step: Option<f64>) -> String {
    match step {
        Some(step) => format!("{} ({step})", arm.label()),
        None => arm.label().to_string(),
    }
}

fn convergence(spec: &Spec, summary: &Summary) -> Figure {
    let Some(settings) = &spec.convergence else {
        return Figure::new("");
    };
    let panel = |title: &str, x: &str, of: &dyn Fn(&latentropy::study::TracePoint) -> u64| {
        let mut plot = Plot::new(title).x(Axis::log(x)).y(Axis::linear("mean log-likelihood of a row (nats)"));
        for curve in &summary.curves {
            let Some(arm) = settings.arms.iter().find(|arm| arm.name == curve.arm) else { continue };
            // A logarithmic axis has no zero: the start itself is left out.
            let points = curve.trace.iter().filter(|point| of(point) > 0);
            let points = points.map(|point| Point::new(of(point) as f64, point.log_likelihood));
            plot = plot.series(Series::new(curve_label(arm, curve.step), Kind::Line, points));
        }
        plot
    };
    Figure::new("Figure 2. How fast learners climb from the same start")
        .caption(format!(
            "{} visible and {} hidden units, pairs only, T = {}: the first start of the first truth, seed {}. A pass is one \
             E step, one free phase or one update of a single term; a Hessian counts as two. Fixed steps: the one that ends \
             highest on average over {} truths × {} starts. The annealed run has its own start.",
            settings.truth.visible, settings.fitted.hidden, settings.rows, spec.seed, settings.truths, settings.starts
        ))
        .panel(panel("by iterations", "iterations", &|point| point.iterations))
        .panel(panel("by cost", "passes over the states", &|point| point.passes))
        .panel_size(520.0, 400.0)
}

/// Figure 2 by the clock: its times differ from run to run.
pub fn convergence_by_time(spec: &Spec, summary: &Summary, seconds_a_pass: &[f64]) -> StudyFigure {
    let mut table = Table::new(&["arm", "step", "iterations", "seconds", "log_likelihood"]);
    let axis = Axis::log("seconds");
    let mut plot = Plot::new("").x(axis).y(Axis::linear("mean log-likelihood of a row (nats)"));
    let arms = spec.convergence.iter().flat_map(|settings| &settings.arms);
    for (curve, seconds) in summary.curves.iter().zip(seconds_a_pass) {
        let Some(arm) = arms.clone().find(|arm| arm.name == curve.arm) else { continue };
        let mut points = Vec::new();
        for point in curve.trace.iter().filter(|point| point.passes > 0) {
            let time = point.passes as f64 * seconds;
            points.push(Point::new(time, point.log_likelihood));
            table.rows.push(vec![
                curve.arm.clone(),
                curve.step.map(|step| step.to_string()).unwrap_or_default(),
                point.iterations.to_string(),
                format!("{time:e}"),
                format!("{:?}", point.log_likelihood),
            ]);
        }
        plot = plot.series(Series::new(curve_label(arm, curve.step), Kind::Line, points));
    }
    StudyFigure {
        name: "figure-2-time".to_string(),
        figure: Figure::new("Figure 2 by the clock")
            .caption(
                "The shortest of five runs, shared out over its passes, on one thread of the machine that drew this, \
                 whatever else it was doing.",
            )
            .panel(plot)
            .panel_size(640.0, 420.0),
        tables: vec![("figure-2-time.csv".to_string(), table)],
    }
}

/// How an estimate is called, and its style.
fn estimate_name(estimate: &str) -> (&'static str, usize) {
    match estimate {
        "lme" => ("LME", 0),
        "mle" => ("MLE", 1),
        _ => ("single estimate", 2),
    }
}

fn levels(spec: &Spec, summary: &Summary, experiment: &Experiment, metric: Metric, heading: &str) -> Figure {
    let held_out = experiment.data.is_some();
    let (what, label) = match metric {
        Metric::LogLikelihood => ("Average log-likelihood", "mean log-likelihood of a row (nats)"),
        Metric::Entropy => ("Average entropy", "entropy of p(x) (nats)"),
        Metric::Loss if held_out => ("Average loss on rows held out", "−log-likelihood of a row held out (nats)"),
        Metric::Loss => ("Average cross entropy to the truth", "D(p*(y) ‖ p(y)) (nats)"),
    };
    let is_log = metric == Metric::Loss;
    let range = is_log.then(|| loss_range(summary, experiment)).flatten();
    let mut figure = Figure::new(format!("{heading}{what}. {}", experiment.title));
    for name in &experiment.arms {
        let Some(arm) = spec.arm(name) else { continue };
        let mut y = if is_log { Axis::log(label) } else { Axis::linear(label) };
        if let Some((low, high)) = range {
            y = y.range(low, high);
        }
        let mut plot = Plot::new(arm.label()).x(Axis::log("T, rows of data")).y(y);
        for estimate in arm.estimates() {
            let of = summary.levels_of(&experiment.name, metric, name, estimate);
            let (called, style) = estimate_name(estimate);
            let means = of.iter().map(|level| mean_point(level, called));
            plot = plot.series(Series::line(format!("{called}, mean ± s.e."), means).style(style));
            if is_log {
                let medians = of.iter().map(|level| Point::new(level.rows as f64, level.median));
                let name = format!("{called}, median");
                plot = plot.series(Series::new(name, Kind::Line, medians).style(style).opacity(0.55));
            }
        }
        figure = figure.panel(plot);
    }
    let drawn = if held_out {
        format!("{} subsamples", experiment.trials)
    } else {
        format!("{} truths × {} trials", experiment.truths, experiment.trials)
    };
    figure
        .caption(format!(
            "{drawn} a point, {} restarts unless the arm says otherwise; seed {}. Bars: one standard error, truths as \
             clusters. LME and MLE choose from the same candidates.{}",
            experiment.restarts,
            spec.seed,
            if is_log { " Thin lines: medians." } else { "" }
        ))
        .columns(experiment.arms.len().min(3))
        .panel_size(380.0, 300.0)
}

/// One range for all panels, so that arms can be compared by eye: means, medians and bars within it.
fn loss_range(summary: &Summary, experiment: &Experiment) -> Option<(f64, f64)> {
    let of = summary.levels.iter().filter(|l| l.experiment == experiment.name && l.metric == Metric::Loss);
    let (mut low, mut high) = (f64::INFINITY, 0.0f64);
    for level in of {
        for value in [level.mean, level.median, level.mean + level.std_err] {
            if value.is_finite() && value > 0.0 {
                (low, high) = (low.min(value), high.max(value));
            }
        }
    }
    (low < high).then_some((low / 1.3, high * 1.3))
}

fn mean_point(level: &Level, called: &str) -> Point {
    let point = Point::new(level.rows as f64, level.mean);
    let tip = format!(
        "{called}, T = {}\nmean {:.4} ± {:.4}\nmedian {:.4}",
        level.rows, level.mean, level.std_err, level.median
    );
    let point = point.tip(tip);
    if level.std_err.is_finite() { point.error(level.std_err) } else { point }
}

/// How often an estimate is far off: means say little where a few losses are huge.
fn tails(spec: &Spec, summary: &Summary, experiment: &Experiment, heading: &str) -> Figure {
    let mut figure = Figure::new(format!("{heading}How often the estimate is far off. {}", experiment.title));
    for name in &experiment.arms {
        let Some(arm) = spec.arm(name) else { continue };
        let y = Axis::linear(format!("share of samples with D > {}", spec.threshold)).range(0.0, 1.0);
        let mut plot = Plot::new(arm.label()).x(Axis::log("T, rows of data")).y(y);
        for estimate in arm.estimates() {
            let (called, style) = estimate_name(estimate);
            let shares = summary.levels_of(&experiment.name, Metric::Loss, name, estimate);
            let shares = shares.into_iter().map(|level| {
                let share = level.above_threshold as f64 / level.count as f64;
                let tip = format!("{called}, T = {}\n{} of {}", level.rows, level.above_threshold, level.count);
                Point::new(level.rows as f64, share).tip(tip)
            });
            plot = plot.series(Series::line(called, shares).style(style));
        }
        figure = figure.panel(plot.reference(Reference::Horizontal(0.0, String::new())));
    }
    figure
        .caption(format!(
            "Cross entropies above {} nats (seed {}): machines that all but exclude what the truth allows. With a box the cross \
             entropy stays finite; without one it would be infinite there.",
            spec.threshold, spec.seed
        ))
        .columns(experiment.arms.len().min(3))
        .panel_size(380.0, 260.0)
}

/// All figures and verdicts on one page that needs no other file.
pub fn page(spec: &Spec, figures: &[StudyFigure], verdicts: &[Verdict]) -> String {
    let mut body = format!("<h1>{}</h1><p>Seed {}.</p>", escape(&spec.title), spec.seed);
    body += "<h2>Verdicts</h2><table><tr><th>claim</th><th>where</th><th>verdict</th></tr>";
    for verdict in verdicts {
        body += &format!(
            "<tr><td>{}</td><td>{}</td><td><b>{}</b></td></tr>",
            escape(&verdict.claim),
            escape(&verdict.about),
            verdict.standing
        );
    }
    body += "</table><h2>Figures</h2>";
    for figure in figures {
        body += &format!("<div class=\"figure\">{}</div>", figure.figure.svg());
    }
    body
}
