//! Outside answers: UAI-2014 models and libDAI's exact results, to the printed digits.

mod common;
mod oracle_files;

use common::shared;
use latentropy::EngineId;
use latentropy::inference::Expectations;
use latentropy::network::{Network, Term, read_network};
use oracle_files::{asked, factor_graph, six_digits};
use serde_json::Value;
use std::path::Path;

fn infer(network: &Network) -> Expectations {
    asked(EngineId::EXACT.engine(), network)
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
