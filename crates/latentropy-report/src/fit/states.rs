//! States of the machine beside rows of its data, kept for pictures of them.

use latentropy::answers::sample_quickly;
use latentropy::data::{Cell, Dataset};
use latentropy::{Error, Network, Result};
use serde::{Deserialize, Serialize};

/// How many of either are kept.
pub(super) const KEPT: usize = 32;

/// Both as texts: one of `0`, `1` and `?` per column.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct States {
    /// Drawn from the machine; none of a program that did not keep them, and where none can be drawn.
    pub(super) drawn: Vec<String>,
    /// Rows of the data that say something, evenly picked, in their order.
    pub(super) rows: Vec<String>,
}

impl States {
    /// Picks rows, and writes these states by their columns.
    pub(super) fn new(drawn: &[Vec<bool>], units: &[usize], data: &Dataset) -> Self {
        let state = |state: &Vec<bool>| -> String {
            let values = units
                .iter()
                .map(|&unit| if state[unit] { '1' } else { '0' });
            values.collect()
        };
        let known = data.informative_rows();
        let count = known.len().min(KEPT);
        let row = |at: usize| {
            let row = known[at * known.len() / count];
            cells(data, data.distinct_of()[row] as usize)
        };
        States {
            drawn: drawn.iter().map(state).collect(),
            rows: (0..count).map(row).collect(),
        }
    }

    /// Whether they are of so many columns.
    pub(super) fn is_of(&self, columns: usize) -> bool {
        let mut all = self.drawn.iter().chain(&self.rows);
        all.all(|state| state.len() == columns)
    }
}

/// States of a machine whose numbers are exact; none where it is too large to draw from.
pub(super) fn drawn(network: &Network, seed: u64) -> Result<Vec<Vec<bool>>> {
    let mut draws = match sample_quickly(network, seed, KEPT) {
        Err(Error::TooLarge { .. }) => return Ok(Vec::new()),
        draws => draws?,
    };
    let mut states = Vec::new();
    while states.len() < KEPT {
        states.extend(draws.next(KEPT - states.len()));
    }
    Ok(states)
}

/// A distinct row as text.
pub(super) fn cells(data: &Dataset, row: usize) -> String {
    let row = &data.rows()[row];
    let cell = |column: usize| match row.cell(column) {
        Cell::Zero => '0',
        Cell::One => '1',
        Cell::Missing => '?',
    };
    (0..data.columns().len()).map(cell).collect()
}
