//! Moments of pairs and of units given rows, against the literal enumeration.

mod common;

use common::{close, network_and_clamp};
use latentropy::answers::pair_moments;
use latentropy::data::{Cell, Dataset};
use latentropy::internals::literal;
use latentropy::network::{Clamp, Network, Shape, TermOptions, Unit, named_terms};
use latentropy::posterior_means;
use proptest::prelude::*;

fn check_pairs(network: &Network) {
    let units: Vec<usize> = (0..network.units().len()).collect();
    let states = literal::states(network, &Clamp::none(units.len()));
    let total: f64 = states.iter().map(|(_, exponent)| exponent.exp()).sum();
    let mut expected = Vec::new();
    for &a in &units {
        for &b in &units[a + 1..] {
            let on = states.iter().filter(|(state, _)| state[a] && state[b]);
            expected.push(on.map(|(_, exponent)| exponent.exp()).sum::<f64>() / total);
        }
    }
    let found = pair_moments(network, &units).unwrap();
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert!(close(*found, *expected, 1e-11, 1.0), "{found} {expected}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn pairs_are_those_of_the_definition(
        (network, _) in network_and_clamp(8, 2.0),
        weights in prop::collection::vec(-2.0..2.0f64, 10),
    ) {
        check_pairs(&network);
        // Every pair a term: the other way.
        check_pairs(&common::complete(5, true, &weights));
    }

    #[test]
    fn units_given_rows_are_those_of_the_definition(
        (network, _) in network_and_clamp(7, 2.0),
        bits in prop::collection::vec(0..3u8, 28),
    ) {
        let visible = network.visible();
        let names: Vec<String> = visible.iter().map(|&u| network.units()[u].name.clone()).collect();
        let cells = bits.chunks(7).map(|row| {
            let cell = |bit: &u8| [Cell::Zero, Cell::One, Cell::Missing][*bit as usize];
            row[..visible.len()].iter().map(cell).collect::<Vec<Cell>>()
        });
        let data = Dataset::from_cells(names, true, cells).unwrap();
        let found = posterior_means(&network, &data).unwrap();
        for (row, found) in data.rows().iter().zip(&found) {
            let mut clamp = Clamp::none(network.units().len());
            for (column, &unit) in visible.iter().enumerate() {
                match row.cell(column) {
                    Cell::Missing => {}
                    cell => clamp.hold(unit, cell == Cell::One).unwrap(),
                }
            }
            let expected = literal::expectations(&network, &clamp).means;
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!(close(*found, *expected, 1e-11, 1.0));
            }
        }
    }
}

#[test]
fn a_restricted_machine_too_large_to_enumerate() {
    let mut units: Vec<Unit> = (0..60).map(|u| Unit::visible(format!("y{u}"))).collect();
    units.extend((0..3).map(|u| Unit::hidden(format!("z{u}"))));
    let options = TermOptions {
        shape: Shape::Rbm,
        ..TermOptions::default()
    };
    let terms = named_terms(&units, &options).unwrap();
    let weighted = terms.into_iter().enumerate();
    let network = Network::new(
        units,
        weighted.map(|(at, term)| (term, 0.1 * ((at % 7) as f64 - 3.0))),
    )
    .unwrap();
    let moments = pair_moments(&network, &network.visible()).unwrap();
    assert_eq!(moments.len(), 60 * 59 / 2);
    assert!(moments.iter().all(|m| *m > 0.0 && *m < 1.0));
}
