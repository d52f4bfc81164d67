//! Relabelling: hidden units have no names of their own, so a refit's are matched to those of the original.

use crate::network::{Network, Term};
use std::collections::HashMap;

/// Up to this many hidden units every permutation is tried.
const MOST_PERMUTED: usize = 6;
/// Beyond it the best exchange of two units is made as long as one helps; beyond this many units labels stay.
const MOST_EXCHANGED: usize = 64;

/// The permutations of hidden units under which the set of terms stays as it is.
pub(super) enum Relabelling {
    /// All of them; term i becomes term `map[i]`.
    Permutations(Vec<Vec<usize>>),
    /// Exchanges of two units, as the pairs of terms that change places.
    Exchanges(Vec<Vec<(usize, usize)>>),
}

impl Relabelling {
    pub(super) fn new(network: &Network) -> Self {
        let hidden = network.hidden();
        let places: HashMap<&Term, usize> = network
            .terms()
            .iter()
            .enumerate()
            .map(|(at, term)| (term, at))
            .collect();
        let map = |relabel: &dyn Fn(usize) -> usize| -> Option<Vec<usize>> {
            let images = network.terms().iter().map(|term| {
                let units = term.units().iter().map(|&unit| relabel(unit));
                places.get(&Term::new(units.collect())).copied()
            });
            images.collect()
        };
        if hidden.len() <= MOST_PERMUTED {
            let maps = permutations(hidden.len()).into_iter().filter_map(|order| {
                map(&|unit| match hidden.binary_search(&unit) {
                    Ok(at) => hidden[order[at]],
                    Err(_) => unit,
                })
            });
            return Relabelling::Permutations(maps.collect());
        }
        let mut exchanges = Vec::new();
        let hidden = if hidden.len() <= MOST_EXCHANGED {
            &hidden[..]
        } else {
            &[]
        };
        for (at, &a) in hidden.iter().enumerate() {
            for &b in &hidden[at + 1..] {
                let exchanged = map(&|unit| match unit {
                    unit if unit == a => b,
                    unit if unit == b => a,
                    other => other,
                });
                if let Some(map) = exchanged {
                    let pairs = map.iter().enumerate().filter(|(from, to)| from < to);
                    exchanges.push(pairs.map(|(from, &to)| (from, to)).collect());
                }
            }
        }
        Relabelling::Exchanges(exchanges)
    }

    /// The weights under the relabelling that brings them nearest to `original`, in the sum of squares.
    pub(super) fn nearest(&self, mut weights: Vec<f64>, original: &[f64]) -> Vec<f64> {
        match self {
            Relabelling::Permutations(maps) => {
                let distance = |map: &[usize]| -> f64 {
                    let moved = map.iter().zip(&weights);
                    moved.map(|(&to, w)| (w - original[to]).powi(2)).sum()
                };
                let mut best: Option<(f64, &Vec<usize>)> = None;
                for map in maps {
                    let found = distance(map);
                    if best.is_none_or(|(least, _)| found < least) {
                        best = Some((found, map));
                    }
                }
                let Some((_, map)) = best else {
                    return weights;
                };
                let mut relabelled = vec![0.0; weights.len()];
                for (&to, &weight) in map.iter().zip(&weights) {
                    relabelled[to] = weight;
                }
                relabelled
            }
            Relabelling::Exchanges(exchanges) => {
                // Half of how much nearer an exchange brings the weights.
                let gain = |pairs: &[(usize, usize)], weights: &[f64]| -> f64 {
                    let pairs = pairs.iter();
                    pairs
                        .map(|&(i, j)| (weights[j] - weights[i]) * (original[i] - original[j]))
                        .sum()
                };
                // Every exchange shortens the distance; the limit only guards against rounding.
                for _ in 0..exchanges.len() {
                    let gains = exchanges.iter().map(|pairs| (gain(pairs, &weights), pairs));
                    let best = gains.max_by(|(a, _), (b, _)| a.total_cmp(b));
                    let Some((_, pairs)) = best.filter(|&(gain, _)| gain > 1e-12) else {
                        break;
                    };
                    for &(i, j) in pairs {
                        weights.swap(i, j);
                    }
                }
                weights
            }
        }
    }
}

/// Every order of 0, 1, …, count − 1, the identity first.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for _ in 0..count {
        orders = orders
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                let left = (0..count).filter(|next| !order.contains(next));
                let longer = |next| [&order[..], &[next]].concat();
                left.map(longer).collect::<Vec<_>>()
            })
            .collect();
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Unit;

    fn network(hidden: usize, terms: Vec<Vec<usize>>) -> Network {
        let visible = ["a", "b"].map(Unit::visible).into_iter();
        let units = visible.chain((0..hidden).map(|at| Unit::hidden(format!("z{at}"))));
        let weighted = terms
            .into_iter()
            .enumerate()
            .map(|(at, units)| (Term::new(units), at as f64 * 0.37));
        Network::new(units.collect(), weighted).unwrap()
    }

    fn restricted(hidden: usize) -> Network {
        let pairs = (2..2 + hidden).flat_map(|z| [vec![0, z], vec![1, z], vec![z]]);
        network(hidden, pairs.collect())
    }

    /// Weights of a restricted machine with its hidden units turned by `by` places.
    fn turned(network: &Network, by: usize) -> Vec<f64> {
        let mut weights = network.weights().to_vec();
        weights.rotate_left(3 * by);
        weights
    }

    #[test]
    fn permuted_hidden_units_find_their_places_again() {
        for hidden in [1, 2, 3, 6, 7, 9] {
            let network = restricted(hidden);
            let relabelling = Relabelling::new(&network);
            for by in 0..hidden {
                let found = relabelling.nearest(turned(&network, by), network.weights());
                assert_eq!(
                    found,
                    network.weights(),
                    "{hidden} hidden units, turned by {by}"
                );
            }
        }
    }

    #[test]
    fn units_that_are_connected_differently_keep_their_labels() {
        // z0 sees a and b, z1 sees a alone.
        let network = network(2, vec![vec![0, 2], vec![1, 2], vec![0, 3]]);
        let relabelling = Relabelling::new(&network);
        let weights = vec![5.0, -1.0, 0.0];
        assert_eq!(
            relabelling.nearest(weights.clone(), network.weights()),
            weights
        );
    }

    #[test]
    fn a_machine_without_hidden_units_is_left_alone() {
        let network = network(0, vec![vec![0], vec![0, 1]]);
        let weights = vec![2.0, 1.0];
        assert_eq!(
            Relabelling::new(&network).nearest(weights.clone(), network.weights()),
            weights
        );
    }
}
