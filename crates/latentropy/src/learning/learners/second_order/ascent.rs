//! The place that a second-order step is taken from: where it may go, and what it gained.

use crate::error::Result;
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;

/// A step that changes no weight by more than this cannot cross a valley.
pub(super) const SURE_STEP: f64 = 0.5;
/// Differences of the objective below this, relative to its size, are rounding.
const RESOLVED: f64 = 1e-11;

/// The place that a step is taken from.
pub(super) struct Ascent<'a> {
    problem: &'a Problem,
    pub(super) point: &'a Point,
    pub(super) free: &'a [usize],
    slope: &'a [f64],
    /// How far each free weight may move within the box.
    pub(super) room: Vec<(f64, f64)>,
}

impl<'a> Ascent<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        point: &'a Point,
        free: &'a [usize],
        slope: &'a [f64],
    ) -> Self {
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
    pub(super) fn evaluate(
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
    pub(super) fn dips_halfway(
        &self,
        step: &[f64],
        trial: &mut Point,
        work: &mut Workspace,
    ) -> Result<bool> {
        self.evaluate(step.iter().map(|d| 0.5 * d), trial, work)?;
        let here = self.point.objective;
        Ok(trial.objective < here - 1e-14 * (1.0 + here.abs()))
    }

    /// What the trial gained.
    pub(super) fn gain(&self, trial: &Point) -> f64 {
        let gain = trial.objective - self.point.objective;
        if gain.abs() > RESOLVED * (1.0 + self.point.objective.abs()) {
            return gain;
        }
        // Below the resolution of the objective the gain is the integral of the gradient along the step, by the
        // trapezoid rule: its error is of third order in a step that is small.
        let moved = |i: usize| trial.weights[i] - self.point.weights[i];
        let end = self.free_part(trial);
        self.free
            .iter()
            .zip(end)
            .map(|(&i, end)| 0.5 * (self.slope[i] + end) * moved(i))
            .sum()
    }

    /// The gradient at `trial` over the free terms.
    pub(super) fn free_part(&self, trial: &Point) -> Vec<f64> {
        let gradient = self.problem.gradient(trial);
        self.free.iter().map(|&i| gradient[i]).collect()
    }
}
