//! The clamped phase: the E step (6) over all rows, and the log-sum of each.

use super::batches::{LANES, batch_expectations};
use super::posteriors::RowPosteriors;
use super::sampled::sampled_row;
use crate::error::Result;
use crate::inference::{Demand, EngineId, Sums, kernels};
use crate::network::Network;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Batches are summed in runs of this many, whatever the number of threads.
const BATCHES_PER_RUN: usize = 16;
/// Less work than this many table entries is not worth a second thread.
const WORTH_THREADS: usize = 1 << 17;

/// Rows too large for tables that are summed at a time, whatever the number of threads.
const LARGE_PER_RUN: usize = 64;

/// The sums of one row whose latent part is too large for tables, over its terms with a latent unit.
#[derive(Clone, Debug, Default)]
pub(crate) struct LargeRow {
    /// log Σ_latent exp(exponent): constant and settled terms are not in it.
    pub(crate) log_sum: f64,
    /// Its standard error, where it was sampled; else zero.
    pub(crate) error: f64,
    /// Terms with their expectations.
    pub(crate) latent: Vec<(u32, f64)>,
}

/// What is known of one such row, asked for by its number.
type OfLargeRow<'a> = dyn Fn(&Network, usize) -> Result<LargeRow> + Sync + 'a;

/// Clamped expectations: η of every term by (6), and the mean of log Σ_latent exp over the rows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Clamped {
    /// η_i = Σ_y p̃(y) E[f_i | y].
    pub expectations: Vec<f64>,
    /// Σ_y p̃(y) log Σ_z exp(exponent(y, z)), the constant included.
    pub mean_log_sum: f64,
    /// Its standard error, where rows were sampled; else zero.
    #[serde(default)]
    pub log_sum_error: f64,
}

impl RowPosteriors {
    /// The E step (6): η and the mean log-sum for these weights.
    pub fn clamped(&self, weights: &[f64], out: &mut Clamped) -> Result<()> {
        self.clamped_by(weights, out, &|network, row| self.large_row(network, row))
    }

    /// The same, where somebody else knows the log-sum and the expectations of rows whose latent part is too large for
    /// tables.
    pub(crate) fn clamped_by(
        &self,
        weights: &[f64],
        out: &mut Clamped,
        of_large_row: &OfLargeRow<'_>,
    ) -> Result<()> {
        self.clamped_in_tables(weights, out);
        if !self.large.is_empty() {
            let network = self.network.with_weights(weights.to_vec())?;
            let large: Vec<usize> = self.large_with_a_share().collect();
            for run in large.chunks(LARGE_PER_RUN) {
                let found: Vec<LargeRow> = run
                    .par_iter()
                    .map(|&row| of_large_row(&network, row))
                    .collect::<Result<_>>()?;
                for (&row, of_row) in run.iter().zip(found) {
                    let share = self.shares[row];
                    out.log_sum_error = out.log_sum_error.hypot(share * of_row.error);
                    // What is settled has been counted.
                    out.mean_log_sum += share * of_row.log_sum;
                    for (term, expectation) in of_row.latent {
                        out.expectations[term as usize] += share * expectation;
                    }
                }
            }
        }
        Ok(())
    }

    /// The same over what rows settle and what tables hold.
    pub(super) fn clamped_in_tables(&self, weights: &[f64], out: &mut Clamped) {
        out.expectations.clear();
        out.expectations.extend_from_slice(&self.settled_share);
        out.mean_log_sum = self.network.constant()
            + weights
                .iter()
                .zip(&self.settled_share)
                .map(|(w, s)| w * s)
                .sum::<f64>();
        out.log_sum_error = 0.0;
        if self.work < WORTH_THREADS {
            let mut table = Vec::new();
            for batch in &self.batches {
                out.mean_log_sum +=
                    batch_expectations(batch, weights, &mut table, &mut out.expectations);
            }
        } else {
            let partial: Vec<(f64, Vec<f64>)> = self
                .batches
                .par_chunks(BATCHES_PER_RUN)
                .map(|run| {
                    let (mut table, mut sums) = (Vec::new(), vec![0.0; weights.len()]);
                    let log_sum: f64 = run
                        .iter()
                        .map(|batch| batch_expectations(batch, weights, &mut table, &mut sums))
                        .sum();
                    (log_sum, sums)
                })
                .collect();
            for (log_sum, sums) in partial {
                out.mean_log_sum += log_sum;
                kernels::add_scaled(&mut out.expectations, &sums, 1.0);
            }
        }
        if let Some(restricted) = &self.restricted {
            out.mean_log_sum += restricted.add_expectations(weights, &mut out.expectations);
        }
    }

    /// The mean square of E[f | y] over the rows, per term: with η it says how far each constraint is uncertain in the
    /// data. Of rows too large for tables a latent unit counts as on as often as in all rows.
    pub(crate) fn mean_squares(&self, weights: &[f64], eta: &[f64]) -> Vec<f64> {
        let mut squares = self.settled_share.clone();
        let mut table = Vec::new();
        for batch in &self.batches {
            for component in &batch.components {
                component.posterior(batch.lanes, weights, &mut table);
                for lane in 0..batch.lanes {
                    for &(mask, term) in component.of_lane(lane) {
                        let mean = table[mask as usize * LANES + lane];
                        squares[term as usize] += batch.shares[lane] * mean * mean;
                    }
                }
            }
        }
        if let Some(restricted) = &self.restricted {
            // At most: a square of a probability is below it.
            restricted.add_expectations(weights, &mut squares);
        }
        let units = self.network.units().len();
        let mut means = vec![None; units];
        for (term, &eta) in self.network.terms().iter().zip(eta) {
            if let [unit] = *term.units() {
                means[unit] = Some(eta);
            }
        }
        for row in self.large_with_a_share() {
            let (share, clamp) = (self.shares[row], &self.clamps[row]);
            for &term in self
                .latent
                .get(&row)
                .into_iter()
                .flat_map(|latent| latent.iter())
            {
                let term = term as usize;
                let units = self.network.terms()[term].units().iter();
                let latent = units.filter(|&&unit| clamp.get(unit).is_none());
                let mean = latent.map(|&unit| means[unit]).product::<Option<f64>>();
                squares[term] += share * mean.unwrap_or(eta[term]).powi(2);
            }
        }
        squares
    }

    /// The sums of one row whose latent part is too large for tables.
    pub(crate) fn large_row(&self, network: &Network, row: usize) -> Result<LargeRow> {
        if let Some(sums) = self.split.get(&row) {
            let mut terms = Vec::new();
            let log_sum = sums.evaluate(network.weights(), &mut terms) + network.constant();
            return Ok(self.latent_part(network, row, (log_sum, 0.0), &terms));
        }
        if let Some(held) = self.held.get(&row) {
            return Ok(held.sums(network.weights()));
        }
        let engine = self.engine.unwrap_or(EngineId::EXACT).engine();
        if engine.gives().chains {
            let found = sampled_row(network, &self.clamps[row], row)?;
            return Ok(self.latent_part(network, row, found.log_sum, &found.terms));
        }
        let prepared = engine.prepare(network, &self.clamps[row], &Demand::default())?;
        let mut sums = Sums::default();
        match self.best {
            true => prepared.best(network.weights(), &mut sums)?,
            false => prepared.sums(network.weights(), &mut sums)?,
        }
        Ok(self.latent_part(network, row, (sums.log_partition, 0.0), &sums.terms))
    }

    /// What an engine says of all terms of a row, the log-sum with its error, without what is settled.
    fn latent_part(
        &self,
        network: &Network,
        row: usize,
        (log_sum, error): (f64, f64),
        terms: &[f64],
    ) -> LargeRow {
        LargeRow {
            log_sum: log_sum - self.settled_sum(network, row),
            error,
            latent: self.latent_expectations(row, terms),
        }
    }

    /// Of the expectations of all terms those that a row does not settle.
    pub(crate) fn latent_expectations(&self, row: usize, terms: &[f64]) -> Vec<(u32, f64)> {
        let latent = self
            .latent
            .get(&row)
            .into_iter()
            .flat_map(|list| list.iter());
        latent.map(|&term| (term, terms[term as usize])).collect()
    }

    /// The constant, and the weights of the terms that a row settles as one.
    fn settled_sum(&self, network: &Network, row: usize) -> f64 {
        let settled = self.settled[row].iter();
        let weights = settled.map(|&term| network.weights()[term as usize]);
        network.constant() + weights.sum::<f64>()
    }

    /// log Σ_latent exp(exponent) of one row whose latent part is too large for tables, the constant included.
    pub(crate) fn log_sum_of_large_row(&self, network: &Network, row: usize) -> Result<f64> {
        Ok(self.large_row(network, row)?.log_sum + self.settled_sum(network, row))
    }

    /// log Σ_latent exp(exponent) of each distinct row: minus log Z it is the row's log-likelihood.
    pub fn log_sums(&self, weights: &[f64]) -> Result<Vec<f64>> {
        self.log_sums_by(weights, &mut |network, row| {
            self.log_sum_of_large_row(network, row)
        })
    }

    /// The same, where somebody else knows the log-sum of rows whose latent part is too large for tables.
    pub(crate) fn log_sums_by(
        &self,
        weights: &[f64],
        of_large_row: &mut dyn FnMut(&Network, usize) -> Result<f64>,
    ) -> Result<Vec<f64>> {
        let mut sums: Vec<f64> = self
            .settled
            .iter()
            .map(|on| {
                on.iter().map(|&t| weights[t as usize]).sum::<f64>() + self.network.constant()
            })
            .collect();
        let mut table = Vec::new();
        for batch in &self.batches {
            for component in &batch.components {
                let log_sums = component.posterior(batch.lanes, weights, &mut table);
                for lane in 0..batch.lanes {
                    sums[batch.rows[lane]] += log_sums[lane];
                }
            }
        }
        if let Some(restricted) = &self.restricted {
            restricted.add_log_sums(weights, &mut sums);
        }
        if !self.large.is_empty() {
            let network = self.network.with_weights(weights.to_vec())?;
            let skips = |row: usize| self.skips_empty && self.shares[row] == 0.0;
            for &row in self.large.iter().filter(|&&row| !skips(row)) {
                sums[row] = of_large_row(&network, row)?;
            }
        }
        Ok(sums)
    }
}
