//! Readers of the outside answers, and the models they belong to.
#![allow(dead_code, unreachable_pub, missing_docs)]

use super::common::shared;
use latentropy::inference::{Demand, Engine, Expectations};
use latentropy::network::{Clamp, Network, SpinNetwork, Term, Unit, read_network};
use serde_json::Value;
use std::path::Path;

/// Half a unit of the sixth significant digit, and the rounding of whoever printed it.
pub fn six_digits(ours: f64, printed: f64) -> bool {
    (ours - printed).abs() <= 1.01e-5 * 10f64.powf(printed.abs().log10().floor()).max(1e-5)
}

/// What an engine says of a network, no unit held.
pub fn asked(engine: &dyn Engine, network: &Network) -> Expectations {
    let none = Clamp::none(network.units().len());
    let prepared = engine.prepare(network, &none, &Demand::default()).unwrap();
    prepared.answer(network.weights()).unwrap().expectations
}

/// UAI models whose names start with one of these: name, network, log10 Z, P(x = 1).
pub fn uai(starts: &[&str]) -> Vec<(String, Network, f64, Vec<f64>)> {
    let Some(folder) = shared("oracles/uai") else {
        return Vec::new();
    };
    let mut models = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().to_string();
        let wanted = starts.iter().any(|start| name.starts_with(start));
        if !wanted || path.extension().is_none_or(|e| e != "uai") {
            continue;
        }
        let numbers = |kind: &str| -> Vec<f64> {
            let text = std::fs::read_to_string(folder.join(format!("{name}.uai.{kind}"))).unwrap();
            let words = text.split_whitespace().skip(1);
            words.map(|word| word.parse().unwrap()).collect()
        };
        let marginals = numbers("MAR")[1..].chunks(3).map(|m| m[2]).collect();
        let network = read_network(&path).unwrap().network;
        models.push((name.clone(), network, numbers("PR")[0], marginals));
    }
    assert!(!models.is_empty(), "no models in {}", folder.display());
    models
}

/// A model with libDAI's answers.
pub struct LibdaiCase {
    pub name: String,
    pub network: Network,
    pub document: Value,
    pub edges: Vec<Term>,
}

impl LibdaiCase {
    pub fn infer(&self, engine: &dyn Engine) -> Expectations {
        asked(engine, &self.network)
    }

    pub fn has(&self, method: &str) -> bool {
        !self.document["methods"][method].is_null()
    }

    pub fn log_partition(&self, method: &str) -> f64 {
        self.document["methods"][method]["logZ"].as_f64().unwrap()
    }

    pub fn means(&self, method: &str) -> Vec<f64> {
        let means = self.document["methods"][method]["p1"].as_array().unwrap();
        means.iter().map(|m| m.as_f64().unwrap()).collect()
    }

    /// Log Z, means and pairs of an answer against those of a method, to `tolerance`.
    pub fn compare(&self, found: &Expectations, method: &str, tolerance: f64) {
        let theirs = &self.document["methods"][method];
        let near = |ours: f64, theirs: &Value, what: &str| {
            let theirs = theirs.as_f64().unwrap();
            assert!(
                (ours - theirs).abs() <= tolerance * (1.0 + theirs.abs()),
                "{} {method} {what}: {ours} against {theirs}",
                self.name
            );
        };
        near(found.log_partition.value, &theirs["logZ"], "log Z");
        for (unit, mean) in found.means.iter().enumerate() {
            near(*mean, &theirs["p1"][unit], "mean");
        }
        if theirs["p11"].is_null() {
            return;
        }
        for (at, edge) in self.edges.iter().enumerate() {
            let terms = self.network.terms();
            let index = terms.iter().position(|term| term == edge).unwrap();
            near(found.terms[index], &theirs["p11"][at], "pair");
        }
    }
}

/// Every model with libDAI's answers, by name.
pub fn libdai() -> Vec<LibdaiCase> {
    let Some(folder) = shared("oracles/libdai") else {
        return Vec::new();
    };
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let document: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let units = document["nvar"].as_u64().unwrap() as usize;
        let uai = path.with_extension("uai");
        let network = if uai.exists() {
            read_network(&uai).unwrap().network
        } else {
            factor_graph(&path.with_extension("fg"), units)
        };
        let edges = document["edges"].as_array().unwrap().iter().map(|edge| {
            let ends = edge.as_array().unwrap().iter();
            Term::new(ends.map(|u| u.as_u64().unwrap() as usize).collect())
        });
        cases.push(LibdaiCase {
            name: path.file_stem().unwrap().to_string_lossy().to_string(),
            network,
            edges: edges.collect(),
            document,
        });
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(cases.len() >= 9, "only {} answers", cases.len());
    cases
}

/// Couplings and log Z of the open 10×10 Ising grids.
pub fn open_ising() -> Vec<(f64, f64)> {
    ising("open 10x10 K=")
}

/// Couplings and log Z of Ising tori of this side.
pub fn torus_ising(side: usize) -> Vec<(f64, f64)> {
    ising(&format!("torus {side}x{side} K="))
}

fn ising(start: &str) -> Vec<(f64, f64)> {
    let Some(path) = shared("oracles/ising2d_exact.json") else {
        return Vec::new();
    };
    let document: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let entries = document.as_object().unwrap().iter();
    entries
        .filter_map(|(name, value)| {
            let coupling = name.strip_prefix(start)?;
            Some((coupling.parse().unwrap(), value.as_f64().unwrap()))
        })
        .collect()
}

/// A grid of spins with one coupling, open or closed to a torus, in {0,1}.
pub fn grid((rows, columns): (usize, usize), coupling: f64, torus: bool) -> Network {
    let mut pairs = Vec::new();
    for r in 0..rows {
        for c in 0..columns {
            if c + 1 < columns || torus {
                pairs.push((r * columns + c, r * columns + (c + 1) % columns));
            }
            if r + 1 < rows || torus {
                pairs.push((r * columns + c, (r + 1) % rows * columns + c));
            }
        }
    }
    let units = (0..rows * columns).map(|u| Unit::visible(format!("x{u}")));
    let terms = pairs.into_iter();
    SpinNetwork {
        units: units.collect(),
        terms: terms
            .map(|(a, b)| (Term::new(vec![a, b]), coupling))
            .collect(),
        constant: 0.0,
    }
    .network()
    .unwrap()
}

/// libDAI's own format for the one model that has no UAI file: tables over one or two binary variables, first variable fastest.
pub fn factor_graph(path: &Path, units: usize) -> Network {
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
                .map(|sub| match (mask ^ sub).count_ones() % 2 {
                    0 => table[sub],
                    _ => -table[sub],
                })
                .sum();
            let key = (0..arity)
                .filter(|b| mask >> b & 1 == 1)
                .map(|b| scope[b])
                .collect();
            *weights.entry(key).or_default() += weight;
        }
    }
    let names = (0..units).map(|u| Unit::visible(format!("x{u}"))).collect();
    Network::new(
        names,
        weights.into_iter().map(|(key, w)| (Term::new(key), w)),
    )
    .unwrap()
}
