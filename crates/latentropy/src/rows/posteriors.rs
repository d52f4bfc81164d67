//! The clamped phase: each distinct row's posterior over what it does not show, hidden units and missing cells alike.
//!
//! Rows that miss the same cells have the same latent units; those fall into connected components, each small
//! enough to enumerate, eight rows at a time. A row whose latent part is too large for that goes to an engine.

use super::batches::{Batch, Component, LANES, batch_expectations};
use super::components::{Parts, components};
use super::matching::{clamp_of_row, units_of_columns};
use crate::data::{Bits, Dataset};
use crate::error::{Error, Result};
use crate::inference::reduction::{Image, Reduced};
use crate::inference::{Demand, EngineId, Enumerator, Sums, exact_expectations, kernels};
use crate::network::{Clamp, Network};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Components of more units than this go to an engine, a row at a time.
const MOST_IN_LANES: usize = 12;
/// Batches are summed in runs of this many, whatever the number of threads.
const BATCHES_A_RUN: usize = 16;
/// Less work than this many table entries is not worth a second thread.
const WORTH_THREADS: usize = 1 << 17;

/// All rows of a data set against one network structure, prepared to be summed with many sets of weights.
#[derive(Clone, Debug)]
pub struct RowPosteriors {
    network: Network,
    /// What each distinct row holds.
    clamps: Vec<Clamp>,
    /// T: what the rows with a known cell weigh together.
    row_count: f64,
    shares: Vec<f64>,
    batches: Vec<Batch>,
    /// Rows whose latent part is too large for tables.
    large: Vec<usize>,
    /// Who sums those; without one, an exact engine.
    engine: Option<EngineId>,
    skips_empty: bool,
    /// Terms whose units are all seen to be one, by row.
    settled: Vec<Vec<u32>>,
    /// Share of the rows in which each term is settled as one: the part of η that never changes.
    settled_share: Vec<f64>,
    work: usize,
}

/// Clamped expectations: η of every term by (6), and the mean of log Σ_latent exp over the rows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Clamped {
    /// η_i = Σ_y p̃(y) E[f_i | y].
    pub expectations: Vec<f64>,
    /// Σ_y p̃(y) log Σ_z exp(exponent(y, z)), the constant included.
    pub mean_log_sum: f64,
}

impl RowPosteriors {
    /// Prepares the rows; a row without any known cell has no share (it says nothing).
    pub fn new(network: &Network, data: &Dataset) -> Result<Self> {
        let unit_of_column = units_of_columns(network, data)?;
        let row_count = data.known_weight();
        if row_count == 0.0 {
            return Err(Error::invalid(
                "the data have no row with a known cell; nothing can be learned from them",
            ));
        }
        let share = |row: usize| match data.is_known(row) {
            true => data.weights()[row] / row_count,
            false => 0.0,
        };
        let units = network.units().len();
        let clamps = data.rows().iter();
        let mut posteriors = RowPosteriors {
            network: network.clone(),
            clamps: clamps
                .map(|row| clamp_of_row(units, &unit_of_column, row))
                .collect(),
            row_count,
            shares: (0..data.rows().len()).map(share).collect(),
            batches: Vec::new(),
            large: Vec::new(),
            engine: None,
            skips_empty: false,
            settled: vec![Vec::new(); data.rows().len()],
            settled_share: vec![0.0; network.terms().len()],
            work: 0,
        };
        let mut by_mask: BTreeMap<&Bits, Vec<usize>> = BTreeMap::new();
        for (at, row) in data.rows().iter().enumerate() {
            by_mask.entry(&row.missing).or_default().push(at);
        }
        for group in by_mask.into_values() {
            posteriors.prepare_group(&group);
        }
        posteriors.large.sort_unstable();
        Ok(posteriors)
    }

    /// The same, but rows whose latent part is too large for tables go to this engine.
    pub fn with_engine(self, engine: EngineId) -> Self {
        RowPosteriors {
            engine: Some(engine),
            ..self
        }
    }

    /// True where every row is summed exactly.
    pub fn is_exact(&self) -> bool {
        let exact =
            [None, Some(EngineId::EXACT), Some(EngineId::JUNCTION_TREE)].contains(&self.engine);
        exact || self.large_with_a_share().next().is_none()
    }

    /// The same, but rows without a known cell, which have no share, have no log-sum either but their constant: it would
    /// be log Z itself.
    pub fn skipping_empty(self) -> Self {
        RowPosteriors {
            skips_empty: true,
            ..self
        }
    }

    fn large_with_a_share(&self) -> impl Iterator<Item = usize> + '_ {
        let large = self.large.iter().copied();
        large.filter(|&row| self.shares[row] > 0.0)
    }

    /// How many latent units the largest row has whose posterior is not in tables, if there is one.
    pub(crate) fn beyond_tables(&self) -> Option<usize> {
        let units = self.network.units().len();
        let latent = |row: usize| {
            let clamp = &self.clamps[row];
            (0..units).filter(|&u| clamp.get(u).is_none()).count()
        };
        self.large_with_a_share().map(latent).max()
    }

    /// Each distinct row's share in what all rows with a known cell weigh; zero for the others.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// The units that each distinct row holds, in the order of the rows.
    pub(crate) fn clamps(&self) -> &[Clamp] {
        &self.clamps
    }

    /// T: what the rows with a known cell weigh together.
    pub fn row_count(&self) -> f64 {
        self.row_count
    }

    /// Prepares rows that miss the same cells.
    fn prepare_group(&mut self, group: &[usize]) {
        let units = self.network.units().len();
        let clamp = &self.clamps[group[0]];
        let latent: Vec<bool> = (0..units).map(|u| clamp.get(u).is_none()).collect();
        let components = components(&self.network, &latent);
        let largest = components.sizes.iter().copied().max().unwrap_or(0);
        for chunk in group.chunks(LANES) {
            let in_tables = largest <= MOST_IN_LANES;
            let mut batch = Batch {
                shares: [0.0; LANES],
                rows: [0; LANES],
                lanes: chunk.len(),
                components: components
                    .sizes
                    .iter()
                    .map(|&bits| Component {
                        bits,
                        entries: Vec::new(),
                        ends: [0; LANES],
                    })
                    .collect(),
            };
            for (lane, &row) in chunk.iter().enumerate() {
                batch.shares[lane] = self.shares[row];
                batch.rows[lane] = row;
                self.enter_row(row, &latent, &components, &mut batch);
                for component in &mut batch.components {
                    component.ends[lane..].fill(component.entries.len());
                }
            }
            if in_tables {
                self.work += components.sizes.iter().map(|b| LANES << b).sum::<usize>();
                self.batches.push(batch);
            } else {
                self.large.extend_from_slice(chunk);
            }
        }
    }

    fn enter_row(&mut self, row: usize, latent: &[bool], parts: &Parts, batch: &mut Batch) {
        let clamp = &self.clamps[row];
        for (at, term) in self.network.terms().iter().enumerate() {
            if term.units().iter().any(|&u| clamp.get(u) == Some(false)) {
                continue;
            }
            let mut mask = 0u32;
            let mut part = usize::MAX;
            for &unit in term.units().iter().filter(|&&u| latent[u]) {
                part = parts.part_of[unit];
                // Wider components than a mask are never used as tables.
                mask |= 1u32.checked_shl(parts.bit_of[unit] as u32).unwrap_or(0);
            }
            if part == usize::MAX {
                self.settled[row].push(at as u32);
                self.settled_share[at] += self.shares[row];
            } else {
                batch.components[part].entries.push((mask, at as u32));
            }
        }
    }

    /// The E step (6): η and the mean log-sum for these weights.
    pub fn clamped(&self, weights: &[f64], out: &mut Clamped) -> Result<()> {
        out.expectations.clear();
        out.expectations.extend_from_slice(&self.settled_share);
        out.mean_log_sum = self.network.constant()
            + weights
                .iter()
                .zip(&self.settled_share)
                .map(|(w, s)| w * s)
                .sum::<f64>();
        if self.work < WORTH_THREADS {
            let mut table = Vec::new();
            for batch in &self.batches {
                out.mean_log_sum +=
                    batch_expectations(batch, weights, &mut table, &mut out.expectations);
            }
        } else {
            let partial: Vec<(f64, Vec<f64>)> = self
                .batches
                .par_chunks(BATCHES_A_RUN)
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
        if !self.large.is_empty() {
            let network = self.network.with_weights(weights.to_vec())?;
            for row in self.large_with_a_share() {
                let (log_sum, terms) = self.large_row(&network, row)?;
                let share = self.shares[row];
                // What is settled has been counted: it is exactly one here.
                out.mean_log_sum += share
                    * (log_sum
                        - network.constant()
                        - self.settled[row]
                            .iter()
                            .map(|&t| weights[t as usize])
                            .sum::<f64>());
                kernels::add_scaled(&mut out.expectations, &terms, share);
                for &term in &self.settled[row] {
                    out.expectations[term as usize] -= share;
                }
            }
        }
        Ok(())
    }

    fn large_row(&self, network: &Network, row: usize) -> Result<(f64, Vec<f64>)> {
        let clamp = &self.clamps[row];
        let found = match self.engine {
            Some(engine) => {
                let prepared = engine
                    .engine()
                    .prepare(network, clamp, &Demand::default())?;
                let mut sums = Sums::default();
                prepared.sums(network.weights(), &mut sums)?;
                return Ok((sums.log_partition, sums.terms));
            }
            None => exact_expectations(network, clamp)?,
        };
        Ok((found.log_partition.value, found.terms))
    }

    /// log Σ_latent exp(exponent) of each distinct row: minus log Z it is the row's log-likelihood.
    pub fn log_sums(&self, weights: &[f64]) -> Result<Vec<f64>> {
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
        if !self.large.is_empty() {
            let network = self.network.with_weights(weights.to_vec())?;
            let skips = |row: usize| self.skips_empty && self.shares[row] == 0.0;
            for &row in self.large.iter().filter(|&&row| !skips(row)) {
                sums[row] = self.large_row(&network, row)?.0;
            }
        }
        Ok(sums)
    }

    /// Whether every row is small enough for [`RowPosteriors::add_covariance`].
    pub(crate) fn has_covariance(&self) -> bool {
        let units = self.network.units().len();
        self.large.iter().all(|&row| {
            let clamp = &self.clamps[row];
            let latent = (0..units).filter(|&u| clamp.get(u).is_none()).count();
            Enumerator::MOST_IN_A_TABLE >= latent
        })
    }

    /// Σ_y p̃(y) Cov[f | y] of the terms, added to `matrix` (row-major, terms × terms); false where a row is too large for tables.
    pub fn add_covariance(&self, weights: &[f64], matrix: &mut [f64]) -> bool {
        let terms = weights.len();
        let mut table = Vec::new();
        for batch in &self.batches {
            for component in &batch.components {
                component.posterior(batch.lanes, weights, &mut table);
                for lane in 0..batch.lanes {
                    let entries = component.of_lane(lane);
                    let moment = |mask: u32| table[mask as usize * LANES + lane];
                    for (at, &(mask_a, a)) in entries.iter().enumerate() {
                        for &(mask_b, b) in &entries[..=at] {
                            let covariance = batch.shares[lane]
                                * (moment(mask_a | mask_b) - moment(mask_a) * moment(mask_b));
                            matrix[a as usize * terms + b as usize] += covariance;
                            if a != b {
                                matrix[b as usize * terms + a as usize] += covariance;
                            }
                        }
                    }
                }
            }
        }
        self.large
            .iter()
            .all(|&row| self.add_large_covariance(row, weights, matrix))
    }

    /// The same for one row whose latent part is too large for lanes; false where it is too large for a table, too.
    fn add_large_covariance(&self, row: usize, weights: &[f64], matrix: &mut [f64]) -> bool {
        let clamp = &self.clamps[row];
        let Some((reduced, moments)) =
            Reduced::new(&self.network, clamp).ok().and_then(|reduced| {
                let (coefficients, _) = reduced.coefficients(weights, 0.0);
                let enumerator = Enumerator::new(reduced.free.len(), &reduced.masks).ok()?;
                let moments = enumerator.moments(&coefficients)?;
                Some((reduced, moments))
            })
        else {
            return false;
        };
        let share = self.shares[row];
        let terms = weights.len();
        let latent: Vec<(usize, usize)> = reduced
            .images
            .iter()
            .enumerate()
            .filter_map(|(term, image)| match *image {
                Image::Mask(at) => Some((term, reduced.masks[at] as usize)),
                Image::Zero | Image::One => None,
            })
            .collect();
        for &(a, mask_a) in &latent {
            for &(b, mask_b) in &latent {
                matrix[a * terms + b] +=
                    share * (moments[mask_a | mask_b] - moments[mask_a] * moments[mask_b]);
            }
        }
        true
    }
}
