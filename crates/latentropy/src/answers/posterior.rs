//! The posterior of the hidden units given rows: their means, and their most probable joint state.

use super::row_answer::row_answer;
use crate::data::Dataset;
use crate::error::Result;
use crate::inference::{Answer, exact_expectations};
use crate::network::Network;
use crate::rows::{HiddenState, clamp_of_row, most_probable, units_of_columns};
use rayon::prelude::*;

/// For each distinct row, P(x_u = 1 | its known cells) of every unit of the network, hidden ones included; exact.
///
/// ```
/// use latentropy::{Dataset, Network, posterior_means};
/// let network = Network::rbm(2, 1);
/// let means = posterior_means(&network, &Dataset::from_rows(&[[1, 0]])?)?;
/// assert_eq!(means, [[1.0, 0.0, 0.5]]);
/// # Ok::<(), latentropy::Error>(())
/// ```
pub fn posterior_means(network: &Network, data: &Dataset) -> Result<Vec<Vec<f64>>> {
    let units = units_of_columns(network, data)?;
    data.rows()
        .par_iter()
        .map(|row| {
            let clamp = clamp_of_row(network.units().len(), &units, row);
            let found = Answer::from(exact_expectations(network, &clamp)?);
            Ok(found.checked(network)?.expectations.means)
        })
        .collect()
}

/// Posterior means of rows of any size.
#[derive(Clone, Debug, PartialEq)]
pub struct RowMeans {
    /// P(x_u = 1 | known cells) of every unit, hidden ones included.
    pub means: Vec<f64>,
    /// Their standard errors, where the row leaves too much open for exact sums.
    pub std_errs: Option<Vec<f64>>,
}

/// The same as [`posterior_means`], but rows that leave too much open for exact sums are sampled, with standard errors.
pub fn posterior_means_of_any_size(network: &Network, data: &Dataset) -> Result<Vec<RowMeans>> {
    let units = units_of_columns(network, data)?;
    data.rows()
        .par_iter()
        .map(|row| {
            let clamp = clamp_of_row(network.units().len(), &units, row);
            let found = row_answer(network, &clamp)?;
            Ok(RowMeans {
                means: found.expectations.means,
                std_errs: found.mean_errors,
            })
        })
        .collect()
}

/// For each distinct row, the most probable joint state of the hidden units given its known cells; exact.
///
/// `None` for rows that leave more than about twenty units open that hang together.
///
/// ```
/// use latentropy::{Dataset, Network, answers::most_probable_states};
/// let network = Network::from_terms(&["a"], &["z"], &[(&["z"], -1.0), (&["a", "z"], 3.0)])?;
/// let states = most_probable_states(&network, &Dataset::from_rows(&[[1], [0]])?)?;
/// let state = states[0].as_ref().unwrap();
/// let e2 = 2f64.exp();
/// assert_eq!(state.values, [true]);
/// assert!((state.probability - e2 / (1.0 + e2)).abs() < 1e-12);
/// # Ok::<(), latentropy::Error>(())
/// ```
pub fn most_probable_states(network: &Network, data: &Dataset) -> Result<Vec<Option<HiddenState>>> {
    let units = units_of_columns(network, data)?;
    let state = |row| most_probable(network, &clamp_of_row(network.units().len(), &units, row));
    Ok(data.rows().par_iter().map(state).collect())
}
