//! The driver: evaluates, records, decides whether to stop, and asks the learner for the next step.

use super::em_gis::EmGis;
use super::em_gradient::EmGradient;
use super::em_is::EmIs;
use super::finish::finish;
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
    let mut stepper: Option<Box<dyn Stepper>> = match settings.learner {
        Learner::EmIs => Some(Box::new(EmIs::new(settings.inner))),
        Learner::EmGis => Some(Box::new(EmGis::new(settings.inner))),
        Learner::EmGradient => Some(Box::new(EmGradient::new(settings.inner, settings.step))),
        Learner::QuasiNewton => None,
    };
    let mut work = Workspace::default();
    let mut point = Point {
        weights: start,
        ..Point::default()
    };
    let mut trace = Vec::new();
    let mut record = |point: &Point| {
        if keep_trace {
            trace.push(TraceEntry {
                log_likelihood: point.log_likelihood,
                objective: point.objective,
                q: point.q,
                residual: point.residual,
            });
        }
    };
    let strata = stepper.as_ref().is_some_and(|s| s.needs_strata());
    let second_order = settings.finish || stepper.is_none();
    let first_part = match &stepper {
        None => 0,
        Some(_) if second_order => settings.warm_up.min(settings.max_iterations),
        Some(_) => settings.max_iterations,
    };
    let mut previous = Vec::new();
    let mut iterations = 0;
    let mut stop = loop {
        problem.evaluate(&mut point, &mut work, strata)?;
        record(&point);
        if point.residual <= settings.tolerance {
            break StopReason::Converged;
        }
        if point.weights == previous {
            break StopReason::NoProgress;
        }
        if iterations == first_part {
            break StopReason::MaxIterations;
        }
        previous.clone_from(&point.weights);
        if let Some(stepper) = &mut stepper {
            stepper.step(problem, &mut point, &mut work)?;
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
        trace,
    })
}
