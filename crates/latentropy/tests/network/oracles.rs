//! Files that others wrote: libDAI's and the UAI competition's models, and dimod's documents.

use super::*;
use latentropy::network::{SpinNetwork, network_from_bytes, read_network};
use std::path::{Path, PathBuf};

/// The folder of outside answers, where it is there.
fn oracles(folder: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/oracles")
        .join(folder);
    if !root.is_dir() {
        eprintln!("skipped: there is no {}", root.display());
        return None;
    }
    Some(root)
}

fn files_ending(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    paths.sort();
    paths
}

/// The weight of the term on these units, 0 where there is none.
fn weight_of<'a>(terms: impl IntoIterator<Item = (&'a Term, f64)>, units: &[usize]) -> f64 {
    let mut terms = terms.into_iter();
    let found = terms.find(|(term, _)| *term == &Term::new(units.to_vec()));
    found.map_or(0.0, |(_, weight)| weight)
}

#[test]
fn libdai_models_have_their_weights() {
    let Some(folder) = oracles("libdai") else {
        return;
    };
    let paths = files_ending(&folder, ".uai");
    assert!(!paths.is_empty());
    for path in paths {
        let loaded = read_network(&path).unwrap();
        assert!(loaded.remarks.is_empty(), "{:?}", loaded.remarks);
        let network = loaded.network;
        let text = std::fs::read(path.with_extension("json")).unwrap();
        let answers: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let model = &answers["model"];
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        let list = |name: &str| model[name].as_array().unwrap().clone();
        let close = |found: f64, expected: f64| {
            assert!(
                (found - expected).abs() <= 1e-9,
                "{}: {found}, {expected}",
                path.display()
            );
        };
        let (biases, edges, weights) = (list("b"), list("edges"), list("W"));
        let (fields, couplings) = (list("ising_h"), list("ising_J"));
        assert_eq!(network.units().len(), biases.len());
        assert_eq!(network.order(), 2);
        let spins = SpinNetwork::of(&network).unwrap();
        let binary = || {
            network
                .terms()
                .iter()
                .zip(network.weights().iter().copied())
        };
        let spin = || spins.terms.iter().map(|(term, weight)| (term, *weight));
        for unit in 0..biases.len() {
            close(weight_of(binary(), &[unit]), number(&biases[unit]));
            close(weight_of(spin(), &[unit]), number(&fields[unit]));
        }
        for (at, edge) in edges.iter().enumerate() {
            let units = edge.as_array().unwrap().iter();
            let units: Vec<usize> = units.map(|unit| unit.as_u64().unwrap() as usize).collect();
            close(weight_of(binary(), &units), number(&weights[at]));
            close(weight_of(spin(), &units), number(&couplings[at]));
        }
        let pairs = network
            .terms()
            .iter()
            .filter(|term| term.order() == 2)
            .count();
        assert!(pairs <= edges.len());
    }
}

#[test]
fn competition_models_are_read_as_pairwise() {
    let Some(folder) = oracles("uai") else { return };
    let paths = files_ending(&folder, ".uai");
    assert!(!paths.is_empty());
    for path in paths {
        let loaded = read_network(&path).unwrap();
        let network = loaded.network;
        assert_eq!(network.order(), 2, "{}", path.display());
        // The state of all ones, table by table: the last entry of each.
        let text = std::fs::read_to_string(&path).unwrap();
        let last_entries = last_entry_of_each_table(&text);
        if last_entries.contains(&0.0) {
            continue;
        }
        let expected: f64 = last_entries.iter().map(|entry| entry.ln()).sum();
        let found = network.exponent(|_| true);
        assert!(
            (found - expected).abs() <= 1e-12 * scale(&network),
            "{}",
            path.display()
        );
    }
}

fn last_entry_of_each_table(text: &str) -> Vec<f64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let count = |at: usize| words[at].parse::<usize>().unwrap();
    let factors = count(2 + count(1));
    let mut at = 3 + count(1);
    for _ in 0..factors {
        at += 1 + count(at);
    }
    let mut last = Vec::new();
    for _ in 0..factors {
        at += 1 + count(at);
        last.push(words[at - 1].parse().unwrap());
    }
    last
}

/// Both documents were written by dimod 0.12.23, and the energies are its own, state by state (the
/// first label is the lowest bit).
#[test]
fn dimod_documents_have_their_energies() {
    let binary: &[u8] = include_bytes!("../fixtures/dimod_binary.bqm.json");
    let spin: &[u8] = include_bytes!("../fixtures/dimod_spin.bqm.json");
    let energies = [
        (
            binary,
            ["coffee", "milk", "tea"],
            [0.75, 2.25, 0.75, 2.25, -1.25, 0.5, -4.375, -2.625],
        ),
        (
            spin,
            ["0", "1", "3"],
            [2.6, 2.4, -7.6, -7.4, -0.4, -0.6, 1.4, 1.6],
        ),
    ];
    for (bytes, names, energies) in energies {
        let network = network_from_bytes(Path::new("d.bqm"), bytes)
            .unwrap()
            .network;
        let units: Vec<&str> = network
            .units()
            .iter()
            .map(|unit| unit.name.as_str())
            .collect();
        assert_eq!(units, names);
        for (exponent, energy) in exponents(&network).into_iter().zip(energies) {
            assert!((exponent + energy).abs() < 1e-14, "{exponent} and {energy}");
        }
    }
}
