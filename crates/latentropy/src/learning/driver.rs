//! The one loop: evaluates, records, decides whether to stop, listens to those outside, and asks for the next step.
//!
//! Every learner runs under it, second-order steps and the temperatures of an annealed run included.

use super::checkpoint::{Checkpoint, Keeping, Phase};
use super::control::Progress;
use super::course::Course;
use super::learners::{Begin, Care, SecondOrder, judge};
use super::monitor::Monitor;
use super::outcome::{Outcome, StopReason, TraceEntry};
use super::point::{Point, Workspace};
use super::problem::Problem;
use super::restart::Restart;
use super::stepper::{Stepped, Stepper};
use crate::error::{Error, Result};
use crate::inference::Kind;
use crate::random::{evaluation_seed, learning_seed};

/// The learner's phase, then the finish's.
pub(crate) fn drive(
    problem: &Problem,
    start: Vec<f64>,
    course: &Course,
    restart: Restart<'_>,
) -> Result<Outcome> {
    drive_keeping(problem, start, course, restart, &Keeping::nothing())
}

/// A learner that rows kept for validation watch, from its own start: its point is told by the best look at them, and not
/// measured again, which may take longer than a short run.
pub(crate) fn try_out(problem: &Problem, course: &Course, restart: Restart<'_>) -> Result<Outcome> {
    let start = restart.start(problem, &course.learner)?;
    let manner = Manner {
        is_trial: true,
        ..Manner::default()
    };
    run(problem, start, course, restart, &Keeping::nothing(), manner)
}

/// The same, from a checkpoint if there is one, with checkpoints on the way.
pub(crate) fn drive_keeping(
    problem: &Problem,
    start: Vec<f64>,
    course: &Course,
    restart: Restart<'_>,
    keeping: &Keeping<'_>,
) -> Result<Outcome> {
    run(problem, start, course, restart, keeping, Manner::default())
}

/// The same with second-order steps of little care: for proposals, which may end anywhere.
pub(crate) fn drive_lightly(
    problem: &Problem,
    start: Vec<f64>,
    course: &Course,
    restart: Restart<'_>,
    keeping: &Keeping<'_>,
) -> Result<Outcome> {
    let manner = Manner {
        care: Care::LITTLE,
        ..Manner::default()
    };
    run(problem, start, course, restart, keeping, manner)
}

/// What is particular to a run.
struct Manner {
    /// Whether the monitor's best look is all that is wanted of the last point.
    is_trial: bool,
    /// Of second-order steps.
    care: Care,
}

impl Default for Manner {
    fn default() -> Self {
        Manner {
            is_trial: false,
            care: Care::FULL,
        }
    }
}

fn run(
    problem: &Problem,
    start: Vec<f64>,
    course: &Course,
    restart: Restart<'_>,
    keeping: &Keeping<'_>,
    manner: Manner,
) -> Result<Outcome> {
    check_start(problem, &start)?;
    let climbing = course.finish.and_then(|_| problem.by_gradient());
    let problem = climbing.as_ref().unwrap_or(problem);
    let warm_up = match course.finish {
        Some(finish) => finish.warm_up.min(course.max_iterations),
        None => course.max_iterations,
    };
    let begin = Begin {
        steps: warm_up,
        tolerance: course.tolerance,
        traced: restart.keep_trace,
        seed: restart.seed,
        index: restart.index,
        cancel: restart.control.cancel.clone(),
    };
    let mut from = keeping.take();
    let first = from.as_ref().map_or(Phase::Learner, |from| from.phase);
    let mut run = Run::new(problem, start.clone(), course.tolerance, restart, keeping);
    run.converges = course.learner.converges();
    if !run.converges {
        run.monitor = Monitor::new(problem, warm_up, manner.is_trial, run.work.sums.seed);
        run.is_judged = problem.is_sampled();
        run.is_trial = manner.is_trial && run.monitor.is_some();
    }
    let (mut stop, mut curvature) = (StopReason::MaxIterations, None);
    if first == Phase::Learner {
        let mut stepper = course.learner.begin(problem, &begin);
        stop = run.phase(Phase::Learner, &mut *stepper, warm_up, from.take())?;
        curvature = stepper.curvature();
    }
    if course.finish.is_some() {
        let mut stepper = SecondOrder::new(problem, course.tolerance, manner.care);
        let limit = course.max_iterations;
        stop = run.phase(Phase::Finish, &mut stepper, limit, from)?;
        curvature = stepper.curvature();
    }
    run.give_the_last_word(problem)?;
    Ok(Outcome {
        start,
        is_of_flat_set: false,
        raised: 0.0,
        curvature,
        point: run.point,
        iterations: run.iterations,
        stop,
        passes: run.work.passes,
        trace: run.trace,
        monitored: run.monitor.map(Monitor::into_monitored),
    })
}

/// All passes of a learner without an end of its own, and the weights that they lead to.
pub(crate) fn drive_unmeasured(
    problem: &Problem,
    start: Vec<f64>,
    course: &Course,
    restart: Restart<'_>,
) -> Result<Vec<f64>> {
    check_start(problem, &start)?;
    if course.learner.converges() {
        return Err(Error::invalid(format!(
            "{} stops where its measurements say so, and cannot do without them",
            course.learner.name()
        )));
    }
    let begin = Begin {
        steps: course.max_iterations,
        tolerance: course.tolerance,
        traced: false,
        seed: restart.seed,
        index: restart.index,
        cancel: restart.control.cancel.clone(),
    };
    let keeping = Keeping::nothing();
    let mut run = Run::new(problem, start, course.tolerance, restart, &keeping);
    run.converges = false;
    let mut stepper = course.learner.begin(problem, &begin);
    while run.iterations < course.max_iterations {
        if restart.control.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        run.report(&*stepper, course.max_iterations);
        stepper.step(problem, &mut run.point, &mut run.work)?;
        run.iterations += 1;
    }
    Ok(run.point.weights)
}

/// One weight per term, each within the box.
fn check_start(problem: &Problem, start: &[f64]) -> Result<()> {
    let (terms, bounds) = (problem.terms(), problem.prior().bounds());
    if start.len() != terms {
        return Err(Error::invalid(format!(
            "a start of {} weights for a machine of {terms} terms; give one per term",
            start.len()
        )));
    }
    let is_outside = |&term: &usize| start[term].is_nan() || start[term].abs() > bounds[term];
    match (0..terms).find(is_outside) {
        Some(term) => Err(Error::invalid(format!(
            "the start has weight {} at term {}, outside the box of ±{}; start within it, or widen it",
            start[term],
            problem.structure().label(term),
            bounds[term]
        ))),
        None => Ok(()),
    }
}

/// What goes along with a restart.
struct Run<'a> {
    problem: &'a Problem,
    tolerance: f64,
    restart: Restart<'a>,
    keeping: &'a Keeping<'a>,
    point: Point,
    work: Workspace,
    trace: Vec<TraceEntry>,
    iterations: usize,
    is_evaluated: bool,
    /// Watches the validation rows of a learner that does not converge.
    monitor: Option<Monitor>,
    /// Whether the last point is measured until its constraints can be judged.
    is_judged: bool,
    /// Whether the monitor's best look is all that is wanted of the last point.
    is_trial: bool,
    /// Whether the learner has an end of its own.
    converges: bool,
}

impl<'a> Run<'a> {
    fn new(
        problem: &'a Problem,
        start: Vec<f64>,
        tolerance: f64,
        restart: Restart<'a>,
        keeping: &'a Keeping<'a>,
    ) -> Self {
        let mut work = Workspace::default();
        work.sums.seed = evaluation_seed(restart.seed, restart.index);
        Run {
            problem,
            tolerance,
            restart,
            keeping,
            point: Point::at(start),
            work,
            trace: Vec::new(),
            iterations: 0,
            is_evaluated: false,
            monitor: None,
            is_judged: false,
            is_trial: false,
            converges: true,
        }
    }

    /// Everything at the point, by long chains where a learner without an end of its own is to be judged.
    fn evaluate(&mut self, strata: bool) -> Result<()> {
        let (problem, point) = (self.problem, &mut self.point);
        if let Some(monitor) = self.monitor.as_ref().filter(|_| self.is_trial) {
            monitor.tell(problem, point)?;
            self.is_evaluated = true;
            return Ok(());
        }
        match self.is_judged {
            true => {
                self.work.passes += 2;
                let seed = learning_seed(self.restart.seed, self.restart.index);
                judge(problem, point, seed, self.restart.control.cancel)?;
            }
            false => problem.evaluate(point, &mut self.work, strata)?,
        }
        self.is_evaluated = true;
        self.record();
        Ok(())
    }

    /// Log-likelihood, entropy and residual by chains where estimates were learned by; estimates that cannot be are refused.
    fn give_the_last_word(&mut self, problem: &Problem) -> Result<()> {
        if problem.is_watched() && self.point.worth.log_likelihood != Kind::Exact {
            self.work.passes += 2;
            let seed = learning_seed(self.restart.seed, self.restart.index);
            let cancel = self.restart.control.cancel;
            return judge(problem, &mut self.point, seed, cancel);
        }
        problem.refuse_impossible(&self.point)
    }

    /// Shows the validation rows the weights after a pass; true where this was the last one. The best weights are then
    /// the point's.
    fn is_last(&mut self, limit: usize) -> Result<bool> {
        let is_last = self.iterations >= limit;
        let Some(monitor) = &mut self.monitor else {
            return Ok(is_last);
        };
        let weights = &mut self.point.weights;
        let is_enough = monitor.take(self.problem, weights, self.iterations, is_last)?;
        let is_over = is_last || is_enough;
        if let Some(best) = monitor.best().filter(|_| is_over) {
            weights.clear();
            weights.extend_from_slice(best);
        }
        Ok(is_over)
    }

    /// Why there are no more iterations.
    fn why_no_more(&self, stepper: &dyn Stepper) -> StopReason {
        if stepper.has_settled() {
            return StopReason::Settled;
        }
        match &self.monitor {
            Some(monitor) if monitor.is_enough() => StopReason::Validation,
            _ => StopReason::MaxIterations,
        }
    }

    /// Steps of one learner until it stops or has made `limit` of them; from a checkpoint of this phase, if there is one.
    fn phase(
        &mut self,
        phase: Phase,
        stepper: &mut dyn Stepper,
        mut limit: usize,
        from: Option<Checkpoint>,
    ) -> Result<StopReason> {
        let (strata, stride) = (stepper.needs_strata(), stepper.stride());
        let stops_itself = !stepper.stops_at_tolerance();
        // An evaluation by samples takes longer than many passes.
        let at_the_end_only = self.problem.is_sampled();
        let mut previous = Vec::new();
        if let Some(from) = from {
            stepper.go_on(self.problem, &from.state)?;
            (limit, previous) = (from.limit, from.previous);
            (self.point, self.is_evaluated) = (from.point, from.is_evaluated);
            (self.iterations, self.work.passes) = (from.iterations, from.passes);
            self.trace = from.trace;
            if let (Some(monitor), Some(carried)) = (&mut self.monitor, from.monitor) {
                monitor.go_on(self.problem, carried)?;
            }
        }
        loop {
            let is_stopped = self.restart.control.cancel.is_cancelled();
            if is_stopped || self.keeping.is_due() {
                self.keep(phase, stepper, limit, &previous)?;
            }
            if is_stopped {
                return Err(Error::Cancelled);
            }
            self.report(stepper, limit);
            let is_due =
                !at_the_end_only && stride.is_none_or(|s| self.iterations.is_multiple_of(s));
            if !self.is_evaluated && (self.iterations == limit || is_due) {
                self.evaluate(strata)?;
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
                return Ok(self.why_no_more(stepper));
            }
            if !stops_itself {
                previous.clone_from(&self.point.weights);
            }
            let stepped = stepper.step(self.problem, &mut self.point, &mut self.work);
            if let Err(Error::Cancelled) = stepped {
                // A long step that was broken off is as if it had not begun.
                self.keep(phase, stepper, limit, &previous)?;
            }
            match stepped? {
                Stepped::Moved => self.is_evaluated = false,
                Stepped::Evaluated => {
                    self.is_evaluated = true;
                    self.record();
                }
                Stepped::Settled => return Ok(StopReason::Converged),
                Stepped::Stuck => return Ok(StopReason::NoProgress),
            }
            self.iterations += 1;
            if stepper.has_settled() || self.is_last(limit)? {
                limit = self.iterations;
            }
        }
    }

    /// Tells how far it has come.
    fn report(&self, stepper: &dyn Stepper, limit: usize) {
        let Restart { index, control, .. } = self.restart;
        let in_errors = stepper.in_errors();
        let by_residual = self.converges && !self.problem.is_sampled();
        (control.watch)(&Progress {
            restart: index,
            iterations: self.iterations,
            residual: self.point.residual,
            residual_in_errors: in_errors.and_then(|errors| errors.largest),
            target: match in_errors {
                Some(errors) => Some(errors.target),
                None => by_residual.then_some(self.tolerance),
            },
            steps: (!self.converges).then_some(limit),
            validation: self.monitor.as_ref().and_then(Monitor::latest),
            weights: &self.point.weights,
        });
    }

    /// Hands out a checkpoint, where the learner can be gone on with and has something to be gone on with.
    fn keep(
        &self,
        phase: Phase,
        stepper: &dyn Stepper,
        limit: usize,
        previous: &[f64],
    ) -> Result<()> {
        // Sums by f# of an evaluated point are not kept: such a point is never seen here but at a phase's start.
        let needs_more = self.is_evaluated && stepper.needs_strata();
        if self.iterations == 0 || needs_more || !self.keeping.is_wanted() {
            return Ok(());
        }
        let Some(state) = stepper.state() else {
            return Ok(());
        };
        self.keeping.keep(&Checkpoint {
            phase,
            limit,
            iterations: self.iterations,
            passes: self.work.passes,
            point: self.point.clone(),
            is_evaluated: self.is_evaluated,
            previous: previous.to_vec(),
            trace: self.trace.clone(),
            state: state?,
            monitor: self.monitor.as_ref().map(Monitor::carried),
        });
        Ok(())
    }

    fn record(&mut self) {
        if self.restart.keep_trace {
            self.trace.push(TraceEntry {
                evaluation: self.trace.len(),
                log_likelihood: self.point.log_likelihood,
                objective: self.point.objective,
                q: self.point.q,
                residual: self.point.residual,
                passes: self.work.passes,
            });
        }
    }
}
