//! The driver: evaluates, records, decides whether to stop, and asks the learner for the next step.

use super::em_gis::EmGis;
use super::em_gradient::EmGradient;
use super::em_is::EmIs;
use super::{Learner, LearningSettings, Point, Problem, Stepper, Workspace};
use crate::error::Result;
use std::fmt;

/// Why a restart ended; data, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceEntry {
    /// L(λ).
    pub log_likelihood: f64,
    /// L(λ) minus the ridge's part: what never falls.
    pub objective: f64,
    /// Q(λ, λ).
    pub q: f64,
    /// The largest violation of stationarity.
    pub residual: f64,
}

/// Where a restart ended and how it got there.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The last point, fully evaluated.
    pub point: Point,
    /// Steps made.
    pub iterations: usize,
    /// Why it stopped.
    pub stop: StopReason,
    /// One entry an evaluation, if asked for.
    pub trace: Vec<TraceEntry>,
}

/// Learns from the weights `start` until a stopping rule holds.
pub fn learn(
    problem: &Problem,
    start: Vec<f64>,
    settings: &LearningSettings,
    keep_trace: bool,
) -> Result<Outcome> {
    let mut stepper: Box<dyn Stepper> = match settings.learner {
        Learner::EmIs => Box::new(EmIs::new(settings.inner)),
        Learner::EmGis => Box::new(EmGis::new(settings.inner)),
        Learner::EmGradient => Box::new(EmGradient::new(settings.inner, settings.step)),
    };
    let mut work = Workspace::default();
    let mut point = Point {
        weights: start,
        ..Point::default()
    };
    let mut trace = Vec::new();
    let mut previous = Vec::new();
    let mut iterations = 0;
    let stop = loop {
        problem.evaluate(&mut point, &mut work, stepper.needs_strata())?;
        if keep_trace {
            trace.push(TraceEntry {
                log_likelihood: point.log_likelihood,
                objective: point.objective,
                q: point.q,
                residual: point.residual,
            });
        }
        if point.residual <= settings.tolerance {
            break StopReason::Converged;
        }
        if point.weights == previous {
            break StopReason::NoProgress;
        }
        if iterations == settings.max_iterations {
            break StopReason::MaxIterations;
        }
        previous.clone_from(&point.weights);
        stepper.step(problem, &mut point, &mut work)?;
        iterations += 1;
    };
    Ok(Outcome {
        point,
        iterations,
        stop,
        trace,
    })
}
