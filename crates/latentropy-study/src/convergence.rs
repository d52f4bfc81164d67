//! Learners side by side from one start (figure 2): the log-likelihood after every iteration and what it cost.

use crate::arm::Arm;
use crate::spec::{Convergence, Spec};
use crate::truth::{draw, fitted, truth};
use latentropy::learning::{Objective, Problem, annealed_run, learn_traced, random_start};
use latentropy::random::named_seed;
use latentropy::{EngineId, Result};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// What all learners did from one start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConvergenceRecord {
    /// One entry per arm and step length, in the order of the spec.
    pub runs: Vec<RunRecord>,
}

/// What one learner did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The arm.
    pub arm: String,
    /// The length of its fixed step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Log-likelihood after so many iterations as the checkpoints say.
    pub by_iterations: Vec<f64>,
    /// Log-likelihood after so many passes.
    pub by_passes: Vec<f64>,
    /// At the end.
    pub last: TracePoint,
    /// Every iteration, where this start is drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<TracePoint>,
}

/// Where a learner stood.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracePoint {
    /// After so many iterations.
    pub iterations: u64,
    /// After so many passes over the states.
    pub passes: u64,
    /// Mean log-likelihood of a row.
    pub log_likelihood: f64,
}

/// Everything that the runs of one start share.
struct Start {
    problem: Problem,
    seed: u64,
    index: u64,
}

impl Start {
    fn new(convergence: &Convergence, seed: u64, truth_index: usize, start: usize) -> Result<Self> {
        let generated = truth(&convergence.truth, seed, "convergence", truth_index)?;
        let name = format!("convergence/truth-{truth_index}/rows");
        let data = draw(&generated, convergence.rows, seed, &name)?;
        let structure = fitted(&convergence.fitted, data.columns())?;
        let starts = format!("convergence/truth-{truth_index}/starts");
        // Each arm brings its own objective.
        let objective = Objective::default();
        Ok(Start {
            problem: Problem::new(&structure, &data, objective, EngineId::EXACT, true)?,
            seed: named_seed(seed, &starts),
            index: start as u64,
        })
    }

    /// The whole way of one learner.
    fn trace(&self, arm: &Arm, step: Option<f64>, iterations: usize) -> Result<Vec<TracePoint>> {
        let mut course = arm.course(step)?;
        course.max_iterations = iterations;
        if course.finish.is_none() {
            // All make the same number of iterations, unless nothing is left to gain.
            course.tolerance = f64::MIN_POSITIVE;
        }
        let problem = self.problem.with_objective(arm.objective())?;
        let (outcome, mut points) = if arm.anneal {
            let annealed = annealed_run(&problem, &course, self.seed, self.index)?;
            let path = annealed.path.iter().map(|step| TracePoint {
                iterations: step.iterations_so_far as u64,
                passes: step.passes_so_far,
                log_likelihood: step.log_likelihood,
            });
            let path: Vec<TracePoint> = path.collect();
            (annealed.outcome, path)
        } else {
            let start = random_start(&problem, self.seed, self.index);
            (learn_traced(&problem, start, &course)?, Vec::new())
        };
        let before = points.last().copied();
        let (iterations_before, passes_before) =
            before.map_or((0, 0), |p| (p.iterations, p.passes));
        points.extend(
            outcome
                .trace
                .iter()
                .enumerate()
                .map(|(at, entry)| TracePoint {
                    iterations: iterations_before + at as u64,
                    passes: passes_before + entry.passes,
                    log_likelihood: entry.log_likelihood,
                }),
        );
        points.retain(|point| point.iterations <= iterations as u64);
        Ok(points)
    }
}

/// All learners from one start.
pub(crate) fn converge(
    spec: &Spec,
    convergence: &Convergence,
    truth: usize,
    start: usize,
) -> Result<ConvergenceRecord> {
    let from = Start::new(convergence, spec.seed, truth, start)?;
    let mut runs = Vec::new();
    for arm in &convergence.arms {
        for step in arm.step_grid() {
            let trace = from.trace(arm, step, convergence.iterations)?;
            let Some(&last) = trace.last() else { continue };
            let at = |reached: &dyn Fn(&TracePoint) -> u64, limit: usize| {
                let within = trace
                    .iter()
                    .rev()
                    .find(|point| reached(point) <= limit as u64);
                within.unwrap_or(&trace[0]).log_likelihood
            };
            let checkpoints = convergence.checkpoints.iter();
            runs.push(RunRecord {
                arm: arm.name.clone(),
                step,
                by_iterations: checkpoints
                    .clone()
                    .map(|&c| at(&|p| p.iterations, c))
                    .collect(),
                by_passes: checkpoints.map(|&c| at(&|p| p.passes, c)).collect(),
                last,
                trace: if (truth, start) == (0, 0) {
                    trace
                } else {
                    Vec::new()
                },
            });
        }
    }
    Ok(ConvergenceRecord { runs })
}

/// When the arms of the drawn start got where: (iterations, seconds), each the shortest of several runs of so many
/// iterations; `steps` has the step length of each arm. An annealed run cannot be cut short: its time is shared out
/// over its passes.
///
/// Times differ from run to run and from machine to machine: they are no part of a study's results.
pub fn convergence_seconds(
    spec: &Spec,
    steps: &[Option<f64>],
) -> Result<Vec<Vec<(TracePoint, f64)>>> {
    const REPEATS: usize = 5;
    let Some(convergence) = &spec.convergence else {
        return Ok(Vec::new());
    };
    let from = Start::new(convergence, spec.seed, 0, 0)?;
    let shortest =
        |arm: &Arm, step: Option<f64>, iterations: usize| -> Result<(Vec<TracePoint>, f64)> {
            let (mut shortest, mut trace) = (f64::INFINITY, Vec::new());
            for _ in 0..REPEATS {
                let started = Instant::now();
                trace = from.trace(arm, step, iterations)?;
                shortest = shortest.min(started.elapsed().as_secs_f64());
            }
            Ok((trace, shortest))
        };
    let mut times = Vec::new();
    for (arm, &step) in convergence.arms.iter().zip(steps) {
        let (whole, seconds) = shortest(arm, step, convergence.iterations)?;
        let passes = whole.last().map_or(1, |point| point.passes.max(1)) as f64;
        let mut reached = Vec::new();
        for &point in whole.iter().filter(|point| point.iterations > 0) {
            if arm.anneal {
                reached.push((point, seconds * point.passes as f64 / passes));
            } else if is_round(point.iterations)
                || point.iterations == convergence.iterations as u64
            {
                let (_, seconds) = shortest(arm, step, point.iterations as usize)?;
                reached.push((point, seconds));
            }
        }
        times.push(reached);
    }
    Ok(times)
}

/// 1, 2, 3, 5, 7 and their multiples by powers of ten: enough for a curve.
fn is_round(iterations: u64) -> bool {
    let mut rest = iterations;
    while rest > 9 && rest.is_multiple_of(10) {
        rest /= 10;
    }
    [1, 2, 3, 5, 7, 15].contains(&rest)
}
