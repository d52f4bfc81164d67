//! The finish: second-order steps to a stationary point, and away from saddles along their upward direction.

use super::curvature::{Curvature, UPWARD};
use super::newton::{Finish, gradient, movable};
use super::{Point, Problem, Workspace, lbfgs, newton};
use crate::error::Result;

/// A saddle is left at most this often.
const MOST_ESCAPES: usize = 8;
/// First trial length along the upward direction, in the largest change of a weight.
const ESCAPE_LENGTH: f64 = 0.5;

/// From an evaluated point to a certified one; true if it ended settled.
pub(super) fn finish(
    problem: &Problem,
    point: &mut Point,
    work: &mut Workspace,
    tolerance: f64,
    most_steps: usize,
    steps: &mut usize,
    mut each: impl FnMut(&Point, u64),
) -> Result<bool> {
    for escapes in 0..=MOST_ESCAPES {
        let left = most_steps.saturating_sub(*steps);
        let mut ended = newton::finish(problem, point, work, tolerance, left, steps, &mut each)?;
        if ended == Finish::NoHessian {
            ended = lbfgs::ascend(problem, point, work, tolerance, left, steps, &mut each)?;
            return Ok(ended == Finish::Settled);
        }
        if ended != Finish::Settled {
            return Ok(false);
        }
        // A point just moved away from a saddle is not settled: the last round ends where it settled.
        if escapes == MOST_ESCAPES {
            break;
        }
        let free = movable(problem, &point.weights, &gradient(problem, point));
        work.passes += 2;
        match Curvature::new(problem, &point.weights, free) {
            Some(curvature) if curvature.largest() > UPWARD => {
                let upward = curvature.direction(curvature.free.len() - 1);
                if !escape(problem, point, work, &curvature.free, upward)? {
                    return Ok(true);
                }
                *steps += 1;
                each(point, work.passes);
            }
            _ => return Ok(true),
        }
    }
    Ok(true)
}

/// Moves along ± the upward direction as far as the objective rises; false if it does not rise at all.
fn escape(
    problem: &Problem,
    point: &mut Point,
    work: &mut Workspace,
    free: &[usize],
    direction: &[f64],
) -> Result<bool> {
    let bound = problem.penalty().bound;
    let largest = direction.iter().fold(0.0f64, |a, d| a.max(d.abs()));
    let mut length = ESCAPE_LENGTH / largest.max(f64::MIN_POSITIVE);
    for _ in 0..12 {
        let mut best: Option<Point> = None;
        for sign in [1.0, -1.0] {
            let mut trial = Point {
                weights: point.weights.clone(),
                ..Point::default()
            };
            for (&i, d) in free.iter().zip(direction) {
                trial.weights[i] = (point.weights[i] + sign * length * d).clamp(-bound, bound);
            }
            problem.evaluate(&mut trial, work, false)?;
            let beats = best.as_ref().is_none_or(|b| trial.objective > b.objective);
            if trial.objective > point.objective && beats {
                best = Some(trial);
            }
        }
        if let Some(better) = best {
            *point = better;
            return Ok(true);
        }
        length *= 0.5;
    }
    Ok(false)
}
