//! Limited-memory quasi-Newton ascent inside the box, for machines too large for their Hessian.
//!
//! The two-loop recursion (Nocedal 1980) over the terms that may move, with a projected backtracking line search;
//! the objective never falls.

use crate::error::Result;
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::Stepped;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Pairs of steps and gradient changes that are remembered.
const MEMORY: usize = 12;
const MOST_HALVINGS: usize = 40;

/// A step s and the change of −∇F along it.
#[derive(Serialize, Deserialize)]
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    inner: f64,
}

/// What is remembered from step to step.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Lbfgs {
    memory: VecDeque<Pair>,
    #[serde(skip)]
    trial: Point,
}

impl Lbfgs {
    /// One accepted step from `point` (evaluated), or why there is none.
    pub(super) fn step(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        work: &mut Workspace,
    ) -> Result<Stepped> {
        let slope = problem.gradient(point);
        let free = problem.prior().movable(&point.weights, &slope);
        loop {
            let mut direction = two_loops(&self.memory, &slope, &free);
            if dot(&direction, &slope) <= 0.0 {
                self.memory.clear();
                direction = two_loops(&self.memory, &slope, &free);
            }
            if self.search(problem, point, work, &slope, &direction)? {
                break;
            }
            if self.memory.is_empty() {
                return Ok(Stepped::Stuck);
            }
            self.memory.clear();
        }
        self.remember(problem, point, &slope);
        std::mem::swap(point, &mut self.trial);
        Ok(Stepped::Evaluated)
    }

    /// Backtracks along the direction, within the box; true if a better point was found.
    fn search(
        &mut self,
        problem: &Problem,
        point: &Point,
        work: &mut Workspace,
        slope: &[f64],
        direction: &[f64],
    ) -> Result<bool> {
        let prior = problem.prior();
        let mut length = if self.memory.is_empty() {
            // Without memory the gradient's own scale says nothing: move the largest weight by at most one.
            1.0 / direction.iter().fold(1.0f64, |a, d| a.max(d.abs()))
        } else {
            1.0
        };
        let trial = &mut self.trial;
        for _ in 0..MOST_HALVINGS {
            let weights = point.weights.iter().zip(direction).enumerate();
            trial.weights.clear();
            trial
                .weights
                .extend(weights.map(|(term, (w, d))| prior.held(term, w + length * d)));
            problem.evaluate(trial, work, false)?;
            let moved: f64 = trial
                .weights
                .iter()
                .zip(&point.weights)
                .zip(slope)
                .map(|((new, old), g)| (new - old) * g)
                .sum();
            if trial.objective >= point.objective + 1e-4 * moved.max(0.0)
                || (moved.abs() < 1e-13 && trial.residual < point.residual)
            {
                return Ok(true);
            }
            length *= 0.5;
        }
        Ok(false)
    }

    /// Takes in the step to the trial point and the change of the gradient along it.
    fn remember(&mut self, problem: &Problem, point: &Point, slope: &[f64]) {
        let new_slope = problem.gradient(&self.trial);
        let weights = self.trial.weights.iter().zip(&point.weights);
        let step: Vec<f64> = weights.map(|(a, b)| a - b).collect();
        let change: Vec<f64> = slope.iter().zip(&new_slope).map(|(a, b)| a - b).collect();
        let inner = dot(&step, &change);
        if inner > 1e-12 * dot(&change, &change) {
            if self.memory.len() == MEMORY {
                self.memory.pop_front();
            }
            self.memory.push_back(Pair {
                step,
                change,
                inner,
            });
        }
    }
}

/// The inverse of the remembered curvature times the gradient, over the free terms; zero elsewhere.
fn two_loops(memory: &VecDeque<Pair>, gradient: &[f64], free: &[usize]) -> Vec<f64> {
    let mut direction = vec![0.0; gradient.len()];
    for &i in free {
        direction[i] = gradient[i];
    }
    let mut shares = Vec::with_capacity(memory.len());
    for pair in memory.iter().rev() {
        let share = dot(&pair.step, &direction) / pair.inner;
        for (d, y) in direction.iter_mut().zip(&pair.change) {
            *d -= share * y;
        }
        shares.push(share);
    }
    if let Some(last) = memory.back() {
        let scale = last.inner / dot(&last.change, &last.change);
        direction.iter_mut().for_each(|d| *d *= scale);
    }
    for (pair, share) in memory.iter().zip(shares.iter().rev()) {
        let back = dot(&pair.change, &direction) / pair.inner;
        for (d, s) in direction.iter_mut().zip(&pair.step) {
            *d += (share - back) * s;
        }
    }
    let mut kept = vec![0.0; gradient.len()];
    for &i in free {
        kept[i] = direction[i];
    }
    kept
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
