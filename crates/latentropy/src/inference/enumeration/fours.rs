//! Sums by f# of a machine of one block, its states taken in fours that differ in the first two units only.
//!
//! A term is its part among the first two units and its rest. Rests are on in all four states of a four or in none,
//! so one row of 0/1 features serves all four, and only the weights that multiply it differ: terms without the first
//! two units take the weights by f#, terms with one of them those of the states in which that unit is on. It needs
//! f# not to tell the two units apart, as on complete graphs.

use super::counts::{Counts, is_on};
use crate::inference::kernels;

/// Lanes of a vector; tables are padded to whole ones.
const LANES: usize = kernels::ROW_PANEL;

/// The first two units, as a mask.
const FIRST_TWO: u64 = 3;

/// Prepared for one set of masks.
#[derive(Clone, Debug)]
pub(super) struct Fours {
    /// The values c > 0 of f#, ascending.
    pub(super) values: Vec<f64>,
    plan: kernels::FoursPlan,
}

impl Fours {
    /// `None` where f# tells the first two units apart.
    pub(super) fn new(
        units: usize,
        masks: &[u64],
        multiplicities: &[u32],
        always_on: u32,
    ) -> Option<Self> {
        if units < 3 {
            return None;
        }
        let counts = Counts::new(units, masks, multiplicities, always_on);
        if !counts.first_two_alike() {
            return None;
        }
        let (states, runs) = sorted_fours(units, &counts);
        let (without, with) = (rests(masks, false), rests(masks, true));
        let (without_table, without_width) = features(&states, &without);
        let (with_table, with_width) = features(&states, &with);
        let lane = |rests: &[u64], rest: u64| rests.iter().position(|&r| r == rest);
        let place = |mask: &u64| {
            let (part, rest) = (*mask as usize & FIRST_TWO as usize, mask & !FIRST_TWO);
            match part {
                0 => lane(&without, rest),
                _ => lane(&with, rest).map(|at| without_width + (part - 1) * with_width + at),
            }
        };
        let columns = masks.iter().filter_map(place).map(|at| at as u32).collect();
        let plan = kernels::FoursPlan {
            states,
            runs,
            without: without_table,
            without_width,
            with: with_table,
            with_width,
            columns,
        };
        Some(Fours {
            values: counts.values(),
            plan,
        })
    }

    /// `weights` of all states, added up by f# and multiplied by `scale`: rows of `width` entries in `sums`.
    pub(super) fn sums(
        &self,
        weights: &[f64],
        scale: f64,
        width: usize,
        scratch: &mut Vec<f64>,
        sums: &mut Vec<f64>,
    ) {
        sums.clear();
        if self.values.is_empty() {
            // A machine without terms has no f# above zero.
            return;
        }
        scratch.clear();
        // One row more, for the states in which no term is on.
        scratch.resize((self.values.len() + 1) * self.plan.row_width(), 0.0);
        kernels::sums_by_fours(weights, &self.plan, scratch);
        sums.resize(self.values.len() * width, 0.0);
        kernels::spread_columns(scratch, &self.plan, scale, width, sums);
    }
}

/// The first states of all fours, sorted by the rows of f# of their states, and the runs of equal rows with their ends.
fn sorted_fours(units: usize, counts: &Counts) -> (Vec<u32>, Vec<([u32; 3], u32)>) {
    // The two states in the middle have one f#.
    let rows = |state: u32| [state, state + 1, state + 3].map(|state| counts.row(state));
    let mut states: Vec<u32> = (0..1u32 << units).step_by(4).collect();
    states.sort_by_key(|&state| (rows(state), state));
    let mut runs: Vec<([u32; 3], u32)> = Vec::new();
    for (at, &state) in states.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if run.0 == rows(state) => run.1 = at as u32 + 1,
            _ => runs.push((rows(state), at as u32 + 1)),
        }
    }
    (states, runs)
}

/// The different rests of the masks that have some of the first two units, or of those that have none.
fn rests(masks: &[u64], with: bool) -> Vec<u64> {
    let mut rests = Vec::new();
    for mask in masks
        .iter()
        .filter(|mask| (**mask & FIRST_TWO != 0) == with)
    {
        if !rests.contains(&(mask & !FIRST_TWO)) {
            rests.push(mask & !FIRST_TWO);
        }
    }
    rests
}

/// Which rests are on in each four, a row of 0 and 1 per four, and the length of a row.
fn features(states: &[u32], rests: &[u64]) -> (Vec<f64>, usize) {
    let width = rests.len().next_multiple_of(LANES);
    let mut table = vec![0.0; states.len() * width];
    for (at, &state) in states.iter().enumerate() {
        for (column, &rest) in rests.iter().enumerate() {
            table[at * width + column] = f64::from(u8::from(is_on(rest, u64::from(state))));
        }
    }
    (table, width)
}
