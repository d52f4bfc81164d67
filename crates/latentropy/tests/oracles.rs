//! Outside answers: UAI-2014 models and libDAI's exact results, to the printed digits.

mod common;

use common::shared;
use latentropy::inference::{Clamp, FeatureExpectations, exact_engine};
use latentropy::network::{Network, Term, read_network};
use serde_json::Value;
use std::path::Path;

fn infer(network: &Network) -> latentropy::inference::Expectations {
    let none = Clamp::none(network.units().len());
    exact_engine(network, &none)
        .unwrap()
        .expectations(network, &none)
        .unwrap()
}

/// Half a unit of the sixth significant digit, and the rounding of whoever printed it.
fn six_digits(ours: f64, printed: f64) -> bool {
    (ours - printed).abs() <= 1.01e-5 * 10f64.powf(printed.abs().log10().floor()).max(1e-5)
}

#[test]
fn uai_models_that_an_exact_engine_can_hold() {
    let Some(folder) = shared("oracles/uai") else {
        return;
    };
    for name in ["DBN_11", "DBN_14"] {
        let network = read_network(&folder.join(format!("{name}.uai")))
            .unwrap()
            .network;
        let found = infer(&network);
        let read = |kind: &str| {
            std::fs::read_to_string(folder.join(format!("{name}.uai.{kind}"))).unwrap()
        };
        let printed: f64 = read("PR")
            .split_whitespace()
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        let ours = found.log_partition.value / std::f64::consts::LN_10;
        assert!(
            six_digits(ours, printed),
            "{name}: log10 Z {ours} against {printed}"
        );
        let marginals: Vec<f64> = read("MAR")
            .split_whitespace()
            .skip(2)
            .map(|t| t.parse().unwrap())
            .collect();
        for (unit, triple) in marginals.chunks(3).enumerate() {
            assert!(
                six_digits(found.means[unit], triple[2]),
                "{name} unit {unit}: {} against {}",
                found.means[unit],
                triple[2]
            );
        }
    }
}

#[test]
fn every_exact_answer_of_libdai() {
    let Some(folder) = shared("oracles/libdai") else {
        return;
    };
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let document: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        compare_with_libdai(&path, &document);
        seen += 1;
    }
    assert!(seen >= 9, "only {seen} answers");
}

fn compare_with_libdai(path: &Path, document: &Value) {
    let edges: Vec<Vec<usize>> = document["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| {
            e.as_array()
                .unwrap()
                .iter()
                .map(|u| u.as_u64().unwrap() as usize)
                .collect()
        })
        .collect();
    let uai = path.with_extension("uai");
    let network = if uai.exists() {
        read_network(&uai).unwrap().network
    } else {
        factor_graph(
            &path.with_extension("fg"),
            document["nvar"].as_u64().unwrap() as usize,
        )
    };
    let found = infer(&network);
    let exact = &document["methods"]["EXACT_JTREE"];
    let near = |ours: f64, theirs: &Value, what: &str| {
        let theirs = theirs.as_f64().unwrap();
        assert!(
            (ours - theirs).abs() <= 1e-12 * (1.0 + theirs.abs()),
            "{} {what}: {ours} against {theirs}",
            path.display()
        );
    };
    near(found.log_partition.value, &exact["logZ"], "log Z");
    for (unit, mean) in found.means.iter().enumerate() {
        near(*mean, &exact["p1"][unit], "mean");
    }
    for (at, edge) in edges.iter().enumerate() {
        let term = Term::new(edge.clone());
        let index = network.terms().iter().position(|t| *t == term).unwrap();
        near(found.terms[index], &exact["p11"][at], "pair");
    }
}

/// libDAI's own format for the one model that has no UAI file: tables over one or two binary variables, first variable fastest.
fn factor_graph(path: &Path, units: usize) -> Network {
    let text = std::fs::read_to_string(path).unwrap();
    let mut tokens = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace);
    let mut next = || tokens.next().unwrap();
    let factors: usize = next().parse().unwrap();
    let mut weights: std::collections::BTreeMap<Vec<usize>, f64> = Default::default();
    for _ in 0..factors {
        let arity: usize = next().parse().unwrap();
        let scope: Vec<usize> = (0..arity).map(|_| next().parse().unwrap()).collect();
        for _ in 0..arity {
            assert_eq!(next(), "2");
        }
        let entries: usize = next().parse().unwrap();
        let mut table = vec![0.0; 1 << arity];
        for _ in 0..entries {
            let index: usize = next().parse().unwrap();
            table[index] = next().parse::<f64>().unwrap().ln();
        }
        for mask in 0..1usize << arity {
            let weight: f64 = (0..1usize << arity)
                .filter(|sub| sub & mask == *sub)
                .map(|sub| {
                    let sign = if (mask ^ sub).count_ones() % 2 == 0 {
                        1.0
                    } else {
                        -1.0
                    };
                    sign * table[sub]
                })
                .sum();
            let key = (0..arity)
                .filter(|b| mask >> b & 1 == 1)
                .map(|b| scope[b])
                .collect();
            *weights.entry(key).or_default() += weight;
        }
    }
    let names = (0..units)
        .map(|u| latentropy::network::Unit::visible(format!("x{u}")))
        .collect();
    Network::new(
        names,
        weights.into_iter().map(|(key, w)| (Term::new(key), w)),
    )
    .unwrap()
}
