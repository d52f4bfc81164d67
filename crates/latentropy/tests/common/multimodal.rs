//! Machines whose log Z is known exactly, some with well separated modes: what estimates of log Z are measured by.
#![allow(dead_code, unreachable_pub, missing_docs)]

use latentropy::fit::{Ridge, Structure};
use latentropy::network::{Network, Shape, SpinNetwork, Term, TermOptions, Unit};
use latentropy::{Dataset, Request, fit};
use rand::RngExt;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// Hopfield's machine: `patterns` random patterns of `units` spins, couplings strength / units · Σ ξ ξ.
pub fn hopfield(units: usize, patterns: usize, strength: f64) -> Network {
    let mut random = ChaCha8Rng::seed_from_u64(17);
    let patterns: Vec<Vec<f64>> = (0..patterns)
        .map(|_| {
            (0..units)
                .map(|_| f64::from(random.random_range(0..2)) * 2.0 - 1.0)
                .collect()
        })
        .collect();
    let mut terms = Vec::new();
    for a in 0..units {
        for b in a + 1..units {
            let sum: f64 = patterns.iter().map(|pattern| pattern[a] * pattern[b]).sum();
            terms.push((Term::new(vec![a, b]), strength / units as f64 * sum));
        }
    }
    let spins = SpinNetwork {
        units: (0..units)
            .map(|unit| Unit::visible(format!("x{unit}")))
            .collect(),
        constant: 0.0,
        terms,
    };
    spins.network().expect("a valid network")
}

/// The patterns of bars and stripes on a square of this side.
pub fn bars_and_stripes(side: usize) -> Dataset {
    let mut rows: Vec<Vec<i8>> = Vec::new();
    for choice in 0..1usize << side {
        for upright in [false, true] {
            let cell = |at: usize| {
                let line = if upright { at % side } else { at / side };
                (choice >> line & 1) as i8
            };
            let row: Vec<i8> = (0..side * side).map(cell).collect();
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    Dataset::from_rows(&rows).expect("valid rows")
}

/// A restricted machine that was fitted to bars and stripes: as many modes as patterns.
pub fn learned_bars_and_stripes(side: usize, hidden: usize) -> Network {
    let request = Request {
        structure: Structure::Named(TermOptions {
            shape: Shape::Rbm,
            ..TermOptions::default()
        }),
        ridge: Ridge::Value(0.02),
        restarts: Some(2),
        seed: 3,
        ..Request::with_hidden(hidden)
    };
    let found = fit(&bars_and_stripes(side), &request).expect("a fit");
    found.candidates[found.selected].network.clone()
}

/// All pairs and biases of normal size: chains mix well.
pub fn well_mixing(units: usize, scale: f64) -> Network {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let network = Network::full(units, 0);
    let weights = network
        .terms()
        .iter()
        .map(|_| scale * (2.0 * random.random::<f64>() - 1.0));
    network
        .with_weights(weights.collect())
        .expect("a weight per term")
}
