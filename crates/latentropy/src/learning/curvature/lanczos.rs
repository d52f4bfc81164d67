//! The largest eigenvalue of a symmetric matrix that is known by its products only (Lanczos 1950).

use crate::inference::kernels::{add_scaled, dot};
use crate::random::{Purpose, named_seed, stream};
use faer::{Mat, Side};
use rand::RngExt;

/// How close the eigenvalue is to be: either of the two is enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accuracy {
    /// In shares of itself.
    pub(super) relative: f64,
    pub(super) absolute: f64,
}

const MOST_STEPS: usize = 300;
/// Before this many steps the largest eigenvalue may not have been seen at all.
const FEWEST_STEPS: usize = 32;
/// The small matrix of the steps so far is taken apart after so many of them.
const LOOK_EVERY: usize = 8;

/// The largest eigenvalue, or none where it does not settle; `multiply(x, y)` leaves A x in y.
pub(super) fn largest_eigenvalue(
    size: usize,
    multiply: impl Fn(&[f64], &mut [f64]),
    accuracy: Accuracy,
) -> Option<f64> {
    let mut random = stream(named_seed(0, "curvature"), Purpose::Alone, 0);
    let mut next: Vec<f64> = (0..size).map(|_| random.random::<f64>() - 0.5).collect();
    let (mut basis, mut diagonal, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    let mut product = vec![0.0; size];
    let mut length = dot(&next, &next).sqrt();
    for step in 1..=MOST_STEPS.min(size) {
        next.iter_mut().for_each(|x| *x /= length);
        basis.push(next.clone());
        multiply(&next, &mut product);
        diagonal.push(dot(&next, &product));
        std::mem::swap(&mut next, &mut product);
        // Twice, so that the basis stays orthogonal to rounding.
        for _ in 0..2 {
            for known in &basis {
                let part = dot(known, &next);
                add_scaled(&mut next, known, -part);
            }
        }
        length = dot(&next, &next).sqrt();
        let is_last = step == MOST_STEPS.min(size) || length <= f64::MIN_POSITIVE;
        if step % LOOK_EVERY == 0 || is_last {
            let (value, last, gap) = top(&diagonal, &beside)?;
            let residual = length * last.abs();
            // The error of an eigenvalue is about its residual squared over the gap to the next one.
            let error = residual * residual / gap.max(residual).max(f64::MIN_POSITIVE);
            let enough = (accuracy.relative * value.abs()).max(accuracy.absolute);
            let is_settled = step >= FEWEST_STEPS && error <= enough;
            if is_settled || step == size || length <= f64::MIN_POSITIVE {
                return Some(value).filter(|value| value.is_finite());
            }
        }
        beside.push(length);
    }
    None
}

/// The largest eigenvalue of a tridiagonal matrix, the last entry of its vector and the gap to the next one.
fn top(diagonal: &[f64], beside: &[f64]) -> Option<(f64, f64, f64)> {
    let size = diagonal.len();
    let matrix = Mat::from_fn(size, size, |a, b| match a.abs_diff(b) {
        0 => diagonal[a],
        1 => beside[a.min(b)],
        _ => 0.0,
    });
    let eigen = matrix.self_adjoint_eigen(Side::Lower).ok()?;
    let value = eigen.S()[size - 1];
    let gap = match size {
        1 => value.abs(),
        _ => value - eigen.S()[size - 2],
    };
    Some((value, eigen.U()[(size - 1, size - 1)], gap))
}
