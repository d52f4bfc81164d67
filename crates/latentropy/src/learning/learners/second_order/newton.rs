//! The second-order finish: damped Newton steps with the exact Hessian, inside the box, never lowering the objective.
//!
//! A step solves (−∇²F + μ) d = ∇F over the terms that are free to move; μ follows the ratio of the gain to its
//! prediction, as in a trust region. Where weights run off to infinity the objective is a narrow, bent valley with a
//! floor that is almost flat: a straight step leaves the floor after a hundredth of what the floor's own curvature
//! would allow. So the end of a step is brought back to the floor by a few corrections that cost an evaluation each,
//! and only then judged. An accepted step never lowers the objective, and a long one is not taken across a dip, so
//! that the finish stays in the basin it was started in.

use super::ascent::{Ascent, SURE_STEP};
use super::system::{System, largest};
use crate::error::Result;
use crate::learning::curvature::step_hessian;
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::Stepped;
use serde::{Deserialize, Serialize};

/// With the residual within the tolerance, a step below this means that nothing runs off any more.
const SETTLED_STEP: f64 = 1e-3;
/// After this many steps the point creeps along a valley that is flat to the tolerance, and the residual alone decides.
const PATIENCE: usize = 75;
const SMALLEST_DAMPING: f64 = 1e-12;
const LARGEST_DAMPING: f64 = 1e6;

/// How much care a step takes. Passes that make steps sure keep a run in the basin it was started in; a proposal of a search may
/// end in any basin, and without them there are more proposals for the same passes (docs/search.md).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Care {
    /// Corrections of the end of a step, at most.
    corrections: usize,
    /// A step with this share of its predicted gain, and no larger residual than before, needs no further correction.
    good_share: f64,
    /// What a step as good as predicted leaves of the damping.
    relief: f64,
    /// Whether a long step is looked at halfway, so that it crosses no dip.
    looks_halfway: bool,
}

impl Care {
    pub(crate) const FULL: Care = Care {
        corrections: 8,
        good_share: 0.9,
        relief: 0.2,
        looks_halfway: true,
    };
    /// For proposals.
    pub(crate) const LITTLE: Care = Care {
        corrections: 2,
        good_share: 0.25,
        relief: 0.1,
        looks_halfway: false,
    };
}

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
        care: Care,
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
            let is_doubted = care.looks_halfway && longest > SURE_STEP;
            if is_doubted && ascent.dips_halfway(&step, &mut self.trial, work)? {
                step.iter_mut().for_each(|d| *d *= SURE_STEP / longest);
            }
            let predicted = system.predicted_gain(&step).max(0.0);
            let damping = self.damping;
            let planned = Planned {
                step: &step,
                damping,
                predicted,
                care,
            };
            let gain = take(&ascent, &system, &planned, &mut self.trial, work)?;
            if gain >= 1e-4 * predicted && gain > 0.0 {
                let ratio = gain / predicted.max(f64::MIN_POSITIVE);
                if ratio > 0.75 {
                    self.damping = (damping * care.relief).max(SMALLEST_DAMPING);
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

/// A step before it is taken.
struct Planned<'a> {
    step: &'a [f64],
    damping: f64,
    predicted: f64,
    care: Care,
}

/// Evaluates the end of the step, brought back to the valley's floor; the gain.
fn take(
    ascent: &Ascent<'_>,
    system: &System,
    planned: &Planned<'_>,
    trial: &mut Point,
    work: &mut Workspace,
) -> Result<f64> {
    let &Planned {
        step,
        damping,
        predicted,
        care,
    } = planned;
    ascent.evaluate(step.iter().copied(), trial, work)?;
    let longest = largest(step);
    let mut restoring = None;
    for _ in 0..care.corrections {
        let gained = trial.objective - ascent.point.objective;
        if gained >= care.good_share * predicted && trial.residual <= ascent.point.residual {
            break;
        }
        if restoring.is_none() {
            restoring = system.restoring(step, &ascent.room, damping);
        }
        let Some(restoring) = &restoring else { break };
        let correction = restoring.correction(&ascent.free_part(trial), step.len());
        if largest(&correction) > longest {
            break;
        }
        let change: Vec<f64> = ascent
            .free
            .iter()
            .zip(&correction)
            .map(|(&i, c)| trial.weights[i] - ascent.point.weights[i] + c)
            .collect();
        ascent.evaluate(change.into_iter(), trial, work)?;
    }
    Ok(ascent.gain(trial))
}
