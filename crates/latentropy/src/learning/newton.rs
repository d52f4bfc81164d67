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
    mut each: impl FnMut(&Point),
) -> Result<Finish> {
    let mut damping = 1e-3;
    let mut trial = Point::default();
    for _ in 0..most_steps {
        let Some(matrix) = hessian(problem, &point.weights) else {
            return Ok(Finish::NoHessian);
        };
        let gradient = gradient(problem, point);
        let free = movable(problem, &point.weights, &gradient);
        if free.is_empty() {
            return Ok(Finish::Settled);
        }
        let system = System::new(&matrix, &gradient, &free);
        let mut accepted = false;
        while damping <= LARGEST_DAMPING {
            let Some(mut step) = system.solve(damping) else {
                damping = (damping * 4.0).max(1e-8);
                continue;
            };
            let longest = step.iter().fold(0.0f64, |a, d| a.max(d.abs()));
            if point.residual <= tolerance && longest <= SETTLED_STEP {
                return Ok(Finish::Settled);
            }
            if longest > LONGEST_STEP {
                step.iter_mut().for_each(|d| *d *= LONGEST_STEP / longest);
            }
            let gain = try_step(problem, point, &mut trial, work, &free, &step)?;
            let predicted = system.predicted_gain(&step);
            // Gains below the rounding of the objective cannot be compared; there the residual decides.
            let rounding = 1e-14 * (1.0 + point.objective.abs());
            let good = if predicted.abs() <= rounding {
                gain.is_some_and(|g| g >= -rounding) && trial.residual < point.residual
            } else {
                gain.is_some_and(|g| g >= 1e-4 * predicted.min(0.0) && g >= 0.0)
            };
            if good {
                let ratio = gain.unwrap_or(0.0) / predicted.max(f64::MIN_POSITIVE);
                if ratio > 0.75 || predicted.abs() <= rounding {
                    damping = (damping * 0.2).max(SMALLEST_DAMPING);
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
        each(point);
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
        .filter(|&i| {
            !((weights[i] >= bound && gradient[i] >= 0.0)
                || (weights[i] <= -bound && gradient[i] <= 0.0))
        })
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
    Ok(Some(trial.objective - point.objective))
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

    /// The step for this damping; `None` where the damped matrix is not positive definite.
    fn solve(&self, damping: f64) -> Option<Vec<f64>> {
        let mut damped = self.curvature.clone();
        for i in 0..self.size {
            damped[i * self.size + i] += damping;
        }
        let factor = Llt::new(
            MatRef::from_row_major_slice(&damped, self.size, self.size),
            Side::Lower,
        )
        .ok()?;
        let mut step = self.gradient.clone();
        factor.solve_in_place(MatMut::from_column_major_slice_mut(&mut step, self.size, 1));
        step.iter().all(|d| d.is_finite()).then_some(step)
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
