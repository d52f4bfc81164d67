//! Linear response: covariances as derivatives of a fixed point's means by the biases (Kappen and Rodríguez 1998).
//!
//! At a stationary point of an approximate free energy G(q), ∂q/∂bias is the inverse of G's second derivative. The
//! matrix is kept as S·G''·S with S = diag √(q(1−q)), so that units that are all but certain do no harm.

use super::reduction::Pairwise;
use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, Side};
use rayon::prelude::*;

/// Up to this many units the matrix is inverted whole; beyond, column by column.
const DENSE: usize = 1500;
/// Conjugate gradients stop at this residual.
const PRECISE: f64 = 1e-13;

/// S·G''·S and S.
pub(super) struct Response<'a> {
    graph: &'a Pairwise,
    /// √(q(1−q)).
    pub(super) scale: Vec<f64>,
    /// Of S·G''·S, one entry per unit.
    pub(super) diagonal: Vec<f64>,
    /// Of S·G''·S, one entry per edge.
    pub(super) off_diagonal: Vec<f64>,
}

impl<'a> Response<'a> {
    /// An identity, to be filled.
    pub(super) fn new(graph: &'a Pairwise, means: &[f64]) -> Self {
        Response {
            graph,
            scale: means
                .iter()
                .map(|q| (q * (1.0 - q)).max(0.0).sqrt())
                .collect(),
            diagonal: vec![1.0; graph.units()],
            off_diagonal: vec![0.0; graph.edges.len()],
        }
    }

    /// The covariance of every pair of units, row by row; `None` where the point is no strict minimum.
    pub(super) fn all(&self) -> Option<Vec<f64>> {
        let n = self.graph.units();
        let mut matrix = Mat::<f64>::zeros(n, n);
        for unit in 0..n {
            matrix[(unit, unit)] = self.diagonal[unit];
        }
        for (edge, &value) in self.graph.edges.iter().zip(&self.off_diagonal) {
            matrix[(edge.a, edge.b)] = value;
            matrix[(edge.b, edge.a)] = value;
        }
        let factor = Llt::new(matrix.as_ref(), Side::Lower).ok()?;
        let inverse = factor.solve(Mat::<f64>::identity(n, n));
        let entry = |at: usize| {
            let (i, j) = (at / n, at % n);
            0.5 * (inverse[(i, j)] + inverse[(j, i)]) * self.scale[i] * self.scale[j]
        };
        let covariances: Vec<f64> = (0..n * n).map(entry).collect();
        covariances
            .iter()
            .all(|c| c.is_finite())
            .then_some(covariances)
    }

    /// The covariance along every edge.
    pub(super) fn along_edges(&self) -> Option<Vec<f64>> {
        let n = self.graph.units();
        if self.graph.edges.is_empty() {
            return Some(Vec::new());
        }
        if n <= DENSE {
            let all = self.all()?;
            let edges = self.graph.edges.iter();
            return Some(edges.map(|edge| all[edge.a * n + edge.b]).collect());
        }
        let columns: Vec<Option<Vec<(usize, f64)>>> = (0..n)
            .into_par_iter()
            .map(|unit| {
                let later = |i: &&super::reduction::Incident| i.neighbour > unit;
                if !self.graph.around(unit).iter().any(|i| later(&i)) {
                    return Some(Vec::new());
                }
                let column = self.column(unit)?;
                let entries = self.graph.around(unit).iter().filter(later).map(|i| {
                    let value = column[i.neighbour] * self.scale[unit] * self.scale[i.neighbour];
                    (i.edge, value)
                });
                Some(entries.collect())
            })
            .collect();
        let mut values = vec![0.0; self.graph.edges.len()];
        for column in columns {
            for (edge, value) in column? {
                values[edge] = value;
            }
        }
        Some(values)
    }

    /// One column of the inverse of S·G''·S by conjugate gradients.
    fn column(&self, unit: usize) -> Option<Vec<f64>> {
        let n = self.graph.units();
        let mut solution = vec![0.0; n];
        let mut residual = vec![0.0; n];
        residual[unit] = 1.0;
        let mut direction = residual.clone();
        let mut size = 1.0;
        for _ in 0..20 * n {
            if size < PRECISE * PRECISE {
                return Some(solution);
            }
            let image = self.apply(&direction);
            let curvature: f64 = direction.iter().zip(&image).map(|(d, i)| d * i).sum();
            if curvature.is_nan() || curvature <= 0.0 {
                return None;
            }
            let step = size / curvature;
            for at in 0..n {
                solution[at] += step * direction[at];
                residual[at] -= step * image[at];
            }
            let next: f64 = residual.iter().map(|r| r * r).sum();
            for at in 0..n {
                direction[at] = residual[at] + next / size * direction[at];
            }
            size = next;
        }
        None
    }

    fn apply(&self, vector: &[f64]) -> Vec<f64> {
        let mut image: Vec<f64> = vector
            .iter()
            .zip(&self.diagonal)
            .map(|(v, d)| v * d)
            .collect();
        for (edge, value) in self.graph.edges.iter().zip(&self.off_diagonal) {
            image[edge.a] += value * vector[edge.b];
            image[edge.b] += value * vector[edge.a];
        }
        image
    }
}

/// Covariances of the free units as a table over all units; held ones have none.
pub(super) fn over_all_units(graph: &Pairwise, covariances: &[f64], units: usize) -> Vec<f64> {
    let free = graph.free();
    let mut whole = vec![0.0; units * units];
    for (i, &a) in free.iter().enumerate() {
        for (j, &b) in free.iter().enumerate() {
            whole[a * units + b] = covariances[i * free.len() + j];
        }
    }
    whole
}
