//! What the integration tests share: random networks, closeness, and where the outside answers lie.
#![allow(dead_code, unreachable_pub, missing_docs)]

pub mod fits;
pub mod truths;

use latentropy::network::{Clamp, Network, Term, Unit};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A network of 1 to `most` units with random terms of any order up to 4, and a random clamp.
pub fn network_and_clamp(most: usize, scale: f64) -> impl Strategy<Value = (Network, Clamp)> {
    (1..=most)
        .prop_flat_map(move |units| {
            let term = prop::collection::btree_set(0..units, 1..=units.min(4));
            (
                Just(units),
                prop::collection::btree_set(term, 0..3 * units),
                prop::collection::vec(-scale..scale, 3 * units),
                prop::collection::vec(prop::option::weighted(0.25, any::<bool>()), units),
                -3.0..3.0f64,
            )
        })
        .prop_map(|(units, terms, weights, clamp, constant)| {
            (build(units, terms, &weights, constant), Clamp::new(clamp))
        })
}

fn build(
    units: usize,
    terms: BTreeSet<BTreeSet<usize>>,
    weights: &[f64],
    constant: f64,
) -> Network {
    let names = (0..units).map(|u| {
        if u % 3 == 2 {
            Unit::hidden(format!("z{u}"))
        } else {
            Unit::visible(format!("y{u}"))
        }
    });
    let weighted = terms
        .into_iter()
        .zip(weights)
        .map(|(units, &w)| (Term::new(units.into_iter().collect()), w))
        .chain([(Term::new(vec![]), constant)]);
    Network::new(names.collect(), weighted).expect("a valid network")
}

/// A complete pairwise network with or without biases, weights from a slice used round and round.
pub fn complete(units: usize, bias: bool, weights: &[f64]) -> Network {
    let names = (0..units).map(|u| Unit::visible(format!("x{u}"))).collect();
    let mut terms: Vec<Term> = Vec::new();
    if bias {
        terms.extend((0..units).map(|u| Term::new(vec![u])));
    }
    for a in 0..units {
        terms.extend((a + 1..units).map(|b| Term::new(vec![a, b])));
    }
    let weighted = terms.into_iter().zip(weights.iter().copied().cycle());
    Network::new(names, weighted).expect("a valid network")
}

/// |a − b| within `tolerance` of the larger size, or of `floor` where both are smaller.
pub fn close(a: f64, b: f64, tolerance: f64, floor: f64) -> bool {
    a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(floor)
}

/// The folder of outside data and answers, or `None` with a printed reason.
pub fn shared(part: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared")
        .join(part);
    if path.exists() {
        Some(path)
    } else {
        eprintln!("skipped: {} is not there", path.display());
        None
    }
}

/// Every non-empty part of every term, the terms among them: the smallest machine with these terms that can be recoded.
pub fn with_all_parts(terms: &BTreeSet<BTreeSet<usize>>) -> BTreeSet<BTreeSet<usize>> {
    let mut all = BTreeSet::new();
    for term in terms {
        let units: Vec<usize> = term.iter().copied().collect();
        for bits in 1..1usize << units.len() {
            let part = units.iter().enumerate();
            all.insert(
                part.filter(|(at, _)| bits >> at & 1 == 1)
                    .map(|(_, &unit)| unit)
                    .collect(),
            );
        }
    }
    all
}

/// The penalty as it is defined: Σ r κ²/(2T), κ_U = Σ_{V ⊇ U} λ_V Π μ, if every part of a term is a term; else the
/// plain ridge.
pub fn literal_penalty(
    network: &Network,
    data: &latentropy::Dataset,
    weights: &[f64],
    objective: latentropy::learning::Objective,
) -> f64 {
    let sets: BTreeSet<BTreeSet<usize>> = network
        .terms()
        .iter()
        .map(|term| term.units().iter().copied().collect())
        .collect();
    let rows = data.known_weight();
    if with_all_parts(&sets) != sets {
        return objective.ridge * weights.iter().map(|w| w * w).sum::<f64>() / (2.0 * rows);
    }
    let visible = network.visible();
    let centre = |unit: usize| match visible.iter().position(|&v| v == unit) {
        Some(column) => {
            let (mut ones, mut known) = (0.0, 0.0);
            for row in 0..data.len() {
                match data.cell(row, column) {
                    latentropy::data::Cell::One => {
                        ones += data.row_weight(row);
                        known += data.row_weight(row);
                    }
                    latentropy::data::Cell::Zero => known += data.row_weight(row),
                    latentropy::data::Cell::Missing => {}
                }
            }
            if known > 0.0 { ones / known } else { 0.5 }
        }
        None => 0.5,
    };
    let mut sum = 0.0;
    for inner in network.terms() {
        let mut value = 0.0;
        for (outer, weight) in network.terms().iter().zip(weights) {
            if inner
                .units()
                .iter()
                .all(|unit| outer.units().contains(unit))
            {
                let rest = outer.units().iter();
                let rest = rest.filter(|unit| !inner.units().contains(unit));
                value += weight * rest.map(|&unit| centre(unit)).product::<f64>();
            }
        }
        let strength = match inner.order() {
            1 => objective.bias_ridge,
            _ => objective.ridge,
        };
        sum += strength * value * value;
    }
    sum / (2.0 * rows)
}
