//! The quadratic model of one Newton step: −∇²F and ∇F over the free terms, and what is solved with them.

use crate::inference::kernels::dot;
use faer::linalg::solvers::{Llt, Solve};
use faer::{MatMut, MatRef, Side};

/// Longest change of one weight in one step.
const LONGEST_STEP: f64 = 2.0;
/// Curvatures well above this are a valley's sides, those well below it its floor: corrections move along the former.
const STEEP: f64 = 3e-3;

/// −∇²F and ∇F over the free terms.
pub(super) struct System {
    curvature: Vec<f64>,
    gradient: Vec<f64>,
    size: usize,
}

impl System {
    pub(super) fn new(matrix: &[f64], gradient: &[f64], free: &[usize]) -> Self {
        let terms = gradient.len();
        let mut curvature = Vec::with_capacity(free.len() * free.len());
        for &a in free {
            curvature.extend(free.iter().map(|&b| -matrix[a * terms + b]));
        }
        System::of(curvature, free.iter().map(|&i| gradient[i]).collect())
    }

    /// −∇²F, row by row, and ∇F, both over the free terms already.
    pub(super) fn of(curvature: Vec<f64>, gradient: Vec<f64>) -> Self {
        System {
            curvature,
            size: gradient.len(),
            gradient,
        }
    }

    /// The step for this damping inside the box; `None` where the damped matrix is not positive definite.
    ///
    /// Entries that would leave the box are put on its edge and the rest is solved again, given them: a step that
    /// is merely cut would zigzag along the edge.
    pub(super) fn solve(&self, damping: f64, room: &[(f64, f64)]) -> Option<Vec<f64>> {
        Some(self.solve_beside(damping, room, &[])?.0)
    }

    /// The same, and vᵀ(−∇²F + damping)⁻¹v of another vector, without the box; zero where there is none.
    pub(super) fn solve_beside(
        &self,
        damping: f64,
        room: &[(f64, f64)],
        beside: &[f64],
    ) -> Option<(Vec<f64>, f64)> {
        let mut quadratic = 0.0;
        let mut step = vec![0.0; self.size];
        let mut inside: Vec<usize> = (0..self.size).collect();
        while !inside.is_empty() {
            let size = inside.len();
            let mut right = Vec::with_capacity(size);
            for &a in &inside {
                let row = self.row(a);
                let on_edge: f64 = if size == self.size {
                    0.0
                } else {
                    // Entries inside are still zero here, so only those on the edge count.
                    row.iter().zip(&step).map(|(c, d)| c * d).sum()
                };
                right.push(self.gradient[a] - on_edge);
            }
            let is_whole = size == self.size && !beside.is_empty();
            if is_whole {
                right.extend(beside);
            }
            let columns = right.len() / size;
            self.factor(&inside, damping)?
                .solve_in_place(MatMut::from_column_major_slice_mut(
                    &mut right, size, columns,
                ));
            if is_whole {
                quadratic = dot(beside, &right[size..]);
                right.truncate(size);
            }
            if right.iter().any(|d| !d.is_finite()) {
                return None;
            }
            let shorten = (LONGEST_STEP / largest(&right)).min(1.0);
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
        Some((step, quadratic))
    }

    /// What brings the end of this step back to the valley's floor; `None` where nothing can move.
    pub(super) fn restoring(
        &self,
        step: &[f64],
        room: &[(f64, f64)],
        damping: f64,
    ) -> Option<Restoring> {
        let inside: Vec<usize> = (0..self.size)
            .filter(|&at| room[at].0 < step[at] && step[at] < room[at].1)
            .collect();
        let factor = self.factor(&inside, (damping * 30.0).max(STEEP))?;
        Some(Restoring { inside, factor })
    }

    fn row(&self, at: usize) -> &[f64] {
        &self.curvature[at * self.size..(at + 1) * self.size]
    }

    /// The damped matrix over some of the terms, factored; `None` where it is not positive definite.
    fn factor(&self, inside: &[usize], damping: f64) -> Option<Llt<f64>> {
        let size = inside.len();
        let mut damped = Vec::with_capacity(size * size);
        for &a in inside {
            let row = self.row(a);
            damped.extend(inside.iter().map(|&b| row[b]));
        }
        for i in 0..size {
            damped[i * size + i] += damping;
        }
        Llt::new(
            MatRef::from_row_major_slice(&damped, size, size),
            Side::Lower,
        )
        .ok()
    }

    /// gᵀd − ½ dᵀ(−∇²F)d.
    pub(super) fn predicted_gain(&self, step: &[f64]) -> f64 {
        let mut gain = 0.0;
        for (i, d) in step.iter().enumerate() {
            let row = self.row(i);
            let bend: f64 = row.iter().zip(step).map(|(c, d)| c * d).sum();
            gain += d * (self.gradient[i] - 0.5 * bend);
        }
        gain
    }
}

/// The damped matrix at the start of a step, with which its end is corrected.
pub(super) struct Restoring {
    inside: Vec<usize>,
    factor: Llt<f64>,
}

impl Restoring {
    /// A step up the valley's sides for this gradient, over all `size` free terms.
    pub(super) fn correction(&self, gradient: &[f64], size: usize) -> Vec<f64> {
        let mut part: Vec<f64> = self.inside.iter().map(|&at| gradient[at]).collect();
        let rows = part.len();
        self.factor
            .solve_in_place(MatMut::from_column_major_slice_mut(&mut part, rows, 1));
        let mut correction = vec![0.0; size];
        for (&at, d) in self.inside.iter().zip(part) {
            correction[at] = d;
        }
        correction
    }
}

pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |a, d| a.max(d.abs()))
}
