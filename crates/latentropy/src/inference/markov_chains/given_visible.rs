//! Probabilities of chosen units given all others of a recorded state, the chosen ones summed out together.

use super::machine::Machine;

/// At most so many units are summed out together; of more, each is taken given all others as they were drawn.
const MOST_TOGETHER: usize = 10;

/// What the chosen units of a pairwise machine depend on.
pub(super) struct GivenVisible {
    /// The chosen places.
    pub(super) places: Vec<u32>,
    biases: Vec<f64>,
    /// For each chosen unit its neighbours that are not summed out with it, and their weights.
    neighbours: Vec<Vec<(u32, f64)>>,
    /// Pairs of chosen units, by their numbers, where they are summed out together.
    couplings: Vec<(usize, usize, f64)>,
    is_together: bool,
}

impl GivenVisible {
    pub(super) fn new(machine: &Machine, chosen: &[usize]) -> Self {
        let places: Vec<u32> = chosen
            .iter()
            .map(|&unit| machine.place[unit] as u32)
            .collect();
        let is_together = places.len() <= MOST_TOGETHER;
        let (mut neighbours, mut couplings) = (vec![Vec::new(); places.len()], Vec::new());
        for (at, &place) in places.iter().enumerate() {
            let lists = &machine.lists;
            for entry in lists.starts[place as usize]..lists.starts[place as usize + 1] {
                let (other, weight) = (lists.neighbours[entry], lists.weights[entry]);
                match places.iter().position(|&place| place == other) {
                    Some(second) if is_together => {
                        if second < at {
                            couplings.push((at, second, weight));
                        }
                    }
                    _ => neighbours[at].push((other, weight)),
                }
            }
        }
        let biases = places.iter().map(|&place| machine.bias[place as usize]);
        GivenVisible {
            biases: biases.collect(),
            places,
            neighbours,
            couplings,
            is_together,
        }
    }

    /// The probability of every chosen unit in a state; `table` is room to work in.
    pub(super) fn probabilities(
        &self,
        is_on: impl Fn(u32) -> bool,
        table: &mut Vec<f64>,
        probabilities: &mut Vec<f64>,
    ) {
        let fields = self.neighbours.iter().zip(&self.biases).map(|(of, bias)| {
            let on = of.iter().filter(|(unit, _)| is_on(*unit));
            bias + on.map(|(_, weight)| weight).sum::<f64>()
        });
        probabilities.clear();
        probabilities.extend(fields);
        if !self.is_together || self.couplings.is_empty() {
            for field in probabilities.iter_mut() {
                *field = 1.0 / (1.0 + (-*field).exp());
            }
            return;
        }
        table.clear();
        table.push(0.0);
        for (at, &field) in probabilities.iter().enumerate() {
            for state in 0..1usize << at {
                let pairs = self.couplings.iter();
                let pairs = pairs.filter(|(a, b, _)| *a == at && state >> b & 1 == 1);
                let joined: f64 = pairs.map(|(_, _, weight)| weight).sum();
                table.push(table[state] + field + joined);
            }
        }
        let highest = table.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        probabilities.fill(0.0);
        let mut whole = 0.0;
        for (state, exponent) in table.iter().enumerate() {
            let weight = (exponent - highest).exp();
            whole += weight;
            for (at, sum) in probabilities.iter_mut().enumerate() {
                if state >> at & 1 == 1 {
                    *sum += weight;
                }
            }
        }
        probabilities.iter_mut().for_each(|sum| *sum /= whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::markov_chains::Chains;
    use crate::inference::{EngineId, Sums};
    use crate::network::{Clamp, Network};

    #[test]
    fn probabilities_are_those_of_the_machine_with_the_others_held() {
        let structure = Network::full(4, 3);
        let weights: Vec<f64> = (0..structure.terms().len())
            .map(|at| 1.2 * ((3 * at + 1) as f64).sin())
            .collect();
        let network = structure.with_weights(weights.clone()).unwrap();
        let machine = Chains::new(&network, &Clamp::none(7), 64, 1)
            .unwrap()
            .machine;
        let given = GivenVisible::new(&machine, &[4, 5, 6]);
        let (mut table, mut found) = (Vec::new(), Vec::new());
        for row in 0..16usize {
            let held = (0..7).map(|unit| (unit < 4).then_some(row >> unit & 1 == 1));
            let clamp = Clamp::new(held.collect());
            let prepared = EngineId::EXACT.engine();
            let prepared = prepared
                .prepare(&structure, &clamp, &Default::default())
                .unwrap();
            let mut sums = Sums::default();
            prepared.sums(&weights, &mut sums).unwrap();
            let is_on = |place: u32| row >> machine.order[place as usize] & 1 == 1;
            given.probabilities(is_on, &mut table, &mut found);
            for (at, unit) in [4usize, 5, 6].into_iter().enumerate() {
                let term = structure.terms().iter();
                let term = term
                    .clone()
                    .position(|term| term.units() == [unit])
                    .unwrap();
                assert!((found[at] - sums.terms[term]).abs() < 1e-12);
            }
        }
    }
}
