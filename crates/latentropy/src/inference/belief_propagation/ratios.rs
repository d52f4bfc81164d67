//! Messages as ratios e^u: while nothing is damped, a round needs neither exponentials nor logarithms.
//!
//! With R = e^u, W = e^w and a unit's F = e^θ = e^b Π R, the message of the sender that hears R' back is
//! R = (1 + W F/R')/(1 + F/R') = (R' + W F)/(R' + F): one division.

use super::messages::Messages;
use multiversion::multiversion;

/// Products of ratios stay within e to the power of ± this, far from the ends of the arithmetic.
const LARGEST_EXPONENT: f64 = 600.0;
/// Only the last of this many rounds is compared with the one before: a comparison costs a division per message.
pub(super) const STRIDE: usize = 8;
/// Messages worked on at a time: a few arrays of this length stay in the first cache.
const PIECE: usize = 512;

/// The ratios of a graph's messages.
pub(super) struct Ratios {
    /// e^w, one per message.
    factors: Vec<f64>,
    /// e^b, one per unit.
    biases: Vec<f64>,
    values: Vec<f64>,
    fields: Vec<f64>,
}

impl Ratios {
    /// Of the messages as they are; `None` where products could leave the arithmetic, or are not plain products.
    pub(super) fn new(messages: &Messages<'_>) -> Option<Self> {
        let exponential = |list: &[f64]| -> Vec<f64> { list.iter().map(|x| x.exp()).collect() };
        // A message is never larger than its weight.
        let within = messages.largest_exponent() <= LARGEST_EXPONENT;
        (within && messages.plain).then(|| Ratios {
            factors: exponential(&messages.weights),
            biases: exponential(messages.biases()),
            values: exponential(&messages.values),
            fields: exponential(&messages.fields),
        })
    }

    /// [`STRIDE`] rounds; returns the largest change of a message in the last of them.
    pub(super) fn rounds(&mut self, messages: &Messages<'_>) -> f64 {
        for _ in 1..STRIDE {
            self.round::<false>(messages);
        }
        self.round::<true>(messages)
    }

    fn round<const MEASURED: bool>(&mut self, messages: &Messages<'_>) -> f64 {
        let (mut back, mut sender_fields) = ([0.0; PIECE], [0.0; PIECE]);
        let mut largest: f64 = 0.0;
        for ((values, senders), factors) in self
            .values
            .chunks_mut(PIECE)
            .zip(messages.senders.chunks(PIECE))
            .zip(self.factors.chunks(PIECE))
        {
            for (at, (pair, sender)) in values
                .chunks_exact(2)
                .zip(senders.chunks_exact(2))
                .enumerate()
            {
                (back[2 * at], back[2 * at + 1]) = (pair[1], pair[0]);
                sender_fields[2 * at] = self.fields[sender[0] as usize];
                sender_fields[2 * at + 1] = self.fields[sender[1] as usize];
            }
            if MEASURED {
                largest = largest.max(changes(values, &back, &sender_fields, factors));
            } else {
                ratios(values, &back, &sender_fields, factors);
            }
        }
        let arrivals = messages.arrivals_by_unit();
        for ((field, &bias), arrivals) in self.fields.iter_mut().zip(&self.biases).zip(arrivals) {
            *field = arrivals
                .iter()
                .fold(bias, |product, &m| product * self.values[m as usize]);
        }
        largest
    }

    /// The messages themselves.
    pub(super) fn logarithms(self) -> Vec<f64> {
        self.values.iter().map(|ratio| ratio.ln()).collect()
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
fn ratios(values: &mut [f64], back: &[f64], fields: &[f64], factors: &[f64]) {
    for (((value, back), field), factor) in values.iter_mut().zip(back).zip(fields).zip(factors) {
        *value = (back + field * factor) / (back + field);
    }
}

/// The same; returns the largest relative change of a ratio, which is that of its logarithm.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
fn changes(values: &mut [f64], back: &[f64], fields: &[f64], factors: &[f64]) -> f64 {
    let mut largest = [0.0f64; 8];
    let lanes = (0..8).cycle();
    for ((((value, back), field), factor), lane) in values
        .iter_mut()
        .zip(back)
        .zip(fields)
        .zip(factors)
        .zip(lanes)
    {
        let new = (back + field * factor) / (back + field);
        let change = ((new - *value) / new).abs();
        *value = new;
        largest[lane] = largest[lane].max(change);
    }
    largest.iter().fold(0.0, |a: f64, &b| a.max(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::reduction::Pairwise;
    use crate::network::{Clamp, Network, Term, Unit};
    use proptest::prelude::*;

    fn machine(weights: &[f64]) -> Network {
        let units = (0..7).map(|u| Unit::visible(format!("x{u}"))).collect();
        let pairs = (0..7).flat_map(|a| (a + 1..7).map(move |b| vec![a, b]));
        let terms = (0..7).map(|u| vec![u]).chain(pairs);
        let terms = terms.zip(weights).filter(|(_, weight)| **weight != 0.0);
        Network::new(
            units,
            terms.map(|(units, &weight)| (Term::new(units), weight)),
        )
        .expect("a valid network")
    }

    proptest! {
        #[test]
        fn ratios_are_messages(
            weights in prop::collection::vec(prop_oneof![Just(0.0), -9.0..9.0f64], 28),
            rounds in 0usize..30,
        ) {
            let network = machine(&weights);
            let graph = Pairwise::new(&network, &Clamp::none(7), "bp").expect("pairs");
            let mut by_ratios = Messages::new(&graph, vec![1.0; graph.edges.len()]);
            let mut literal = by_ratios.clone();
            prop_assert!(Ratios::new(&literal).is_some());
            let change = by_ratios.rounds(rounds, 0.0);
            let mut last = 0.0;
            for _ in 0..rounds {
                last = literal.round(0.0);
            }
            // Undamped messages on strong loops can amplify rounding from round to round.
            for (a, b) in by_ratios.values.iter().zip(&literal.values) {
                prop_assert!((a - b).abs() < 1e-9, "{a} {b}");
            }
            // A relative change of a ratio is the change of its logarithm while it is small.
            if last < 1e-3 {
                prop_assert!((change - last).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn hard_weights_are_left_to_logarithms() {
        let mut weights = vec![0.5; 28];
        weights[10] = 1000.0;
        let network = machine(&weights);
        let graph = Pairwise::new(&network, &Clamp::none(7), "bp").expect("pairs");
        let messages = Messages::new(&graph, vec![1.0; graph.edges.len()]);
        assert!(Ratios::new(&messages).is_none());
    }
}
