//! A symmetric matrix taken apart into its directions.

use crate::inference::kernels::{add_scaled, dot};
use faer::{MatRef, Side};

/// A symmetric matrix taken apart.
#[derive(Clone, Debug)]
pub(super) struct Eigen {
    pub(super) values: Vec<f64>,
    /// One unit vector after the other.
    vectors: Vec<f64>,
}

impl Eigen {
    pub(super) fn new(matrix: &[f64], size: usize) -> Option<Self> {
        let whole = MatRef::from_row_major_slice(matrix, size, size);
        let eigen = whole.self_adjoint_eigen(Side::Lower).ok()?;
        let at = 0..size;
        Some(Eigen {
            values: at.clone().map(|at| eigen.S()[at]).collect(),
            vectors: at
                .flat_map(|at| eigen.U().col(at).iter())
                .copied()
                .collect(),
        })
    }

    /// A vector's parts along the directions.
    pub(super) fn along(&self, v: &[f64]) -> Vec<f64> {
        let vectors = self.vectors.chunks_exact(v.len().max(1));
        vectors.map(|vector| dot(vector, v)).collect()
    }

    /// The way back.
    pub(super) fn together(&self, along: &[f64]) -> Vec<f64> {
        let mut v = vec![0.0; along.len()];
        let vectors = self.vectors.chunks_exact(along.len().max(1));
        vectors
            .zip(along)
            .for_each(|(vector, by)| add_scaled(&mut v, vector, *by));
        v
    }

    /// The largest eigenvalue and its direction.
    pub(super) fn last(&self) -> Option<(f64, &[f64])> {
        let vectors = self.vectors.chunks_exact(self.values.len().max(1));
        Some((*self.values.last()?, vectors.last()?))
    }
}
