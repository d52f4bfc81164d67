//! The driver: evaluates, records, decides whether to stop, and asks the learner for the next step.

use super::contrastive::Contrastive;
use super::em_gis::EmGis;
use super::em_gradient::EmGradient;
use super::em_is::EmIs;
use super::finish::finish;
use super::restricted::Restricted;
use super::sampled::Sampled;
use super::sequential::Sequential;
use super::start::{random_start, stream};
use super::{Learner, LearningSettings, Point, Problem, Stepper, Workspace, anneal};
use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a restart ended; data, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopReason {
    /// The residual fell to the tolerance.
    Converged,
    /// The iterations ran out.
    MaxIterations,
    /// No step changes the weights any more, at the limit of the arithmetic.
    NoProgress,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Converged => "converged",
            StopReason::MaxIterations => "max iterations",
            StopReason::NoProgress => "no progress",
        })
    }
}

/// The state before an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceEntry {
    /// L(λ).
    pub log_likelihood: f64,
    /// L(λ) minus the ridge's part: what never falls.
    pub objective: f64,
    /// Q(λ, λ).
    pub q: f64,
    /// The largest violation of stationarity.
    pub residual: f64,
    /// Sums over states made so far: E steps, free phases, updates of one term; a Hessian counts as two.
    pub passes: u64,
}

/// Where a restart ended and how it got there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The last point, fully evaluated.
    pub point: Point,
    /// Steps made.
    pub iterations: usize,
    /// Why it stopped.
    pub stop: StopReason,
    /// Sums over states made, counted as in [`TraceEntry::passes`].
    pub passes: u64,
    /// One entry an evaluation, if asked for.
    pub trace: Vec<TraceEntry>,
}

/// Restart `index` of `seed`: its own start and, for learners by samples, its own random numbers.
pub fn learn_restart(
    problem: &Problem,
    settings: &LearningSettings,
    seed: u64,
    index: u64,
    keep_trace: bool,
) -> Result<Outcome> {
    if settings.anneal {
        return Ok(anneal(problem, settings, seed, index, keep_trace)?.outcome);
    }
    let start = random_start(problem, seed, index);
    learn_with(problem, start, settings, keep_trace, (seed, index))
}

/// Learns from the weights `start` until a stopping rule holds; learners by samples as in restart 0 of seed 0.
pub fn learn(
    problem: &Problem,
    start: Vec<f64>,
    settings: &LearningSettings,
    keep_trace: bool,
) -> Result<Outcome> {
    learn_with(problem, start, settings, keep_trace, (0, 0))
}

/// The learner's steps; `None` for the one that has none of its own.
pub(super) fn stepper(
    problem: &Problem,
    settings: &LearningSettings,
    steps: usize,
    keep_trace: bool,
    (seed, index): (u64, u64),
) -> Option<Box<dyn Stepper>> {
    match settings.learner {
        Learner::EmIs | Learner::EmGis | Learner::EmGradient if problem.is_sampled() => {
            Some(Box::new(Sampled::new(
                settings,
                seed ^ (index | 1 << 63).rotate_left(32),
            )))
        }
        Learner::EmIs => Some(Box::new(EmIs::new(settings.inner))),
        Learner::EmGis => Some(Box::new(EmGis::new(settings.inner))),
        Learner::EmGradient => Some(Box::new(EmGradient::new(settings.inner, settings.step))),
        Learner::Sequential => Some(Box::new(Sequential::new(
            problem,
            settings.inner,
            settings.rule,
        ))),
        Learner::QuasiNewton => None,
        // The start has used the stream `index`.
        Learner::Pcd if settings.batch.is_some() => Some(Box::new(Restricted::new(
            problem,
            settings,
            steps,
            keep_trace,
            stream(seed, index | 1 << 63),
        ))),
        Learner::Cd | Learner::Pcd => Some(Box::new(Contrastive::new(
            problem,
            settings,
            steps,
            keep_trace,
            stream(seed, index | 1 << 63),
        ))),
    }
}

/// [`learn`] with the seed and the index that learners by samples draw from.
pub(crate) fn learn_with(
    problem: &Problem,
    start: Vec<f64>,
    settings: &LearningSettings,
    keep_trace: bool,
    streams: (u64, u64),
) -> Result<Outcome> {
    let second_order = settings.finish || settings.learner == Learner::QuasiNewton;
    let mut first_part = match settings.learner {
        Learner::QuasiNewton => 0,
        _ if second_order => settings.warm_up.min(settings.max_iterations),
        _ => settings.max_iterations,
    };
    let mut stepper = stepper(problem, settings, first_part, keep_trace, streams);
    let mut work = Workspace {
        seed: streams.0 ^ streams.1.rotate_left(32),
        ..Workspace::default()
    };
    let mut point = Point {
        weights: start,
        ..Point::default()
    };
    let mut trace = Vec::new();
    let mut record = |point: &Point, passes: u64| {
        if keep_trace {
            trace.push(TraceEntry {
                log_likelihood: point.log_likelihood,
                objective: point.objective,
                q: point.q,
                residual: point.residual,
                passes,
            });
        }
    };
    let strata = stepper.as_ref().is_some_and(|s| s.needs_strata());
    let stride = stepper.as_ref().and_then(|s| s.stride());
    let mut previous = Vec::new();
    let mut iterations = 0;
    // An evaluation by samples takes longer than many passes.
    let at_the_end_only = problem.is_sampled();
    let mut stop = loop {
        let is_due = !at_the_end_only && stride.is_none_or(|s| iterations % s == 0);
        if iterations == first_part || is_due {
            problem.evaluate(&mut point, &mut work, strata)?;
            record(&point, work.passes);
            if point.is_stationary(settings.tolerance) {
                break StopReason::Converged;
            }
        }
        // Samples can leave the weights alone by chance.
        if stride.is_none() && point.weights == previous {
            break StopReason::NoProgress;
        }
        if iterations == first_part {
            break StopReason::MaxIterations;
        }
        previous.clone_from(&point.weights);
        if let Some(stepper) = &mut stepper {
            stepper.step(problem, &mut point, &mut work)?;
            if stepper.has_settled() {
                first_part = iterations + 1;
            }
        }
        iterations += 1;
    };
    if second_order {
        let settled = finish(
            problem,
            &mut point,
            &mut work,
            settings.tolerance,
            settings.max_iterations,
            &mut iterations,
            &mut record,
        )?;
        stop = if settled {
            StopReason::Converged
        } else if iterations >= settings.max_iterations {
            StopReason::MaxIterations
        } else {
            StopReason::NoProgress
        };
    }
    Ok(Outcome {
        point,
        iterations,
        stop,
        passes: work.passes,
        trace,
    })
}
