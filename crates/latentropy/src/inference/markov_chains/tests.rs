//! Tiles against lists, running sums against sums from scratch, and weights against their definition.

use super::lanes::packed;
use super::*;
use crate::inference::kernels::{CHAINS, chain_stream};
use crate::inference::reduction::FreeTerms;
use crate::network::{Clamp, Network, Term, Unit};

fn network(count: usize, pairs: impl Iterator<Item = (usize, usize)>, scale: f64) -> Network {
    let weight = |at: usize| scale * (((at * 7919 + 13) % 1009) as f64 / 504.5 - 1.0);
    let biases = (0..count).map(|u| (Term::new(vec![u]), 3.0 * weight(u)));
    let pairs = pairs.map(|(a, b)| (Term::new(vec![a, b]), weight(a * count + b)));
    let units = (0..count).map(|u| Unit::visible(format!("x{u}"))).collect();
    Network::new(units, biases.chain(pairs)).expect("a valid network")
}

fn complete(count: usize) -> Network {
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    network(count, pairs, 0.3)
}

fn restricted(visible: usize, hidden: usize, scale: f64) -> Network {
    let pairs = (0..visible).flat_map(|v| (0..hidden).map(move |h| (v, visible + h)));
    network(visible + hidden, pairs, scale)
}

fn machine(network: &Network) -> Machine {
    let none = Clamp::none(network.units().len());
    let mut machine = Machine::new(&FreeTerms::new(network, &none).expect("a clamp that fits"));
    let means: Vec<f64> = (0..machine.units())
        .map(|u| 0.2 + 0.6 * (u % 5) as f64 / 4.0)
        .collect();
    machine.set_base(&means);
    machine
}

/// Σ λ f − Σ base x of a chain, from scratch.
fn excess(network: &Network, machine: &Machine, group: &Group, chain: usize) -> f64 {
    let on = |unit: usize| group.states[machine.place[unit]][chain] != 0;
    let base = (0..machine.units()).filter(|&at| group.states[at][chain] != 0);
    network.exponent(on) - base.map(|at| machine.base[at]).sum::<f64>()
}

#[test]
fn tiles_and_lists_go_the_same_way() {
    for network in [complete(150), restricted(150, 130, 0.3)] {
        let dense = machine(&network);
        assert!(dense.tiles.is_some());
        let mut plain = dense.clone();
        plain.tiles = None;
        let mut a = Group::new(&dense, &mut chain_stream(1, 0));
        let mut b = Group::new(&plain, &mut chain_stream(1, 0));
        let temperatures = Temperatures::all(0.8);
        for direction in [Direction::Onward, Direction::Backward] {
            for range in [0..dense.units(), 10..20, 60..140] {
                a.visit(&dense, range.clone(), direction, &temperatures);
                b.visit(&plain, range, direction, &temperatures);
                assert_eq!(a.states, b.states);
            }
            let (mut of_a, mut of_b) = ([0.0; CHAINS], [0.0; CHAINS]);
            a.visit_weighted(&dense, 0.3, 0.4, &mut of_a);
            b.visit_weighted(&plain, 0.3, 0.4, &mut of_b);
            assert_eq!(a.states, b.states);
            for chain in 0..CHAINS {
                assert!((of_a[chain] - of_b[chain]).abs() < 1e-5);
                let exact = excess(&network, &plain, &b, chain);
                assert!((b.excess[chain] - exact).abs() < 1e-9);
                assert!((a.excess[chain] - exact).abs() < 1e-3);
            }
        }
        // What was kept up to date is what comes out from scratch.
        let kept = a.fields.clone();
        a.refresh(&dense);
        assert!(kept == a.fields);
    }
}

#[test]
fn weights_are_ratios_of_sums_over_the_independent_units() {
    let network = restricted(4, 3, 1.5);
    let machine = machine(&network);
    assert_eq!(machine.independent, 4);
    let mut group = Group::new(&machine, &mut chain_stream(2, 0));
    group.sweep(&machine, &Temperatures::all(0.5));
    let (from, to) = (0.2, 0.55);
    // log Σ_z exp(β E + (1 − β) E_0) for the y of a chain, term by term.
    let log_sum = |group: &Group, chain: usize, beta: f64| {
        let total: f64 = (0..1usize << machine.independent)
            .map(|z| {
                let on = |at: usize| match at < machine.independent {
                    true => z >> at & 1 == 1,
                    false => group.states[at][chain] != 0,
                };
                let base = (0..machine.units())
                    .filter(|&at| on(at))
                    .map(|at| machine.base[at]);
                let exponent = network.exponent(|unit| on(machine.place[unit]));
                (beta * exponent + (1.0 - beta) * base.sum::<f64>()).exp()
            })
            .sum();
        total.ln()
    };
    let expected: Vec<f64> = (0..CHAINS)
        .map(|chain| log_sum(&group, chain, to) - log_sum(&group, chain, from))
        .collect();
    let mut weights = [0.0; CHAINS];
    group.visit_weighted(&machine, from, to, &mut weights);
    // Weights are rounded to a fixed point, whose sums are exact.
    for chain in 0..CHAINS {
        assert!((weights[chain] - expected[chain]).abs() < 1e-8);
    }
}

#[test]
fn chains_keep_their_states_when_weights_change() {
    let first = restricted(5, 4, 1.0);
    let mut clamp = Clamp::none(9);
    clamp.hold(2, true).unwrap();
    let mut chains = Chains::new(&first, &clamp, 100, 3).expect("a clamp that fits");
    assert_eq!(chains.count(), 128);
    chains.sweep(5);
    let before = chains.states();
    assert!(before.iter().all(|state| state[2]));
    let weights = first.weights().iter().map(|w| -2.0 * w).collect();
    let second = first.with_weights(weights).expect("as many weights");
    chains.set_weights(&second).expect("the same terms");
    assert_eq!(chains.states(), before);
    // Each term's mean is the share of the states that have it.
    for (term, mean) in second.terms().iter().zip(chains.term_means()) {
        let on = before
            .iter()
            .filter(|state| term.units().iter().all(|&u| state[u]));
        assert_eq!(mean, on.count() as f64 / 128.0);
    }
    assert!(chains.set_weights(&complete(9)).is_err());
    assert!(chains.set_states(&[vec![true; 4]]).is_err());
    chains.set_states(&before).expect("states of this machine");
    assert_eq!(chains.states(), before);
    assert_eq!(packed(&[-1; CHAINS]), u64::MAX);
}
