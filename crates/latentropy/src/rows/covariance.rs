//! The covariance of the features given the rows: the clamped phase's part of the curvature.

use super::batches::LANES;
use super::clamped::{Clamped, LargeRow};
use super::posteriors::RowPosteriors;
use crate::error::Result;
use crate::network::Role;
use rayon::prelude::*;

/// Rows that are summed over more dependent units than this have covariances that take long.
const MOST_QUICK: usize = 10;

/// Which rows with many latent units are summed over these, and do not count by the cells that they show alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Summed {
    /// Those that [`RowPosteriors::add_quick_covariance`] has: what a step has time for.
    Quick,
    /// All that are ready to be summed exactly: where many cells are missing, what a row shows of a pair is shared with other
    /// pairs, and errors of weights that do not know it would be too small.
    Ready,
}

impl RowPosteriors {
    /// Whether every row is small enough for [`RowPosteriors::add_covariance`].
    pub(crate) fn has_covariance(&self) -> bool {
        self.large_with_a_share().all(|row| self.is_ready(row))
    }

    /// Σ_y p̃(y) Cov[f | y] of the terms, added to `matrix` (row-major, terms × terms); false where a row is too large for tables.
    pub fn add_covariance(&self, weights: &[f64], matrix: &mut [f64]) -> bool {
        self.add_quick_covariance(weights, matrix);
        let mut costly = self.large_with_a_share().filter(|row| self.is_costly(*row));
        costly.all(|row| self.add_large_covariance(row, weights, matrix))
    }

    /// Rows with so many latent units that their covariances take most of the time.
    fn is_costly(&self, row: usize) -> bool {
        let split = self.split.get(&row);
        split.is_none_or(|sums| sums.dependent() > MOST_QUICK)
    }

    /// The share of the rows that [`RowPosteriors::add_quick_covariance`] leaves out.
    pub(crate) fn costly_share(&self) -> f64 {
        let costly = self.large.iter().filter(|row| self.is_costly(**row));
        costly.map(|&row| self.shares[row]).sum()
    }

    /// The share of rows that show every visible unit of a term, per term.
    pub(crate) fn shown_shares(&self) -> Vec<f64> {
        self.shown_by(|_| true)
    }

    /// The same among the rows that are taken.
    fn shown_by(&self, is_taken: impl Fn(usize) -> bool) -> Vec<f64> {
        let visible = self.network.visible();
        let units = self.network.units().len();
        let mut both = vec![0.0; units * units];
        let mut whole = 0.0;
        let rows = self.clamps.iter().zip(&self.shares).enumerate();
        for (_, (clamp, share)) in rows.filter(|(row, _)| is_taken(*row)) {
            whole += share;
            let missing = visible.iter().filter(|&&unit| clamp.get(unit).is_none());
            let missing: Vec<usize> = missing.copied().collect();
            for (a, b) in missing
                .iter()
                .flat_map(|a| missing.iter().map(move |b| (a, b)))
            {
                both[a * units + b] += share;
            }
        }
        let own = |unit: usize| both[unit * units + unit];
        let terms = self.network.terms().iter();
        terms
            .map(|term| match *term.units() {
                [a, b] => whole - own(a) - own(b) + both[a * units + b],
                [a] => whole - own(a),
                _ => whole,
            })
            .collect()
    }

    /// The share of rows whose covariances are summed, and of those others that show the whole term, per term: a row with many
    /// missing cells says at least something of what it shows.
    pub(crate) fn said_shares(&self, summed: Summed) -> Vec<f64> {
        let large = self.large.iter().copied();
        let others: Vec<usize> = large.filter(|&row| !self.is_summed(row, summed)).collect();
        let whole: f64 = others.iter().map(|&row| self.shares[row]).sum();
        // Rows with many latent units are in order.
        let shown = self.shown_by(|row| others.binary_search(&row).is_ok());
        let units = self.network.units().iter();
        let is_visible: Vec<bool> = units.map(|unit| unit.role == Role::Visible).collect();
        let terms = self.network.terms().iter();
        let said = terms.zip(shown).map(|(term, shown)| {
            let is_shown = term.units().iter().all(|&unit| is_visible[unit]);
            1.0 - whole + if is_shown { shown } else { 0.0 }
        });
        said.collect()
    }

    /// Whether the covariances given a row with many latent units are among these.
    fn is_summed(&self, row: usize, summed: Summed) -> bool {
        match summed {
            Summed::Quick => !self.is_costly(row),
            Summed::Ready => self.is_ready(row),
        }
    }

    /// η over the rows whose covariances are summed, but for what never changes.
    pub(crate) fn summed_expectations(&self, weights: &[f64], summed: Summed) -> Result<Vec<f64>> {
        let mut clamped = Clamped::default();
        self.clamped_in_tables(weights, &mut clamped);
        let large: Vec<usize> = self
            .large_with_a_share()
            .filter(|&row| self.is_summed(row, summed))
            .collect();
        if !large.is_empty() {
            let network = self.network.with_weights(weights.to_vec())?;
            let found: Vec<LargeRow> = large
                .par_iter()
                .map(|&row| self.large_row(&network, row))
                .collect::<Result<_>>()?;
            for (&row, of_row) in large.iter().zip(found) {
                for (term, expectation) in of_row.latent {
                    clamped.expectations[term as usize] += self.shares[row] * expectation;
                }
            }
        }
        Ok(clamped.expectations)
    }

    /// Σ_y p̃(y) Cov[f | y] over the rows that are ready to be summed exactly, added to `matrix`.
    pub(crate) fn add_ready_covariance(&self, weights: &[f64], matrix: &mut [f64]) {
        self.add_quick_covariance(weights, matrix);
        for row in self.large_with_a_share() {
            if self.is_costly(row) && self.is_ready(row) {
                self.add_large_covariance(row, weights, matrix);
            }
        }
    }

    /// The same for the rows that are quickly done: the others have few known cells.
    pub(crate) fn add_quick_covariance(&self, weights: &[f64], matrix: &mut [f64]) {
        let terms = weights.len();
        if let Some(restricted) = &self.restricted {
            restricted.add_covariance(weights, matrix);
        }
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
        for row in self
            .large_with_a_share()
            .filter(|row| !self.is_costly(*row))
        {
            self.add_large_covariance(row, weights, matrix);
        }
    }

    /// The same for one row whose latent part is too large for lanes; false where it is too large for a table, too.
    fn add_large_covariance(&self, row: usize, weights: &[f64], matrix: &mut [f64]) -> bool {
        if let Some(sums) = self.split.get(&row) {
            let terms = weights.len();
            let mut own = vec![0.0; terms * terms];
            sums.covariances(weights, &mut own);
            self.add_lower_half(row, &own, matrix);
            return true;
        }
        match self.held.get(&row) {
            Some(held) => held.add_covariance(self.shares[row], weights, matrix),
            None => false,
        }
    }

    /// Adds a row's share of its covariances, of which the lower half is given.
    fn add_lower_half(&self, row: usize, own: &[f64], matrix: &mut [f64]) {
        let (terms, share) = (self.settled_share.len(), self.shares[row]);
        for a in 0..terms {
            for b in 0..=a {
                let covariance = share * own[a * terms + b];
                matrix[a * terms + b] += covariance;
                if a != b {
                    matrix[b * terms + a] += covariance;
                }
            }
        }
    }
}
