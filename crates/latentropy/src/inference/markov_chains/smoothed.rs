//! Expectations of features with chosen units, each such unit by its probability given all others (Rao 1945, Blackwell 1947).
//!
//! What a hidden unit is drawn to be says less than what its probability is: rows give no more of it either. The noise of
//! chains is then the same share of what rows leave open for hidden units as for visible ones, and none for a unit that
//! depends on nothing.

use super::lanes::{Lanes, unpacked};
use super::machine::Machine;
use super::record::{Records, noise_of_halves};
use crate::inference::kernels::{CHAINS, logistic_row};
use multiversion::multiversion;
use rayon::prelude::*;
use std::ops::Range;

/// Mean of a feature, and its standard error from the spread of the means of independent chains.
#[derive(Clone, Copy, Debug)]
pub(super) struct Smoothed {
    /// Which of the machine's sets it is.
    pub(super) set: usize,
    pub(super) value: f64,
    pub(super) std_err: f64,
    /// Noise alone, as large as that of the value: by the two halves of the groups.
    pub(super) noise: f64,
}

/// No feature has less noise than one of this variance that changes with every state.
const LEAST_VARIANCE: f64 = 1e-9;

/// A chosen unit, and the sets whose feature is averaged by its probability.
struct Unit {
    place: usize,
    /// The set, and the other unit of it.
    sets: Vec<(usize, Option<u32>)>,
}

/// Of all sets with a unit among these places; nothing where some set has more than two units.
pub(super) fn smoothed(records: &Records, machine: &Machine, chosen: &[usize]) -> Vec<Smoothed> {
    if !machine.lists.members.is_empty() || chosen.is_empty() {
        return Vec::new();
    }
    let units = units(machine, chosen);
    let places: Vec<Range<usize>> = machine
        .lists
        .starts
        .windows(2)
        .map(|w| w[0]..w[1])
        .collect();
    let groups: Vec<Vec<Lanes>> = (0..records.group_count())
        .into_par_iter()
        .map(|group| {
            let mut sums = Vec::new();
            for unit in &units {
                let neighbours = places[unit.place].clone();
                sums.extend(sums_of(records, machine, group, unit, neighbours));
            }
            sums
        })
        .collect();
    let sets = units.iter().flat_map(|unit| &unit.sets).enumerate();
    sets.map(|(at, &(set, _))| {
        let chains = groups.iter().flat_map(|sums| sums[at]);
        let (value, square) = mean_and_square(chains, records.times() as f64);
        let least = LEAST_VARIANCE / records.samples() as f64;
        let (first, rest) = groups.split_at(groups.len() / 2);
        let mean = |groups: &[Vec<Lanes>]| {
            let sum: f64 = groups.iter().flat_map(|sums| sums[at]).sum();
            sum / (groups.len().max(1) * CHAINS * records.times()) as f64
        };
        let share = first.len() as f64 / groups.len() as f64;
        Smoothed {
            set,
            value,
            noise: noise_of_halves(share, (mean(first), mean(rest))),
            std_err: square.max(least).sqrt(),
        }
    })
    .collect()
}

/// The sets of every chosen unit; one with two of them belongs to the first.
fn units(machine: &Machine, chosen: &[usize]) -> Vec<Unit> {
    let mut units: Vec<Unit> = chosen
        .iter()
        .map(|&place| Unit {
            place,
            sets: Vec::new(),
        })
        .collect();
    for (set, members) in machine.sets.iter().enumerate() {
        let is_in = |unit: &&mut Unit| members.contains(&(unit.place as u32));
        if let Some(unit) = units.iter_mut().find(is_in) {
            let other = members.iter().find(|&&place| place as usize != unit.place);
            unit.sets.push((set, other.copied()));
        }
    }
    units
}

/// Σ over times of the probability of a unit, where the other unit of each set is on, for every chain of a group.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
fn sums_of(
    records: &Records,
    machine: &Machine,
    group: usize,
    unit: &Unit,
    neighbours: Range<usize>,
) -> Vec<Lanes> {
    let lists = &machine.lists;
    let mut sums = vec![[0.0; CHAINS]; unit.sets.len()];
    for time in 0..records.times() {
        let mut on = [machine.bias[unit.place]; CHAINS];
        for at in neighbours.clone() {
            let word = records.word(group, &[lists.neighbours[at]], time);
            add_where(&mut on, word, &[lists.weights[at]; CHAINS]);
        }
        logistic_row(&mut on);
        for (sum, (_, other)) in sums.iter_mut().zip(&unit.sets) {
            let word = other.map_or(u64::MAX, |other| records.word(group, &[other], time));
            add_where(sum, word, &on);
        }
    }
    sums
}

/// Adds to the chains whose bit is set.
#[inline(always)]
fn add_where(sums: &mut Lanes, word: u64, values: &Lanes) {
    let row = unpacked(word);
    for chain in 0..CHAINS {
        let mask = i64::from(row[chain]) as u64;
        sums[chain] += f64::from_bits(values[chain].to_bits() & mask);
    }
}

/// The mean of sums over so many times, and the square of its error.
fn mean_and_square(sums: impl Iterator<Item = f64> + Clone, times: f64) -> (f64, f64) {
    let count = sums.clone().count() as f64;
    let mean = sums.clone().sum::<f64>() / (count * times);
    let squares = sums.map(|sum| (sum / times - mean).powi(2)).sum::<f64>();
    (mean, squares / (count - 1.0) / count)
}

#[cfg(test)]
mod tests {
    use crate::inference::markov_chains::Chains;
    use crate::network::{Clamp, Network};

    #[test]
    fn probabilities_have_the_expectations_of_what_is_drawn_and_less_noise() {
        let weights: Vec<f64> = (0..21)
            .map(|at| 0.8 * ((3 * at + 1) as f64).sin())
            .collect();
        let network = Network::full(4, 2).with_weights(weights).unwrap();
        let chains = || {
            let mut chains = Chains::new(&network, &Clamp::none(6), 256, 3).unwrap();
            chains.sweep(50);
            chains
        };
        let (_, drawn) = chains().record_and_measure_smoothed(256, &[]);
        let (_, smoothed) = chains().record_and_measure_smoothed(256, &[4, 5]);
        for (at, term) in network.terms().iter().enumerate() {
            let has_hidden = term.units().iter().any(|&unit| unit >= 4);
            let (a, b) = (drawn.expectations[at], smoothed.expectations[at]);
            let (of_a, of_b) = (drawn.errors[at], smoothed.errors[at]);
            assert_eq!(has_hidden, a != b, "{term:?}");
            assert!((a - b).abs() < 5.0 * of_a.hypot(of_b), "{a} and {b}");
            assert!(of_b <= 1.1 * of_a, "{of_b} and {of_a}");
        }
    }

    #[test]
    fn a_unit_that_depends_on_nothing_has_no_noise() {
        let mut weights = vec![0.0; 6];
        let structure = Network::full(2, 1);
        let terms = structure.terms();
        let place = terms.iter().position(|term| term.units() == [2]).unwrap();
        weights[place] = 0.7;
        let network = structure.with_weights(weights).unwrap();
        let mut chains = Chains::new(&network, &Clamp::none(3), 64, 5).unwrap();
        let (_, found) = chains.record_and_measure_smoothed(64, &[2]);
        let exact = 1.0 / (1.0 + (-0.7f64).exp());
        assert!((found.expectations[place] - exact).abs() < 1e-12);
        assert!(found.errors[place] < 1e-6);
    }
}
