//! The one loop: evaluates, records, decides whether to stop, listens to those outside, and asks for the next step.
//!
//! Every learner runs under it, second-order steps and the temperatures of an annealed run included.

use super::annealing::anneal;
use super::control::{LoopControl, Progress};
use super::course::Course;
use super::curvature::Curvature;
use super::learners::{Begin, SecondOrder};
use super::point::{Point, Workspace};
use super::problem::Problem;
use super::start::random_start;
use super::stepper::{Stepped, Stepper};
use crate::error::{Error, Result};
use crate::random::evaluation_seed;
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
    /// One entry per evaluation, if asked for.
    pub trace: Vec<TraceEntry>,
    /// The curvature at the last point, where second-order steps have looked at it; not kept in files.
    #[serde(skip)]
    pub(crate) curvature: Option<Curvature>,
}

/// Which restart of which seed, and what is wanted of it.
#[derive(Clone, Copy)]
pub(crate) struct Restart<'a> {
    pub(crate) seed: u64,
    pub(crate) index: u64,
    pub(crate) keep_trace: bool,
    pub(crate) control: LoopControl<'a>,
}

impl Restart<'static> {
    /// Restart 0 of seed 0, unwatched.
    pub(crate) fn first(keep_trace: bool) -> Self {
        Restart {
            seed: 0,
            index: 0,
            keep_trace,
            control: LoopControl::none(),
        }
    }
}

/// Restart `index` of `seed`: its own start and, for learners by samples, its own random numbers.
pub(crate) fn learn_restart(
    problem: &Problem,
    course: &Course,
    restart: Restart<'_>,
) -> Result<Outcome> {
    if course.anneal {
        return Ok(anneal(problem, course, restart)?.outcome);
    }
    let start = random_start(problem, restart.seed, restart.index);
    drive(problem, start, course, restart)
}

/// Learns from the weights `start` until a stopping rule holds; learners by samples as in restart 0 of seed 0.
pub fn learn(problem: &Problem, start: Vec<f64>, course: &Course) -> Result<Outcome> {
    let course = checked(problem, course)?;
    drive(problem, start, &course, Restart::first(false))
}

/// The same, keeping the whole way.
pub fn learn_traced(problem: &Problem, start: Vec<f64>, course: &Course) -> Result<Outcome> {
    let course = checked(problem, course)?;
    drive(problem, start, &course, Restart::first(true))
}

/// A course that makes sense for this problem, from weights that are given.
fn checked(problem: &Problem, course: &Course) -> Result<Course> {
    if course.anneal {
        return Err(Error::invalid(
            "an annealed run starts at a high temperature, not at given weights; use `annealed_run`",
        ));
    }
    course.learner.check_problem(problem)?;
    course.clone().checked(problem.engine())
}

/// The learner's phase, then the finish's.
pub(crate) fn drive(
    problem: &Problem,
    start: Vec<f64>,
    course: &Course,
    restart: Restart<'_>,
) -> Result<Outcome> {
    check_start(problem, &start)?;
    let limit = match course.finish {
        Some(finish) => finish.warm_up.min(course.max_iterations),
        None => course.max_iterations,
    };
    let begin = Begin {
        steps: limit,
        tolerance: course.tolerance,
        traced: restart.keep_trace,
        seed: restart.seed,
        index: restart.index,
    };
    let mut run = Run::new(problem, start, course.tolerance, restart);
    let mut stepper = course.learner.begin(problem, &begin);
    let mut stop = run.phase(&mut *stepper, limit)?;
    if course.finish.is_some() {
        stepper = Box::new(SecondOrder::new(problem, course.tolerance));
        stop = run.phase(&mut *stepper, course.max_iterations)?;
    }
    Ok(Outcome {
        curvature: stepper.curvature(),
        point: run.point,
        iterations: run.iterations,
        stop,
        passes: run.work.passes,
        trace: run.trace,
    })
}

/// One weight per term, each within the box.
fn check_start(problem: &Problem, start: &[f64]) -> Result<()> {
    let (terms, bound) = (problem.terms(), problem.objective().bound);
    if start.len() != terms {
        return Err(Error::invalid(format!(
            "a start of {} weights for a machine of {terms} terms; give one per term",
            start.len()
        )));
    }
    match start.iter().position(|weight| !(weight.abs() <= bound)) {
        Some(term) => Err(Error::invalid(format!(
            "the start has weight {} at term {}, outside the box of ±{bound}; start within it, or widen it",
            start[term],
            problem.structure().label(term)
        ))),
        None => Ok(()),
    }
}

/// What goes along with a restart.
struct Run<'a> {
    problem: &'a Problem,
    tolerance: f64,
    restart: Restart<'a>,
    point: Point,
    work: Workspace,
    trace: Vec<TraceEntry>,
    iterations: usize,
    is_evaluated: bool,
}

impl<'a> Run<'a> {
    fn new(problem: &'a Problem, start: Vec<f64>, tolerance: f64, restart: Restart<'a>) -> Self {
        let mut work = Workspace::default();
        work.sums.seed = evaluation_seed(restart.seed, restart.index);
        Run {
            problem,
            tolerance,
            restart,
            point: Point::at(start),
            work,
            trace: Vec::new(),
            iterations: 0,
            is_evaluated: false,
        }
    }

    /// Steps of one learner until it stops or has made `limit` of them.
    fn phase(&mut self, stepper: &mut dyn Stepper, mut limit: usize) -> Result<StopReason> {
        let (strata, stride) = (stepper.needs_strata(), stepper.stride());
        let stops_itself = !stepper.stops_at_tolerance();
        // An evaluation by samples takes longer than many passes.
        let at_the_end_only = self.problem.is_sampled();
        let mut previous = Vec::new();
        loop {
            self.report()?;
            let is_due = !at_the_end_only && stride.is_none_or(|s| self.iterations % s == 0);
            if !self.is_evaluated && (self.iterations == limit || is_due) {
                self.problem
                    .evaluate(&mut self.point, &mut self.work, strata)?;
                self.is_evaluated = true;
                self.record();
            }
            let may_stop = self.is_evaluated && !stops_itself;
            if may_stop && self.point.is_stationary(self.tolerance) {
                return Ok(StopReason::Converged);
            }
            // Samples can leave the weights alone by chance.
            if stride.is_none() && self.point.weights == previous {
                return Ok(StopReason::NoProgress);
            }
            if self.iterations >= limit {
                return Ok(StopReason::MaxIterations);
            }
            if !stops_itself {
                previous.clone_from(&self.point.weights);
            }
            match stepper.step(self.problem, &mut self.point, &mut self.work)? {
                Stepped::Moved => self.is_evaluated = false,
                Stepped::Evaluated => {
                    self.is_evaluated = true;
                    self.record();
                }
                Stepped::Settled => return Ok(StopReason::Converged),
                Stepped::Stuck => return Ok(StopReason::NoProgress),
            }
            self.iterations += 1;
            if stepper.has_settled() {
                limit = self.iterations;
            }
        }
    }

    /// Stops where somebody asks for it, and tells how far it has come.
    fn report(&self) -> Result<()> {
        let Restart { index, control, .. } = self.restart;
        control.cancel.check()?;
        (control.watch)(&Progress {
            restart: index,
            iterations: self.iterations,
            residual: self.point.residual,
            weights: &self.point.weights,
        });
        Ok(())
    }

    fn record(&mut self) {
        if self.restart.keep_trace {
            self.trace.push(TraceEntry {
                log_likelihood: self.point.log_likelihood,
                objective: self.point.objective,
                q: self.point.q,
                residual: self.point.residual,
                passes: self.work.passes,
            });
        }
    }
}
