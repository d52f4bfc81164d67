//! The posterior of the hidden units given rows.

use crate::data::Dataset;
use crate::error::Result;
use crate::inference::exact_expectations;
use crate::network::Network;
use crate::rows::{clamp_of_row, units_of_columns};
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
            Ok(exact_expectations(network, &clamp)?.means)
        })
        .collect()
}
