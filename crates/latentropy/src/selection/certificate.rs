//! Certificates: what kind of point a candidate is, judged by its residual, the box and the exact Hessian.

use crate::learning::{Point, Problem, hessian};
use faer::{MatRef, Side};
use std::fmt;

/// A largest eigenvalue above this is an upward direction; below it lie rounding and the flat
/// directions of dead or duplicate hidden units. Covariances of 0/1 features are at most 1/4.
const UPWARD: f64 = 1e-7;

/// The kinds of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateKind {
    /// Stationary, inside the box, no direction of upward curvature.
    InteriorLocalMaximum,
    /// Stationary, but the objective curves upwards in some direction.
    Saddle,
    /// Stationary in the box with some weights at its edge.
    Boundary,
    /// Stationary; the machine is too large for its Hessian.
    Stationary,
    /// The residual is above the tolerance.
    NotConverged,
}

impl fmt::Display for CertificateKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CertificateKind::InteriorLocalMaximum => "interior local maximum",
            CertificateKind::Saddle => "saddle",
            CertificateKind::Boundary => "boundary",
            CertificateKind::Stationary => "stationary",
            CertificateKind::NotConverged => "not converged",
        })
    }
}

/// What is certified about a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// The kind of point.
    pub kind: CertificateKind,
    /// Terms whose weight is at the edge of the box.
    pub boundary_terms: Vec<usize>,
    /// The largest eigenvalue of the Hessian over the terms inside the box, where it was computed.
    pub largest_eigenvalue: Option<f64>,
}

pub(super) fn certify(problem: &Problem, point: &Point, tolerance: f64) -> Certificate {
    let bound = problem.penalty().bound;
    let (boundary_terms, free): (Vec<usize>, Vec<usize>) =
        (0..point.weights.len()).partition(|&term| point.weights[term].abs() >= bound);
    if point.residual > tolerance {
        return Certificate {
            kind: CertificateKind::NotConverged,
            boundary_terms,
            largest_eigenvalue: None,
        };
    }
    let largest_eigenvalue = largest_eigenvalue(problem, &point.weights, &free);
    let kind = match largest_eigenvalue {
        Some(largest) if largest > UPWARD => CertificateKind::Saddle,
        _ if !boundary_terms.is_empty() => CertificateKind::Boundary,
        Some(_) => CertificateKind::InteriorLocalMaximum,
        None => CertificateKind::Stationary,
    };
    Certificate {
        kind,
        boundary_terms,
        largest_eigenvalue,
    }
}

/// The largest eigenvalue of the Hessian over the terms `free`.
fn largest_eigenvalue(problem: &Problem, weights: &[f64], free: &[usize]) -> Option<f64> {
    let matrix = hessian(problem, weights)?;
    if free.is_empty() {
        return Some(0.0);
    }
    let terms = weights.len();
    let mut part = Vec::with_capacity(free.len() * free.len());
    for &a in free {
        part.extend(free.iter().map(|&b| matrix[a * terms + b]));
    }
    MatRef::from_row_major_slice(&part, free.len(), free.len())
        .self_adjoint_eigenvalues(Side::Lower)
        .ok()?
        .last()
        .copied()
}
