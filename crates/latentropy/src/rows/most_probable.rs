//! The most probable joint state of a row's hidden units, missing cells summed out, by tables over independent parts.

use super::components::{Parts, components};
use crate::network::{Clamp, Network, Role};

/// Parts of more units than this have no table.
const MOST_UNITS: usize = 20;

/// A state of the hidden units and its probability given the row.
#[derive(Clone, Debug, PartialEq)]
pub struct HiddenState {
    /// One value per hidden unit, in the order of the network.
    pub values: Vec<bool>,
    /// P(these values | the row's known cells).
    pub probability: f64,
}

/// The most probable state; `None` where units that the row leaves open hang together in a part too large for a table.
///
/// Of equally probable states the one of the fewest ones, then of the first units, is taken.
pub(crate) fn most_probable(network: &Network, clamp: &Clamp) -> Option<HiddenState> {
    let latent: Vec<bool> = (0..network.units().len())
        .map(|u| clamp.get(u).is_none())
        .collect();
    let parts = components(network, &latent);
    let mut values = vec![false; network.units().len()];
    let mut probability = 1.0;
    for part in 0..parts.sizes.len() {
        // Hidden units in the lowest bits, so that the states of one z lie at equal distances.
        let mut units: Vec<usize> = (0..latent.len())
            .filter(|&u| parts.part_of[u] == part)
            .collect();
        units.sort_by_key(|&u| network.units()[u].role == Role::Visible);
        let hidden = units
            .iter()
            .filter(|&&u| network.units()[u].role == Role::Hidden)
            .count();
        if hidden == 0 {
            continue;
        }
        if units.len() > MOST_UNITS {
            return None;
        }
        let exponents = exponents(network, clamp, &parts, part, &units);
        let (state, share) = best(&exponents, hidden);
        probability *= share;
        for (bit, &unit) in units[..hidden].iter().enumerate() {
            values[unit] = state >> bit & 1 == 1;
        }
    }
    Some(HiddenState {
        values: network
            .hidden()
            .into_iter()
            .map(|unit| values[unit])
            .collect(),
        probability,
    })
}

/// The exponent of every state of a part: each term enters at the state of its own units, and states gather their subsets.
fn exponents(
    network: &Network,
    clamp: &Clamp,
    parts: &Parts,
    part: usize,
    units: &[usize],
) -> Vec<f64> {
    let mut bit_of = vec![0; network.units().len()];
    for (bit, &unit) in units.iter().enumerate() {
        bit_of[unit] = bit;
    }
    let mut table = vec![0.0; 1 << units.len()];
    for (term, weight) in network.terms().iter().zip(network.weights()) {
        let is_off = |&unit: &usize| clamp.get(unit) == Some(false);
        let mut open = term
            .units()
            .iter()
            .filter(|&&u| parts.part_of[u] == part)
            .peekable();
        if open.peek().is_some() && !term.units().iter().any(is_off) {
            let mask = open.fold(0, |mask, &unit| mask | 1usize << bit_of[unit]);
            table[mask] += weight;
        }
    }
    for bit in 0..units.len() {
        for state in 0..table.len() {
            if state >> bit & 1 == 1 {
                table[state] += table[state ^ 1 << bit];
            }
        }
    }
    table
}

/// The most probable state of the lowest `hidden` bits, and its share of all states.
fn best(exponents: &[f64], hidden: usize) -> (usize, f64) {
    let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sums = vec![0.0; 1 << hidden];
    for (state, exponent) in exponents.iter().enumerate() {
        sums[state & ((1 << hidden) - 1)] += (exponent - largest).exp();
    }
    let total: f64 = sums.iter().sum();
    let key = |state: &usize| (state.count_ones(), *state);
    let (at, sum) = sums
        .iter()
        .enumerate()
        .max_by(|(a, x), (b, y)| x.total_cmp(y).then(key(b).cmp(&key(a))))
        .map_or((0, total), |(at, &sum)| (at, sum));
    (at, sum / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All states of the hidden units, the missing cells summed over one by one.
    fn literal(network: &Network, clamp: &Clamp) -> HiddenState {
        let units = network.units().len();
        let hidden = network.hidden();
        let mut sums = vec![0.0; 1 << hidden.len()];
        for state in 0..1usize << units {
            let is_on = |unit: usize| state >> unit & 1 == 1;
            if (0..units).all(|unit| clamp.get(unit).is_none_or(|held| held == is_on(unit))) {
                let z = hidden.iter().enumerate();
                let z = z.fold(0, |z, (bit, &unit)| z | usize::from(is_on(unit)) << bit);
                sums[z] += network.exponent(is_on).exp();
            }
        }
        let total: f64 = sums.iter().sum();
        let at = (0..sums.len())
            .max_by(|&a, &b| sums[a].total_cmp(&sums[b]))
            .unwrap();
        HiddenState {
            values: (0..hidden.len()).map(|bit| at >> bit & 1 == 1).collect(),
            probability: sums[at] / total,
        }
    }

    #[test]
    fn the_literal_sum_is_met() {
        for network in [Network::full(4, 3), Network::rbm(4, 3)] {
            let weights = (0..network.terms().len()).map(|at| ((7 * at + 3) as f64).sin() * 2.0);
            let network = network.with_weights(weights.collect()).unwrap();
            for held in 0..81usize {
                let value = |unit: usize| match held / 3usize.pow(unit as u32) % 3 {
                    0 => Some(false),
                    1 => Some(true),
                    _ => None,
                };
                let values = (0..7).map(|unit| if unit < 4 { value(unit) } else { None });
                let clamp = Clamp::new(values.collect());
                let (found, wanted) = (
                    most_probable(&network, &clamp).unwrap(),
                    literal(&network, &clamp),
                );
                assert_eq!(found.values, wanted.values);
                assert!((found.probability - wanted.probability).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn many_hidden_units_are_no_matter_where_they_are_independent() {
        let network = Network::rbm(3, 100);
        let clamp = Clamp::new((0..103).map(|u| (u < 3).then_some(true)).collect());
        let found = most_probable(&network, &clamp).unwrap();
        assert_eq!(found.values, vec![false; 100]);
        assert!((found.probability / 0.5f64.powi(100) - 1.0).abs() < 1e-12);
        let whole = Network::full(3, 30);
        let clamp = Clamp::new((0..33).map(|u| (u < 3).then_some(true)).collect());
        assert_eq!(most_probable(&whole, &clamp), None);
    }
}
