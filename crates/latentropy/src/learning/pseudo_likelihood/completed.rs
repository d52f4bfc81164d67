//! Rows with their hidden units drawn: to regressions these are columns like others.

use crate::inference::{GibbsChains, SideBySide};
use crate::learning::prior::centres;
use crate::learning::problem::Problem;
use crate::random::Random;

/// Sweeps over the hidden units for each draw: they see each other, and little else is slow.
const SWEEPS: usize = 8;

/// Rows, each with a state of its hidden units.
pub(in crate::learning) struct CompletedRows {
    /// Which distinct row stands at each place.
    rows: Vec<usize>,
    /// Shares in the data, which add up to one.
    pub(super) shares: Vec<f64>,
    pub(super) hidden: Vec<usize>,
    gibbs: SideBySide,
    /// A state for every place; a missing cell has its column's mean.
    states: GibbsChains,
}

impl CompletedRows {
    /// At most so many of the rows that say something, evenly spaced; hidden units are not drawn yet.
    pub(in crate::learning) fn new(problem: &Problem, most: usize) -> Self {
        let rows = problem.rows();
        let with_a_share: Vec<usize> = (0..rows.shares().len())
            .filter(|&row| rows.shares()[row] > 0.0)
            .collect();
        let apart = with_a_share.len().div_ceil(most).max(1);
        let taken: Vec<usize> = with_a_share.into_iter().step_by(apart).collect();
        let whole: f64 = taken.iter().map(|&row| rows.shares()[row]).sum();
        let structure = problem.structure();
        let means = centres(structure, rows);
        let mut states = GibbsChains::zeros(means.len(), taken.len());
        for (unit, &mean) in means.iter().enumerate() {
            let values = states.unit_mut(unit).iter_mut();
            for (value, &row) in values.zip(&taken) {
                let cell = rows.clamps()[row].get(unit);
                *value = cell.map_or(mean, |on| f64::from(u8::from(on)));
            }
        }
        CompletedRows {
            shares: taken
                .iter()
                .map(|&row| rows.shares()[row] / whole)
                .collect(),
            rows: taken,
            hidden: structure.hidden(),
            gibbs: SideBySide::new(structure),
            states,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Draws hidden units from their posterior at these weights.
    pub(in crate::learning) fn redraw(&mut self, weights: &[f64], random: &mut Random) {
        for _ in 0..SWEEPS {
            for &unit in &self.hidden {
                let states = &mut self.states;
                self.gibbs.resample(unit, weights, states, None, random);
            }
        }
    }

    /// What stands in a row's cell; none where it is missing.
    pub(in crate::learning) fn cell(
        &self,
        problem: &Problem,
        at: usize,
        unit: usize,
    ) -> Option<bool> {
        match self.hidden.contains(&unit) {
            true => Some(self.states.unit(unit)[at] > 0.5),
            false => problem.rows().clamps()[self.rows[at]].get(unit),
        }
    }

    /// How often a hidden unit is on; none of a visible one.
    pub(super) fn mean_of_hidden(&self, unit: usize) -> Option<f64> {
        let is_hidden = self.hidden.contains(&unit);
        let on = self.states.unit(unit).iter().zip(&self.shares);
        is_hidden.then(|| on.map(|(on, share)| on * share).sum())
    }

    /// So many places, evenly spaced by their shares.
    pub(in crate::learning) fn spaced(&self, count: usize) -> Vec<usize> {
        let (mut below, mut next) = (0.0, 0);
        (0..count)
            .map(|at| {
                let sought = (at as f64 + 0.5) / count as f64;
                while next < self.shares.len() && below < sought {
                    below += self.shares[next];
                    next += 1;
                }
                next.saturating_sub(1)
            })
            .collect()
    }
}
