//! Machines in two layers against exact sums.

use super::{ChainState, Layers, Layout, Population, Scratch};
use crate::inference::kernels::{LaneRandom, chain_stream};
use crate::inference::literal;
use crate::network::{Network, Shape, TermOptions, Unit, named_terms};

/// A machine with waves for weights.
fn machine(visible: usize, hidden: usize, shape: Shape, size: f64) -> Network {
    let names = (0..visible).map(|at| Unit::visible(format!("v{at}")));
    let others = (0..hidden).map(|at| Unit::hidden(format!("h{at}")));
    let units: Vec<Unit> = names.chain(others).collect();
    let options = TermOptions {
        shape,
        ..TermOptions::default()
    };
    let terms = named_terms(&units, &options).unwrap();
    let wave = |at: usize| size * (1.7 * at as f64 + 0.3).sin();
    let weighted = terms.into_iter().enumerate();
    Network::new(units, weighted.map(|(at, term)| (term, wave(at)))).unwrap()
}

/// The weights of a machine between independent columns and itself.
fn along(network: &Network, share: f64) -> Vec<f64> {
    network.weights().iter().map(|w| share * w).collect()
}

#[test]
fn weights_come_back_as_they_went_in() {
    for shape in [Shape::Rbm, Shape::SemiRestricted] {
        let network = machine(11, 9, shape, 1.0);
        let layout = Layout::of(&network).unwrap();
        let mut back = vec![0.0; network.terms().len()];
        Layers::new(&layout, network.weights()).write(&layout, &mut back);
        for (found, expected) in back.iter().zip(network.weights()) {
            assert!((found - expected).abs() < 1e-6);
        }
    }
    assert!(Layout::of(&machine(3, 2, Shape::Full, 1.0)).is_err());
    assert!(Layout::of(&machine(4, 0, Shape::Visible, 1.0)).is_ok());
}

#[test]
fn sums_and_sweeps_are_those_of_the_machine() {
    for (hidden, shape) in [
        (3, Shape::Rbm),
        (3, Shape::SemiRestricted),
        (0, Shape::Visible),
    ] {
        let network = machine(5, hidden, shape, 1.2);
        let layout = Layout::of(&network).unwrap();
        let layers = Layers::new(&layout, network.weights());
        let none = crate::network::Clamp::none(network.units().len());
        let (mut scratch, mut state) = (Scratch::default(), ChainState::default());
        // log Σ_z by the definition.
        for pattern in 0u32..32 {
            let on: Vec<u32> = (0..5).filter(|at| pattern >> at & 1 == 1).collect();
            let states = literal::states(&network, &none);
            let own = states
                .iter()
                .filter(|(s, _)| (0..5).all(|at| s[at] == (pattern >> at & 1 == 1)));
            let expected = own.map(|(_, exponent)| exponent.exp()).sum::<f64>().ln();
            assert!((layers.log_sum(&on, &mut scratch) - expected).abs() < 1e-5);
        }
        let expected = literal::expectations(&network, &none).means;
        let mut random = LaneRandom::new(&mut chain_stream(5, 0));
        let (sweeps, mut ones) = (60_000, vec![0.0; network.units().len()]);
        for _ in 0..sweeps {
            layers.sweep(&mut state, &mut random, &mut scratch);
            state
                .visible
                .iter()
                .for_each(|&at| ones[at as usize] += 1.0);
            state
                .hidden
                .iter()
                .for_each(|&at| ones[5 + at as usize] += 1.0);
        }
        for (ones, expected) in ones.iter().zip(&expected) {
            let found = ones / f64::from(sweeps);
            assert!(
                (found - expected).abs() < 0.02,
                "{shape} {found} {expected}"
            );
        }
    }
}

/// Estimates less the truth in units of their errors, over seeds: about standard normal.
#[test]
fn a_population_finds_log_z_within_its_errors() {
    for shape in [Shape::Rbm, Shape::SemiRestricted] {
        let network = machine(7, 4, shape, 2.0);
        let layout = Layout::of(&network).unwrap();
        let none = crate::network::Clamp::none(network.units().len());
        let exact = literal::expectations(&network, &none).log_partition.value;
        let mut beyond = 0;
        for seed in 0..40 {
            let terms = network.terms().len();
            let mut population = Population::new(layout.clone(), &[0.3; 7], terms, 16, seed);
            for share in [0.4, 1.0] {
                population.follow(&along(&network, share));
            }
            let (value, std_err) = population.log_partition();
            assert!(std_err < 0.05, "{std_err}");
            beyond += usize::from((value - exact).abs() > 2.2 * std_err);
        }
        assert!(beyond <= 5, "{shape}: {beyond} of 40 are far off");
    }
}

#[test]
fn a_population_goes_on_where_it_was() {
    let network = machine(6, 3, Shape::SemiRestricted, 1.0);
    let layout = Layout::of(&network).unwrap();
    let terms = network.terms().len();
    let mut whole = Population::new(layout.clone(), &[0.0; 6], terms, 3, 1);
    whole.follow(&along(&network, 0.5));
    let mut rest = Population::go_on(layout, whole.carried());
    for population in [&mut whole, &mut rest] {
        population.follow(network.weights());
    }
    assert_eq!(whole.log_partition(), rest.log_partition());
}
