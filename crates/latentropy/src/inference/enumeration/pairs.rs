//! Sums by f# of a machine of one block, its states in pairs that differ in the first unit only.

use super::counts::{Counts, is_on};
use crate::inference::kernels;

/// A machine of one block: its states in pairs that differ in the first unit only, sorted by f# of both.
///
/// Terms without the first unit are on in both states of a pair or in neither, so one row of features serves both.
#[derive(Clone, Debug)]
pub(super) struct SortedPairs {
    /// The values c > 0 of f#.
    pub(super) values: Vec<f64>,
    /// The state of each pair in which the first unit is off.
    pairs: Vec<u32>,
    /// Runs of pairs: the row of f# of either state (past the last value where f# = 0), and where the run ends.
    runs: Vec<(u32, u32, u32)>,
    /// Features of the states with the first unit off, a row of `width` per pair.
    off: Vec<f64>,
    /// Features of the other states, up to the last column whose term holds the first unit.
    on: Vec<f64>,
    on_width: usize,
}

impl SortedPairs {
    pub(super) fn new(units: usize, masks: &[u64], multiplicities: &[u32], always_on: u32) -> Self {
        let width = padded(masks.len());
        let counts = Counts::new(units, masks, multiplicities, always_on);
        // Without a unit there is one state and no term: nothing to sum.
        let mut pairs: Vec<u32> = (0..(1u32 << units) - u32::from(units == 0))
            .step_by(2)
            .collect();
        let rows = |state: u32| (counts.row(state), counts.row(state + 1));
        pairs.sort_by_key(|&state| (rows(state), state));
        let mut runs: Vec<(u32, u32, u32)> = Vec::new();
        for (at, &state) in pairs.iter().enumerate() {
            let (off, on) = rows(state);
            match runs.last_mut() {
                Some(run) if (run.0, run.1) == (off, on) => run.2 = at as u32 + 1,
                _ => runs.push((off, on, at as u32 + 1)),
            }
        }
        let last_split = masks.iter().rposition(|mask| mask & 1 == 1);
        let on_width = padded(last_split.map_or(0, |at| at + 1));
        let (mut off, mut on) = (
            vec![0.0; pairs.len() * width],
            vec![0.0; pairs.len() * on_width],
        );
        for (at, &state) in pairs.iter().enumerate() {
            for (column, &mask) in masks.iter().enumerate() {
                let feature = |state: u32| f64::from(u8::from(is_on(mask, u64::from(state))));
                off[at * width + column] = feature(state);
                if column < on_width {
                    on[at * on_width + column] = feature(state + 1);
                }
            }
        }
        SortedPairs {
            values: counts.values(),
            pairs,
            runs,
            off,
            on,
            on_width,
        }
    }

    /// Adds up `weights`, one per state, into rows of f#.
    pub(super) fn sums(&self, weights: &[f64], width: usize, sums: &mut Vec<f64>) {
        sums.clear();
        // One row more, for the states in which no term is on.
        sums.resize((self.values.len() + 1) * width, 0.0);
        kernels::paired_row_sums(
            weights,
            &self.pairs,
            &self.runs,
            (&self.off, width),
            (&self.on, self.on_width),
            sums,
        );
        sums.truncate(self.values.len() * width);
    }
}

/// Rows are padded to whole vectors.
pub(super) fn padded(length: usize) -> usize {
    length.next_multiple_of(kernels::ROW_PANEL)
}
