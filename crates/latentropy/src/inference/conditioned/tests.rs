//! Conditioned belief propagation against enumeration.

use super::choice::{Influence, strongest};
use super::engine::ConditionedBeliefPropagation;
use crate::inference::at_once::AnswersAtOnce;
use crate::inference::belief_propagation::BeliefPropagation;
use crate::inference::literal;
use crate::inference::reduction::Pairwise;
use crate::inference::region_graph::GeneralisedBeliefPropagation;
use crate::inference::value::Kind;
use crate::network::{Clamp, Network};
use crate::random::{Purpose, stream};
use proptest::prelude::*;
use rand::RngExt;

/// A complete graph from spins: couplings between two numbers, small fields.
fn spins(units: usize, (low, high): (f64, f64), seed: u64) -> Network {
    let mut random = stream(seed, Purpose::Alone, 0);
    let mut draw = |low: f64, high: f64| low + (high - low) * random.random::<f64>();
    let network = Network::full(units, 0);
    let mut weights = vec![0.0; network.terms().len()];
    let fields: Vec<f64> = (0..units).map(|_| draw(-0.1, 0.1)).collect();
    let mut biases: Vec<f64> = fields.iter().map(|h| 2.0 * h).collect();
    for (term, weight) in network.terms().iter().zip(&mut weights) {
        if let [a, b] = *term.units() {
            let coupling = draw(low, high);
            *weight = 4.0 * coupling;
            biases[a] -= 2.0 * coupling;
            biases[b] -= 2.0 * coupling;
        }
    }
    for (term, weight) in network.terms().iter().zip(&mut weights) {
        if let [unit] = *term.units() {
            *weight = biases[unit];
        }
    }
    network.with_weights(weights).expect("a weight per term")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn held_until_no_loop_is_left_it_is_exact(
        weights in prop::collection::vec(-4.0..4.0f64, 21),
        held in prop_oneof![Just(None), Just(Some(true))],
    ) {
        let network = Network::full(6, 0).with_weights(weights).expect("a weight per term");
        let mut values = vec![None; 6];
        values[3] = held;
        let clamp = Clamp::new(values);
        let engine = ConditionedBeliefPropagation::default();
        let truth = literal::expectations(&network, &clamp);
        for found in [engine.expectations(&network, &clamp), engine.gradient(&network, &clamp)] {
            let found = found.expect("a forest always settles");
            prop_assert_eq!(found.log_partition.kind, Kind::Exact);
            prop_assert!((found.log_partition.value - truth.log_partition.value).abs() < 1e-10);
            prop_assert!((found.entropy.value - truth.entropy.value).abs() < 1e-9);
            for (a, b) in found.terms.iter().zip(&truth.terms) {
                prop_assert!((a - b).abs() < 1e-10);
            }
        }
    }
}

#[test]
fn no_unit_is_held_where_there_is_no_loop() {
    let network = Network::from_terms(
        &["a", "b", "c", "d"],
        &[],
        &[(&["a", "b"], 1.0), (&["b", "c"], 3.0), (&["c", "d"], 1.0)],
    );
    let network = network.expect("a valid network");
    let graph = Pairwise::new(&network, &Clamp::none(4), "cbp").expect("pairs only");
    assert!(strongest(&network, &graph, Influence::Weights, 4).is_empty());
}

/// Mean |Δ log Z| over complete graphs: plain, star, one, two and three units held.
fn errors(units: usize, couplings: (f64, f64), machines: u64) -> [f64; 5] {
    let mut sums = [0.0; 5];
    for seed in 0..machines {
        let network = spins(units, couplings, seed);
        let none = Clamp::none(units);
        let truth = literal::expectations(&network, &none).log_partition.value;
        let held = |units: usize| {
            let engine = ConditionedBeliefPropagation { units: Some(units) };
            engine
                .expectations(&network, &none)
                .expect("it settles")
                .log_partition
                .value
        };
        let star = GeneralisedBeliefPropagation::default().expectations(&network, &none);
        let found = [
            BeliefPropagation
                .expectations(&network, &none)
                .expect("it settles")
                .log_partition
                .value,
            star.expect("it settles").log_partition.value,
            held(1),
            held(2),
            held(3),
        ];
        for (sum, found) in sums.iter_mut().zip(found) {
            *sum += (found - truth).abs() / machines as f64;
        }
    }
    sums
}

#[test]
fn dense_graphs_gain_from_every_unit_held() {
    let [plain, star, one, _, three] = errors(9, (-0.5, 0.5), 12);
    assert!((star - one).abs() < 1e-6, "{star} {one}");
    assert!(
        star < 0.6 * plain && three < 0.4 * star,
        "{plain} {star} {three}"
    );
}

#[test]
#[ignore = "prints the table of docs/engines.md"]
fn errors_on_dense_graphs() {
    for (what, units, couplings) in [
        ("K9 mixed 0.5", 9, (-0.5, 0.5)),
        ("K9 mixed 1", 9, (-1.0, 1.0)),
        ("K9 attractive 0.25", 9, (0.0, 0.25)),
        ("K16 attractive 0.12", 16, (0.0, 0.12)),
        ("K16 mixed 0.5", 16, (-0.5, 0.5)),
    ] {
        println!(
            "{what}: bp, star, 1, 2, 3 held {:.3?}",
            errors(units, couplings, 24)
        );
    }
}
