//! Data against a network: which unit each column is, and what a row holds.

use crate::data::{Dataset, Row};
use crate::error::{Error, Result, shortened};
use crate::message::{Setting, words};
use crate::network::{Clamp, Network, Role};

/// Which unit each column of the data is: by name where the data has names, else by position.
pub fn units_of_columns(network: &Network, data: &Dataset) -> Result<Vec<usize>> {
    let visible = network.visible();
    let names = |units: &[usize]| {
        let names: Vec<&str> = units
            .iter()
            .map(|&u| network.units()[u].name.as_str())
            .collect();
        shortened(&names)
    };
    if !data.has_header() {
        if data.columns().len() != visible.len() {
            return Err(Error::invalid(words![
                format!(
                    "the data have {} columns without names and the model {} visible units ({}); \
                     select the columns with ",
                    data.columns().len(),
                    visible.len(),
                    names(&visible)
                ),
                Setting::Columns,
            ]));
        }
        return Ok(visible);
    }
    let units: Vec<usize> = data
        .columns()
        .iter()
        .map(|column| {
            network
                .unit_named(column)
                .filter(|&u| network.units()[u].role == Role::Visible)
                .ok_or_else(|| {
                    Error::invalid(words![
                        format!(
                            "column \"{column}\" is no visible unit of the model; its visible units are {}; \
                             leave the column out with ",
                            names(&visible)
                        ),
                        Setting::Columns.at(format!("!{column}")),
                    ])
                })
        })
        .collect::<Result<_>>()?;
    Ok(units)
}

/// The value each unit is held at by a row; units without a column are not held.
pub fn clamp_of_row(units: usize, unit_of_column: &[usize], row: &Row) -> Clamp {
    let mut values = vec![None; units];
    for (column, &unit) in unit_of_column.iter().enumerate() {
        if !row.missing.get(column) {
            values[unit] = Some(row.ones.get(column));
        }
    }
    Clamp::new(values)
}
