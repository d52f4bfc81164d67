//! Rows of a restricted machine as matrices: no term joins two visible or two hidden units.
//!
//! Given a complete row the hidden units are independent; given the hidden units the columns are, so that a missing cell
//! is summed out by itself, log(1 + e^h). Both are products of the matrix of cells with a matrix of weights.

mod complete;
mod covariance_by_pairs;
mod covariance_by_states;
mod gram;
mod incomplete;
mod layout;
mod products;

use super::posteriors::RowPosteriors;
use complete::CompleteRows;
use incomplete::IncompleteRows;
use layout::Layout;
pub(super) use products::RestrictedProducts;
use std::sync::Arc;

/// Fewer cells than this are summed by tables: matrices are not worth it.
const WORTH_MATRICES: usize = 1 << 11;
/// Incomplete rows are summed over the states of so many hidden units at most, whatever they miss.
const MOST_HIDDEN: usize = 8;
/// And over these where they miss more than a few cells: the other way is to sum over the missing cells.
const MOST_HIDDEN_OF_MANY: usize = 10;
const FEW_MISSING: usize = 4;
/// And over these where the states of what they miss are not far fewer: at most so many doublings.
const MOST_HIDDEN_OF_MOST: usize = 14;
const NOT_FAR_FEWER: usize = 2;

/// Those rows of a restricted machine that are summed as matrices.
#[derive(Clone, Debug)]
pub(super) struct RestrictedRows {
    layout: Layout,
    complete: CompleteRows,
    /// Rows that miss a few cells, and those that miss more: their covariances are best found in different ways.
    few_missing: IncompleteRows,
    many_missing: IncompleteRows,
}

impl RestrictedRows {
    /// With no rows yet; none for machines of another shape, and, unless it is wanted or not, where there are few cells.
    pub(super) fn new(rows: &RowPosteriors, wanted: Option<bool>) -> Option<Self> {
        let layout = Layout::new(&rows.network)?;
        let cells = rows.clamps.len() * layout.visible.len();
        wanted
            .unwrap_or(cells >= WORTH_MATRICES)
            .then(|| RestrictedRows {
                layout,
                complete: CompleteRows::default(),
                few_missing: IncompleteRows::default(),
                many_missing: IncompleteRows::default(),
            })
    }

    /// Takes in a row; false if it is better summed by other means.
    pub(super) fn take(&mut self, rows: &RowPosteriors, row: usize) -> bool {
        let (clamp, layout) = (&rows.clamps[row], &self.layout);
        let visible = layout.visible.iter();
        let missing = visible.filter(|&&unit| clamp.get(unit).is_none()).count();
        if layout.hidden.iter().any(|&unit| clamp.get(unit).is_some()) {
            return false;
        }
        let most = match missing > FEW_MISSING {
            true if missing + NOT_FAR_FEWER >= layout.hidden.len() => MOST_HIDDEN_OF_MOST,
            true => MOST_HIDDEN_OF_MANY,
            false => MOST_HIDDEN,
        };
        if missing == 0 {
            self.complete.add(layout, row, rows.shares[row], clamp);
        } else if layout.hidden.len() <= most {
            let side = match missing > FEW_MISSING {
                true => &mut self.many_missing,
                false => &mut self.few_missing,
            };
            side.add(layout, row, rows.shares[row], clamp);
        } else {
            return false;
        }
        true
    }

    pub(super) fn shared(self) -> Option<Arc<Self>> {
        let is_empty =
            self.complete.is_empty() && self.few_missing.is_empty() && self.many_missing.is_empty();
        (!is_empty).then(|| Arc::new(self))
    }

    /// Adds the shares' expectations of every term, but those that a row settles; returns the mean log-sum.
    pub(super) fn add_expectations(&self, weights: &[f64], expectations: &mut [f64]) -> f64 {
        let layout = &self.layout;
        let complete = self
            .complete
            .add_expectations(layout, weights, expectations);
        let few = self
            .few_missing
            .add_expectations(layout, weights, expectations);
        let many = self
            .many_missing
            .add_expectations(layout, weights, expectations);
        complete + few + many
    }

    /// Adds each row's log-sum, without what it settles, to the entry of the row.
    pub(super) fn add_log_sums(&self, weights: &[f64], sums: &mut [f64]) {
        self.complete.add_log_sums(&self.layout, weights, sums);
        self.few_missing.add_log_sums(&self.layout, weights, sums);
        self.many_missing.add_log_sums(&self.layout, weights, sums);
    }

    /// Adds Σ p̃(y) Cov[f | y] of these rows to a matrix, row-major, both halves.
    pub(super) fn add_covariance(&self, weights: &[f64], matrix: &mut [f64]) {
        self.complete.add_covariance(&self.layout, weights, matrix);
        self.few_missing
            .add_covariance_by_pairs(&self.layout, weights, matrix);
        self.many_missing
            .add_covariance_by_states(&self.layout, weights, matrix);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Clamped, RowPosteriors, RowProducts};
    use crate::data::Dataset;
    use crate::inference::CovarianceProducts;
    use crate::network::Network;
    use proptest::prelude::*;
    use std::sync::Arc;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn matrices_give_what_tables_give(
            weights in prop::collection::vec(-2.0..2.0f64, 60),
            cells in prop::collection::vec(0u8..10, 60),
            visible in 2usize..7,
            hidden in 1usize..4,
            known in 2u8..11,
        ) {
            let cell = |&c: &u8| if c >= known { -1 } else { (c % 2) as i8 };
            let rows: Vec<Vec<i8>> = cells
                .chunks_exact(visible)
                .map(|row| row.iter().map(cell).collect())
                .collect();
            let data = Dataset::from_rows(&rows).unwrap();
            let structure = Network::rbm(visible, hidden);
            let weights: Vec<f64> = weights.into_iter().cycle().take(structure.terms().len()).collect();
            let (Ok(tables), Ok(matrices)) = (
                RowPosteriors::build(&structure, &data, Some(false)),
                RowPosteriors::build(&structure, &data, Some(true)),
            ) else { return Ok(()) };
            prop_assert!(matrices.restricted.is_some() && matrices.batches.is_empty());
            let (mut a, mut b) = (Clamped::default(), Clamped::default());
            tables.clamped(&weights, &mut a).unwrap();
            matrices.clamped(&weights, &mut b).unwrap();
            prop_assert!((a.mean_log_sum - b.mean_log_sum).abs() < 1e-12);
            for (x, y) in a.expectations.iter().zip(&b.expectations) {
                prop_assert!((x - y).abs() < 1e-12);
            }
            let (x, y) = (tables.log_sums(&weights).unwrap(), matrices.log_sums(&weights).unwrap());
            for (x, y) in x.iter().zip(&y) {
                prop_assert!((x - y).abs() < 1e-12);
            }
            let terms = weights.len();
            let (mut x, mut y) = (vec![0.0; terms * terms], vec![0.0; terms * terms]);
            prop_assert!(tables.add_covariance(&weights, &mut x));
            prop_assert!(matrices.add_covariance(&weights, &mut y));
            for (x, y) in x.iter().zip(&y) {
                prop_assert!((x - y).abs() < 1e-12);
            }
            let v: Vec<f64> = (0..terms).map(|t| (t as f64 * 0.7).sin()).collect();
            for rows in [tables, matrices] {
                let mut found = vec![0.0; terms];
                let products = RowProducts::new(&Arc::new(rows), &weights).unwrap();
                products.add_times(&v, 2.0, &mut found);
                for (found, line) in found.iter().zip(y.chunks_exact(terms)) {
                    let expected: f64 = 2.0 * line.iter().zip(&v).map(|(c, v)| c * v).sum::<f64>();
                    prop_assert!((found - expected).abs() < 1e-11, "{found} and {expected}");
                }
            }
        }
    }
}
