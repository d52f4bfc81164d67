//! What is converted or written and read again is the same distribution, constant included.

use super::*;
use latentropy::network::{
    Format, SpinNetwork, from_json_value, model_json, network_from_bytes, network_to_bytes,
    read_network, write_network,
};
use std::path::Path;

fn through(format: Format, network: &Network) -> Network {
    let (bytes, _) = network_to_bytes(format, network).unwrap();
    let name = match format {
        Format::Json => "model.json",
        Format::Uai => "model.uai",
        Format::Bqm => "model.bqm",
    };
    let loaded = network_from_bytes(Path::new(name), &bytes).unwrap();
    assert_eq!(loaded.remarks, []);
    loaded.network
}

proptest! {
    #[test]
    fn spins_are_the_same_distribution(network in networks(4)) {
        let spins = SpinNetwork::of(&network).unwrap();
        let size = spins.terms.iter().map(|(_, weight)| weight.abs()).sum::<f64>() + scale(&network);
        for (state, exponent) in exponents(&network).into_iter().enumerate() {
            let spin_exponent = spins.exponent(|unit| state >> unit & 1 == 1);
            prop_assert!((exponent - spin_exponent).abs() <= 1e-12 * size);
        }
        let given: Vec<&Term> = spins.terms.iter().map(|(term, _)| term).collect();
        prop_assert_eq!(&given[..network.terms().len()], &network.terms().iter().collect::<Vec<_>>()[..]);
        let (old, new) = given.split_at(network.terms().len());
        prop_assert!(new.is_sorted_by_key(|term| (term.order(), term.units())));
        prop_assert!(new.iter().all(|term| !old.contains(term)));
        assert_same_exponents(&network, &spins.network().unwrap(), 1e-12);
    }

    #[test]
    fn json_keeps_every_bit(network in networks(4)) {
        prop_assert_eq!(&through(Format::Json, &network), &network);
        prop_assert_eq!(&from_json_value(&model_json(&network)).unwrap(), &network);
    }

    #[test]
    fn uai_keeps_terms_and_exponents(network in networks(4)) {
        let back = through(Format::Uai, &network);
        prop_assert_eq!(back.terms(), network.terms());
        prop_assert_eq!(back.units().len(), network.units().len());
        for (a, b) in network.weights().iter().zip(back.weights()) {
            prop_assert!((a - b).abs() <= 1e-12 * (1.0 + a.abs()), "{a} became {b}");
        }
        prop_assert!((network.constant() - back.constant()).abs() <= 1e-12 * (1.0 + network.constant().abs()));
        assert_same_exponents(&network, &back, 1e-12);
    }

    #[test]
    fn bqm_keeps_units_and_exponents(network in networks(2)) {
        let back = through(Format::Bqm, &network);
        prop_assert_eq!(back.units(), network.units());
        prop_assert_eq!(back.constant(), network.constant());
        assert_same_exponents(&network, &back, 1e-15);
        for (term, weight) in network.terms().iter().zip(network.weights()) {
            let at = back.terms().iter().position(|other| other == term);
            prop_assert_eq!(at.map_or(0.0, |at| back.weights()[at]), *weight);
        }
    }

    /// The terms of several tables over overlapping scopes against the product of the tables.
    #[test]
    fn tables_become_their_product(
        tables in proptest::collection::vec(
            (Just(vec![0usize, 1, 2, 3]).prop_shuffle(), 0usize..=4)
                .prop_flat_map(|(scope, size)| {
                    let entries = proptest::collection::vec(1e-6..1e6f64, 1 << size);
                    (Just(scope[..size].to_vec()), entries)
                }),
            0..5,
        )
    ) {
        let mut text = format!("markov 4 2 2 2 2 {}", tables.len());
        for (scope, _) in &tables {
            text += &format!(" {}", scope.len());
            scope.iter().for_each(|variable| text += &format!(" {variable}"));
        }
        for (_, entries) in &tables {
            text += &format!("\n{}", entries.len());
            entries.iter().for_each(|entry| text += &format!(" {entry:e}"));
        }
        let loaded = network_from_bytes(Path::new("t.uai"), text.as_bytes()).unwrap();
        prop_assert_eq!(loaded.network.units().len(), 4);
        for (state, exponent) in exponents(&loaded.network).into_iter().enumerate() {
            let mut log_product = 0.0;
            for (scope, entries) in &tables {
                let at = scope.iter().fold(0, |at, variable| 2 * at + (state >> variable & 1));
                log_product += entries[at].ln();
            }
            prop_assert!((exponent - log_product).abs() <= 1e-12 * scale(&loaded.network));
        }
    }
}

#[test]
fn files_are_told_apart_by_name_and_content() {
    let directory = tempfile::tempdir().unwrap();
    let units = vec![
        Unit::visible("y1"),
        Unit::hidden("z1"),
        Unit::visible("lonely"),
    ];
    let terms = [(vec![0, 1], 0.7), (vec![1], -1.25), (vec![], 3.5)];
    let terms = terms.map(|(units, weight)| (Term::new(units), weight));
    let network = Network::new(units, terms).unwrap();
    let names = [
        ("a.json", 0),
        ("a.bqm", 1),
        ("a.bqm.json", 1),
        ("A.JSON", 0),
        ("a.uai", 1),
    ];
    for (name, remarks) in names {
        let path = directory.path().join(name);
        let written = write_network(&path, &network).unwrap();
        assert_eq!(written.len(), remarks, "{name}: {written:?}");
        let loaded = read_network(&path).unwrap();
        assert_same_exponents(&network, &loaded.network, 1e-15);
        let keeps_names = !name.ends_with("uai");
        assert_eq!(
            loaded.network.units() == network.units(),
            keeps_names,
            "{name}"
        );
        // A BQM under a plain .json name is known by its content.
        let bytes = std::fs::read(&path).unwrap();
        if keeps_names {
            let loaded = network_from_bytes(Path::new("other.json"), &bytes).unwrap();
            assert_eq!(loaded.network.units(), network.units());
        }
    }
    let left: Vec<_> = std::fs::read_dir(directory.path()).unwrap().collect();
    assert_eq!(left.len(), names.len());
}

#[test]
fn nothing_is_lost_from_plain_units_in_uai() {
    let network = Network::new(vec![Unit::visible("x0"), Unit::visible("x1")], []).unwrap();
    let (bytes, remarks) = network_to_bytes(Format::Uai, &network).unwrap();
    assert!(remarks.is_empty());
    assert_eq!(
        network_from_bytes(Path::new("m.uai"), &bytes)
            .unwrap()
            .network,
        network
    );
}

#[test]
fn hard_zeros_are_counted_and_change_no_probability() {
    let text = b"BAYES 2 2 2  2  1 0  2 0 1  2 0.25 0.75  4 1 0 0 1";
    let loaded = network_from_bytes(Path::new("m.uai"), text).unwrap();
    assert_eq!(loaded.remarks.len(), 1);
    assert!(
        loaded.remarks[0]
            .to_string()
            .starts_with("2 table entries are 0"),
        "{}",
        loaded.remarks[0]
    );
    let found: Vec<f64> = exponents(&loaded.network)
        .into_iter()
        .map(f64::exp)
        .collect();
    for (found, expected) in found.into_iter().zip([0.25, 0.0, 0.0, 0.75]) {
        assert!((found - expected).abs() < 1e-12, "{found} and {expected}");
    }
}

#[test]
fn large_tables_with_zeros_say_how_exact_they_are() {
    let entry = |at: usize| {
        if at % 5 < 2 {
            0.0
        } else {
            0.001 * (at * 7919 % 1009 + 1) as f64
        }
    };
    for (variables, is_exact) in [(8, true), (14, false)] {
        let entries: Vec<f64> = (0..1 << variables).map(entry).collect();
        let words: Vec<String> = entries.iter().map(f64::to_string).collect();
        // The scope is reversed, so that the first variable is the lowest bit of an entry's index.
        let scope: Vec<String> = (0..variables).rev().map(|v: usize| v.to_string()).collect();
        let text = format!(
            "MARKOV {variables} {} 1 {variables} {} {} {}",
            vec!["2"; variables].join(" "),
            scope.join(" "),
            entries.len(),
            words.join(" ")
        );
        let loaded = network_from_bytes(Path::new("m.uai"), text.as_bytes()).unwrap();
        assert_eq!(
            loaded.remarks.len(),
            if is_exact { 1 } else { 2 },
            "{:?}",
            loaded.remarks
        );
        let tolerance = f64::EPSILON * scale(&loaded.network);
        let possible = entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| **entry > 0.0);
        for (at, &entry) in possible.take(300) {
            let exponent = loaded.network.exponent(|unit| at >> unit & 1 == 1);
            assert!(
                (exponent - entry.ln()).abs() <= tolerance,
                "{entry}: {exponent}"
            );
        }
    }
}
