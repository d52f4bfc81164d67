//! The literal enumeration: every state one by one, in log space, no tricks; the reference that every engine is tested against.

use super::expectations::{Expectations, Strata};
use super::value::Value;
use crate::network::{Clamp, Network};
use std::collections::BTreeMap;

/// Log Z, entropy, means and term expectations by the definition. For tests: 2^M states, each in full.
pub fn expectations(network: &Network, clamp: &Clamp) -> Expectations {
    let states = states(network, clamp);
    let log_partition = log_sum(&states);
    let (mut means, mut terms) = (
        vec![0.0; network.units().len()],
        vec![0.0; network.terms().len()],
    );
    let mut entropy = 0.0;
    for (state, exponent) in &states {
        let probability = (exponent - log_partition).exp();
        if probability > 0.0 {
            entropy -= probability * (exponent - log_partition);
        }
        for (unit, mean) in means.iter_mut().enumerate() {
            *mean += probability * f64::from(state[unit]);
        }
        for (term, expectation) in network.terms().iter().zip(&mut terms) {
            if term.units().iter().all(|&unit| state[unit]) {
                *expectation += probability;
            }
        }
    }
    Expectations {
        log_partition: Value::exact(log_partition),
        entropy: Value::exact(entropy),
        means,
        terms,
    }
}

/// E[f_i 1{f# = c}] by the definition, for every c > 0 that some state has.
pub fn strata(network: &Network, clamp: &Clamp) -> Strata {
    let states = states(network, clamp);
    let log_partition = log_sum(&states);
    let mut sums: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (state, exponent) in &states {
        let on: Vec<usize> = (0..network.terms().len())
            .filter(|&t| network.terms()[t].units().iter().all(|&unit| state[unit]))
            .collect();
        if !on.is_empty() {
            let row = sums
                .entry(on.len())
                .or_insert_with(|| vec![0.0; network.terms().len()]);
            for term in on {
                row[term] += (exponent - log_partition).exp();
            }
        }
    }
    Strata {
        log_partition,
        values: sums.keys().map(|&c| c as f64).collect(),
        sums: sums.into_values().flatten().collect(),
        terms: network.terms().len(),
    }
}

/// Every state that agrees with the clamp, with its exponent.
pub fn states(network: &Network, clamp: &Clamp) -> Vec<(Vec<bool>, f64)> {
    let units = network.units().len();
    (0..1u64 << units)
        .map(|bits| {
            (0..units)
                .map(|unit| bits >> unit & 1 == 1)
                .collect::<Vec<_>>()
        })
        .filter(|state| {
            (0..units).all(|unit| clamp.get(unit).is_none_or(|held| held == state[unit]))
        })
        .map(|state| {
            let exponent = network.exponent(|unit| state[unit]);
            (state, exponent)
        })
        .collect()
}

fn log_sum(states: &[(Vec<bool>, f64)]) -> f64 {
    let largest = states.iter().map(|s| s.1).fold(f64::NEG_INFINITY, f64::max);
    largest
        + states
            .iter()
            .map(|s| (s.1 - largest).exp())
            .sum::<f64>()
            .ln()
}
