//! Eight rows side by side: tables over the components of what they leave open.

use crate::inference::kernels;

/// Rows worked on side by side.
pub(super) const LANES: usize = kernels::LANES;

/// Up to eight rows that have one component layout.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    /// The share of each lane's row in the data; zero in unused lanes.
    pub(super) shares: [f64; LANES],
    /// The distinct row of each lane.
    pub(super) rows: [usize; LANES],
    pub(super) lanes: usize,
    pub(super) components: Vec<Component>,
}

/// One connected component of latent units, for the rows of a batch.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub(super) bits: usize,
    /// Terms that are on in lane l up to latent units: (mask over the component, term); sorted by lane.
    pub(super) entries: Vec<(u32, u32)>,
    /// Where each lane's entries end.
    pub(super) ends: [usize; LANES],
}

impl Component {
    pub(super) fn of_lane(&self, lane: usize) -> &[(u32, u32)] {
        let start = if lane == 0 { 0 } else { self.ends[lane - 1] };
        &self.entries[start..self.ends[lane]]
    }

    /// Fills `table` with E[Π_mask | row] for every mask and lane; returns each lane's log-sum.
    pub(super) fn posterior(
        &self,
        lanes: usize,
        weights: &[f64],
        table: &mut Vec<f64>,
    ) -> [f64; LANES] {
        table.clear();
        table.resize(LANES << self.bits, 0.0);
        for lane in 0..lanes {
            for &(mask, term) in self.of_lane(lane) {
                table[mask as usize * LANES + lane] += weights[term as usize];
            }
        }
        kernels::lane_posteriors(table)
    }
}

/// Adds the shares' expectations of every term; returns their mean log-sum.
pub(super) fn batch_expectations(
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
