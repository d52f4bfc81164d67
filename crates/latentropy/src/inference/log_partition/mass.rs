//! The mass bound: distinct states cannot weigh more than all of them, so log Z is at least the log-sum of their weights.
//!
//! Units without a term in common (the hidden side of a restricted machine, say) are summed out of every weight, so that
//! each state of the others counts for all states that differ in these only. It holds for any machine, whichever states are
//! taken, and no sampler can argue with it.

use crate::inference::reduction::FreeTerms;
use rayon::prelude::*;

/// What rounding may add to a sum of weights, relative to its logarithm's size.
const ROUNDING: f64 = 1e-11;
/// States weighed by one thread at a time.
const TOGETHER: usize = 1024;

/// States that were seen, each once, by the units that are not summed out.
#[derive(Debug)]
pub(crate) struct Mass<'a> {
    terms: &'a FreeTerms,
    /// The free units that are left.
    left: Vec<usize>,
    parts: Parts,
    /// Sorted and distinct, but for the latest.
    states: Vec<Box<[u64]>>,
    sorted: usize,
}

/// The exponent as the sums over the units that go want it.
#[derive(Debug, Default)]
struct Parts {
    /// Biases of the units that are summed out, by place among these.
    biases: Vec<f64>,
    /// For each unit that is left, what it adds to the fields of those summed out.
    fields: Vec<Vec<(u32, f64)>>,
    /// Sets of units that are left, with a unit that is summed out where there is one.
    others: Vec<(Box<[u32]>, Option<u32>, f64)>,
}

impl<'a> Mass<'a> {
    /// Nothing seen yet; the units that `summed` says must have no term in common.
    pub(crate) fn new(terms: &'a FreeTerms, summed: &[bool]) -> Self {
        let (mut place, mut left) = (Vec::with_capacity(summed.len()), Vec::new());
        let mut gone = 0;
        for (unit, &is_summed) in summed.iter().enumerate() {
            place.push(if is_summed { gone } else { left.len() } as u32);
            match is_summed {
                true => gone += 1,
                false => left.push(unit),
            }
        }
        let mut parts = Parts {
            biases: vec![0.0; gone],
            fields: vec![Vec::new(); left.len()],
            others: Vec::new(),
        };
        for (set, &weight) in terms.sets.iter().zip(&terms.coefficients) {
            let own = set
                .iter()
                .find(|&&unit| summed[unit])
                .map(|&unit| place[unit]);
            let rest = set.iter().filter(|&&unit| !summed[unit]);
            let rest: Box<[u32]> = rest.map(|&unit| place[unit]).collect();
            match (own, &rest[..]) {
                (Some(own), []) => parts.biases[own as usize] += weight,
                (Some(own), [unit]) => parts.fields[*unit as usize].push((own, weight)),
                (own, _) => parts.others.push((rest, own, weight)),
            }
        }
        Mass {
            terms,
            left,
            parts,
            states: Vec::new(),
            sorted: 0,
        }
    }

    /// Takes a state in, by whether each free unit is on.
    pub(crate) fn see(&mut self, is_on: impl Fn(usize) -> bool) {
        let mut words = vec![0; self.left.len().div_ceil(64)];
        for (at, &unit) in self.left.iter().enumerate() {
            words[at / 64] |= u64::from(is_on(unit)) << (at % 64);
        }
        self.states.push(words.into());
        // Many of them are there often: what is kept stays near the number of distinct ones.
        if self.states.len() > 2 * self.sorted + (1 << 16) {
            self.sort();
        }
    }

    fn sort(&mut self) {
        self.states.sort_unstable();
        self.states.dedup();
        self.sorted = self.states.len();
    }

    /// How many distinct states there are, and the log of what they weigh together, the constant included and rounding
    /// taken off; minus infinity without any.
    pub(crate) fn weigh(&mut self) -> (usize, f64) {
        self.sort();
        let pieces = self.states.par_chunks(TOGETHER);
        let log_sums: Vec<f64> = pieces
            .map(|states| {
                let mut fields = Vec::new();
                let weights = states
                    .iter()
                    .map(|state| self.parts.log_weight(state, &mut fields));
                log_sum(&weights.collect::<Vec<f64>>())
            })
            .collect();
        let sum = log_sum(&log_sums);
        let bound = self.terms.constant + sum;
        (self.states.len(), bound - ROUNDING * (1.0 + sum.abs()))
    }
}

impl Parts {
    /// Log Σ over the units that are summed out.
    fn log_weight(&self, state: &[u64], fields: &mut Vec<f64>) -> f64 {
        let is_on = |unit: u32| state[unit as usize / 64] >> (unit % 64) & 1 == 1;
        fields.clear();
        fields.extend_from_slice(&self.biases);
        for (at, word) in state.iter().enumerate() {
            let mut word = *word;
            while word != 0 {
                let unit = 64 * at + word.trailing_zeros() as usize;
                word &= word - 1;
                for &(own, weight) in &self.fields[unit] {
                    fields[own as usize] += weight;
                }
            }
        }
        let mut sum = 0.0;
        for (units, own, weight) in &self.others {
            if units.iter().all(|&unit| is_on(unit)) {
                match own {
                    Some(own) => fields[*own as usize] += weight,
                    None => sum += weight,
                }
            }
        }
        // One logarithm for many: each factor lies between one and two.
        for piece in fields.chunks(512) {
            let factors = piece.iter().map(|field| 1.0 + (-field.abs()).exp());
            sum += factors.product::<f64>().ln();
            sum += piece.iter().map(|field| field.max(0.0)).sum::<f64>();
        }
        sum
    }
}

/// log Σ e^value; minus infinity without any.
pub(crate) fn log_sum(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    let sum: f64 = values.iter().map(|value| (value - largest).exp()).sum();
    largest + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::literal;
    use crate::network::{Clamp, Network};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        /// All states weigh Z, and some of them weigh what the definition says, at most Z.
        #[test]
        fn states_weigh_what_the_definition_says(
            weights in prop::collection::vec(-3.0..3.0f64, 12),
            some in prop::collection::vec(0usize..128, 1..20),
        ) {
            // Three hidden units without a term in common, a term of three units, and a constant.
            let names = ["a", "b", "c", "d"];
            let terms: [(&[&str], f64); 12] = [
                (&["a"], weights[0]), (&["x"], weights[1]), (&["a", "x"], weights[2]), (&["b", "x"], weights[3]),
                (&["a", "b"], weights[4]), (&["c", "y"], weights[5]), (&["c", "d", "y"], weights[6]),
                (&["d", "z"], weights[7]), (&["b", "c", "d"], weights[8]), (&["b", "z"], weights[9]), (&["c"], weights[10]),
                (&[], weights[11]),
            ];
            let network = Network::from_terms(&names, &["x", "y", "z"], &terms).expect("a network");
            let none = Clamp::none(7);
            let free = FreeTerms::new(&network, &none).expect("a clamp that fits");
            let exponent = |state: usize| network.exponent(|unit| state >> unit & 1 == 1);
            for summed in [[false, false, false, false, true, true, true], [false; 7]] {
                let hidden = if summed[4] { 0b111 << 4 } else { 0 };
                let mut mass = Mass::new(&free, &summed);
                prop_assert_eq!(mass.weigh().1, f64::NEG_INFINITY);
                some.iter().for_each(|state| mass.see(|unit| state >> unit & 1 == 1));
                let (count, found) = mass.weigh();
                let mut seen: Vec<usize> = some.iter().map(|state| state & !hidden).collect();
                seen.sort_unstable();
                seen.dedup();
                prop_assert_eq!(count, seen.len());
                let weigh = (0..128).filter(|state| seen.contains(&(state & !hidden)));
                let literal = log_sum(&weigh.map(exponent).collect::<Vec<_>>());
                prop_assert!((found - literal).abs() < 1e-9, "{} {}", found, literal);
                (0..128).for_each(|state| mass.see(|unit| state >> unit & 1 == 1));
                let all = mass.weigh().1;
                let truth = literal::expectations(&network, &none).log_partition.value;
                prop_assert!(all <= truth + 1e-12 && all > truth - 1e-9);
                prop_assert!(found <= truth);
            }
        }
    }
}
