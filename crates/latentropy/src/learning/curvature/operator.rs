//! ∇²F at one point as an operator on vectors: ∇²F v = Σ_y p̃(y) Cov[f, f·v | y] − Cov_p[f, f·v], minus the penalty's part.
//!
//! Each product is the derivative of the two phases along v, one pass over states and rows that makes no matrix.

use crate::inference::CovarianceProducts;
use crate::learning::problem::Problem;
use crate::rows::RowProducts;
use std::sync::Arc;

/// No bend is taken to be smaller.
const SMALLEST: f64 = 1e-12;

/// About the diagonal of −∇²F, given the means of the free phase: what no row takes off it.
pub(crate) fn bends(problem: &Problem, means: &[f64]) -> Vec<f64> {
    let means = means.iter().enumerate();
    means
        .map(|(term, mean)| mean * (1.0 - mean) + problem.prior().bend_of(term) + SMALLEST)
        .collect()
}

/// The second derivative at one set of weights.
#[derive(Clone, Debug)]
pub(crate) struct HessianProducts {
    problem: Problem,
    free: Arc<dyn CovarianceProducts>,
    rows: Arc<RowProducts>,
}

impl HessianProducts {
    /// None where some sum is not exact, or a row is too large.
    pub(crate) fn at(problem: &Problem, weights: &[f64]) -> Option<Self> {
        if !problem.is_exact() {
            return None;
        }
        let free = problem.prepared().products(weights).ok()??;
        let rows = RowProducts::new(problem.shared_rows(), &problem.posterior_weights(weights))?;
        Some(HessianProducts {
            problem: problem.clone(),
            free: Arc::from(free),
            rows: Arc::new(rows),
        })
    }

    /// About how many numbers a product reads.
    pub(super) fn work(&self) -> f64 {
        self.free.work() + self.rows.work()
    }

    /// ∇²F v over all terms.
    pub(crate) fn times(&self, v: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; v.len()];
        self.free.add_times(v, -1.0, &mut product);
        // With a tempered E step the rows' part is β Cov_{βλ}[f | y].
        let beta = self.problem.inverse_temperature();
        self.rows.add_times(v, beta, &mut product);
        self.problem.prior().take_curvature_times(v, &mut product);
        product
    }

    /// Cov_p[f] v.
    pub(super) fn free_times(&self, v: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; v.len()];
        self.free.add_times(v, 1.0, &mut product);
        product
    }
}
