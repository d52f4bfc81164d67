//! A Hessian taken apart into its principal directions.

use super::Spread;
use faer::{MatRef, Side};

/// Eigenvalues, ascending, and their directions.
#[derive(Clone, Debug)]
pub(super) struct Principal {
    eigenvalues: Vec<f64>,
    /// One unit vector after the other, in the order of the eigenvalues.
    directions: Vec<f64>,
}

impl Principal {
    pub(super) fn new(matrix: &[f64], size: usize) -> Option<Self> {
        let (mut eigenvalues, mut directions) = (Vec::new(), Vec::new());
        if size > 0 {
            let eigen = MatRef::from_row_major_slice(matrix, size, size)
                .self_adjoint_eigen(Side::Lower)
                .ok()?;
            for at in 0..size {
                eigenvalues.push(eigen.S()[at]);
                directions.extend(eigen.U().col(at).iter());
            }
        }
        Some(Principal {
            eigenvalues,
            directions,
        })
    }

    /// Where the matrix was sampled and noise has lifted flat directions: none bends downwards by less than this.
    pub(super) fn bent(mut self, least: f64) -> Self {
        for eigenvalue in &mut self.eigenvalues {
            *eigenvalue = eigenvalue.min(-least);
        }
        self
    }

    fn directions(&self) -> impl Iterator<Item = (f64, &[f64])> {
        let size = self.eigenvalues.len().max(1);
        let directions = self.directions.chunks_exact(size);
        self.eigenvalues.iter().copied().zip(directions)
    }

    /// −∞ where nothing may move.
    pub(super) fn largest(&self) -> f64 {
        let last = self.eigenvalues.last();
        last.copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// The direction of the largest.
    pub(super) fn last(&self) -> Option<&[f64]> {
        self.directions().last().map(|(_, direction)| direction)
    }

    /// The part of a vector in directions whose curvature is at most `flat` either way.
    pub(super) fn flat_part(&self, vector: &[f64], flat: f64) -> Vec<f64> {
        let mut part = vec![0.0; vector.len()];
        for (_, direction) in self.directions().filter(|(value, _)| value.abs() <= flat) {
            let along: f64 = direction.iter().zip(vector).map(|(u, v)| u * v).sum();
            for (sum, u) in part.iter_mut().zip(direction) {
                *sum += along * u;
            }
        }
        part
    }

    /// (damping − ∇²F)⁻¹ times a vector, in directions that bend downwards by more than `flat` alone.
    pub(super) fn solved(&self, vector: &[f64], flat: f64, damping: f64) -> Vec<f64> {
        let mut part = vec![0.0; vector.len()];
        for (value, direction) in self.directions().filter(|(value, _)| *value < -flat) {
            let along: f64 = direction.iter().zip(vector).map(|(u, v)| u * v).sum();
            for (sum, u) in part.iter_mut().zip(direction) {
                *sum += along * u / (damping - value);
            }
        }
        part
    }

    pub(super) fn variance(&self, parts: &[(usize, f64)], flattest: f64) -> f64 {
        self.directions()
            .map(|(eigenvalue, direction)| {
                let part: f64 = parts.iter().map(|&(at, by)| by * direction[at]).sum();
                part.powi(2) / (-eigenvalue).max(flattest)
            })
            .sum()
    }

    pub(super) fn spread(
        &self,
        terms: usize,
        flat: f64,
        entropy_gradient: &[f64],
        all: &dyn Fn(&[f64]) -> Vec<f64>,
    ) -> Spread {
        let (mut variances, mut loadings) = (vec![0.0; terms], vec![0.0; terms]);
        let (mut entropy_variance, mut entropy_loading, mut steepness) = (0.0, 0.0, 0.0);
        for (eigenvalue, direction) in self.directions() {
            let slope: f64 = direction
                .iter()
                .zip(entropy_gradient)
                .map(|(u, g)| u * g)
                .sum();
            steepness += slope * slope;
            if -eigenvalue <= flat {
                entropy_loading += slope * slope;
                for (loading, u) in loadings.iter_mut().zip(all(direction)) {
                    *loading += u * u;
                }
            } else {
                entropy_variance += slope * slope / -eigenvalue;
                for (sum, u) in variances.iter_mut().zip(all(direction)) {
                    *sum += u * u / -eigenvalue;
                }
            }
        }
        Spread {
            variances: Some(variances),
            variance_error: 0.0,
            loadings,
            entropy_variance: Some(entropy_variance),
            entropy_loading,
            steepness,
        }
    }
}
