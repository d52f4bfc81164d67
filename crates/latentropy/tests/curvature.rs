//! Curvature of machines of every size that an exact engine sums: certificates, standard errors and the ridge by evidence.

mod common;

use common::fits::{noisy_rows, request_for};
use latentropy::data::Dataset;
use latentropy::fit::{Hidden, Ridge, Structure};
use latentropy::internals::hessian;
use latentropy::learning::{Objective, Problem};
use latentropy::network::{Network, Shape, Term, TermOptions, Unit};
use latentropy::selection::CertificateKind;
use latentropy::{EngineId, Fit, Request, fit};

/// A ring of units with chords, biases and a term of three units: sparse, and too many units to enumerate.
fn ring(units: usize) -> Network {
    let all = (1..=units)
        .map(|u| Unit::visible(format!("y{u}")))
        .collect();
    let mut terms: Vec<Vec<usize>> = (0..units).map(|u| vec![u]).collect();
    terms.extend((0..units).map(|u| vec![u, (u + 1) % units]));
    terms.extend((0..units).step_by(5).map(|u| vec![u, (u + 2) % units]));
    terms.push(vec![0, 1, 2]);
    let mut terms: Vec<Term> = terms.into_iter().map(Term::new).collect();
    terms.sort();
    terms.dedup();
    Network::new(all, terms.into_iter().map(|term| (term, 0.0))).unwrap()
}

/// Everything that curvature gives was given.
fn is_certified(found: &Fit, at: &str) {
    let chosen = found.chosen();
    assert_eq!(
        chosen.certificate.kind,
        CertificateKind::InteriorLocalMaximum,
        "{at}"
    );
    assert!(chosen.certificate.largest_eigenvalue.unwrap() < 0.0, "{at}");
    let errors = &chosen.standard_errors;
    assert!(errors.weights.iter().all(Option::is_some), "{at}");
    assert!(errors.entropy.is_some(), "{at}");
    if let Some(evidence) = &found.choices.evidence {
        assert_eq!(found.objective.ridge, evidence.chosen, "{at}");
    }
}

/// The Hessian by four-point differences of the gradient that evaluations give.
fn differences(problem: &Problem, weights: &[f64]) -> Vec<f64> {
    const STEP: f64 = 2e-3;
    let gradient = |weights: &[f64]| latentropy::internals::gradient(problem, weights);
    let mut matrix = Vec::new();
    for term in 0..weights.len() {
        let at = |steps: f64| {
            let mut moved = weights.to_vec();
            moved[term] += steps * STEP;
            gradient(&moved)
        };
        let (a, b, c, d) = (at(1.0), at(-1.0), at(2.0), at(-2.0));
        for other in 0..weights.len() {
            let near = 8.0 * (a[other] - b[other]);
            matrix.push((near - (c[other] - d[other])) / (12.0 * STEP));
        }
    }
    matrix
}

fn agrees_with_differences(structure: &Network, data: &Dataset, engine: EngineId) {
    let objective = Objective::with_ridge(1.0);
    let problem = Problem::new(structure, data, objective, engine, false).unwrap();
    let terms = structure.terms().len();
    let weights: Vec<f64> = (0..terms).map(|t| 0.4 * (t as f64 * 1.7).sin()).collect();
    let (found, expected) = (
        hessian(&problem, &weights).unwrap(),
        differences(&problem, &weights),
    );
    let v: Vec<f64> = (0..terms).map(|t| (t as f64 * 0.9).cos()).collect();
    let products = latentropy::internals::hessian_times(&problem, &weights, &v).unwrap();
    for (row, (product, line)) in products.iter().zip(found.chunks_exact(terms)).enumerate() {
        let exact: f64 = line.iter().zip(&v).map(|(entry, v)| entry * v).sum();
        assert!(
            (product - exact).abs() < 1e-11,
            "{engine} {row}: {product} and {exact}"
        );
    }
    for (at, (a, b)) in found.iter().zip(&expected).enumerate() {
        let (row, column) = (at / terms, at % terms);
        // Rounding of the gradient (1e-14 at most) over the step.
        assert!(
            (a - b).abs() < 1e-10,
            "{engine} {row}, {column}: {a} and {b}"
        );
    }
}

#[test]
fn every_exact_engine_has_the_hessian_that_differences_give() {
    let with_gaps = noisy_rows(9, 40, true);
    let sparse = {
        let network = ring(9);
        let mut units = network.units().to_vec();
        units.push(Unit::hidden("z1"));
        let mut terms = network.terms().to_vec();
        terms.extend([vec![9], vec![3, 9], vec![7, 9], vec![3, 7, 9]].map(Term::new));
        Network::new(units, terms.into_iter().map(|term| (term, 0.0))).unwrap()
    };
    for engine in [EngineId::EXACT, EngineId::JUNCTION_TREE] {
        agrees_with_differences(&sparse, &with_gaps, engine);
        agrees_with_differences(&Network::full(9, 2), &with_gaps, engine);
    }
    // Rows of more than 13 latent units go to the junction tree one by one; those of a restricted machine to matrices.
    let wide = noisy_rows(16, 160, true);
    agrees_with_differences(&Network::rbm(16, 3), &wide, EngineId::EXACT);
    let mut rows = vec![vec![1i8, 0]; 3];
    rows.iter_mut().for_each(|row| row.extend([-1; 14]));
    rows.extend((0..6).map(|r| (0..16).map(|c| i8::from((r * c) % 3 == 1)).collect()));
    let open = Dataset::from_rows(&rows).unwrap();
    agrees_with_differences(&ring(16), &open, EngineId::JUNCTION_TREE);
    agrees_with_differences(&ring(16), &open, EngineId::EXACT);
}

#[test]
fn pairs_of_twenty_six_columns_are_certified_and_their_maximum_is_the_only_one() {
    let request = Request {
        hidden: Some(Hidden::One(0)),
        engine: Some(EngineId::EXACT),
        ridge: Ridge::Value(1.0),
        ..Request::default()
    };
    let found = fit(&noisy_rows(26, 60, false), &request).unwrap();
    is_certified(&found, "26 columns");
    assert!(found.chosen().certificate.only_maximum);
}

#[test]
fn a_junction_tree_is_certified() {
    let structure = ring(60);
    let request = Request {
        engine: Some(EngineId::JUNCTION_TREE),
        ridge: Ridge::Evidence,
        restarts: Some(1),
        ..request_for(&structure)
    };
    for missing in [false, true] {
        let found = fit(&noisy_rows(60, 120, missing), &request).unwrap();
        is_certified(&found, "a ring of 60");
        assert!(found.choices.evidence.is_some());
        assert_eq!(found.chosen().certificate.only_maximum, !missing);
    }
}

#[test]
fn a_restricted_machine_of_many_columns_is_certified_whatever_is_missing() {
    let request = |hidden: usize| Request {
        structure: Structure::Named(TermOptions {
            shape: Shape::Rbm,
            ..TermOptions::default()
        }),
        restarts: Some(1),
        ..Request::with_hidden(hidden)
    };
    for (columns, hidden, missing) in [(60, 5, true), (150, 3, false)] {
        let data = noisy_rows(columns, 100, missing);
        let found = fit(&data, &request(hidden)).unwrap();
        is_certified(&found, &format!("{columns} + {hidden}"));
        assert!(found.choices.evidence.is_some());
        assert!(!found.chosen().certificate.only_maximum);
    }
}
