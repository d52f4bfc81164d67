//! Figures 3 to 7 and those beyond: averages by sample size, one panel per arm, and who is ahead of whom.

use crate::charts::{Axis, Figure, Kind, Plot, Point, Reference, Series};
use latentropy_study::{Arm, Experiment, Level, Metric, PairedTest, Spec, Summary};

/// How an estimate is called, and its style.
fn estimate_name(estimate: &str) -> (&'static str, usize) {
    match estimate {
        "lme" => ("LME", 0),
        "mle" => ("MLE", 1),
        _ => ("single estimate", 2),
    }
}

/// Averages of LME and MLE, one panel per arm.
pub(super) fn levels(
    spec: &Spec,
    summary: &Summary,
    experiment: &Experiment,
    metric: Metric,
    heading: &str,
) -> Figure {
    let held_out = experiment.data.is_some();
    let (what, label) = match metric {
        Metric::LogLikelihood => (
            "Average log-likelihood",
            "mean log-likelihood of a row (nats)",
        ),
        Metric::Entropy => ("Average entropy", "entropy of p(x) (nats)"),
        Metric::Loss if held_out => (
            "Average loss on rows held out",
            "−log-likelihood of a row held out (nats)",
        ),
        Metric::Loss => (
            "Average cross entropy to the truth",
            "D(p*(y) ‖ p(y)) (nats)",
        ),
    };
    let is_log = metric == Metric::Loss;
    let range = is_log.then(|| loss_range(summary, experiment)).flatten();
    let y = match (is_log, range) {
        (true, Some((low, high))) => Axis::log(label).range(low, high),
        (true, None) => Axis::log(label),
        (false, _) => Axis::linear(label),
    };
    let mut figure = Figure::new(format!("{heading}{what}. {}", experiment.title));
    for arm in experiment.arms.iter().filter_map(|name| spec.arm(name)) {
        figure = figure.panel(levels_of(summary, experiment, metric, arm, y.clone()));
    }
    let counted = |count: usize, noun: &str| match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    };
    let drawn = match held_out {
        true => counted(experiment.trials, "subsample"),
        false => format!(
            "{} × {}",
            counted(experiment.truths, "truth"),
            counted(experiment.trials, "trial")
        ),
    };
    figure
        .caption(format!(
            "{drawn} per point, {} restarts unless the arm says otherwise; seed {}. Bars: one standard error, truths as \
             clusters. LME and MLE choose from the same candidates.{}",
            experiment.restarts,
            spec.seed,
            if is_log { " Thin lines: medians." } else { "" }
        ))
        .columns(experiment.arms.len().min(3))
        .panel_size(380.0, 300.0)
}

/// The averages of one arm's estimates; of losses the medians too.
fn levels_of(
    summary: &Summary,
    experiment: &Experiment,
    metric: Metric,
    arm: &Arm,
    y: Axis,
) -> Plot {
    let mut plot = Plot::new(arm.label()).x(Axis::log("T, rows of data")).y(y);
    for estimate in arm.estimates() {
        let of = summary.levels_of(&experiment.name, metric, &arm.name, estimate);
        let (called, style) = estimate_name(estimate);
        let means = of.iter().map(|level| mean_point(level, called));
        plot = plot.series(Series::line(format!("{called}, mean ± s.e."), means).style(style));
        if metric == Metric::Loss {
            let medians = of
                .iter()
                .map(|level| Point::new(level.rows as f64, level.median));
            let medians = Series::new(format!("{called}, median"), Kind::Line, medians);
            plot = plot.series(medians.style(style).opacity(0.55));
        }
    }
    plot
}

/// One range for all panels, so that arms can be compared by eye: means, medians and bars within it.
fn loss_range(summary: &Summary, experiment: &Experiment) -> Option<(f64, f64)> {
    let of = summary
        .levels
        .iter()
        .filter(|l| l.experiment == experiment.name && l.metric == Metric::Loss);
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
    if level.std_err.is_finite() {
        point.error(level.std_err)
    } else {
        point
    }
}

/// How often an estimate is far off: means say little where a few losses are huge.
pub(super) fn tails(
    spec: &Spec,
    summary: &Summary,
    experiment: &Experiment,
    heading: &str,
) -> Figure {
    let mut figure = Figure::new(format!(
        "{heading}How often the estimate is far off. {}",
        experiment.title
    ));
    for name in &experiment.arms {
        let Some(arm) = spec.arm(name) else { continue };
        let y =
            Axis::linear(format!("share of samples with D > {}", spec.threshold)).range(0.0, 1.0);
        let mut plot = Plot::new(arm.label()).x(Axis::log("T, rows of data")).y(y);
        for estimate in arm.estimates() {
            let (called, style) = estimate_name(estimate);
            let shares = summary.levels_of(&experiment.name, Metric::Loss, name, estimate);
            let shares = shares.into_iter().map(|level| {
                let share = level.above_threshold as f64 / level.count as f64;
                let tip = format!(
                    "{called}, T = {}\n{} of {}",
                    level.rows, level.above_threshold, level.count
                );
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

/// Who is ahead, sample by sample: what the spread of the truths hides in the averages.
pub(super) fn advantages(
    spec: &Spec,
    summary: &Summary,
    experiment: &Experiment,
    metric: Metric,
    heading: &str,
) -> Figure {
    let (of, over) = match metric {
        Metric::LogLikelihood => ("MLE", "LME"),
        Metric::Entropy | Metric::Loss => ("LME", "MLE"),
    };
    let what = match metric {
        Metric::LogLikelihood => "log-likelihood",
        Metric::Entropy => "entropy",
        Metric::Loss if experiment.data.is_some() => "loss on rows held out",
        Metric::Loss => "cross entropy",
    };
    let plot = |title: &str, y: Axis| Plot::new(title).x(Axis::log("T, rows of data")).y(y);
    let ahead_by = || Axis::linear(format!("{of} ahead by (nats)"));
    let share = Axis::linear("−1 always behind, 1 always ahead").range(-1.05, 1.05);
    let mut panels = [
        plot("mean ± s.e.", ahead_by()),
        plot("median", ahead_by()),
        plot("signed-rank effect", share),
    ];
    for (style, name) in experiment.arms.iter().enumerate() {
        let label = spec.arm(name).map_or(name.as_str(), |arm| arm.label());
        let paired = summary.paired_of(&experiment.name, metric, name);
        let sizes = paired.iter().filter_map(|p| Some((p.rows? as f64, p.test)));
        let sizes: Vec<(f64, PairedTest)> = sizes.collect();
        if !sizes.is_empty() {
            panels = with_arm(panels, &sizes, label, style, spec.significance);
        }
    }
    let figure = Figure::new(format!(
        "{heading}{of} against {over} in {what}, sample by sample. {}",
        experiment.title
    ))
    .caption(format!(
        "Differences of the two estimates from the same candidates of the same samples (seed {}); bars: one standard \
         error, truths as clusters. Effect: −1 if always behind, 1 if always ahead; large marks where p ≤ {} in a \
         signed-rank test that flips whole truths.",
        spec.seed, spec.significance
    ));
    let zero = || Reference::Horizontal(0.0, String::new());
    panels
        .into_iter()
        .fold(figure, |figure, panel| {
            figure.panel(panel.reference(zero()))
        })
        .columns(3)
        .panel_size(400.0, 320.0)
}

/// Adds one arm's tests, by T, to the panels of means, medians and effects.
fn with_arm(
    [mean, median, effect]: [Plot; 3],
    sizes: &[(f64, PairedTest)],
    label: &str,
    style: usize,
    significance: f64,
) -> [Plot; 3] {
    let means = sizes.iter().map(|(rows, test)| {
        let tip = format!(
            "{label}, T = {rows}\n{:+.4} ± {:.4}, median {:+.4}\nahead {}, behind {} of {}\np = {:.3}",
            test.mean, test.std_err, test.median, test.ahead, test.behind, test.count, test.p_value
        );
        let point = Point::new(*rows, test.mean).tip(tip);
        if test.std_err.is_finite() {
            point.error(test.std_err)
        } else {
            point
        }
    });
    let at = |value: fn(&PairedTest) -> f64| {
        move |(rows, test): &(f64, PairedTest)| Point::new(*rows, value(test))
    };
    let medians = sizes.iter().map(at(|test| test.median));
    let effects = sizes.iter().map(at(|test| test.effect));
    let clear = sizes
        .iter()
        .filter(|(_, test)| test.p_value <= significance);
    let clear = clear.map(at(|test| test.effect));
    [
        mean.series(Series::line(label, means).style(style)),
        median.series(Series::line(label, medians).style(style)),
        effect
            .series(Series::line(label, effects).style(style).size(0.6))
            .series(Series::markers("", clear).style(style).size(1.4)),
    ]
}
