//! Certificates: what kind of point a candidate is, judged by its residual, the box and the exact Hessian.

use crate::learning::{Curvature, Point, Problem, UPWARD};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The kinds of points.
///
/// Every [`Candidate`](super::Candidate) has one; for an example see there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CertificateKind {
    /// Stationary, inside the box, no direction of upward curvature.
    InteriorLocalMaximum,
    /// The same as far as samples tell: every constraint is met within its own error in the data (by second-order steps
    /// within a small share of it), and the sampled curvature has no upward direction.
    MaximumWithinError,
    /// Stationary, but the objective curves upwards in some direction.
    Saddle,
    /// Stationary in the box with some weights at its edge: it satisfies the conditions of Karush, Kuhn and Tucker there, not the
    /// constraints (2), which hold for the other weights alone.
    Boundary,
    /// Stationary within the tolerance, and no more is known: the machine is too large for a Hessian, or learned through an
    /// engine that has none, or the tolerance is so loose that a saddle cannot be told from a point on its way, or it lies in a
    /// continuum of equally good points.
    Stationary,
    /// The residual is above the tolerance.
    NotConverged,
}

impl fmt::Display for CertificateKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CertificateKind::InteriorLocalMaximum => "interior local maximum",
            CertificateKind::MaximumWithinError => "maximum within Monte-Carlo error",
            CertificateKind::Saddle => "saddle",
            CertificateKind::Boundary => "boundary",
            CertificateKind::Stationary => "stationary",
            CertificateKind::NotConverged => "not converged",
        })
    }
}

/// What is certified about a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// The kind of point.
    pub kind: CertificateKind,
    /// Terms whose weight is at the edge of the box, or runs off as far in the centred view.
    pub boundary_terms: Vec<usize>,
    /// The largest eigenvalue of the Hessian over the terms that may move, where it was computed.
    pub largest_eigenvalue: Option<f64>,
    /// True where it is known to be the only maximum: no unit is hidden, no cell missing, and the objective curves
    /// downwards in every direction that is left.
    pub only_maximum: bool,
}

/// A saddle's residual is small against its upward curvature: their ratio is about how far, in weights, a point is from where the
/// slope is zero. One that is further off may be on its way to a maximum.
const SMALL: f64 = 0.1;

/// So many standard errors of a sampled eigenvalue are not by chance.
const CERTAIN: f64 = 4.0;

/// The certificate of a point, and the curvature that it rests on: `known`, where the finish has looked at it already.
pub(super) fn certify(
    problem: &Problem,
    point: &Point,
    tolerance: f64,
    known: Option<Curvature>,
) -> (Certificate, Option<Curvature>) {
    let boundary_terms = problem.prior().at_edge(&point.weights);
    if !point.is_stationary(tolerance) {
        let certificate = Certificate {
            kind: CertificateKind::NotConverged,
            boundary_terms,
            largest_eigenvalue: None,
            only_maximum: false,
        };
        return (certificate, None);
    }
    let curvature = known.or_else(|| Curvature::at(problem, point));
    let largest_eigenvalue = curvature.as_ref().map(Curvature::largest);
    let error = curvature.as_ref().map_or(0.0, Curvature::error);
    let curves_up = largest_eigenvalue.is_some_and(|value| value > UPWARD + CERTAIN * error);
    let is_on_its_way = largest_eigenvalue
        .is_some_and(|value| curves_up && error == 0.0 && point.residual > SMALL * value);
    let kind = match largest_eigenvalue {
        Some(_) if is_on_its_way => CertificateKind::Stationary,
        Some(_) if curves_up => CertificateKind::Saddle,
        _ if !boundary_terms.is_empty() => CertificateKind::Boundary,
        Some(_) if error > 0.0 => CertificateKind::MaximumWithinError,
        Some(_) => CertificateKind::InteriorLocalMaximum,
        None => CertificateKind::Stationary,
    };
    let certificate = Certificate {
        kind,
        boundary_terms,
        // With every weight at the edge there is no direction left, and no eigenvalue.
        largest_eigenvalue: largest_eigenvalue.filter(|value| value.is_finite()),
        only_maximum: largest_eigenvalue.is_some_and(|value| value < -UPWARD)
            && problem.has_concave_objective(),
    };
    (certificate, curvature)
}
