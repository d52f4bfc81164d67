//! Recoding: the same distribution with some units' answers exchanged, 0 for 1.

use super::Network;
use super::term::Term;
use std::collections::{HashMap, HashSet};

/// Terms of more units than this are not multiplied out.
const HIGHEST_ORDER: usize = 20;

/// How weights change when some units are recoded: x_u = 1 − x'_u in every product, so λ_V spreads over the parts of V
/// that keep all units that are not recoded, with the sign of the recoded units that they keep.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recoding {
    /// From which term to which, and with which sign.
    moves: Vec<(usize, usize, f64)>,
    /// The terms all of whose units are recoded: they add their weights to the constant.
    to_constant: Vec<usize>,
    terms: usize,
}

impl Recoding {
    /// The recoding of these units; `None` where the machine cannot be recoded.
    pub(crate) fn new(network: &Network, flips: &[bool]) -> Option<Self> {
        if !network.is_recodable() {
            return None;
        }
        let terms = network.terms();
        let places: HashMap<&Term, usize> = terms.iter().enumerate().map(|(i, t)| (t, i)).collect();
        let (mut moves, mut to_constant) = (Vec::new(), Vec::new());
        for (from, term) in terms.iter().enumerate() {
            let (turned, kept): (Vec<usize>, Vec<usize>) =
                term.units().iter().partition(|&&unit| flips[unit]);
            for subset in 0..1usize << turned.len() {
                let more = turned.iter().enumerate();
                let more = more.filter(|(at, _)| subset >> at & 1 == 1);
                let mut units = kept.clone();
                units.extend(more.map(|(_, &unit)| unit));
                let is_even = (units.len() - kept.len()).is_multiple_of(2);
                match units.is_empty() {
                    true => to_constant.push(from),
                    false => moves.push((
                        from,
                        *places.get(&Term::new(units))?,
                        if is_even { 1.0 } else { -1.0 },
                    )),
                }
            }
        }
        Some(Recoding {
            moves,
            to_constant,
            terms: terms.len(),
        })
    }

    /// The recoded machine's weights, or any direction among them.
    pub(crate) fn of_weights(&self, weights: &[f64]) -> Vec<f64> {
        let mut recoded = vec![0.0; self.terms];
        for &(from, to, sign) in &self.moves {
            recoded[to] += sign * weights[from];
        }
        recoded
    }
}

impl Network {
    /// True if every part of every term is a term too: then each recoding of its units is a machine of the same terms.
    /// Machines without biases are not.
    pub(crate) fn is_recodable(&self) -> bool {
        let known: HashSet<&Term> = self.terms().iter().collect();
        self.terms().iter().all(|term| {
            let units = term.units();
            // Parts that lack one unit suffice: theirs are looked at in turn.
            units.len() <= HIGHEST_ORDER
                && (units.len() == 1
                    || (0..units.len()).all(|out| {
                        let rest = units.iter().enumerate().filter(|(at, _)| *at != out);
                        known.contains(&Term::new(rest.map(|(_, &unit)| unit).collect()))
                    }))
        })
    }

    /// The machine whose state x, with the recoded units exchanged, is as probable as this one's x.
    pub(crate) fn recoded(&self, recoding: &Recoding) -> Network {
        let moved = recoding.to_constant.iter().map(|&from| self.weights[from]);
        Network {
            weights: recoding.of_weights(&self.weights),
            constant: self.constant + moved.sum::<f64>(),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Unit;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_state_keeps_its_exponent(
            weights in prop::collection::vec(-3.0..3.0f64, 14),
            flips in prop::collection::vec(any::<bool>(), 4),
        ) {
            let units = (0..4).map(|u| Unit::visible(format!("y{u}"))).collect();
            let subsets = (1u32..16).filter(|bits| bits.count_ones() <= 3);
            let terms = subsets.map(|bits| Term::new((0..4).filter(|u| bits >> u & 1 == 1).collect()));
            let network = Network::new(units, terms.zip(weights)).unwrap();
            let recoding = Recoding::new(&network, &flips).unwrap();
            let other = network.recoded(&recoding);
            for state in 0..16u32 {
                let bit = |unit: usize| state >> unit & 1 == 1;
                let here = network.exponent(bit);
                let there = other.exponent(|unit| bit(unit) != flips[unit]);
                prop_assert!((here - there).abs() < 1e-12);
            }
            // Twice is not at all.
            for (a, b) in other.recoded(&recoding).weights().iter().zip(network.weights()) {
                prop_assert!((a - b).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_machine_without_biases_cannot_be_recoded() {
        let units = vec![Unit::visible("a"), Unit::hidden("z")];
        let pair = Network::new(units, [(Term::new(vec![0, 1]), 1.0)]).unwrap();
        assert!(Recoding::new(&pair, &[true, false]).is_none());
    }
}
