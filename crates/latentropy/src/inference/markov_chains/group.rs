//! 64 chains side by side: the state of a unit in all of them is one row.

use super::draw::draw;
use super::lanes::{Lanes, Row, unpacked};
use super::machine::Machine;
use super::tile::PANEL;
use crate::inference::kernels::{CHAINS, LaneRandom};
use crate::random::Random;

/// The states of 64 chains, in the machine's order of units.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) states: Vec<Row>,
    pub(crate) random: LaneRandom,
    /// Σ λ f − Σ base x of every chain, kept up to date.
    pub(crate) excess: Lanes,
    /// On dense machines: the fields in fixed point, a panel of units of a chain side by side.
    pub(crate) fields: Vec<[i32; PANEL]>,
}

impl Group {
    /// All chains drawn from the independent units that paths begin with.
    pub(crate) fn new(machine: &Machine, rng: &mut Random) -> Self {
        let mut group = Group {
            states: vec![[0; CHAINS]; machine.units()],
            random: LaneRandom::new(rng),
            excess: [0.0; CHAINS],
            fields: Vec::new(),
        };
        group.restart(machine);
        group
    }

    /// At given states, one word per place, with the random numbers to come.
    pub(super) fn of(machine: &Machine, words: &[u64], random: LaneRandom) -> Self {
        let mut group = Group {
            states: words.iter().map(|&word| unpacked(word)).collect(),
            random,
            excess: [0.0; CHAINS],
            fields: Vec::new(),
        };
        group.refresh(machine);
        group
    }

    /// Draws all chains anew from the base.
    pub(crate) fn restart(&mut self, machine: &Machine) {
        for (row, &base) in self.states.iter_mut().zip(&machine.base) {
            draw(&[base as f32; CHAINS], &mut self.random, row);
        }
        self.refresh(machine);
    }

    /// Computes what depends on states and weights: after a change of either from outside.
    pub(crate) fn refresh(&mut self, machine: &Machine) {
        self.excess = [0.0; CHAINS];
        for (set, &coefficient) in machine.sets.iter().zip(&machine.coefficients) {
            add_where(&mut self.excess, coefficient, set, &self.states);
        }
        for (at, &base) in machine.base.iter().enumerate() {
            add_where(&mut self.excess, -base, &[at as u32], &self.states);
        }
        if let Some(tiles) = &machine.tiles {
            self.fields = tiles.fields(&self.states);
        }
    }

    /// Σ λ f of every chain.
    pub(crate) fn exponents(&self, machine: &Machine) -> Lanes {
        let mut exponents = self.excess;
        for (at, &base) in machine.base.iter().enumerate() {
            if base != 0.0 {
                add_where(&mut exponents, base, &[at as u32], &self.states);
            }
        }
        exponents
    }

    /// Takes states over, one word per place.
    pub(crate) fn set_words(&mut self, machine: &Machine, words: &[u64]) {
        for (row, &word) in self.states.iter_mut().zip(words) {
            *row = unpacked(word);
        }
        self.refresh(machine);
    }
}

/// Adds `weight` in the chains where all units of the set are on.
fn add_where(sums: &mut Lanes, weight: f64, set: &[u32], states: &[Row]) {
    let mut all: Row = [-1; CHAINS];
    for &unit in set {
        let row = &states[unit as usize];
        for chain in 0..CHAINS {
            all[chain] &= row[chain];
        }
    }
    for chain in 0..CHAINS {
        let mask = i64::from(all[chain]) as u64;
        sums[chain] += f64::from_bits(weight.to_bits() & mask);
    }
}
