//! How probable rows are under a network, hidden units and missing cells summed out.

use super::at_least::{AtLeast, complete_rows};
use super::infer::choose_or_take;
use super::row_sums::{RowSums, row_sums};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::inference::{
    Demand, EngineChoice, EngineId, HeldOut, Kind, Sampling, Value, Within, Witnesses,
    log_partition_given_rows,
};
use crate::network::{Clamp, Network};
use crate::remark::Remark;

/// Log-likelihoods of rows.
///
/// For an example see [`score`].
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// log p(known cells) of each distinct row.
    pub by_distinct_row: Vec<f64>,
    /// The standard error of a distinct row's own sum over what it leaves open, where that was sampled; none where it is
    /// exact. The error of log Z, which all rows have in common, is not in it.
    pub sampled_errors: Vec<Option<f64>>,
    /// The mean over all original rows, by their weights; a row without a known cell is certain and counts with 0.
    pub mean: Value,
    /// log Z of the network.
    pub log_partition: Value,
    /// The ways to log Z and whether they agree, where it was sampled.
    pub witnesses: Option<Box<Witnesses>>,
    /// What the mean is not below, whichever modes were missed; where log Z was sampled and rows are complete.
    pub at_least: Option<AtLeast>,
    /// Who summed for log Z, and why.
    pub choice: EngineChoice,
    /// What is to be doubted about log Z and about rows that were sampled.
    pub remarks: Vec<Remark>,
}

impl Scores {
    /// Log Z with the interval that it lies in, where that is known.
    #[doc(hidden)]
    pub fn log_partition_within(&self) -> Within {
        match &self.witnesses {
            Some(witnesses) => witnesses.within(),
            None => self.log_partition.into(),
        }
    }

    /// The mean with the interval that it lies in: from what it is not below to what log Z cannot be below.
    #[doc(hidden)]
    pub fn mean_within(&self) -> Within {
        let Some(witnesses) = &self.witnesses else {
            return self.mean.into();
        };
        let against =
            |log_partition: f64| self.mean.value + self.log_partition.value - log_partition;
        let at_least = match &self.at_least {
            Some(bound) => bound.value,
            None => against(witnesses.at_most),
        };
        let is_near = self.at_least.is_none_or(|bound| bound.is_near);
        Within {
            value: self.mean,
            at_least: Some(at_least),
            at_most: Some(against(witnesses.at_least).max(at_least)),
            trusted: Some(witnesses.trusted && is_near),
        }
    }

    /// The standard error of a distinct row's log-likelihood, that of log Z included; none where both are exact, or log Z
    /// has no known error. A row without a known cell has none.
    pub fn std_err(&self, distinct: usize, is_known: bool) -> Option<f64> {
        let has_error = matches!(self.log_partition.kind, Kind::Exact | Kind::MonteCarlo);
        if !is_known || !has_error {
            return None;
        }
        let own = self.sampled_errors.get(distinct).copied().flatten();
        match (own, self.log_partition.std_err) {
            (Some(own), Some(common)) => Some(own.hypot(common)),
            (own, common) => own.or(common),
        }
    }

    /// The standard error of the mean over rows, by how much they differ and what they weigh; none of a single row.
    pub fn std_err_over_rows(&self, data: &Dataset) -> Option<f64> {
        let rows = data.distinct_of().iter().enumerate();
        let counted: Vec<(f64, f64)> = rows
            .map(|(row, &distinct)| {
                (
                    data.row_weight(row),
                    self.by_distinct_row[distinct as usize],
                )
            })
            .filter(|(weight, _)| *weight > 0.0)
            .collect();
        let (count, sum) = (
            counted.len() as f64,
            counted.iter().map(|(weight, _)| weight).sum::<f64>(),
        );
        let squared = |(weight, value): &(f64, f64)| (weight * (value - self.mean.value)).powi(2);
        let squares: f64 = counted.iter().map(squared).sum();
        (counted.len() > 1).then(|| (squares * count / (count - 1.0)).sqrt() / sum)
    }
}

/// Scores every row; log Z by the engine that is named, or by the best one for the machine.
///
/// No row is refused: what it leaves open is summed out exactly where some exact engine holds it, else by annealing, with
/// its standard error.
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
    let mut found = log_partition(network, data, choice.engine, sampling)?;
    let RowSums {
        sums,
        errors,
        remarks,
    } = row_sums(network, data, sampling)?;
    let held_out = found.held_out.take();
    let held_out = held_out.filter(|_| data.missing_cells() == 0);
    if let Some(held_out) = &held_out {
        let weighed = sums.iter().zip(data.weights());
        let log_sum = weighed.map(|(sum, weight)| sum * weight).sum::<f64>() / total;
        let error = found.value.std_err.unwrap_or(0.0);
        let bound = AtLeast::new(log_sum, held_out, (found.value.value, error));
        found.hold_below(log_sum - bound.value);
    }
    let log_partition = found.value;
    let by_distinct_row = against(data, sums, log_partition.value);
    if let Some(value) = by_distinct_row.iter().find(|value| !value.is_finite()) {
        return Err(Error::failed(format!(
            "the log-likelihood of a row came out as {value}; the weights of this machine are too large for it"
        )));
    }
    let mean = mean(data, &by_distinct_row, &errors, log_partition);
    let at_least = held_out.map(|found| {
        let error = log_partition.std_err.unwrap_or(0.0);
        let log_sum = mean.value + log_partition.value;
        AtLeast::new(log_sum, &found, (log_partition.value, error))
    });
    let mut found_remarks = found.remarks;
    found_remarks.extend(remarks);
    if let Some(at_least) = at_least.filter(|at_least| !at_least.is_near) {
        found_remarks.push(Remark::FarAboveBound {
            value: mean.value,
            at_least: at_least.value,
        });
    }
    Ok(Scores {
        mean,
        witnesses: found.witnesses,
        at_least,
        by_distinct_row,
        sampled_errors: errors,
        log_partition,
        choice,
        remarks: found_remarks,
    })
}

/// Log Z and what is known of it.
struct LogPartition {
    value: Value,
    witnesses: Option<Box<Witnesses>>,
    held_out: Option<HeldOut>,
    remarks: Vec<Remark>,
}

impl LogPartition {
    /// Rows annealed backward vouch for a likelihood, and so for log Z not to be above this. What was not trusted is then the middle of
    /// what is left.
    fn hold_below(&mut self, most: f64) {
        let Some(witnesses) = &mut self.witnesses else {
            return;
        };
        witnesses.at_most = witnesses.at_most.min(most).max(witnesses.at_least);
        let (low, high) = (witnesses.at_least, witnesses.at_most);
        if self.value.value <= high {
            return;
        }
        self.value.value = match witnesses.trusted {
            true => high,
            false => 0.5 * (low + high),
        };
        if !witnesses.trusted {
            self.value.std_err = Some(0.5 * (high - low));
        }
    }
}

/// By the engine; where it samples and some rows are complete, with the help of these.
fn log_partition(
    network: &Network,
    data: &Dataset,
    engine: EngineId,
    sampling: &Sampling,
) -> Result<LogPartition> {
    if engine == EngineId::GIBBS {
        let known = complete_rows(network, data)?;
        if !known.rows.is_empty() {
            let (found, held_out) = log_partition_given_rows(network, &known, &sampling.asked())?;
            let value = found.log_partition;
            return Ok(LogPartition {
                value,
                remarks: found.remarks.clone(),
                held_out,
                witnesses: Some(Box::new(found)),
            });
        }
    }
    let none = Clamp::none(network.units().len());
    let demand = Demand {
        sampling: sampling.clone(),
        ..Demand::default()
    };
    let prepared = engine.engine().prepare(network, &none, &demand)?;
    let found = prepared.answer(network.weights())?.checked(network)?;
    Ok(LogPartition {
        value: found.expectations.log_partition,
        witnesses: found.witnesses,
        held_out: None,
        remarks: found.remarks,
    })
}

/// The mean over all rows by their weights, and what it is worth.
fn mean(data: &Dataset, scores: &[f64], errors: &[Option<f64>], log_partition: Value) -> Value {
    let total: f64 = data.weights().iter().sum();
    let weighted = scores.iter().zip(data.weights());
    let sum: f64 = weighted.map(|(score, weight)| score * weight).sum();
    let weighted = errors.iter().zip(data.weights());
    let sampled = weighted.filter_map(|(error, weight)| error.map(|error| error * weight / total));
    let squares: Vec<f64> = sampled.map(|error| error * error).collect();
    // Rows without a known cell are certain: log Z is in the others only.
    let share = data.known_weight() / total;
    let common = log_partition.std_err.map(|error| share * error);
    // A score is a sum minus log Z: a bound on log Z bounds it from the other side.
    let kind = log_partition.kind.negated();
    let (kind, std_err) = match (squares.is_empty(), kind) {
        (true, kind) => (kind, common),
        // Rows draw from streams of their own: their errors are independent of each other and of that of log Z.
        (false, Kind::Exact | Kind::MonteCarlo) => {
            let squares: f64 = squares.iter().sum();
            let common = common.unwrap_or(0.0);
            (Kind::MonteCarlo, Some((squares + common * common).sqrt()))
        }
        (false, _) => (Kind::Estimate, None),
    };
    Value {
        value: sum / total,
        kind,
        std_err,
    }
}

/// log p(known cells) of each distinct row, log Z given; what a row leaves open is summed out as by [`score`].
pub fn score_given(
    network: &Network,
    data: &Dataset,
    log_partition: f64,
    sampling: &Sampling,
) -> Result<Vec<f64>> {
    let sums = row_sums(network, data, sampling)?.sums;
    Ok(against(data, sums, log_partition))
}

/// Sums less log Z; rows without a known cell are certain.
fn against(data: &Dataset, sums: Vec<f64>, log_partition: f64) -> Vec<f64> {
    let rows = sums.into_iter().enumerate();
    rows.map(|(row, sum)| match data.is_known(row) {
        true => sum - log_partition,
        false => 0.0,
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_partition_above_what_rows_vouch_for_is_lowered() {
        let network = Network::full(3, 1);
        let rows = Dataset::from_rows(&[[0, 1, 1], [1, 0, 1]]).unwrap();
        let scores = score(&network, &rows, Some(EngineId::GIBBS), &Sampling::default()).unwrap();
        let found = |trusted: bool| {
            let mut witnesses = scores.witnesses.clone().unwrap();
            (witnesses.at_least, witnesses.at_most, witnesses.trusted) = (1.0, 5.0, trusted);
            LogPartition {
                value: Value {
                    value: 3.0,
                    std_err: Some(2.0),
                    ..scores.log_partition
                },
                witnesses: Some(witnesses),
                held_out: None,
                remarks: Vec::new(),
            }
        };
        let held = |trusted: bool, most: f64| {
            let mut found = found(trusted);
            found.hold_below(most);
            let at_most = found.witnesses.unwrap().at_most;
            (found.value.value, found.value.std_err.unwrap(), at_most)
        };
        assert_eq!(held(false, 6.0), (3.0, 2.0, 5.0));
        assert_eq!(held(false, 4.0), (3.0, 2.0, 4.0));
        assert_eq!(held(false, 2.0), (1.5, 0.5, 2.0));
        assert_eq!(held(true, 2.5), (2.5, 2.0, 2.5));
        // What is proven from below stays.
        assert_eq!(held(false, 0.0), (1.0, 0.0, 1.0));
    }
}
