//! Rows made ready group by group: those that miss the same cells have the same latent units, whose connected components go into
//! tables, eight rows at a time; a row whose latent part is too large for tables is made ready by itself.

use super::batches::{Batch, Component, LANES};
use super::components::{Parts, components};
use super::held::HeldRow;
use super::posteriors::RowPosteriors;
use crate::inference::factorisation::FactorisedSums;
use crate::network::{Clamp, Network};
use std::sync::Arc;

/// Components of more units than this go to an engine, a row at a time.
const MOST_IN_LANES: usize = 12;
/// Lanes hold eight rows that miss the same cells; fewer than this many waste them, and have components of at most so
/// many units there.
const FEW_ROWS: usize = 4;
const MOST_OF_FEW: usize = 8;
/// Rows whose latent part splits into two sides are summed over the smaller one, where that saves at least this many
/// doublings, and it is not larger than the last number.
const WORTH_SPLITTING: usize = 4;
const MOST_SPLIT: usize = 14;

/// What becomes of the terms when a row's known cells are held; those with a unit held at zero are in neither list.
#[derive(Debug, Default)]
pub(super) struct TermsOfRow {
    /// All units are seen to be one.
    pub(super) settled: Vec<u32>,
    /// Some units are latent, and the others one.
    pub(super) latent: Vec<u32>,
}

impl TermsOfRow {
    pub(super) fn new(network: &Network, clamp: &Clamp) -> Self {
        let mut found = TermsOfRow::default();
        for (at, term) in network.terms().iter().enumerate() {
            let mut has_latent = false;
            let is_possible = term.units().iter().all(|&unit| {
                let value = clamp.get(unit);
                has_latent |= value.is_none();
                value != Some(false)
            });
            match (is_possible, has_latent) {
                (false, _) => {}
                (true, false) => found.settled.push(at as u32),
                (true, true) => found.latent.push(at as u32),
            }
        }
        found
    }
}

/// A row whose latent part is too large for tables, with what sums it exactly, where something does.
pub(super) struct PreparedRow {
    pub(super) row: usize,
    pub(super) latent: Arc<[u32]>,
    pub(super) split: Option<FactorisedSums>,
    pub(super) held: Option<HeldRow>,
}

/// Rows that miss the same cells.
#[derive(Default)]
pub(super) struct PreparedGroup {
    /// The settled terms of every row, in the order of the group.
    pub(super) settled: Vec<(usize, Vec<u32>)>,
    pub(super) batches: Vec<Batch>,
    pub(super) large: Vec<PreparedRow>,
    /// Entries of the tables.
    pub(super) work: usize,
}

impl PreparedGroup {
    pub(super) fn new(rows: &RowPosteriors, group: &[usize]) -> Self {
        let mut prepared = PreparedGroup::default();
        let Some(&first) = group.first() else {
            return prepared;
        };
        let (network, clamp) = (&rows.network, &rows.clamps[first]);
        let units = network.units().len();
        let latent: Vec<bool> = (0..units).map(|u| clamp.get(u).is_none()).collect();
        let parts = components(network, &latent);
        let largest = parts.sizes.iter().copied().max().unwrap_or(0);
        let is_split = split_of(rows, first, largest).is_some();
        let most = match group.len() < FEW_ROWS {
            true => MOST_OF_FEW,
            false => MOST_IN_LANES,
        };
        if largest <= most && !is_split {
            for chunk in group.chunks(LANES) {
                prepared.enter_batch(rows, chunk, &latent, &parts);
            }
        } else {
            for &row in group {
                let split = is_split.then(|| split_of(rows, row, largest)).flatten();
                prepared.enter_large(rows, row, split);
            }
        }
        prepared
    }

    fn enter_batch(
        &mut self,
        rows: &RowPosteriors,
        chunk: &[usize],
        latent: &[bool],
        parts: &Parts,
    ) {
        let components = parts.sizes.iter().map(|&bits| Component {
            bits,
            entries: Vec::new(),
            ends: [0; LANES],
        });
        let mut batch = Batch {
            shares: [0.0; LANES],
            rows: [0; LANES],
            lanes: chunk.len(),
            components: components.collect(),
        };
        for (lane, &row) in chunk.iter().enumerate() {
            batch.shares[lane] = rows.shares[row];
            batch.rows[lane] = row;
            let terms = TermsOfRow::new(&rows.network, &rows.clamps[row]);
            for &term in &terms.latent {
                let units = rows.network.terms()[term as usize].units();
                let mut mask = 0u32;
                let mut part = 0;
                for &unit in units.iter().filter(|&&u| latent[u]) {
                    part = parts.part_of[unit];
                    mask |= 1 << parts.bit_of[unit];
                }
                batch.components[part].entries.push((mask, term));
            }
            self.settled.push((row, terms.settled));
            for component in &mut batch.components {
                component.ends[lane..].fill(component.entries.len());
            }
        }
        self.work += parts.sizes.iter().map(|b| LANES << b).sum::<usize>();
        self.batches.push(batch);
    }

    fn enter_large(&mut self, rows: &RowPosteriors, row: usize, split: Option<FactorisedSums>) {
        let clamp = &rows.clamps[row];
        let TermsOfRow { settled, latent } = TermsOfRow::new(&rows.network, clamp);
        let latent: Arc<[u32]> = latent.into();
        let is_held = split.is_none() && rows.shares[row] > 0.0;
        self.large.push(PreparedRow {
            row,
            held: is_held
                .then(|| HeldRow::new(&rows.network, clamp, Arc::clone(&latent)))
                .flatten(),
            latent,
            split,
        });
        self.settled.push((row, settled));
    }
}

/// The two sides of a row's latent part, where summing over the smaller one is worth it.
fn split_of(rows: &RowPosteriors, row: usize, largest: usize) -> Option<FactorisedSums> {
    let (network, clamp) = (&rows.network, &rows.clamps[row]);
    // Most rows are small, or all of their latent units are joined: nothing is split for them.
    if largest <= 2 * WORTH_SPLITTING || are_all_joined(network, clamp) {
        return None;
    }
    let sums = FactorisedSums::held(network, clamp).ok()?;
    let dependent = sums.dependent();
    let is_worth_it = dependent + WORTH_SPLITTING <= largest && dependent <= MOST_SPLIT;
    (is_worth_it && sums.has_covariances()).then_some(sums)
}

/// Whether every two latent units are a term, so that no two of them are independent given the others.
fn are_all_joined(network: &Network, clamp: &Clamp) -> bool {
    let latent = clamp.free().len();
    let is_latent_pair =
        |units: &[usize]| units.len() == 2 && units.iter().all(|&unit| clamp.get(unit).is_none());
    let terms = network.terms().iter();
    terms.filter(|term| is_latent_pair(term.units())).count()
        == latent * latent.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_a_row_are_settled_latent_or_impossible() {
        let network = Network::full(3, 1);
        let clamp = Clamp::new(vec![Some(true), Some(false), Some(true), None]);
        let found = TermsOfRow::new(&network, &clamp);
        let units = |list: &[u32]| -> Vec<Vec<usize>> {
            let terms = list.iter().map(|&at| &network.terms()[at as usize]);
            terms.map(|term| term.units().to_vec()).collect()
        };
        let mut settled = units(&found.settled);
        settled.sort();
        assert_eq!(settled, [vec![0], vec![0, 2], vec![2]]);
        let mut latent = units(&found.latent);
        latent.sort();
        assert_eq!(latent, [vec![0, 3], vec![2, 3], vec![3]]);
    }

    #[test]
    fn only_complete_latent_parts_are_all_joined() {
        let none = Clamp::none(5);
        assert!(are_all_joined(&Network::full(3, 2), &none));
        assert!(!are_all_joined(&Network::rbm(3, 2), &none));
    }
}
