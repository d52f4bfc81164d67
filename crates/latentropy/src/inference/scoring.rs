//! What a network says about rows of data: their log-likelihood with missing cells summed out, and the missing cells themselves.

use super::{
    Clamp, FeatureExpectations, RowPosteriors, Value, clamp_of_row, exact_engine, units_of_columns,
};
use crate::data::Dataset;
use crate::error::Result;
use crate::network::Network;
use rayon::prelude::*;

/// Log-likelihoods of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// log p(known cells) of each distinct row.
    pub by_distinct_row: Vec<f64>,
    /// The mean over all original rows.
    pub mean: Value,
    /// log Z of the network.
    pub log_partition: Value,
}

/// Scores every row exactly; hidden units and missing cells are summed out.
pub fn score(network: &Network, data: &Dataset) -> Result<Scores> {
    let none = Clamp::none(network.units().len());
    let log_partition = exact_engine(network, &none)?
        .expectations(network, &none)?
        .log_partition;
    let units = units_of_columns(network, data)?;
    let by_distinct_row: Vec<f64> = if data.rows().iter().all(|r| r.missing.count() == units.len())
    {
        // Nothing is known: every row is certain.
        vec![0.0; data.rows().len()]
    } else {
        RowPosteriors::new(network, data)?
            .log_sums(network.weights())?
            .into_iter()
            .zip(data.rows())
            .map(|(sum, row)| {
                if row.missing.count() == units.len() && units.len() == network.visible().len() {
                    0.0
                } else {
                    sum - log_partition.value
                }
            })
            .collect()
    };
    let total: f64 = by_distinct_row
        .iter()
        .zip(data.counts())
        .map(|(score, &count)| score * count as f64)
        .sum();
    Ok(Scores {
        by_distinct_row,
        mean: Value::exact(total / data.len() as f64),
        log_partition,
    })
}

/// For each distinct row, P(x_u = 1 | known cells) of the unit of every column; known cells are 0 or 1.
pub fn impute(network: &Network, data: &Dataset) -> Result<Vec<Vec<f64>>> {
    let units = units_of_columns(network, data)?;
    data.rows()
        .par_iter()
        .map(|row| {
            let clamp = clamp_of_row(network.units().len(), &units, row);
            if row.missing.is_empty() {
                return Ok(units
                    .iter()
                    .map(|&u| f64::from(clamp.get(u) == Some(true)))
                    .collect());
            }
            let found = exact_engine(network, &clamp)?.expectations(network, &clamp)?;
            Ok(units.iter().map(|&u| found.means[u]).collect())
        })
        .collect()
}
