//! The second-order finish: damped Newton steps with the exact Hessian, inside the box, never lowering the objective.
//!
//! A step solves (−∇²F + μ) d = ∇F over the terms that are free to move; μ follows the ratio of the gain to its
//! prediction, as in a trust region. A step is taken only if the objective does not fall at its end nor halfway,
//! so that the finish stays in the basin it was started in. Newton's steps do not shrink along a weight that
//! runs off to infinity: such a weight reaches the edge of the box in about as many steps as the box is wide.

use super::{Point, Problem, Workspace, hessian};
use crate::error::Result;
use faer::linalg::solvers::{Llt, Solve};
use faer::{MatMut, MatRef, Side};

/// Longest change of one weight in one step.
const LONGEST_STEP: f64 = 2.0;
/// With the residual within the tolerance, a step below this means that nothing runs off any more.
const SETTLED_STEP: f64 = 1e-3;
/// Differences of the objective below this, relative to its size, are rounding.
const RESOLVED: f64 = 1e-11;
/// After this many steps the point creeps along a valley that is flat to the tolerance. From then on the damping
/// stays above this curvature, so that only the valley's steep sides are corrected, and the residual alone decides.
const PATIENCE: usize = 150;
const POLISH: f64 = 1e-6;
const SMALLEST_DAMPING: f64 = 1e-12;
const LARGEST_DAMPING: f64 = 1e6;

/// How a finish ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finish {
    /// Stationary within the tolerance, and settled.
    Settled,
    /// No step raises the objective any more, at the limit of the arithmetic.
    Stuck,
    /// The steps ran out.
    OutOfSteps,
    /// The machine is too large for its Hessian.
    NoHessian,
}

/// Newton steps from `point` (evaluated) until it is stationary; the number of steps is added to `steps`.
pub(super) fn finish(
    problem: &Problem,
    point: &mut Point,
    work: &mut Workspace,
    tolerance: f64,
    most_steps: usize,
    steps: &mut usize,
    mut each: impl FnMut(&Point, u64),
) -> Result<Finish> {
    let mut damping: f64 = 1e-3;
    let mut trial = Point::default();
    for taken in 0..most_steps {
        let creeping = taken >= PATIENCE;
        let floor = if creeping { POLISH } else { SMALLEST_DAMPING };
        damping = damping.max(floor);
        let Some(matrix) = hessian(problem, &point.weights) else {
            return Ok(Finish::NoHessian);
        };
        work.passes += 2;
        let gradient = gradient(problem, point);
        let free = movable(problem, &point.weights, &gradient);
        if free.is_empty() {
            return Ok(Finish::Settled);
        }
        let system = System::new(&matrix, &gradient, &free);
        let bound = problem.penalty().bound;
        let room: Vec<(f64, f64)> = free
            .iter()
            .map(|&i| (-bound - point.weights[i], bound - point.weights[i]))
            .collect();
        let mut accepted = false;
        while damping <= LARGEST_DAMPING {
            let Some(step) = system.solve(damping, &room) else {
                damping = (damping * 4.0).max(1e-8);
                continue;
            };
            let longest = step.iter().fold(0.0f64, |a, d| a.max(d.abs()));
            if point.residual <= tolerance && (creeping || longest <= SETTLED_STEP) {
                return Ok(Finish::Settled);
            }
            let gain = try_step(problem, point, &mut trial, work, &free, &step, &gradient)?;
            let predicted = system.predicted_gain(&step);
            if let Some(gain) = gain
                && gain >= 1e-4 * predicted.max(0.0)
                && gain > 0.0
            {
                let ratio = gain / predicted.max(f64::MIN_POSITIVE);
                if ratio > 0.75 {
                    damping = (damping * 0.2).max(floor);
                } else if ratio < 0.25 {
                    damping *= 2.0;
                }
                std::mem::swap(point, &mut trial);
                accepted = true;
                break;
            }
            damping = (damping * 4.0).max(1e-10);
        }
        if !accepted {
            return Ok(if point.residual <= tolerance {
                Finish::Settled
            } else {
                Finish::Stuck
            });
        }
        *steps += 1;
        each(point, work.passes);
    }
    Ok(Finish::OutOfSteps)
}

/// ∂F/∂λ, the ridge included.
pub(crate) fn gradient(problem: &Problem, point: &Point) -> Vec<f64> {
    let ridge = problem.ridge_a_row();
    point
        .weights
        .iter()
        .enumerate()
        .map(|(i, w)| point.clamped.expectations[i] - point.free[i] - ridge * w)
        .collect()
}

/// The terms that may move: all but those at the edge of the box with an outward gradient.
pub(crate) fn movable(problem: &Problem, weights: &[f64], gradient: &[f64]) -> Vec<usize> {
    let bound = problem.penalty().bound;
    (0..weights.len())
        .filter(|&i| !(weights[i].abs() >= bound && gradient[i] * weights[i] >= 0.0))
        .collect()
}

/// Evaluates `point` moved by `step`; the gain, or `None` if the objective dips halfway.
fn try_step(
    problem: &Problem,
    point: &Point,
    trial: &mut Point,
    work: &mut Workspace,
    free: &[usize],
    step: &[f64],
    slope: &[f64],
) -> Result<Option<f64>> {
    let bound = problem.penalty().bound;
    let place = |share: f64, trial: &mut Point| {
        trial.weights.clone_from(&point.weights);
        for (&i, d) in free.iter().zip(step) {
            trial.weights[i] = (point.weights[i] + share * d).clamp(-bound, bound);
        }
    };
    // A short step cannot cross a valley.
    if step.iter().any(|d| d.abs() > 0.25) {
        place(0.5, trial);
        problem.evaluate(trial, work, false)?;
        if trial.objective < point.objective - 1e-14 * (1.0 + point.objective.abs()) {
            return Ok(None);
        }
    }
    place(1.0, trial);
    problem.evaluate(trial, work, false)?;
    let gain = trial.objective - point.objective;
    if gain.abs() > RESOLVED * (1.0 + point.objective.abs()) {
        return Ok(Some(gain));
    }
    // Below the resolution of the objective the gain is the integral of the gradient along the step, by the
    // trapezoid rule: its error is of third order in a step that is small.
    let end_slope = gradient(problem, trial);
    Ok(Some(
        free.iter()
            .map(|&i| 0.5 * (slope[i] + end_slope[i]) * (trial.weights[i] - point.weights[i]))
            .sum(),
    ))
}

/// −∇²F and ∇F over the free terms.
struct System {
    curvature: Vec<f64>,
    gradient: Vec<f64>,
    size: usize,
}

impl System {
    fn new(matrix: &[f64], gradient: &[f64], free: &[usize]) -> Self {
        let terms = gradient.len();
        let mut curvature = Vec::with_capacity(free.len() * free.len());
        for &a in free {
            curvature.extend(free.iter().map(|&b| -matrix[a * terms + b]));
        }
        System {
            curvature,
            gradient: free.iter().map(|&i| gradient[i]).collect(),
            size: free.len(),
        }
    }

    /// The step for this damping inside the box; `None` where the damped matrix is not positive definite.
    ///
    /// Entries that would leave the box are put on its edge and the rest is solved again, given them: a step that
    /// is merely cut would zigzag along the edge.
    fn solve(&self, damping: f64, room: &[(f64, f64)]) -> Option<Vec<f64>> {
        let mut step = vec![0.0; self.size];
        let mut inside: Vec<usize> = (0..self.size).collect();
        while !inside.is_empty() {
            let size = inside.len();
            let mut damped = Vec::with_capacity(size * size);
            let mut right = Vec::with_capacity(size);
            for &a in &inside {
                let row = &self.curvature[a * self.size..(a + 1) * self.size];
                damped.extend(inside.iter().map(|&b| row[b]));
                let on_edge: f64 = if size == self.size {
                    0.0
                } else {
                    // Entries inside are still zero here, so only those on the edge count.
                    row.iter().zip(&step).map(|(c, d)| c * d).sum()
                };
                right.push(self.gradient[a] - on_edge);
            }
            for i in 0..size {
                damped[i * size + i] += damping;
            }
            let matrix = MatRef::from_row_major_slice(&damped, size, size);
            let factor = Llt::new(matrix, Side::Lower).ok()?;
            factor.solve_in_place(MatMut::from_column_major_slice_mut(&mut right, size, 1));
            if right.iter().any(|d| !d.is_finite()) {
                return None;
            }
            let longest = right.iter().fold(0.0f64, |a, d| a.max(d.abs()));
            let shorten = (LONGEST_STEP / longest).min(1.0);
            let mut left = Vec::with_capacity(size);
            for (&at, d) in inside.iter().zip(&right) {
                let (low, high) = room[at];
                let d = d * shorten;
                if d < low || d > high {
                    step[at] = d.clamp(low, high);
                } else {
                    left.push((at, d));
                }
            }
            if left.len() == size {
                for (at, d) in left {
                    step[at] = d;
                }
                break;
            }
            inside = left.into_iter().map(|(at, _)| at).collect();
        }
        Some(step)
    }

    /// gᵀd − ½ dᵀ(−∇²F)d.
    fn predicted_gain(&self, step: &[f64]) -> f64 {
        let mut gain = 0.0;
        for (i, d) in step.iter().enumerate() {
            let row = &self.curvature[i * self.size..(i + 1) * self.size];
            let bend: f64 = row.iter().zip(step).map(|(c, d)| c * d).sum();
            gain += d * (self.gradient[i] - 0.5 * bend);
        }
        gain
    }
}
