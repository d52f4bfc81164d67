//! The covariance of the features given the rows: the clamped phase's part of the curvature.

use super::batches::LANES;
use super::posteriors::RowPosteriors;

/// Rows that are summed over more dependent units than this have covariances that take long.
const MOST_QUICK: usize = 10;

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
        let visible = self.network.visible();
        let units = self.network.units().len();
        let mut both = vec![0.0; units * units];
        for (clamp, share) in self.clamps.iter().zip(&self.shares) {
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
                [a, b] => 1.0 - own(a) - own(b) + both[a * units + b],
                [a] => 1.0 - own(a),
                _ => 1.0,
            })
            .collect()
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
