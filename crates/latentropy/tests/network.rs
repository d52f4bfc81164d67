//! Networks from outside: shapes, spins and files, against literal enumeration and outside answers; units held.

#[path = "network/clamps.rs"]
mod clamps;
#[path = "network/faults.rs"]
mod faults;
#[path = "network/oracles.rs"]
mod oracles;
#[path = "network/round_trips.rs"]
mod round_trips;
#[path = "network/terms.rs"]
mod terms;

use latentropy::network::{Network, Role, Term, Unit};
use proptest::prelude::*;

/// Weights of all sizes up to ±1000, zero included.
fn weights() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => -3.0..3.0f64,
        3 => -1000.0..1000.0f64,
        1 => -1e-9..1e-9f64,
        1 => Just(0.0),
    ]
}

/// Networks of 1 to 6 units with odd names, any roles, and different terms of order up to `order`.
fn networks(order: u32) -> impl Strategy<Value = Network> {
    (1usize..=6)
        .prop_flat_map(move |count| {
            let sets: Vec<u32> = (1u32..1 << count)
                .filter(|set| set.count_ones() <= order)
                .collect();
            let most = sets.len();
            (
                proptest::collection::vec(("[a-z \"\\\\,é*#=]{0,5}", any::<bool>()), count),
                proptest::sample::subsequence(sets, 0..=most).prop_shuffle(),
                proptest::collection::vec(weights(), most),
                weights(),
            )
        })
        .prop_map(|(units, sets, weights, constant)| {
            let units = units
                .into_iter()
                .enumerate()
                .map(|(at, (name, hidden))| Unit {
                    name: format!("{name}{at}"),
                    role: if hidden { Role::Hidden } else { Role::Visible },
                });
            let terms = sets
                .into_iter()
                .map(|set| (0..6).filter(|unit| set >> unit & 1 == 1).collect());
            let terms = terms.map(Term::new).zip(weights);
            let constant = [(Term::new(Vec::new()), constant)];
            Network::new(units.collect(), terms.chain(constant)).unwrap()
        })
}

/// All states of so many units, as bits.
fn states(units: usize) -> impl Iterator<Item = u64> {
    0..1u64 << units
}

/// The size of the numbers that an exponent is the sum of.
fn scale(network: &Network) -> f64 {
    1.0 + network.constant().abs()
        + network
            .weights()
            .iter()
            .map(|weight| weight.abs())
            .sum::<f64>()
}

fn exponents(network: &Network) -> Vec<f64> {
    let of_state = |state: u64| network.exponent(|unit| state >> unit & 1 == 1);
    states(network.units().len()).map(of_state).collect()
}

/// Asserts equal exponents in all states, up to `relative` times the sizes of the sums.
fn assert_same_exponents(a: &Network, b: &Network, relative: f64) {
    let tolerance = relative * scale(a).max(scale(b));
    for (state, (x, y)) in exponents(a).into_iter().zip(exponents(b)).enumerate() {
        assert!(
            (x - y).abs() <= tolerance,
            "state {state:b}: {x} and {y}, tolerance {tolerance}"
        );
    }
}
