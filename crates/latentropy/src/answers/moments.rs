//! Moments that a network implies, terms or not: probabilities of pairs of units.

use crate::error::Result;
use crate::inference::exact_expectations;
use crate::network::{Clamp, Network, Term};
use std::collections::HashMap;

/// P(x_a = 1, x_b = 1) of every pair among `units`, by rows: (0,1), (0,2), …, (1,2), …; exact.
///
/// Where every such pair is a term, one sum gives all of them. Otherwise P(x_a) P(x_b | x_a), with one unit held
/// after the other: that needs no more than the engine that holds the network itself.
pub fn pair_moments(network: &Network, units: &[usize]) -> Result<Vec<f64>> {
    let none = Clamp::none(network.units().len());
    let free = exact_expectations(network, &none)?;
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
        clamp.hold(unit, true)?;
        let given = exact_expectations(network, &clamp)?;
        moments.extend(
            others
                .iter()
                .map(|&other| free.means[unit] * given.means[other]),
        );
    }
    Ok(moments)
}
