//! The second-order finish: damped Newton steps with the exact Hessian, inside the box, never lowering the objective.
//!
//! A step solves (−∇²F + μ) d = ∇F over the terms that are free to move; μ follows the ratio of the gain to its
//! prediction, as in a trust region. Where weights run off to infinity the objective is a narrow, bent valley with a
//! floor that is almost flat: a straight step leaves the floor after a hundredth of what the floor's own curvature
//! would allow. So the end of a step is brought back to the floor by a few corrections that cost an evaluation each,
//! and only then judged. An accepted step never lowers the objective, and a long one is not taken across a dip, so
//! that the finish stays in the basin it was started in.

use super::system::{System, largest};
use crate::error::Result;
use crate::learning::curvature::step_hessian;
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::Stepped;
use serde::{Deserialize, Serialize};

/// With the residual within the tolerance, a step below this means that nothing runs off any more.
const SETTLED_STEP: f64 = 1e-3;
/// Differences of the objective below this, relative to its size, are rounding.
const RESOLVED: f64 = 1e-11;
/// After this many steps the point creeps along a valley that is flat to the tolerance, and the residual alone decides.
const PATIENCE: usize = 75;
const SMALLEST_DAMPING: f64 = 1e-12;
const LARGEST_DAMPING: f64 = 1e6;
/// A step that changes no weight by more than this cannot cross a valley.
const SURE_STEP: f64 = 0.5;
/// Corrections of the end of a step, at most.
const CORRECTIONS: usize = 8;
/// A step with this share of its predicted gain, and no larger residual than before, needs no further correction.
const GOOD_SHARE: f64 = 0.9;

/// The state of the finish from step to step.
#[derive(Serialize, Deserialize)]
pub(super) struct Newton {
    tolerance: f64,
    damping: f64,
    taken: usize,
    #[serde(skip)]
    trial: Point,
}

impl Newton {
    pub(super) fn new(tolerance: f64) -> Self {
        Newton {
            tolerance,
            damping: 1e-3,
            taken: 0,
            trial: Point::default(),
        }
    }

    /// One accepted step from `point` (evaluated), or why there is none.
    pub(super) fn step(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        work: &mut Workspace,
    ) -> Result<Stepped> {
        let is_within = point.residual <= self.tolerance;
        let Some(matrix) = step_hessian(problem, &point.weights) else {
            return Ok(Stepped::Stuck);
        };
        work.passes += 2;
        let gradient = problem.gradient(point);
        let free = problem.prior().movable(&point.weights, &gradient);
        if free.is_empty() {
            return Ok(Stepped::Settled);
        }
        let system = System::new(&matrix, &gradient, &free);
        let ascent = Ascent::new(problem, point, &free, &gradient);
        while self.damping <= LARGEST_DAMPING {
            let Some(mut step) = system.solve(self.damping, &ascent.room) else {
                self.damping = (self.damping * 4.0).max(1e-8);
                continue;
            };
            let longest = largest(&step);
            if is_within && (self.taken >= PATIENCE || longest <= SETTLED_STEP) {
                return Ok(Stepped::Settled);
            }
            if longest > SURE_STEP && ascent.dips_halfway(&step, &mut self.trial, work)? {
                step.iter_mut().for_each(|d| *d *= SURE_STEP / longest);
            }
            let predicted = system.predicted_gain(&step).max(0.0);
            let damping = self.damping;
            let gain = ascent.take(&system, &step, damping, predicted, &mut self.trial, work)?;
            if gain >= 1e-4 * predicted && gain > 0.0 {
                let ratio = gain / predicted.max(f64::MIN_POSITIVE);
                if ratio > 0.75 {
                    self.damping = (damping * 0.2).max(SMALLEST_DAMPING);
                } else if ratio < 0.25 {
                    self.damping *= 2.0;
                }
                self.taken += 1;
                std::mem::swap(point, &mut self.trial);
                return Ok(Stepped::Evaluated);
            }
            self.damping = (damping * 4.0).max(1e-10);
        }
        Ok(match is_within {
            true => Stepped::Settled,
            false => Stepped::Stuck,
        })
    }
}

/// The place that a step is taken from.
struct Ascent<'a> {
    problem: &'a Problem,
    point: &'a Point,
    free: &'a [usize],
    slope: &'a [f64],
    /// How far each free weight may move within the box.
    room: Vec<(f64, f64)>,
}

impl<'a> Ascent<'a> {
    fn new(problem: &'a Problem, point: &'a Point, free: &'a [usize], slope: &'a [f64]) -> Self {
        let bounds = problem.prior().bounds();
        let room = free
            .iter()
            .map(|&i| (-bounds[i] - point.weights[i], bounds[i] - point.weights[i]))
            .collect();
        Ascent {
            problem,
            point,
            free,
            slope,
            room,
        }
    }

    /// Evaluates the point moved by `change`, cut at the box.
    fn evaluate(
        &self,
        change: impl Iterator<Item = f64>,
        trial: &mut Point,
        work: &mut Workspace,
    ) -> Result<()> {
        trial.weights.clone_from(&self.point.weights);
        for ((&i, d), (low, high)) in self.free.iter().zip(change).zip(&self.room) {
            trial.weights[i] += d.clamp(*low, *high);
        }
        self.problem.evaluate(trial, work, false)
    }

    /// True if the objective halfway along the step is below where it starts.
    fn dips_halfway(&self, step: &[f64], trial: &mut Point, work: &mut Workspace) -> Result<bool> {
        self.evaluate(step.iter().map(|d| 0.5 * d), trial, work)?;
        let here = self.point.objective;
        Ok(trial.objective < here - 1e-14 * (1.0 + here.abs()))
    }

    /// Evaluates the end of the step, brought back to the valley's floor; the gain.
    fn take(
        &self,
        system: &System,
        step: &[f64],
        damping: f64,
        predicted: f64,
        trial: &mut Point,
        work: &mut Workspace,
    ) -> Result<f64> {
        self.evaluate(step.iter().copied(), trial, work)?;
        let longest = largest(step);
        let mut restoring = None;
        for _ in 0..CORRECTIONS {
            let gained = trial.objective - self.point.objective;
            if gained >= GOOD_SHARE * predicted && trial.residual <= self.point.residual {
                break;
            }
            if restoring.is_none() {
                restoring = system.restoring(step, &self.room, damping);
            }
            let Some(restoring) = &restoring else { break };
            let correction = restoring.correction(&self.free_part(trial), step.len());
            if largest(&correction) > longest {
                break;
            }
            let change: Vec<f64> = self
                .free
                .iter()
                .zip(&correction)
                .map(|(&i, c)| trial.weights[i] - self.point.weights[i] + c)
                .collect();
            self.evaluate(change.into_iter(), trial, work)?;
        }
        let gain = trial.objective - self.point.objective;
        if gain.abs() > RESOLVED * (1.0 + self.point.objective.abs()) {
            return Ok(gain);
        }
        // Below the resolution of the objective the gain is the integral of the gradient along the step, by the
        // trapezoid rule: its error is of third order in a step that is small.
        let moved = |i: usize| trial.weights[i] - self.point.weights[i];
        let end = self.free_part(trial);
        Ok(self
            .free
            .iter()
            .zip(end)
            .map(|(&i, end)| 0.5 * (self.slope[i] + end) * moved(i))
            .sum())
    }

    /// The gradient at `trial` over the free terms.
    fn free_part(&self, trial: &Point) -> Vec<f64> {
        let gradient = self.problem.gradient(trial);
        self.free.iter().map(|&i| gradient[i]).collect()
    }
}
