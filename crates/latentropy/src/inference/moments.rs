//! Moments that a network implies, terms or not: probabilities of units and of pairs of units, and of units given rows.

use super::{Clamp, FeatureExpectations, clamp_of_row, exact_engine, units_of_columns};
use crate::data::Dataset;
use crate::error::Result;
use crate::network::{Network, Term};
use rayon::prelude::*;
use std::collections::HashMap;

/// P(x_a = 1, x_b = 1) of every pair among `units`, by rows: (0,1), (0,2), …, (1,2), …; exact.
///
/// Where every such pair is a term, one sum gives all of them. Otherwise P(x_a) P(x_b | x_a), with one unit held
/// after the other: that needs no more than the engine that holds the network itself.
pub fn pair_moments(network: &Network, units: &[usize]) -> Result<Vec<f64>> {
    let none = Clamp::none(network.units().len());
    let free = exact_engine(network, &none)?.expectations(network, &none)?;
    let places: HashMap<&Term, usize> = network.terms().iter().zip(0..).collect();
    let pairs =
        || (0..units.len()).flat_map(|a| (a + 1..units.len()).map(move |b| (units[a], units[b])));
    let as_terms: Option<Vec<f64>> = pairs()
        .map(|(a, b)| places.get(&Term::new(vec![a, b])).map(|&at| free.terms[at]))
        .collect();
    if let Some(moments) = as_terms {
        return Ok(moments);
    }
    let mut moments = Vec::new();
    for (at, &unit) in units.iter().enumerate() {
        let others = &units[at + 1..];
        if others.is_empty() {
            break;
        }
        let mut clamp = none.clone();
        clamp.hold(unit, true);
        let given = exact_engine(network, &clamp)?.expectations(network, &clamp)?;
        moments.extend(
            others
                .iter()
                .map(|&other| free.means[unit] * given.means[other]),
        );
    }
    Ok(moments)
}

/// For each distinct row, P(x_u = 1 | its known cells) of every unit of the network, hidden ones included.
pub fn posterior_means(network: &Network, data: &Dataset) -> Result<Vec<Vec<f64>>> {
    let units = units_of_columns(network, data)?;
    data.rows()
        .par_iter()
        .map(|row| {
            let clamp = clamp_of_row(network.units().len(), &units, row);
            Ok(exact_engine(network, &clamp)?
                .expectations(network, &clamp)?
                .means)
        })
        .collect()
}
