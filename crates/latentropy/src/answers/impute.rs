//! What a network says about missing cells.

use super::row_answer::row_answer;
use crate::data::Dataset;
use crate::error::Result;
use crate::inference::Kind;
use crate::network::Network;
use crate::rows::{clamp_of_row, units_of_columns};
use rayon::prelude::*;

/// Probabilities of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Imputed {
    /// For each distinct row, P(x_u = 1 | known cells) of the unit of every column; known cells are 0 or 1.
    pub by_distinct_row: Vec<Vec<f64>>,
    /// How many distinct rows leave so much open that their values are estimates.
    pub inexact_rows: usize,
}

/// Fills missing cells: exactly where a row leaves little open, else by the best engine there is.
///
/// ```
/// use latentropy::{Dataset, Network, impute};
/// let network = Network::full(2, 0);
/// let filled = impute(&network, &Dataset::from_rows(&[[1, -1]])?)?;
/// assert_eq!(filled.by_distinct_row, [[1.0, 0.5]]);
/// # Ok::<(), latentropy::Error>(())
/// ```
pub fn impute(network: &Network, data: &Dataset) -> Result<Imputed> {
    let units = units_of_columns(network, data)?;
    let rows: Vec<(Vec<f64>, bool)> = data
        .rows()
        .par_iter()
        .map(|row| {
            let clamp = clamp_of_row(network.units().len(), &units, row);
            if row.missing.is_empty() {
                let known = |&u: &usize| f64::from(clamp.get(u) == Some(true));
                return Ok((units.iter().map(known).collect(), true));
            }
            let found = row_answer(network, &clamp)?.expectations;
            let is_exact = found.log_partition.kind == Kind::Exact;
            Ok((units.iter().map(|&u| found.means[u]).collect(), is_exact))
        })
        .collect::<Result<_>>()?;
    Ok(Imputed {
        inexact_rows: rows.iter().filter(|(_, is_exact)| !is_exact).count(),
        by_distinct_row: rows.into_iter().map(|(means, _)| means).collect(),
    })
}
