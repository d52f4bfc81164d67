//! Appearance probabilities against their definitions, and the bound at messages that have not settled.

use super::appearance::{constant, heaviest_tree, of_spanning_trees};
use super::bound::bound;
use crate::inference::belief_propagation::Messages;
use crate::inference::literal;
use crate::inference::reduction::Pairwise;
use crate::network::{Clamp, Network, Term, Unit};

/// A square with one diagonal, a unit hanging off it, and one apart.
fn kite() -> Network {
    let units = (0..6).map(|u| Unit::visible(format!("x{u}"))).collect();
    let pairs = [[0, 1], [1, 2], [2, 3], [0, 3], [0, 2], [3, 4]];
    let weights = [1.5, -2.0, 0.7, 1.1, -0.9, 2.0];
    let pairs = pairs.iter().zip(weights);
    Network::new(units, pairs.map(|(p, w)| (Term::new(p.to_vec()), w))).expect("a valid network")
}

#[test]
fn appearance_probabilities_are_shares_of_spanning_trees() {
    let graph = Pairwise::new(&kite(), &Clamp::none(6), "trw").expect("pairs only");
    // Every set of four edges without a loop, by brute force.
    let mut counts = [0usize; 6];
    let mut trees = 0;
    for set in 0u32..64 {
        if set.count_ones() != 4 {
            continue;
        }
        let weights: Vec<f64> = (0..6).map(|e| f64::from(set >> e & 1)).collect();
        let tree = heaviest_tree(&graph, &weights);
        if (0..6).all(|e| tree[e] == (set >> e & 1 == 1)) {
            trees += 1;
            for e in 0..6 {
                counts[e] += usize::from(tree[e]);
            }
        }
    }
    assert_eq!(trees, 8);
    for (found, count) in of_spanning_trees(&graph).iter().zip(counts) {
        assert!((found - count as f64 / 8.0).abs() < 1e-14);
    }
    assert_eq!(constant(&graph), vec![4.0 / 6.0; 6]);
}

#[test]
fn the_bound_holds_at_any_messages() {
    let (network, none) = (kite(), Clamp::none(6));
    let exact = literal::expectations(&network, &none).log_partition.value;
    let graph = Pairwise::new(&network, &none, "trw").expect("pairs only");
    let mut messages = Messages::new(&graph, of_spanning_trees(&graph));
    for round in 0..30 {
        for (m, value) in messages.values.iter_mut().enumerate() {
            *value += ((round * 7 + m * 3) % 11) as f64 * 0.1 - 0.5;
        }
        messages.gather();
        assert!(bound(&messages) >= exact);
        messages.round(0.3);
        assert!(bound(&messages) >= exact);
    }
}
