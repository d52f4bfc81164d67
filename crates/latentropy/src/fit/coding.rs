//! The coding that a fit works in: each column's rarer answer is its 1, whatever the data call it.
//!
//! Prior and box do not know the coding, but starts and the ways of the learners do. So a fit recodes the data first and
//! its machines at the end, and the same table with some columns recoded gives the same answer, restart by restart.

use crate::data::{Cell, Dataset};
use crate::error::Result;
use crate::network::{Network, Recoding};

/// Which columns are recoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Coding {
    columns: Vec<bool>,
}

impl Coding {
    /// The coding for data and machines; as it is where some machine cannot be recoded.
    pub(super) fn new<'a>(data: &Dataset, mut machines: impl Iterator<Item = &'a Network>) -> Self {
        let columns = match machines.all(Network::is_recodable) {
            true => (0..data.columns().len())
                .map(|c| is_mostly_one(data, c))
                .collect(),
            false => vec![false; data.columns().len()],
        };
        Coding { columns }
    }

    /// The data in this coding.
    pub(super) fn of_data(&self, data: &Dataset) -> Dataset {
        data.recoded(&self.columns)
    }

    /// Which units of a machine on these columns are recoded: visible units are the columns, in order.
    pub(super) fn flips(&self, network: &Network) -> Vec<bool> {
        let visible = network.visible();
        let mut flips = vec![false; network.units().len()];
        for (&unit, &flip) in visible.iter().zip(&self.columns) {
            flips[unit] = flip;
        }
        flips
    }

    /// There and back: a machine of the data's coding in this one, or the other way round.
    pub(super) fn of_network(&self, network: &Network) -> Result<Network> {
        match Recoding::new(network, &self.flips(network)) {
            Some(recoding) => network.with_weights(recoding.of_weights(network.weights())),
            None => Ok(network.clone()),
        }
    }
}

/// More ones than zeros; where there are as many, what the first known row says.
fn is_mostly_one(data: &Dataset, column: usize) -> bool {
    let (mut ones, mut zeros, mut first) = (0.0, 0.0, None);
    for row in 0..data.len() {
        let cell = data.cell(row, column);
        match cell {
            Cell::One => ones += data.row_weight(row),
            Cell::Zero => zeros += data.row_weight(row),
            Cell::Missing => continue,
        }
        first.get_or_insert(cell);
    }
    match ones == zeros {
        true => first == Some(Cell::One),
        false => ones > zeros,
    }
}
