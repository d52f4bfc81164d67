//! Rows prepared for the clamped phase: each distinct row's posterior over what it does not show, hidden units and missing cells alike.
//!
//! Rows that miss the same cells have the same latent units; those fall into connected components, each small
//! enough to enumerate, eight rows at a time (`preparing.rs`). A row whose latent part is too large for that goes to an engine.

use super::batches::Batch;
use super::held::HeldRow;
use super::matching::{clamp_of_row, units_of_columns};
use super::preparing::{PreparedGroup, TermsOfRow};
use super::restricted::RestrictedRows;
use crate::data::{Bits, Dataset};
use crate::error::{Error, Result};
use crate::inference::EngineId;
use crate::inference::factorisation::FactorisedSums;
use crate::network::{Clamp, Network};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Beside an engine that samples, rows with more latent units than this are sampled, too.
const MOST_BESIDE_CHAINS: usize = 18;

/// All rows of a data set against one network structure, prepared to be summed with many sets of weights.
#[derive(Clone, Debug)]
pub struct RowPosteriors {
    pub(super) network: Network,
    /// What each distinct row holds.
    pub(super) clamps: Vec<Clamp>,
    /// T: what the rows with a known cell weigh together.
    row_count: f64,
    pub(super) shares: Vec<f64>,
    pub(super) batches: Vec<Batch>,
    /// Rows of a restricted machine that are summed as matrices.
    pub(super) restricted: Option<Arc<RestrictedRows>>,
    /// Rows whose latent part is too large for tables.
    pub(super) large: Vec<usize>,
    /// Their terms with a latent unit.
    pub(super) latent: HashMap<usize, Arc<[u32]>>,
    /// Those of them that are summed over the smaller of two sides.
    pub(super) split: HashMap<usize, FactorisedSums>,
    /// Those that are enumerated.
    pub(super) held: HashMap<usize, Arc<HeldRow>>,
    /// Who sums the others; without one, an exact engine.
    pub(super) engine: Option<EngineId>,
    /// Whether that engine is asked for its best expectations in place of its gradient.
    pub(super) best: bool,
    pub(super) skips_empty: bool,
    /// Terms whose units are all seen to be one, by row.
    pub(super) settled: Vec<Vec<u32>>,
    /// Share of the rows in which each term is settled as one: the part of η that never changes.
    pub(super) settled_share: Vec<f64>,
    pub(super) work: usize,
}

impl RowPosteriors {
    /// Prepares the rows; a row without any known cell has no share (it says nothing).
    pub fn new(network: &Network, data: &Dataset) -> Result<Self> {
        RowPosteriors::build(network, data, None)
    }

    /// The same rows against another network of the same units.
    pub(crate) fn against(&self, network: &Network) -> Self {
        let mut by_latent: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for (at, clamp) in self.clamps.iter().enumerate() {
            by_latent.entry(clamp.free()).or_default().push(at);
        }
        let (clamps, shares) = (self.clamps.clone(), self.shares.clone());
        let rows = RowPosteriors::unprepared(network, clamps, shares, self.row_count);
        rows.prepared(by_latent.into_values(), None)
    }

    /// The same; `matrices` says whether rows of a restricted machine are summed as matrices, where that is not left open.
    pub(super) fn build(network: &Network, data: &Dataset, matrices: Option<bool>) -> Result<Self> {
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
        let clamps = clamps.map(|row| clamp_of_row(units, &unit_of_column, row));
        let shares = (0..data.rows().len()).map(share).collect();
        let mut by_mask: BTreeMap<&Bits, Vec<usize>> = BTreeMap::new();
        for (at, row) in data.rows().iter().enumerate() {
            by_mask.entry(&row.missing).or_default().push(at);
        }
        let rows = RowPosteriors::unprepared(network, clamps.collect(), shares, row_count);
        Ok(rows.prepared(by_mask.into_values(), matrices))
    }

    fn unprepared(network: &Network, clamps: Vec<Clamp>, shares: Vec<f64>, row_count: f64) -> Self {
        RowPosteriors {
            network: network.clone(),
            row_count,
            batches: Vec::new(),
            restricted: None,
            large: Vec::new(),
            latent: HashMap::new(),
            split: HashMap::new(),
            held: HashMap::new(),
            engine: None,
            best: false,
            skips_empty: false,
            settled: vec![Vec::new(); clamps.len()],
            settled_share: vec![0.0; network.terms().len()],
            work: 0,
            clamps,
            shares,
        }
    }

    /// Prepares all rows; those of a group miss the same cells.
    fn prepared(
        mut self,
        groups: impl Iterator<Item = Vec<usize>>,
        matrices: Option<bool>,
    ) -> Self {
        let mut restricted = RestrictedRows::new(&self, matrices);
        let groups: Vec<(Vec<usize>, Vec<usize>)> = groups
            .map(|group| {
                group.into_iter().partition(|&row| {
                    let restricted = restricted.as_mut();
                    restricted.is_some_and(|restricted| restricted.take(&self, row))
                })
            })
            .collect();
        let prepared: Vec<PreparedGroup> = groups
            .par_iter()
            .map(|(_, group)| PreparedGroup::new(&self, group))
            .collect();
        for ((taken, _), prepared) in groups.iter().zip(prepared) {
            for &row in taken {
                let terms = TermsOfRow::new(&self.network, &self.clamps[row]);
                self.settle(row, terms.settled);
            }
            self.take_in(prepared);
        }
        self.restricted = restricted.and_then(RestrictedRows::shared);
        self.large.sort_unstable();
        self
    }

    fn take_in(&mut self, prepared: PreparedGroup) {
        for (row, settled) in prepared.settled {
            self.settle(row, settled);
        }
        self.work += prepared.work;
        self.batches.extend(prepared.batches);
        for found in prepared.large {
            self.large.push(found.row);
            self.latent.insert(found.row, found.latent);
            if let Some(split) = found.split {
                self.split.insert(found.row, split);
            }
            if let Some(held) = found.held {
                self.held.insert(found.row, Arc::new(held));
            }
        }
    }

    /// Takes down which terms a row settles as one.
    fn settle(&mut self, row: usize, settled: Vec<u32>) {
        for &term in &settled {
            self.settled_share[term as usize] += self.shares[row];
        }
        self.settled[row] = settled;
    }

    /// The same, but rows whose latent part is too large for tables go to this engine.
    pub fn with_engine(self, engine: EngineId) -> Self {
        RowPosteriors {
            engine: Some(engine),
            held: HashMap::new(),
            ..self
        }
    }

    /// The same, with or without the engine's best expectations in place of its gradient.
    pub(crate) fn with_best_expectations(self, best: bool) -> Self {
        RowPosteriors { best, ..self }
    }

    /// The same for an engine that samples: rows are still enumerated where that takes no longer than their chains.
    pub(crate) fn with_sampling_engine(mut self, engine: EngineId) -> Self {
        self.engine = Some(engine);
        let clamps = &self.clamps;
        self.held
            .retain(|&row, _| clamps[row].free().len() <= MOST_BESIDE_CHAINS);
        self
    }

    /// Rows with a share that no table holds: too large to be summed exactly beside chains.
    pub(crate) fn beyond_sums(&self) -> Vec<usize> {
        let large = self.large_with_a_share();
        large.filter(|&row| !self.is_ready(row)).collect()
    }

    /// Whether a row whose latent part is too large for tables is made ready to be summed exactly all the same.
    pub(crate) fn is_ready(&self, row: usize) -> bool {
        self.split.contains_key(&row) || self.held.contains_key(&row)
    }

    /// True where every row is summed exactly.
    pub fn is_exact(&self) -> bool {
        let exact =
            [None, Some(EngineId::EXACT), Some(EngineId::JUNCTION_TREE)].contains(&self.engine);
        exact || self.beyond_sums().is_empty()
    }

    /// The same, but rows without a known cell, which have no share, have no log-sum either but their constant: it would
    /// be log Z itself.
    pub fn skipping_empty(self) -> Self {
        RowPosteriors {
            skips_empty: true,
            ..self
        }
    }

    pub(super) fn large_with_a_share(&self) -> impl Iterator<Item = usize> + '_ {
        let large = self.large.iter().copied();
        large.filter(|&row| self.shares[row] > 0.0)
    }

    /// Each distinct row's share in what all rows with a known cell weigh; zero for the others.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// The units that each distinct row holds, in the order of the rows.
    pub(crate) fn clamps(&self) -> &[Clamp] {
        &self.clamps
    }

    /// True if no row that has a share leaves a unit open.
    pub(crate) fn show_everything(&self) -> bool {
        let rows = self.clamps.iter().zip(&self.shares);
        let mut with_a_share = rows.filter(|(_, share)| **share > 0.0);
        with_a_share.all(|(clamp, _)| clamp.free().is_empty())
    }

    /// T: what the rows with a known cell weigh together.
    pub fn row_count(&self) -> f64 {
        self.row_count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Clamped;

    #[test]
    fn rows_against_another_network_of_the_same_units_are_those_of_that_network() {
        let rows: Vec<Vec<i8>> = (0..40i32)
            .map(|row| {
                (0..6i32)
                    .map(|column| match (row * row + 3 * column + row / 7) % 7 {
                        0 => -1,
                        value => (value % 2) as i8,
                    })
                    .collect()
            })
            .collect();
        let data = Dataset::from_rows(&rows).unwrap();
        let full = RowPosteriors::new(&Network::full(6, 2), &data).unwrap();
        let other = Network::rbm(6, 2);
        let weights: Vec<f64> = (0..other.terms().len())
            .map(|at| ((2 * at + 1) as f64).sin())
            .collect();
        let (mut found, mut made) = (Clamped::default(), Clamped::default());
        full.against(&other).clamped(&weights, &mut found).unwrap();
        let direct = RowPosteriors::new(&other, &data).unwrap();
        direct.clamped(&weights, &mut made).unwrap();
        // Sums of 40 rows in another order.
        assert!((found.mean_log_sum - made.mean_log_sum).abs() < 1e-12);
        for (found, made) in found.expectations.iter().zip(&made.expectations) {
            assert!((found - made).abs() < 1e-12, "{found} {made}");
        }
    }
}
