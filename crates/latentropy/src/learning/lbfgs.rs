//! Limited-memory quasi-Newton ascent inside the box, for machines too large for their Hessian.
//!
//! The two-loop recursion (Nocedal 1980) over the terms that may move, with a projected backtracking line search;
//! the objective never falls.

use super::newton::{Finish, gradient, movable};
use super::{Point, Problem, Workspace};
use crate::error::Result;
use std::collections::VecDeque;

/// Pairs of steps and gradient changes that are remembered.
const MEMORY: usize = 12;
const MOST_HALVINGS: usize = 40;

/// A step s and the change of −∇F along it.
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    inner: f64,
}

/// Quasi-Newton steps from `point` (evaluated) until it is stationary.
pub(super) fn ascend(
    problem: &Problem,
    point: &mut Point,
    work: &mut Workspace,
    tolerance: f64,
    most_steps: usize,
    steps: &mut usize,
    mut each: impl FnMut(&Point, u64),
) -> Result<Finish> {
    let bound = problem.penalty().bound;
    let mut memory: VecDeque<Pair> = VecDeque::new();
    let mut trial = Point::default();
    for _ in 0..most_steps {
        if point.residual <= tolerance {
            return Ok(Finish::Settled);
        }
        let slope = gradient(problem, point);
        let free = movable(problem, &point.weights, &slope);
        let mut direction = two_loops(&memory, &slope, &free);
        if dot(&direction, &slope) <= 0.0 {
            memory.clear();
            direction = two_loops(&memory, &slope, &free);
        }
        let mut length = if memory.is_empty() {
            // Without memory the gradient's own scale says nothing: move the largest weight by at most one.
            1.0 / direction.iter().fold(1.0f64, |a, d| a.max(d.abs()))
        } else {
            1.0
        };
        let mut accepted = false;
        for _ in 0..MOST_HALVINGS {
            trial.weights.clear();
            trial.weights.extend(
                point
                    .weights
                    .iter()
                    .zip(&direction)
                    .map(|(w, d)| (w + length * d).clamp(-bound, bound)),
            );
            problem.evaluate(&mut trial, work, false)?;
            let moved: f64 = trial
                .weights
                .iter()
                .zip(&point.weights)
                .zip(&slope)
                .map(|((new, old), g)| (new - old) * g)
                .sum();
            if trial.objective >= point.objective + 1e-4 * moved.max(0.0)
                || (moved.abs() < 1e-13 && trial.residual < point.residual)
            {
                accepted = true;
                break;
            }
            length *= 0.5;
        }
        if !accepted {
            if memory.is_empty() {
                return Ok(Finish::Stuck);
            }
            memory.clear();
            continue;
        }
        let new_slope = gradient(problem, &trial);
        let step: Vec<f64> = trial
            .weights
            .iter()
            .zip(&point.weights)
            .map(|(a, b)| a - b)
            .collect();
        let change: Vec<f64> = slope.iter().zip(&new_slope).map(|(a, b)| a - b).collect();
        let inner = dot(&step, &change);
        if inner > 1e-12 * dot(&change, &change) {
            if memory.len() == MEMORY {
                memory.pop_front();
            }
            memory.push_back(Pair {
                step,
                change,
                inner,
            });
        }
        std::mem::swap(point, &mut trial);
        *steps += 1;
        each(point, work.passes);
    }
    Ok(if point.residual <= tolerance {
        Finish::Settled
    } else {
        Finish::OutOfSteps
    })
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
