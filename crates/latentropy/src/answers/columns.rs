//! The distribution of the columns of a machine, hidden units summed out: of their sum, and of triplets of them.

use crate::answers::sample_quickly;
use crate::error::Result;
use crate::inference::Joint;
use crate::network::Network;

/// Beyond this many units a table of all states is too large.
const MOST_UNITS: usize = 20;
/// Beyond this many hidden units there are too many parts of a mixture.
const MOST_HIDDEN: usize = 12;
/// Rows that are drawn where neither will do.
const DRAWS: usize = 20_000;

/// The distribution of the columns in the form that is cheapest to hold.
pub(super) enum Columns {
    /// Parts in which columns are independent: weights that sum to one, and P(x = 1) of each column.
    Mixture { parts: Vec<(f64, Vec<f64>)> },
    /// From a table of all states.
    Table {
        /// P(at least the columns of the index's bits are one).
        at_least: Vec<f64>,
        /// P(K = k).
        of_sum: Vec<f64>,
    },
    /// Draws.
    Drawn {
        /// One bit per draw for each column.
        bits: Vec<Vec<u64>>,
        /// P(K = k).
        of_sum: Vec<f64>,
        /// How many independent ones they are worth.
        worth: usize,
    },
}

impl Columns {
    /// Of a network and the units that are its columns; `seed` is for machines beyond exact sums.
    pub(super) fn new(network: &Network, units: &[usize], seed: u64) -> Result<Self> {
        let covers = units.len() == network.visible().len();
        if covers && network.hidden().len() <= MOST_HIDDEN && is_bipartite(network) {
            let parts = mixture(network, units);
            return Ok(Columns::Mixture { parts });
        }
        if covers && network.units().len() <= MOST_UNITS {
            return table(network, units);
        }
        drawn(network, units, seed)
    }

    /// How many draws the numbers rest on; none where they are exact.
    pub(super) fn draws(&self) -> Option<usize> {
        match self {
            Columns::Drawn { worth, .. } => Some(*worth),
            Columns::Mixture { .. } | Columns::Table { .. } => None,
        }
    }

    /// How many terms the sum for one triplet has.
    pub(super) fn parts(&self) -> usize {
        match self {
            Columns::Mixture { parts } => parts.len(),
            Columns::Table { .. } => 1,
            Columns::Drawn { .. } => DRAWS.div_ceil(64),
        }
    }

    /// P(K = k): how many columns are one.
    pub(super) fn of_sum(&self) -> Vec<f64> {
        match self {
            Columns::Mixture { parts } => {
                let count = parts.first().map_or(0, |(_, means)| means.len());
                let mut total = vec![0.0; count + 1];
                for (weight, means) in parts {
                    for (total, p) in total.iter_mut().zip(sum_of_independent(means)) {
                        *total += weight * p;
                    }
                }
                total
            }
            Columns::Table { of_sum, .. } | Columns::Drawn { of_sum, .. } => of_sum.clone(),
        }
    }

    /// P(all these columns are one).
    pub(super) fn all_one(&self, columns: &[usize]) -> f64 {
        match self {
            Columns::Mixture { parts } => parts
                .iter()
                .map(|(weight, means)| columns.iter().fold(*weight, |p, &at| p * means[at]))
                .sum(),
            Columns::Table { at_least, .. } => {
                at_least[columns.iter().fold(0, |bits, at| bits | 1 << at)]
            }
            Columns::Drawn { bits, .. } => {
                let all = |word: usize| {
                    let words = columns.iter().map(|&at| bits[at][word]);
                    words.fold(u64::MAX, |all, word| all & word).count_ones()
                };
                let ones: u32 = (0..DRAWS.div_ceil(64)).map(all).sum();
                f64::from(ones) / DRAWS as f64
            }
        }
    }
}

/// True if no term has two visible units: given the hidden units, columns are independent.
fn is_bipartite(network: &Network) -> bool {
    let is_hidden = hidden_flags(network);
    let visible = |units: &[usize]| units.iter().filter(|&&unit| !is_hidden[unit]).count();
    network
        .terms()
        .iter()
        .all(|term| visible(term.units()) <= 1)
}

fn hidden_flags(network: &Network) -> Vec<bool> {
    let mut flags = vec![false; network.units().len()];
    network.hidden().iter().for_each(|&unit| flags[unit] = true);
    flags
}

/// One part for each state of the hidden units.
fn mixture(network: &Network, units: &[usize]) -> Vec<(f64, Vec<f64>)> {
    let hidden = network.hidden();
    let is_hidden = hidden_flags(network);
    let mut parts: Vec<(f64, Vec<f64>)> = Vec::new();
    for state in 0..1usize << hidden.len() {
        let is_on = |unit: usize| match hidden.iter().position(|&other| other == unit) {
            Some(bit) => state >> bit & 1 == 1,
            None => false,
        };
        let mut fields = vec![0.0; network.units().len()];
        let mut exponent = 0.0;
        for (term, weight) in network.terms().iter().zip(network.weights()) {
            let mut others = term.units().iter().filter(|&&unit| is_hidden[unit]);
            if !others.all(|&unit| is_on(unit)) {
                continue;
            }
            match term.units().iter().find(|&&unit| !is_hidden[unit]) {
                Some(&unit) => fields[unit] += weight,
                None => exponent += weight,
            }
        }
        for &unit in units {
            // log(1 + e^f) without overflow.
            exponent += fields[unit].max(0.0) + (-fields[unit].abs()).exp().ln_1p();
        }
        let means = units
            .iter()
            .map(|&unit| 1.0 / (1.0 + (-fields[unit]).exp()));
        parts.push((exponent, means.collect()));
    }
    let largest = parts
        .iter()
        .fold(f64::NEG_INFINITY, |most, part| most.max(part.0));
    parts
        .iter_mut()
        .for_each(|part| part.0 = (part.0 - largest).exp());
    let total: f64 = parts.iter().map(|part| part.0).sum();
    parts.iter_mut().for_each(|part| part.0 /= total);
    parts
}

/// Every state of the columns, then sums over the states that contain each set of columns.
fn table(network: &Network, units: &[usize]) -> Result<Columns> {
    let hidden = network.hidden();
    let order: Vec<usize> = hidden.iter().chain(units).copied().collect();
    let mut sums = Vec::with_capacity(1 << units.len());
    Joint::new(network, &order)?.visit(|weights| {
        let states = weights.chunks_exact(1 << hidden.len());
        sums.extend(states.map(|states| states.iter().sum::<f64>()));
    });
    let total: f64 = sums.iter().sum();
    let mut of_sum = vec![0.0; units.len() + 1];
    for (state, p) in sums.iter_mut().enumerate() {
        *p /= total;
        of_sum[state.count_ones() as usize] += *p;
    }
    for bit in 0..units.len() {
        for state in (0..sums.len()).filter(|state| state >> bit & 1 == 0) {
            sums[state] += sums[state | 1 << bit];
        }
    }
    Ok(Columns::Table {
        at_least: sums,
        of_sum,
    })
}

/// Independent draws, or nearly so where the machine has Markov chains only.
fn drawn(network: &Network, units: &[usize], seed: u64) -> Result<Columns> {
    let mut draws = sample_quickly(network, seed, DRAWS)?;
    let mut bits = vec![vec![0u64; DRAWS.div_ceil(64)]; units.len()];
    let mut of_sum = vec![0.0; units.len() + 1];
    let mut taken = 0;
    while taken < DRAWS {
        for state in draws.next(DRAWS - taken) {
            let mut sum = 0;
            for (bits, &unit) in bits.iter_mut().zip(units) {
                bits[taken / 64] |= u64::from(state[unit]) << (taken % 64);
                sum += usize::from(state[unit]);
            }
            of_sum[sum] += 1.0 / DRAWS as f64;
            taken += 1;
        }
    }
    Ok(Columns::Drawn {
        bits,
        of_sum,
        worth: draws.worth(DRAWS),
    })
}

/// The distribution of a sum of independent binary numbers, one added after the other.
fn sum_of_independent(means: &[f64]) -> Vec<f64> {
    let mut found = vec![0.0; means.len() + 1];
    found[0] = 1.0;
    for (known, mean) in means.iter().enumerate() {
        for k in (0..=known).rev() {
            found[k + 1] += found[k] * mean;
            found[k] *= 1.0 - mean;
        }
    }
    found
}
