//! Resamples: data sets as large as the original one, drawn from its rows or from the machine that was learned.

use crate::data::{Bits, Cell, Dataset};
use crate::error::{Error, Result};
use crate::inference::ExactSampler;
use crate::network::{Clamp, Network};
use crate::rows::units_of_columns;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Where resamples come from.
///
/// A field of [`Resamples`](crate::fit::Resamples), where there is an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BootstrapKind {
    /// Rows drawn with replacement, missing cells and all: trusts nothing but the rows.
    #[default]
    Rows,
    /// Rows drawn from the learned machine, each missing the cells that an original row misses: trusts the machine.
    Parametric,
}

impl fmt::Display for BootstrapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BootstrapKind::Rows => "rows",
            BootstrapKind::Parametric => "parametric",
        })
    }
}

impl FromStr for BootstrapKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "rows" => Ok(BootstrapKind::Rows),
            "parametric" => Ok(BootstrapKind::Parametric),
            _ => Err(Error::invalid(format!(
                "there is no bootstrap \"{text}\"; there are rows and parametric"
            ))),
        }
    }
}

/// Draws resamples of one data set.
pub(super) struct Resampler<'a> {
    data: &'a Dataset,
    /// The original rows that have a known cell: the others say nothing.
    known: Vec<usize>,
    machine: Option<Machine>,
}

/// The learned machine, ready to be drawn from.
struct Machine {
    sampler: ExactSampler,
    unit_of_column: Vec<usize>,
}

impl<'a> Resampler<'a> {
    pub(super) fn new(kind: BootstrapKind, network: &Network, data: &'a Dataset) -> Result<Self> {
        let machine = match kind {
            BootstrapKind::Rows => None,
            BootstrapKind::Parametric => Some(Machine {
                sampler: ExactSampler::new(network, &Clamp::none(network.units().len()))?,
                unit_of_column: units_of_columns(network, data)?,
            }),
        };
        Ok(Resampler {
            data,
            known: data.informative_rows(),
            machine,
        })
    }

    /// One resample, of as many rows as say something.
    pub(super) fn draw(&self, rng: &mut impl Rng) -> Result<Dataset> {
        let count = self.known.len();
        let Some(machine) = &self.machine else {
            let rows: Vec<usize> = (0..count)
                .map(|_| self.known[rng.random_range(0..count)])
                .collect();
            return Ok(self.data.rows_subset(&rows));
        };
        let states = machine.sampler.sample(count, rng);
        let cells = states.iter().zip(&self.known).map(|(state, &row)| {
            let row = &self.data.rows()[self.data.distinct_of()[row] as usize];
            machine.cells(state, &row.missing)
        });
        let drawn =
            Dataset::from_cells(self.data.columns().to_vec(), self.data.has_header(), cells)?;
        let weights = self.known.iter().map(|&row| self.data.row_weight(row));
        let weights: Vec<f64> = weights.collect();
        match weights.iter().all(|&weight| weight == 1.0) {
            true => Ok(drawn),
            false => drawn.with_row_weights(weights),
        }
    }
}

impl Machine {
    /// A state as a row that misses these cells.
    fn cells(&self, state: &[bool], missing: &Bits) -> Vec<Cell> {
        let columns = self.unit_of_column.iter().enumerate();
        columns
            .map(|(column, &unit)| match state[unit] {
                _ if missing.get(column) => Cell::Missing,
                true => Cell::One,
                false => Cell::Zero,
            })
            .collect()
    }
}
