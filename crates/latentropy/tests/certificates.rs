//! Certificates against a dense numerical Hessian, and two hundred problems that all end certified.
//!
//! Gradient and Hessian are recomputed here from the definition: every one of the 2^8 states, no kernel of the library.

mod common;

use common::{fits, truths};
use faer::{MatRef, Side};
use latentropy::data::Dataset;
use latentropy::learning::StopReason;
use latentropy::network::{Network, Shape};
use latentropy::selection::{Candidate, CertificateKind};
use latentropy::{Request, fit};

const VISIBLE: usize = 5;
const UNITS: usize = 8;
const ROWS: [usize; 7] = [10, 20, 50, 100, 200, 500, 1000];
const SCALES: [f64; 4] = [0.5, 1.0, 2.0, 4.0];
const BOUND: f64 = 15.0;

/// Five visible and three hidden units, every pair, no biases: the paper's machine.
fn machine() -> Network {
    truths::machine(VISIBLE, UNITS - VISIBLE, Shape::Full)
}

/// The features of every state, by the definition.
fn features(network: &Network) -> Vec<Vec<f64>> {
    (0..1usize << UNITS)
        .map(|state| {
            let is_on = |unit: &usize| state >> unit & 1 == 1;
            let terms = network.terms().iter();
            terms
                .map(|term| f64::from(term.units().iter().all(is_on)))
                .collect()
        })
        .collect()
}

/// ∂L/∂λ = Σ_y p̃(y) E[f | y] − E f, with L the mean log-likelihood of a row.
fn gradient(features: &[Vec<f64>], data: &Dataset, weights: &[f64]) -> Vec<f64> {
    let dot = |f: &[f64]| -> f64 { f.iter().zip(weights).map(|(a, b)| a * b).sum() };
    let exponents: Vec<f64> = features.iter().map(|f| dot(f)).collect();
    let mean_over = |states: &mut dyn Iterator<Item = usize>| {
        let states: Vec<usize> = states.collect();
        let largest = states
            .iter()
            .map(|&s| exponents[s])
            .fold(f64::NEG_INFINITY, f64::max);
        let (mut total, mut sums) = (0.0, vec![0.0; weights.len()]);
        for s in states {
            let weight = (exponents[s] - largest).exp();
            total += weight;
            for (sum, f) in sums.iter_mut().zip(&features[s]) {
                *sum += weight * f;
            }
        }
        sums.iter_mut().for_each(|sum| *sum /= total);
        sums
    };
    let mut result: Vec<f64> = mean_over(&mut (0..features.len()))
        .iter()
        .map(|free| -free)
        .collect();
    for (row, &count) in data.rows().iter().zip(data.counts()) {
        let shown: usize = (0..VISIBLE)
            .filter(|&c| row.ones.get(c))
            .map(|c| 1 << c)
            .sum();
        let hidden = 0..1usize << (UNITS - VISIBLE);
        let posterior = mean_over(&mut hidden.map(|z| z << VISIBLE | shown));
        for (entry, mean) in result.iter_mut().zip(posterior) {
            *entry += count as f64 / data.len() as f64 * mean;
        }
    }
    result
}

/// The largest eigenvalue of the Hessian over the terms `free`, by central differences of the gradient.
fn largest_eigenvalue(
    features: &[Vec<f64>],
    data: &Dataset,
    weights: &[f64],
    free: &[usize],
) -> f64 {
    const STEP: f64 = 1e-4;
    let size = free.len();
    if size == 0 {
        return f64::NEG_INFINITY;
    }
    let mut matrix = vec![0.0; size * size];
    for (a, &term) in free.iter().enumerate() {
        let at = |step: f64| {
            let mut moved = weights.to_vec();
            moved[term] += step;
            gradient(features, data, &moved)
        };
        let (up, down) = (at(STEP), at(-STEP));
        for (b, &other) in free.iter().enumerate() {
            let slope = (up[other] - down[other]) / (2.0 * STEP);
            matrix[a * size + b] += 0.5 * slope;
            matrix[b * size + a] += 0.5 * slope;
        }
    }
    let matrix = MatRef::from_row_major_slice(&matrix, size, size);
    let values = matrix.self_adjoint_eigenvalues(Side::Lower).unwrap();
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// Fails unless the certificate's kind is what residual, signs and curvature say.
fn check(features: &[Vec<f64>], data: &Dataset, c: &Candidate, at: &str) {
    // Truncation of the differences (1e-8 times a third derivative of at most about one), summed over the terms.
    const CURVATURE: f64 = 1e-7;
    // The library's gradient and this one differ by rounding only.
    const ROUNDING: f64 = 1e-12;
    let weights = c.network.weights();
    let gradient = gradient(features, data, weights);
    let is_edge = |term: &usize| weights[*term].abs() >= BOUND;
    let residual = (0..weights.len())
        .map(
            |term| match is_edge(&term) && gradient[term] * weights[term] > 0.0 {
                true => 0.0,
                false => gradient[term].abs(),
            },
        )
        .fold(0.0, f64::max);
    assert!(
        (residual - c.residual).abs() <= ROUNDING,
        "{at}: residual {residual}"
    );
    let (edge, free): (Vec<usize>, Vec<usize>) = (0..weights.len()).partition(is_edge);
    assert_eq!(edge, c.certificate.boundary_terms, "{at}");
    let curvature = largest_eigenvalue(features, data, weights, &free);
    match c.certificate.kind {
        CertificateKind::InteriorLocalMaximum => {
            assert!(edge.is_empty(), "{at}");
            assert!(residual <= 1e-8 + ROUNDING, "{at}: residual {residual}");
            assert!(curvature <= CURVATURE, "{at}: curvature {curvature}");
        }
        CertificateKind::Boundary => {
            assert!(!edge.is_empty(), "{at}");
            assert!(residual <= 1e-8 + ROUNDING, "{at}: residual {residual}");
            for term in edge {
                let outward = gradient[term] * weights[term].signum();
                assert!(outward >= -1e-8 - ROUNDING, "{at}: inward by {outward}");
            }
            assert!(curvature <= CURVATURE, "{at}: curvature {curvature}");
        }
        CertificateKind::Saddle => {
            assert!(residual <= 1e-8 + ROUNDING, "{at}: residual {residual}");
            // A weight at the edge may be free to move inwards, too.
            let all: Vec<usize> = (0..weights.len()).collect();
            let curvature = largest_eigenvalue(features, data, weights, &all);
            assert!(curvature > 0.0, "{at}: curvature {curvature}");
        }
        kind => panic!("{at}: {kind}"),
    }
}

fn request(structure: &Network, restarts: usize, seed: u64) -> Request {
    Request {
        restarts: Some(restarts),
        seed,
        ..fits::request_for(structure)
    }
}

#[test]
fn kinds_agree_with_a_numerical_hessian() {
    let structure = machine();
    let features = features(&structure);
    let mut kinds = std::collections::BTreeMap::new();
    for rows in ROWS {
        for (seed, scale) in SCALES.into_iter().enumerate() {
            let data = truths::rows_of(&structure, scale, rows, 1000 + seed as u64);
            let found = fit(&data, &request(&structure, 4, 3)).unwrap();
            for c in &found.candidates {
                let at = format!("{rows} rows, scale {scale}, restart {}", c.index);
                check(&features, &data, c, &at);
                *kinds.entry(c.certificate.kind.to_string()).or_insert(0) += 1;
            }
        }
    }
    // Both ordinary kinds must have been put to the test.
    println!("{kinds:?}");
    assert!(
        kinds["interior local maximum"] > 0 && kinds["boundary"] > 0,
        "{kinds:?}"
    );
}

#[test]
fn two_hundred_problems_end_without_nan_panic_or_giving_up() {
    let structure = machine();
    let cases = (0..).flat_map(|seed| {
        ROWS.into_iter()
            .flat_map(move |r| SCALES.map(|s| (seed, r, s)))
    });
    for (seed, rows, scale) in cases.take(200) {
        let data = truths::rows_of(&structure, scale, rows, seed);
        let found = fit(&data, &request(&structure, 5, 7 * seed)).unwrap();
        for c in &found.candidates {
            let at = format!(
                "problem {seed}, {rows} rows, scale {scale}, restart {}",
                c.index
            );
            let numbers = [c.log_likelihood, c.entropy.value, c.residual, c.q];
            assert!(numbers.iter().all(|x| x.is_finite()), "{at}: {numbers:?}");
            assert!(c.network.weights().iter().all(|w| w.abs() <= BOUND), "{at}");
            assert_eq!(c.stop, StopReason::Converged, "{at}");
            assert_ne!(c.certificate.kind, CertificateKind::NotConverged, "{at}");
            assert!(c.residual <= 1e-8, "{at}: residual {}", c.residual);
        }
    }
}
