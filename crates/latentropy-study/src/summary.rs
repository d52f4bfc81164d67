//! What the cells add up to: averages with their errors, and paired comparisons.

use crate::convergence::{RunRecord, TracePoint};
use crate::estimate::EstimateRecord;
use crate::results::Results;
use crate::spec::{Convergence, Experiment, Spec};
use crate::statistics::{Clustered, mean, median, quantile, signed_rank, standard_error};
use std::fmt;

/// Differences below this, in nats, are between two runs to the same solution, not between two solutions.
pub(crate) const NO_DIFFERENCE: f64 = 1e-6;

/// What is averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Mean log-likelihood of the rows learned from (figure 3).
    LogLikelihood,
    /// Entropy of p(x) (figure 4).
    Entropy,
    /// D(p*(y)‖p(y)) (figures 5 to 7), or minus the log-likelihood of rows held out.
    Loss,
}

impl Metric {
    /// All of them.
    pub const ALL: [Metric; 3] = [Metric::LogLikelihood, Metric::Entropy, Metric::Loss];

    fn of(self, estimate: &EstimateRecord) -> f64 {
        match self {
            Metric::LogLikelihood => estimate.log_likelihood,
            Metric::Entropy => estimate.entropy,
            Metric::Loss => estimate.loss,
        }
    }

    /// By how much `first` is ahead: more likelihood, more entropy, less loss; nothing where both are one solution.
    fn advantage(self, first: f64, second: f64) -> f64 {
        let advantage = match self {
            Metric::LogLikelihood | Metric::Entropy => first - second,
            Metric::Loss => second - first,
        };
        if advantage.abs() < NO_DIFFERENCE {
            0.0
        } else {
            advantage
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Metric::LogLikelihood => "log_likelihood",
            Metric::Entropy => "entropy",
            Metric::Loss => "loss",
        })
    }
}

/// One average: an arm's estimates at one sample size.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The experiment's name.
    pub experiment: String,
    /// The arm's name.
    pub arm: String,
    /// `lme`, `mle` or `single`.
    pub estimate: String,
    /// What is averaged.
    pub metric: Metric,
    /// T.
    pub rows: usize,
    /// Samples.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// Its standard error, truths as clusters.
    pub std_err: f64,
    /// Their median.
    pub median: f64,
    /// A quarter lies below.
    pub lower_quartile: f64,
    /// A quarter lies above.
    pub upper_quartile: f64,
    /// The largest.
    pub largest: f64,
    /// Losses above the threshold.
    pub above_threshold: usize,
    /// Losses that are infinite.
    pub infinite: usize,
    /// Estimates that were not within the tolerance, for want of any that were.
    pub not_feasible: usize,
}

/// One comparison of two estimates on the same samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Paired {
    /// The experiment's name.
    pub experiment: String,
    /// What is compared.
    pub metric: Metric,
    /// Arm and estimate that the advantage is of …
    pub first: (String, String),
    /// … and over which.
    pub second: (String, String),
    /// T; all sizes together if `None`.
    pub rows: Option<usize>,
    /// What the samples show.
    pub test: PairedTest,
}

/// What paired differences show; positive where the first is ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedTest {
    /// Pairs.
    pub count: usize,
    /// Mean advantage.
    pub mean: f64,
    /// Its standard error, truths as clusters.
    pub std_err: f64,
    /// Median advantage.
    pub median: f64,
    /// Pairs where the first is ahead.
    pub ahead: usize,
    /// Pairs where it is behind.
    pub behind: usize,
    /// The signed-rank effect, from −1 to 1.
    pub effect: f64,
    /// The signed-rank test, truths flipped whole.
    pub p_value: f64,
}

impl PairedTest {
    /// Summarises advantages.
    pub fn new(advantages: &[Clustered], seed: u64) -> Self {
        let values: Vec<f64> = advantages.iter().map(|a| a.value).collect();
        let rank = signed_rank(advantages, seed);
        PairedTest {
            count: values.len(),
            mean: mean(advantages),
            std_err: standard_error(advantages),
            median: median(&values),
            ahead: values.iter().filter(|v| **v > 0.0).count(),
            behind: values.iter().filter(|v| **v < 0.0).count(),
            effect: rank.effect,
            p_value: rank.p_value,
        }
    }
}

/// One learner's way from the drawn start.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The arm's name.
    pub arm: String,
    /// The fixed step that did best over all starts, where there was a choice.
    pub step: Option<f64>,
    /// Every iteration.
    pub trace: Vec<TracePoint>,
}

/// Everything that figures and verdicts are made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Averages.
    pub levels: Vec<Level>,
    /// LME against MLE, and every arm's estimate against the same of the experiment's first arm.
    pub paired: Vec<Paired>,
    /// Ways of the learners.
    pub curves: Vec<Curve>,
}

impl Summary {
    /// Adds up the results.
    pub fn new(spec: &Spec, results: &Results) -> Self {
        let mut summary = Summary::default();
        for (at, experiment) in spec.experiments.iter().enumerate() {
            let samples = Samples::new(spec, results, at, experiment);
            if !samples.is_empty() {
                samples.summarise(&mut summary);
            }
        }
        if let Some(convergence) = &spec.convergence {
            summary.curves = curves(convergence, results);
        }
        summary
    }

    /// The averages of one arm's estimate, by rising T.
    pub fn levels_of(
        &self,
        experiment: &str,
        metric: Metric,
        arm: &str,
        estimate: &str,
    ) -> Vec<&Level> {
        let wanted = |l: &&Level| {
            l.experiment == experiment
                && l.metric == metric
                && l.arm == arm
                && l.estimate == estimate
        };
        self.levels.iter().filter(wanted).collect()
    }

    /// LME against MLE in one arm, by rising T, all together last.
    pub fn paired_of(&self, experiment: &str, metric: Metric, arm: &str) -> Vec<&Paired> {
        let wanted = |p: &&Paired| {
            p.experiment == experiment
                && p.metric == metric
                && p.first.0 == arm
                && p.second.0 == arm
        };
        self.paired.iter().filter(wanted).collect()
    }
}

/// A sample's value under one arm's estimate.
pub(crate) struct Sample {
    pub(crate) rows: usize,
    pub(crate) cluster: usize,
    pub(crate) trial: usize,
    pub(crate) estimate: EstimateRecord,
}

/// An experiment's samples, sorted alike for every arm and estimate.
pub(crate) struct Samples<'a> {
    spec: &'a Spec,
    experiment: &'a Experiment,
    /// (arm, estimate) and its samples.
    by_estimate: Vec<((String, String), Vec<Sample>)>,
}

impl<'a> Samples<'a> {
    pub(crate) fn new(
        spec: &'a Spec,
        results: &Results,
        at: usize,
        experiment: &'a Experiment,
    ) -> Self {
        let mut by_estimate: Vec<((String, String), Vec<Sample>)> = Vec::new();
        for (arm_at, arm) in experiment.arms.iter().enumerate() {
            let names = spec.arm(arm).map_or(&[][..], |arm| arm.estimates());
            for (nth, name) in names.iter().enumerate() {
                let samples = results
                    .comparisons(at, arm_at)
                    .filter_map(|(place, record)| {
                        Some(Sample {
                            rows: place.rows,
                            // Subsamples of real rows have no truth in common but the one.
                            cluster: if experiment.data.is_some() {
                                place.trial
                            } else {
                                place.truth
                            },
                            trial: place.trial,
                            estimate: record.estimates.get(nth)?.clone(),
                        })
                    });
                by_estimate.push(((arm.clone(), name.to_string()), samples.collect()));
            }
        }
        Samples {
            spec,
            experiment,
            by_estimate,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_estimate
            .iter()
            .all(|(_, samples)| samples.is_empty())
    }

    /// By how much the first is ahead of the second, sample by sample; `None` if one of them is not there.
    pub(crate) fn advantages(
        &self,
        metric: Metric,
        first: (&str, &str),
        second: (&str, &str),
    ) -> Option<Vec<(&Sample, f64)>> {
        let of = |wanted: (&str, &str)| {
            let found = self
                .by_estimate
                .iter()
                .find(|((arm, name), _)| (arm.as_str(), name.as_str()) == wanted);
            found.map(|(_, samples)| samples)
        };
        let (first, second) = (of(first)?, of(second)?);
        // A resumed study may have one arm only so far; pairs need both.
        (first.len() == second.len()).then(|| {
            let pairs = first.iter().zip(second);
            pairs
                .map(|(a, b)| {
                    (
                        a,
                        metric.advantage(metric.of(&a.estimate), metric.of(&b.estimate)),
                    )
                })
                .collect()
        })
    }

    fn summarise(&self, summary: &mut Summary) {
        for metric in Metric::ALL {
            for ((arm, estimate), samples) in &self.by_estimate {
                for &rows in &self.experiment.rows {
                    let at: Vec<&Sample> = samples.iter().filter(|s| s.rows == rows).collect();
                    if !at.is_empty() {
                        summary
                            .levels
                            .push(self.level(metric, arm, estimate, rows, &at));
                    }
                }
            }
            let Some(reference) = self.experiment.arms.first() else {
                continue;
            };
            for arm in &self.experiment.arms {
                // The likelihood's winner is MLE; in entropy and loss the claims are for LME.
                let (first, second) = match metric {
                    Metric::LogLikelihood => ("mle", "lme"),
                    Metric::Entropy | Metric::Loss => ("lme", "mle"),
                };
                self.pair(summary, metric, (arm, first), (arm, second));
                if arm != reference && metric == Metric::Loss {
                    for estimate in ["lme", "single"] {
                        self.pair(summary, metric, (arm, estimate), (reference, "lme"));
                    }
                }
            }
        }
    }

    fn level(
        &self,
        metric: Metric,
        arm: &str,
        estimate: &str,
        rows: usize,
        at: &[&Sample],
    ) -> Level {
        let clustered: Vec<Clustered> = at
            .iter()
            .map(|s| Clustered {
                cluster: s.cluster,
                value: metric.of(&s.estimate),
            })
            .collect();
        let values: Vec<f64> = clustered.iter().map(|c| c.value).collect();
        let is_loss = metric == Metric::Loss;
        let count = |wanted: &dyn Fn(&f64) -> bool| values.iter().filter(|v| wanted(v)).count();
        Level {
            experiment: self.experiment.name.clone(),
            arm: arm.to_string(),
            estimate: estimate.to_string(),
            metric,
            rows,
            count: values.len(),
            mean: mean(&clustered),
            std_err: standard_error(&clustered),
            median: median(&values),
            lower_quartile: quantile(&values, 0.25),
            upper_quartile: quantile(&values, 0.75),
            largest: quantile(&values, 1.0),
            above_threshold: if is_loss {
                count(&|v| *v > self.spec.threshold)
            } else {
                0
            },
            infinite: count(&|v| v.is_infinite()),
            not_feasible: at.iter().filter(|s| !s.estimate.feasible).count(),
        }
    }

    fn pair(
        &self,
        summary: &mut Summary,
        metric: Metric,
        first: (&str, &str),
        second: (&str, &str),
    ) {
        let Some(advantages) = self.advantages(metric, first, second) else {
            return;
        };
        let sizes = self.experiment.rows.iter().map(|&rows| Some(rows));
        for rows in sizes.chain([None]) {
            let of = advantages
                .iter()
                .filter(|(s, _)| rows.is_none_or(|rows| s.rows == rows));
            let clustered: Vec<Clustered> = of
                .map(|(s, value)| Clustered {
                    cluster: s.cluster,
                    value: *value,
                })
                .collect();
            if !clustered.is_empty() {
                let owned = |(arm, name): (&str, &str)| (arm.to_string(), name.to_string());
                summary.paired.push(Paired {
                    experiment: self.experiment.name.clone(),
                    metric,
                    first: owned(first),
                    second: owned(second),
                    rows,
                    test: PairedTest::new(&clustered, self.spec.seed),
                });
            }
        }
    }
}

/// The step of each arm that ends highest on average over all starts, and the drawn start's way with it.
fn curves(convergence: &Convergence, results: &Results) -> Vec<Curve> {
    let mut curves = Vec::new();
    for arm in &convergence.arms {
        let step = best_step(arm.step_grid(), |step| {
            let ends = results.convergence().filter_map(|(_, record)| {
                let run = record.runs.iter().find(|run| is_run(run, &arm.name, step));
                run.map(|run| run.last.log_likelihood)
            });
            ends.sum()
        });
        let drawn = results.convergence().find(|(at, _)| *at == (0, 0));
        let run = drawn
            .and_then(|(_, record)| record.runs.iter().find(|run| is_run(run, &arm.name, step)));
        if let Some(run) = run {
            curves.push(Curve {
                arm: arm.name.clone(),
                step,
                trace: run.trace.clone(),
            });
        }
    }
    curves
}

pub(crate) fn is_run(run: &RunRecord, arm: &str, step: Option<f64>) -> bool {
    run.arm == arm && run.step == step
}

fn best_step(grid: Vec<Option<f64>>, value: impl Fn(Option<f64>) -> f64) -> Option<f64> {
    let mut best: Option<(f64, Option<f64>)> = None;
    for step in grid {
        let value = value(step);
        if best.is_none_or(|(highest, _)| value > highest) {
            best = Some((value, step));
        }
    }
    best.and_then(|(_, step)| step)
}
