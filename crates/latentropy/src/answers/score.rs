//! How probable rows are under a network, hidden units and missing cells summed out.

use super::infer::choose_or_take;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::inference::{Demand, EngineChoice, EngineId, Sampling, Value};
use crate::network::{Clamp, Network};
use crate::remark::Remark;
use crate::rows::{RowPosteriors, units_of_columns};

/// Log-likelihoods of rows.
///
/// For an example see [`score`].
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// log p(known cells) of each distinct row.
    pub by_distinct_row: Vec<f64>,
    /// The mean over all original rows, by their weights; a row without a known cell is certain and counts with 0.
    pub mean: Value,
    /// log Z of the network.
    pub log_partition: Value,
    /// Who summed for log Z, and why.
    pub choice: EngineChoice,
    /// What is to be doubted about log Z.
    pub remarks: Vec<Remark>,
}

/// Scores every row; log Z by the engine that is named, or by the best one for the machine.
///
/// ```
/// use latentropy::answers::Scores;
/// use latentropy::{Dataset, Network, Sampling, score};
/// let network = Network::full(2, 1);
/// let rows = Dataset::from_rows(&[[0, 1], [1, -1]])?;
/// // All weights are zero: every known cell costs log 2.
/// let scores: Scores = score(&network, &rows, None, &Sampling::default())?;
/// assert!((scores.mean.value + 1.5 * 2f64.ln()).abs() < 1e-12);
/// # Ok::<(), latentropy::Error>(())
/// ```
pub fn score(
    network: &Network,
    data: &Dataset,
    engine: Option<EngineId>,
    sampling: &Sampling,
) -> Result<Scores> {
    let total: f64 = data.weights().iter().sum();
    if data.is_empty() || total == 0.0 {
        return Err(Error::invalid(
            "there are no rows to score; give at least one of a weight above 0",
        ));
    }
    let none = Clamp::none(network.units().len());
    let choice = choose_or_take(network, &none, engine)?;
    let demand = Demand {
        sampling: sampling.clone(),
        ..Demand::default()
    };
    let prepared = choice.engine.engine().prepare(network, &none, &demand)?;
    let found = prepared.answer(network.weights())?;
    let log_partition = found.expectations.log_partition;
    let by_distinct_row = score_given(network, data, log_partition.value)?;
    let weighted = by_distinct_row.iter().zip(data.weights());
    let sum: f64 = weighted.map(|(score, weight)| score * weight).sum();
    Ok(Scores {
        by_distinct_row,
        mean: Value {
            value: sum / total,
            // A score is a sum minus log Z: a bound on log Z bounds it from the other side.
            kind: log_partition.kind.negated(),
            std_err: log_partition.std_err,
        },
        log_partition,
        choice,
        remarks: found.remarks,
    })
}

/// log p(known cells) of each distinct row, log Z given; what a row leaves open is summed out exactly.
pub fn score_given(network: &Network, data: &Dataset, log_partition: f64) -> Result<Vec<f64>> {
    let units = units_of_columns(network, data)?;
    if (0..data.rows().len()).all(|row| !data.is_known(row)) {
        // Nothing is known: every row is certain.
        return Ok(vec![0.0; data.rows().len()]);
    }
    let is_whole = units.len() == network.visible().len();
    let sums = RowPosteriors::new(network, data)?.log_sums(network.weights())?;
    let rows = sums.into_iter().enumerate();
    Ok(rows
        .map(|(row, sum)| match data.is_known(row) || !is_whole {
            true => sum - log_partition,
            false => 0.0,
        })
        .collect())
}
