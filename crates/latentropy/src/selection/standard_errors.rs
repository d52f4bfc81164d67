//! Standard errors from the observed information: the inverse of T (−∇²F) at a maximum of the objective F.
//!
//! With a ridge, F has the prior's part, and the inverse is the covariance of the weights in Laplace's
//! approximation of their posterior; without one it is the asymptotic covariance of the maximum-likelihood
//! estimate. A weight at the edge of the box has no standard error, and the others' are given its value.

use super::certificate::{Certificate, CertificateKind};
use crate::learning::{Curvature, Problem};
use crate::network::Recoding;
use serde::{Deserialize, Serialize};

/// A weight that changes by less than this share of a move along the flat directions does not depend on them.
const LOADS: f64 = 1e-3;

/// One standard error each; `None` where there is none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StandardErrors {
    /// Of each weight: `None` at the edge of the box, where the data do not determine it, and everywhere
    /// if the point is no certified maximum or the machine is too large for its Hessian.
    pub weights: Vec<Option<f64>>,
    /// The relative standard error of each of these, where they are estimated from random draws since the machine has too many
    /// terms for more; else zero.
    #[serde(default)]
    pub relative_error: f64,
    /// Of the entropy, by the delta method; `None` as for a weight.
    pub entropy: Option<f64>,
    /// Of the mean log-likelihood of a row: the rows' standard deviation over √T; `None` for a single row.
    pub log_likelihood: Option<f64>,
    /// Terms whose weights the data do not determine, such as those of a hidden unit that is dead or the
    /// double of another: the objective hardly curves in some direction that they take part in.
    pub undetermined: Vec<usize>,
}

impl StandardErrors {
    pub(super) fn new(
        problem: &Problem,
        certificate: &Certificate,
        curvature: Option<&Curvature>,
        row_scores: &[f64],
        recoding: Option<&Recoding>,
        wants_weights: bool,
    ) -> Self {
        let mut errors = StandardErrors {
            weights: vec![None; problem.terms()],
            log_likelihood: of_the_mean(problem, row_scores),
            ..StandardErrors::default()
        };
        let is_maximum = matches!(
            certificate.kind,
            CertificateKind::InteriorLocalMaximum
                | CertificateKind::MaximumWithinError
                | CertificateKind::Boundary
        );
        if let Some(curvature) = curvature.filter(|c| is_maximum && !c.free.is_empty()) {
            errors.fill_in(problem, certificate, curvature, recoding, wants_weights);
        }
        errors
    }

    fn fill_in(
        &mut self,
        problem: &Problem,
        certificate: &Certificate,
        curvature: &Curvature,
        recoding: Option<&Recoding>,
        wants_weights: bool,
    ) {
        let map = |weights: Vec<f64>| match recoding {
            Some(recoding) => recoding.of_weights(&weights),
            None => weights,
        };
        let spread = curvature.spread(problem, &map, wants_weights);
        // A root's relative error is half of its square's.
        if spread.variances.is_some() {
            self.relative_error = 0.5 * spread.variance_error;
        }
        let rows = problem.row_count();
        for &term in &curvature.free {
            if certificate.boundary_terms.contains(&term) {
                continue;
            }
            if spread.loadings[term] > LOADS * LOADS {
                self.undetermined.push(term);
            } else if let Some(variances) = &spread.variances {
                self.weights[term] = Some((variances[term] / rows).sqrt());
            }
        }
        if spread.entropy_loading <= LOADS * LOADS * spread.steepness {
            self.entropy = spread.entropy_variance.map(|v| (v / rows).sqrt());
        }
    }
}

/// The standard error of the mean of the rows' scores, over the T rows with a known cell.
fn of_the_mean(problem: &Problem, row_scores: &[f64]) -> Option<f64> {
    let rows = problem.row_count();
    if rows < 2.0 {
        return None;
    }
    let shares = problem.rows().shares();
    let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
        shares
            .iter()
            .zip(row_scores)
            .map(|(share, &score)| share * of(score))
            .sum()
    };
    let mean = sum(&|score| score);
    let variance = sum(&|score| (score - mean).powi(2));
    Some((variance / (rows - 1.0)).sqrt())
}
