//! What a network says about rows of data: their log-likelihood with missing cells summed out, and the missing cells themselves.

use super::{
    Clamp, FeatureExpectations, Kind, RowPosteriors, Value, choose_engine, clamp_of_row,
    exact_engine, units_of_columns,
};
use crate::data::Dataset;
use crate::error::{Error, Result};
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
    let found = exact_engine(network, &none)?.expectations(network, &none)?;
    score_given(network, data, found.log_partition)
}

/// The same, log Z given by any engine: scores are worth what it is worth. Rows are summed out exactly.
pub fn score_given(network: &Network, data: &Dataset, log_partition: Value) -> Result<Scores> {
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
        mean: Value {
            value: total / data.len() as f64,
            // A score is a sum minus log Z: a bound on log Z bounds it from the other side.
            kind: log_partition.kind.negated(),
            std_err: log_partition.std_err,
        },
        log_partition,
    })
}

/// What a network says about missing cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Imputed {
    /// For each distinct row, P(x_u = 1 | known cells) of the unit of every column; known cells are 0 or 1.
    pub by_distinct_row: Vec<Vec<f64>>,
    /// How many distinct rows leave so much open that their values are estimates.
    pub inexact_rows: usize,
}

/// Fills missing cells: exactly where a row leaves little open, else by the best engine there is.
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
            let found = match exact_engine(network, &clamp) {
                Err(Error::TooLarge(_)) => choose_engine(network, &clamp)?
                    .engine
                    .instance(network, &clamp)?
                    .expectations(network, &clamp)?,
                engine => engine?.expectations(network, &clamp)?,
            };
            let is_exact = found.log_partition.kind == Kind::Exact;
            Ok((units.iter().map(|&u| found.means[u]).collect(), is_exact))
        })
        .collect::<Result<_>>()?;
    Ok(Imputed {
        inexact_rows: rows.iter().filter(|(_, is_exact)| !is_exact).count(),
        by_distinct_row: rows.into_iter().map(|(means, _)| means).collect(),
    })
}
