//! Regions against what they must count, and stars against belief propagation conditioned on their root.

use super::choice::{Chosen, choose};
use super::engine::GeneralisedBeliefPropagation;
use super::regions::{RegionGraph, Regions};
use crate::inference::at_once::AnswersAtOnce;
use crate::inference::conditioned::ConditionedBeliefPropagation;
use crate::inference::reduction::FreeTerms;
use crate::network::{Clamp, Network, Term, Unit};
use proptest::prelude::*;

fn machine(units: usize, pairs: &[(usize, usize)]) -> FreeTerms {
    let names = (0..units).map(|u| Unit::visible(format!("x{u}")));
    let terms = pairs.iter().map(|&(a, b)| (Term::new(vec![a, b]), 1.0));
    let network = Network::new(names.collect(), terms).expect("a valid network");
    FreeTerms::new(&network, &Clamp::none(units)).expect("as many units")
}

fn grid(side: usize) -> FreeTerms {
    let mut pairs = Vec::new();
    for u in 0..side * side {
        if u % side + 1 < side {
            pairs.push((u, u + 1));
        }
        if u + side < side * side {
            pairs.push((u, u + side));
        }
    }
    machine(side * side, &pairs)
}

fn chosen(terms: &FreeTerms) -> (Chosen, RegionGraph) {
    let equal = vec![1.0; terms.free.len()];
    let chosen = choose(terms, &equal, true);
    let graph = RegionGraph::new(terms, &Regions::Chosen, &chosen).expect("small");
    (chosen, graph)
}

#[test]
fn faces_of_a_grid_count_inner_edges_and_inner_units() {
    let (chosen, graph) = chosen(&grid(4));
    assert_eq!(graph.outer.len(), 9);
    let of = |size: usize| graph.inner.iter().filter(move |i| i.units.len() == size);
    assert_eq!((of(2).count(), of(1).count()), (12, 4));
    assert!(of(2).all(|i| i.counting == -1.0) && of(1).all(|i| i.counting == 1.0));
    assert!(!graph.is_acyclic() && chosen.roots.is_empty());
    assert_eq!(graph.counted(), 1.0);
}

#[test]
fn every_unit_is_counted_once() {
    for regions in [
        Regions::Chosen,
        Regions::Stars,
        Regions::Pairs,
        Regions::Given(vec![vec![0, 1, 2, 3, 4], vec![4, 5, 8], vec![2, 5, 8, 7]]),
    ] {
        let terms = grid(3);
        let chosen = choose(&terms, &[1.0; 9], regions == Regions::Chosen);
        let graph = RegionGraph::new(&terms, &regions, &chosen).expect("small");
        for unit in 0..9 {
            let outer = graph.outer.iter().filter(|r| r.contains(&unit)).count() as f64;
            let inner = graph.inner.iter().filter(|i| i.units.contains(&unit));
            assert_eq!(outer + inner.map(|i| i.counting).sum::<f64>(), 1.0);
        }
    }
    let (_, whole) = chosen(&grid(2));
    assert!(whole.is_acyclic() && whole.inner.is_empty());
}

#[test]
fn complete_graphs_get_a_star_and_rings_themselves() {
    let pairs: Vec<(usize, usize)> = (0..9)
        .flat_map(|a| (a + 1..9).map(move |b| (a, b)))
        .collect();
    let (choice, graph) = chosen(&machine(9, &pairs));
    assert_eq!((choice.roots.len(), graph.outer.len()), (1, 28));
    assert_eq!(graph.counted(), 1.0);
    // A hexagon has one loop of six.
    let ring: Vec<(usize, usize)> = (0..6).map(|u| (u, (u + 1) % 6)).collect();
    let (choice, graph) = chosen(&machine(6, &ring));
    assert!(choice.roots.is_empty() && graph.outer == [vec![0, 1, 2, 3, 4, 5]]);
    // A sphere: the faces of a cube less one, by the shortest basis.
    let cube: Vec<(usize, usize)> = (0..8usize)
        .flat_map(|u| [1, 2, 4].map(|bit| (u, u ^ bit)))
        .filter(|(a, b)| a < b)
        .collect();
    let (choice, graph) = chosen(&machine(8, &cube));
    assert!(choice.roots.is_empty() && graph.outer.len() == 5);
    assert_eq!(graph.counted(), 1.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn counting_numbers_sum_to_one_per_component(
        units in 2usize..11,
        edges in prop::collection::vec((0usize..10, 0usize..10), 0..40),
    ) {
        let pairs = edges.iter().filter(|(a, b)| a < b && *b < units).copied();
        let pairs: std::collections::BTreeSet<(usize, usize)> = pairs.collect();
        let terms = machine(units, &pairs.into_iter().collect::<Vec<_>>());
        let stars = choose(&terms, &vec![1.0; units], false);
        let graph = RegionGraph::new(&terms, &Regions::Stars, &stars).expect("small");
        prop_assert_eq!(graph.counted(), stars.components as f64);
    }

    #[test]
    fn a_star_is_belief_propagation_conditioned_on_its_root(
        weights in prop::collection::vec(-1.0..1.0f64, 15),
    ) {
        let network = Network::full(5, 0).with_weights(weights).expect("a weight per term");
        let none = Clamp::none(5);
        let stars = GeneralisedBeliefPropagation { regions: Regions::Stars };
        let one = ConditionedBeliefPropagation { units: Some(1) };
        let by_regions = stars.expectations(&network, &none).expect("weak weights settle");
        let by_messages = one.expectations(&network, &none).expect("weak weights settle");
        prop_assert!(
            (by_regions.log_partition.value - by_messages.log_partition.value).abs() < 1e-8,
            "{:?} {:?}", by_regions, by_messages
        );
        for (a, b) in by_regions.terms.iter().zip(&by_messages.terms) {
            prop_assert!((a - b).abs() < 1e-7, "{} {}", a, b);
        }
    }
}
