//! The clamped phase: each distinct row's posterior over what it does not show, hidden units and missing cells alike.
//!
//! Rows that miss the same cells have the same latent units; those fall into connected components, each small
//! enough to enumerate, eight rows at a time. A row whose latent part is too large for that goes to an exact engine.

use super::reduced::{Image, Reduced};
use super::{Clamp, Engine, Enumerator, FeatureExpectations, exact_engine, vector};
use crate::data::{Dataset, Row};
use crate::error::{Error, Result, shortened};
use crate::network::{Network, Role};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Rows worked on side by side.
const LANES: usize = vector::LANES;
/// Components of more units than this go to an exact engine, a row at a time.
const MOST_IN_LANES: usize = 12;
/// Batches are summed in runs of this many, whatever the number of threads.
const BATCHES_A_RUN: usize = 16;
/// Less work than this many table entries is not worth a second thread.
const WORTH_THREADS: usize = 1 << 17;

/// Which unit each column of the data is: by name where the data has names, else by position.
pub fn units_of_columns(network: &Network, data: &Dataset) -> Result<Vec<usize>> {
    let visible = network.visible();
    let names = |units: &[usize]| {
        let names: Vec<&str> = units
            .iter()
            .map(|&u| network.units()[u].name.as_str())
            .collect();
        shortened(&names)
    };
    if !data.has_header() {
        if data.columns().len() != visible.len() {
            return Err(Error::Invalid(format!(
                "the data have {} columns without names and the model {} visible units ({}); \
                 select the columns with --columns",
                data.columns().len(),
                visible.len(),
                names(&visible)
            )));
        }
        return Ok(visible);
    }
    let units: Vec<usize> = data
        .columns()
        .iter()
        .map(|column| {
            network
                .unit_named(column)
                .filter(|&u| network.units()[u].role == Role::Visible)
                .ok_or_else(|| {
                    Error::Invalid(format!(
                        "column \"{column}\" is no visible unit of the model; its visible units are {}; \
                         leave the column out with --columns '!{column}'",
                        names(&visible)
                    ))
                })
        })
        .collect::<Result<_>>()?;
    Ok(units)
}

/// The value each unit is held at by a row; units without a column are not held.
pub fn clamp_of_row(units: usize, unit_of_column: &[usize], row: &Row) -> Clamp {
    let mut clamp = Clamp::none(units);
    for (column, &unit) in unit_of_column.iter().enumerate() {
        if !row.missing.get(column) {
            clamp.hold(unit, row.ones.get(column));
        }
    }
    clamp
}

/// Up to eight rows that have one component layout.
#[derive(Clone, Debug)]
struct Batch {
    /// The share of each lane's row in the data; zero in unused lanes.
    shares: [f64; LANES],
    /// The distinct row of each lane.
    rows: [usize; LANES],
    lanes: usize,
    components: Vec<Component>,
}

/// One connected component of latent units, for the rows of a batch.
#[derive(Clone, Debug)]
struct Component {
    bits: usize,
    /// Terms that are on in lane l up to latent units: (mask over the component, term); sorted by lane.
    entries: Vec<(u32, u32)>,
    /// Where each lane's entries end.
    ends: [usize; LANES],
}

/// All rows of a data set against one network structure, prepared to be summed with many sets of weights.
#[derive(Clone, Debug)]
pub struct RowPosteriors {
    network: Network,
    unit_of_column: Vec<usize>,
    shares: Vec<f64>,
    rows: Vec<Row>,
    batches: Vec<Batch>,
    /// Rows whose latent part is too large for tables.
    large: Vec<usize>,
    /// Who sums those; without one, an exact engine.
    engine: Option<Engine>,
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
        let known: f64 = data
            .rows()
            .iter()
            .zip(data.counts())
            .filter(|(row, _)| row.missing.count() < unit_of_column.len())
            .map(|(_, &count)| count as f64)
            .sum();
        if known == 0.0 {
            return Err(Error::Invalid(
                "the data have no row with a known cell; nothing can be learned from them"
                    .to_string(),
            ));
        }
        let shares = data
            .rows()
            .iter()
            .zip(data.counts())
            .map(|(row, &count)| {
                if row.missing.count() < unit_of_column.len() {
                    count as f64 / known
                } else {
                    0.0
                }
            })
            .collect::<Vec<f64>>();
        let mut posteriors = RowPosteriors {
            network: network.clone(),
            unit_of_column,
            shares,
            rows: data.rows().to_vec(),
            batches: Vec::new(),
            large: Vec::new(),
            engine: None,
            skips_empty: false,
            settled: vec![Vec::new(); data.rows().len()],
            settled_share: vec![0.0; network.terms().len()],
            work: 0,
        };
        let mut by_mask: BTreeMap<&Row, Vec<usize>> = BTreeMap::new();
        let keys: Vec<Row> = data
            .rows()
            .iter()
            .map(|row| Row {
                ones: row.missing.clone(),
                missing: row.missing.clone(),
            })
            .collect();
        for (at, key) in keys.iter().enumerate() {
            by_mask.entry(key).or_default().push(at);
        }
        for group in by_mask.into_values() {
            posteriors.prepare_group(&group);
        }
        posteriors.large.sort_unstable();
        Ok(posteriors)
    }

    /// The same, but rows whose latent part is too large for tables go to this engine.
    pub fn with_engine(self, engine: Engine) -> Self {
        RowPosteriors {
            engine: Some(engine),
            ..self
        }
    }

    /// True where every row is summed exactly.
    pub fn is_exact(&self) -> bool {
        let exact = matches!(
            self.engine,
            None | Some(Engine::Exact | Engine::JunctionTree)
        );
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
            let clamp = clamp_of_row(units, &self.unit_of_column, &self.rows[row]);
            (0..units).filter(|&u| clamp.get(u).is_none()).count()
        };
        self.large_with_a_share().map(latent).max()
    }

    /// Rows that count: those with at least one known cell, in number of original rows.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// Prepares rows that miss the same cells.
    fn prepare_group(&mut self, group: &[usize]) {
        let units = self.network.units().len();
        let clamp = clamp_of_row(units, &self.unit_of_column, &self.rows[group[0]]);
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
        let units = self.network.units().len();
        let clamp = clamp_of_row(units, &self.unit_of_column, &self.rows[row]);
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
                vector::add_scaled(&mut out.expectations, &sums, 1.0);
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
                vector::add_scaled(&mut out.expectations, &terms, share);
                for &term in &self.settled[row] {
                    out.expectations[term as usize] -= share;
                }
            }
        }
        Ok(())
    }

    fn large_row(&self, network: &Network, row: usize) -> Result<(f64, Vec<f64>)> {
        let clamp = clamp_of_row(network.units().len(), &self.unit_of_column, &self.rows[row]);
        let found = match self.engine {
            Some(engine) => engine
                .instance(network, &clamp)?
                .gradient(network, &clamp)?,
            None => exact_engine(network, &clamp)?.expectations(network, &clamp)?,
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
        let clamp = clamp_of_row(
            self.network.units().len(),
            &self.unit_of_column,
            &self.rows[row],
        );
        let Some((reduced, moments)) =
            Reduced::new(&self.network, &clamp)
                .ok()
                .and_then(|reduced| {
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

impl Component {
    fn of_lane(&self, lane: usize) -> &[(u32, u32)] {
        let start = if lane == 0 { 0 } else { self.ends[lane - 1] };
        &self.entries[start..self.ends[lane]]
    }

    /// Fills `table` with E[Π_mask | row] for every mask and lane; returns each lane's log-sum.
    fn posterior(&self, lanes: usize, weights: &[f64], table: &mut Vec<f64>) -> [f64; LANES] {
        table.clear();
        table.resize(LANES << self.bits, 0.0);
        for lane in 0..lanes {
            for &(mask, term) in self.of_lane(lane) {
                table[mask as usize * LANES + lane] += weights[term as usize];
            }
        }
        vector::lane_posteriors(table)
    }
}

fn batch_expectations(
    batch: &Batch,
    weights: &[f64],
    table: &mut Vec<f64>,
    expectations: &mut [f64],
) -> f64 {
    let mut mean_log_sum = 0.0;
    for component in &batch.components {
        let log_sums = component.posterior(batch.lanes, weights, table);
        for lane in 0..batch.lanes {
            let share = batch.shares[lane];
            mean_log_sum += share * log_sums[lane];
            for &(mask, term) in component.of_lane(lane) {
                expectations[term as usize] += share * table[mask as usize * LANES + lane];
            }
        }
    }
    mean_log_sum
}

/// Connected components of the latent units under the terms.
struct Parts {
    sizes: Vec<usize>,
    part_of: Vec<usize>,
    bit_of: Vec<usize>,
}

fn components(network: &Network, latent: &[bool]) -> Parts {
    let units = latent.len();
    let mut leader: Vec<usize> = (0..units).collect();
    fn find(leader: &mut [usize], mut unit: usize) -> usize {
        while leader[unit] != unit {
            leader[unit] = leader[leader[unit]];
            unit = leader[unit];
        }
        unit
    }
    for term in network.terms() {
        let mut inside = term.units().iter().copied().filter(|&u| latent[u]);
        if let Some(first) = inside.next() {
            for other in inside {
                let (a, b) = (find(&mut leader, first), find(&mut leader, other));
                leader[a.max(b)] = a.min(b);
            }
        }
    }
    let mut parts = Parts {
        sizes: Vec::new(),
        part_of: vec![usize::MAX; units],
        bit_of: vec![0; units],
    };
    for unit in (0..units).filter(|&u| latent[u]) {
        let root = find(&mut leader, unit);
        if root == unit {
            parts.part_of[unit] = parts.sizes.len();
            parts.sizes.push(0);
        }
        let part = parts.part_of[root];
        parts.part_of[unit] = part;
        parts.bit_of[unit] = parts.sizes[part];
        parts.sizes[part] += 1;
    }
    parts
}
