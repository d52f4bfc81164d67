//! A quick climb along a flat set, for proposals of a search: its steps are brought back to the set with the curvature at hand.
//!
//! `flat.rs` lets the learner run to its end after every step, which takes some hundred passes for each, and most of a search where
//! flat sets are large. Here a step follows conjugate gradients of the entropy within the flat directions, a few corrections up the
//! steep ones end it, at an evaluation each, and the learner has the last word once, at the end (docs/search.md).

use super::checkpoint::Keeping;
use super::course::{Course, Finish};
use super::curvature::Curvature;
use super::driver::drive_lightly;
use super::flat::{FIRST_STEP, LEVEL, LONGEST, SHORTEST};
use super::outcome::Outcome;
use super::point::{Point, Workspace};
use super::problem::Problem;
use super::restart::Restart;
use super::screened::MARGIN;
use crate::error::Result;

const MOST_STEPS: usize = 60;
/// Corrections of one step.
const MOST_CORRECTIONS: usize = 10;
/// What is added to the curvature of directions that are next to flat, which would lead corrections far away.
const DAMPING: f64 = 1e-7;
/// The objective may fall by this much on the way; the learner makes up for it.
const SAME: f64 = 1e-7;
/// And residuals may be this many times the tolerance.
const NEAR: f64 = 10.0;
/// A step that gains less, in nats, is the last.
const LEAST_GAIN: f64 = 1e-6;
/// After so many steps a climb that is further than this below what it is to come near is given up: most of the rise is in the first steps.
const LOOK: usize = 6;
const MARGIN_ON_THE_WAY: f64 = 0.1;
/// Weights this near to the edge of the box are at it.
const AT_EDGE: f64 = 1e-9;

/// The outcome at a point of higher entropy of the flat set that it lies in, if it lies in one; as it is where that does not come near
/// the entropy `least`.
pub(crate) fn climb_quickly(
    problem: &Problem,
    mut outcome: Outcome,
    course: &Course,
    restart: Restart<'_>,
    least: f64,
) -> Result<Outcome> {
    if !outcome.point.is_stationary(course.tolerance) {
        return Ok(outcome);
    }
    let mut climb = Climb {
        problem,
        tolerance: course.tolerance,
        lowest: outcome.point.objective - SAME,
        point: outcome.point.clone(),
        trial: Point::default(),
        work: Workspace::default(),
        step: FIRST_STEP,
        last: None,
    };
    let mut known = outcome.curvature.clone();
    let mut taken = 0;
    while taken < MOST_STEPS {
        if taken >= LOOK && climb.point.entropy < least - MARGIN_ON_THE_WAY {
            break;
        }
        let before = climb.point.entropy;
        if !climb.step(known.take())? {
            break;
        }
        taken += 1;
        if climb.point.entropy - before < LEAST_GAIN {
            break;
        }
    }
    outcome.passes += climb.work.passes;
    outcome.iterations += taken;
    if taken == 0 {
        return Ok(outcome);
    }
    outcome.is_of_flat_set = true;
    if climb.point.entropy < least - MARGIN {
        return Ok(outcome);
    }
    let again = Course {
        finish: course.finish.map(|_| Finish { warm_up: 0 }),
        anneal: false,
        path: false,
        ..course.clone()
    };
    let quiet = Restart {
        keep_trace: false,
        ..restart
    };
    let start = climb.point.weights;
    let found = drive_lightly(problem, start, &again, quiet, &Keeping::nothing())?;
    outcome.iterations += found.iterations;
    outcome.passes += found.passes;
    let rise = found.point.entropy - outcome.point.entropy;
    if found.point.is_stationary(course.tolerance) && rise > 0.0 {
        outcome.raised = rise;
        outcome.point = found.point;
        outcome.curvature = found.curvature;
    }
    Ok(outcome)
}

/// A climb on its way.
struct Climb<'a> {
    problem: &'a Problem,
    tolerance: f64,
    /// The objective may not fall below this.
    lowest: f64,
    point: Point,
    trial: Point,
    work: Workspace,
    step: f64,
    /// The gradient and the direction of the last step.
    last: Option<(Vec<f64>, Vec<f64>)>,
}

impl Climb<'_> {
    /// One step that raises the entropy; false where there is none. The curvature may be known.
    fn step(&mut self, known: Option<Curvature>) -> Result<bool> {
        let Some((curvature, gradient)) = self.upwards(known) else {
            return Ok(false);
        };
        let length = dot(&gradient, &gradient).sqrt();
        if length < LEVEL {
            return Ok(false);
        }
        let direction = self.conjugate(&curvature, &gradient);
        let norm = dot(&direction, &direction).sqrt();
        while self.step >= SHORTEST {
            self.go(&curvature, &direction, self.step / norm)?;
            let is_level =
                self.trial.objective >= self.lowest && self.trial.residual <= NEAR * self.tolerance;
            if is_level && self.trial.entropy > self.point.entropy {
                std::mem::swap(&mut self.point, &mut self.trial);
                self.step = (2.0 * self.step).min(LONGEST);
                self.last = Some((gradient, direction));
                return Ok(true);
            }
            self.step *= 0.25;
        }
        Ok(false)
    }

    /// The curvature over terms that the entropy does not press against the box, and the entropy's gradient in its flat directions.
    fn upwards(&mut self, known: Option<Curvature>) -> Option<(Curvature, Vec<f64>)> {
        let problem = self.problem;
        let mut curvature = match known {
            Some(known) => known,
            None => {
                self.work.passes += 2;
                Curvature::at(problem, &self.point)?
            }
        };
        let mut gradient = curvature.flat_entropy_gradient(problem)?;
        // Without the terms that are blocked others may be.
        for _ in 0..3 {
            let (weights, bounds) = (&self.point.weights, problem.prior().bounds());
            let is_blocked = |&term: &usize| {
                let weight = weights[term];
                weight.abs() >= bounds[term] - AT_EDGE && gradient[term] * weight > 0.0
            };
            let all = curvature.free.iter().copied();
            let free: Vec<usize> = all.filter(|term| !is_blocked(term)).collect();
            if free.len() == curvature.free.len() {
                break;
            }
            self.work.passes += 2;
            curvature = Curvature::new(problem, weights, free)?;
            gradient = curvature.flat_entropy_gradient(problem)?;
        }
        Some((curvature, gradient))
    }

    /// The gradient and what is still good of the last direction (Polak and Ribière), within the flat directions.
    fn conjugate(&self, curvature: &Curvature, gradient: &[f64]) -> Vec<f64> {
        let mixed = self.last.as_ref().and_then(|(last_gradient, last)| {
            let change = gradient.iter().zip(last_gradient);
            let change: f64 = change.zip(gradient).map(|((a, b), g)| g * (a - b)).sum();
            let share = (change / dot(last_gradient, last_gradient)).max(0.0);
            let mixed = gradient.iter().zip(last).map(|(g, d)| g + share * d);
            curvature.flat_part(&mixed.collect::<Vec<f64>>())
        });
        let mixed = mixed.filter(|mixed| dot(mixed, gradient) > 0.0);
        mixed.unwrap_or_else(|| gradient.to_vec())
    }

    /// Evaluates the end of a step, brought back to the set.
    fn go(&mut self, curvature: &Curvature, direction: &[f64], by: f64) -> Result<()> {
        let (problem, prior) = (self.problem, self.problem.prior());
        let trial = &mut self.trial;
        trial.weights.clone_from(&self.point.weights);
        for (term, (weight, d)) in trial.weights.iter_mut().zip(direction).enumerate() {
            *weight = prior.held(term, *weight + by * d);
        }
        problem.evaluate(trial, &mut self.work, false)?;
        for _ in 0..MOST_CORRECTIONS {
            let gradient = problem.gradient(trial);
            let free = curvature.free.iter();
            let is_back = free.clone().all(|&term| {
                prior.violation(term, trial.weights[term], gradient[term]) <= self.tolerance
            });
            let correction = curvature.correction(&gradient, DAMPING);
            let Some(correction) = correction.filter(|_| !is_back) else {
                break;
            };
            // So far away that the curvature says nothing of it.
            if correction.iter().any(|d| d.abs() > self.step) {
                break;
            }
            for (term, (weight, d)) in trial.weights.iter_mut().zip(correction).enumerate() {
                *weight = prior.held(term, *weight + d);
            }
            problem.evaluate(trial, &mut self.work, false)?;
        }
        Ok(())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
