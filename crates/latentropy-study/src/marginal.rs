//! The marginal distribution of the visible units, and the cross entropy between two of them (section 6).

use latentropy::Result;
use latentropy::network::{Network, Role};

/// log p(y) for every visible state; the j-th visible unit is bit j of the state's number.
///
/// Logarithms throughout: a machine at the edge of its box gives some y a probability far below the smallest number.
pub(crate) fn log_marginal(network: &Network) -> Result<Vec<f64>> {
    let role = |wanted: Role| {
        let units = network.units().iter().enumerate();
        units
            .filter(move |(_, unit)| unit.role == wanted)
            .map(|(u, _)| u)
    };
    // Hidden units are the lowest bits: the states of one y lie side by side.
    let order: Vec<usize> = role(Role::Hidden).chain(role(Role::Visible)).collect();
    let mut bit_of = vec![0; order.len()];
    for (bit, &unit) in order.iter().enumerate() {
        bit_of[unit] = bit;
    }
    let mut exponents = vec![0.0f64; 1 << order.len()];
    for (term, &weight) in network.terms().iter().zip(network.weights()) {
        let mask: usize = term.units().iter().map(|&u| 1 << bit_of[u]).sum();
        exponents[mask] += weight;
    }
    // Sums over subsets, unit by unit: the exponent of a state is the sum of the terms within it.
    for bit in 0..order.len() {
        for block in exponents.chunks_exact_mut(2 << bit) {
            let (low, high) = block.split_at_mut(1 << bit);
            for (h, l) in high.iter_mut().zip(low) {
                *h += *l;
            }
        }
    }
    let hidden_states = 1 << network.hidden().len();
    let sums: Vec<f64> = exponents
        .chunks_exact(hidden_states)
        .map(log_sum_exp)
        .collect();
    let total = log_sum_exp(&sums);
    Ok(sums.into_iter().map(|sum| sum - total).collect())
}

fn log_sum_exp(values: &[f64]) -> f64 {
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + values.iter().map(|v| (v - largest).exp()).sum::<f64>().ln()
}

/// D(p‖q) = Σ p log(p/q), from logarithms; infinite where q excludes what p allows.
pub(crate) fn cross_entropy(log_p: &[f64], log_q: &[f64]) -> f64 {
    let part = |(p, q): (&f64, &f64)| {
        let probability = p.exp();
        if probability > 0.0 {
            probability * (p - q)
        } else {
            0.0
        }
    };
    // Rounding can leave it a hair below zero.
    log_p.iter().zip(log_q).map(part).sum::<f64>().max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Truth;
    use crate::truth::truth;
    use latentropy::data::{Cell, Dataset};
    use latentropy::{Sampling, score};

    fn random(visible: usize, hidden: usize, index: usize) -> Network {
        let settings = Truth {
            visible,
            hidden,
            shape: Default::default(),
            bias: index.is_multiple_of(2),
            scale: 1.0 + 4.0 * index as f64,
        };
        truth(&settings, 5, "marginal", index).unwrap()
    }

    #[test]
    fn the_marginal_is_what_scoring_says_of_every_row() {
        for index in 0..6 {
            let network = random(4, index, index);
            let cells = |y: usize| {
                (0..4)
                    .map(|j| {
                        if y >> j & 1 == 1 {
                            Cell::One
                        } else {
                            Cell::Zero
                        }
                    })
                    .collect()
            };
            let names = (1..=4).map(|u| format!("y{u}")).collect();
            let data = Dataset::from_cells(names, true, (0..16).map(cells)).unwrap();
            let scores = score(&network, &data, None, &Sampling::default())
                .unwrap()
                .by_distinct_row;
            for (a, b) in log_marginal(&network).unwrap().iter().zip(&scores) {
                assert!((a - b).abs() < 1e-11 * (1.0 + b.abs()), "{a} against {b}");
            }
        }
    }

    #[test]
    fn the_cross_entropy_is_zero_only_at_the_truth() {
        let of = |index| log_marginal(&random(5, 3, index)).unwrap();
        assert_eq!(cross_entropy(&of(0), &of(0)), 0.0);
        let literal: f64 = of(0)
            .iter()
            .zip(of(1))
            .map(|(p, q)| p.exp() * (p.exp() / q.exp()).ln())
            .sum();
        let found = cross_entropy(&of(0), &of(1));
        assert!(
            found > 0.0 && (found - literal).abs() < 1e-10,
            "{found} against {literal}"
        );
        let excluded = [0.5f64.ln(), 0.5f64.ln()];
        assert_eq!(
            cross_entropy(&excluded, &[0.0, f64::NEG_INFINITY]),
            f64::INFINITY
        );
        assert_eq!(
            cross_entropy(&[0.0, f64::NEG_INFINITY], &excluded),
            2f64.ln()
        );
    }
}
