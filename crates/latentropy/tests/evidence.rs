//! The ridge by evidence: its fixed point, against the definition; truths of known scale; machines too large for it.

mod common;

use common::fits::{fit_structure, request_for};
use common::truths::{machine, rows_of};
use latentropy::data::Dataset;
use latentropy::fit::{EvidenceChoice, Ridge};
use latentropy::internals::{Setup, hessian, ridge_by_evidence};
use latentropy::learning::{Course, Objective, Problem};
use latentropy::network::{Network, Shape};
use latentropy::{Control, EngineId, Principle, Request, fit};

/// The ridge by evidence, four restarts.
fn by_evidence(structure: &Network, data: &Dataset) -> Option<EvidenceChoice> {
    let setup = Setup {
        structure,
        data,
        engine: EngineId::EXACT,
        scored_by: EngineId::EXACT,
        course: &Course::default(),
        objective: Objective::default(),
        restarts: 4,
        seed: 0,
        principle: Principle::default(),
    };
    ridge_by_evidence(&setup, &Control::default()).expect("no error")
}

/// n − α tr A⁻¹, A = −T ∇²(penalised objective), by Gauss–Jordan elimination.
fn determined(structure: &Network, data: &Dataset, ridge: f64, weights: &[f64]) -> f64 {
    let objective = Objective::with_ridge(ridge);
    let engine = EngineId::EXACT;
    let problem = Problem::new(structure, data, objective, engine, false).expect("problem");
    let size = weights.len();
    let mut matrix: Vec<Vec<f64>> = hessian(&problem, weights)
        .expect("small")
        .chunks_exact(size)
        .map(|row| row.iter().map(|h| -h * problem.row_count()).collect())
        .collect();
    for (at, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|b| f64::from(u8::from(at == b))));
    }
    for pivot in 0..size {
        let scale = matrix[pivot][pivot];
        matrix[pivot].iter_mut().for_each(|entry| *entry /= scale);
        let line = matrix[pivot].clone();
        for (at, row) in matrix.iter_mut().enumerate() {
            let factor = row[pivot];
            if at != pivot {
                for (entry, value) in row.iter_mut().zip(&line) {
                    *entry -= factor * value;
                }
            }
        }
    }
    let trace: f64 = (0..size).map(|at| matrix[at][size + at]).sum();
    size as f64 - ridge * trace
}

#[test]
fn the_ridge_is_the_fixed_point_of_its_definition() {
    for seed in 0..4 {
        let structure = machine(4, 0, Shape::Visible);
        let data = rows_of(&structure, 1.0, 200, seed);
        let choice = by_evidence(&structure, &data).expect("small");
        let found = fit_structure(&structure, &data, choice.chosen, 4);
        let weights = found.chosen().network.weights();
        let gamma = determined(&structure, &data, choice.chosen, weights);
        let squares: f64 = weights.iter().map(|w| w * w).sum();
        let next = gamma / squares;
        assert!(
            (next / choice.chosen - 1.0).abs() < 0.05,
            "{next} after {choice:?}"
        );
        let last = choice.rounds.last().expect("a round");
        assert!(last.determined > 0.0 && last.determined < weights.len() as f64);
    }
}

#[test]
fn truths_of_known_scale_are_recognised() {
    let structure = machine(5, 3, Shape::Full);
    for (scale, truth) in [(0.5, 4.0), (1.0, 1.0), (2.0, 0.25)] {
        let mut logarithms = 0.0;
        let trials = 6;
        for seed in 0..trials {
            let data = rows_of(&structure, scale, 1000, 10 + seed);
            let choice = by_evidence(&structure, &data).expect("small");
            logarithms += choice.chosen.ln() / trials as f64;
        }
        let typical: f64 = logarithms.exp();
        assert!(
            (truth / 2.0..truth * 2.0).contains(&typical),
            "weights of variance 1/{truth}: {typical}"
        );
    }
}

#[test]
fn a_machine_without_exact_sums_has_no_evidence() {
    let structure = machine(6, 2, Shape::Rbm);
    let data = rows_of(&structure, 1.0, 40, 1);
    let request = Request {
        ridge: Ridge::Evidence,
        engine: Some("mean-field".parse().unwrap()),
        restarts: Some(1),
        ..request_for(&structure)
    };
    let found = fit(&data, &request).unwrap();
    assert_eq!(found.choices.evidence, None);
    assert_eq!(found.objective.ridge, 1.0);
}

#[test]
fn a_fit_learns_at_the_ridge_that_the_evidence_gives() {
    let structure = machine(5, 2, Shape::Full);
    let data = rows_of(&structure, 1.0, 100, 3);
    let request = Request {
        ridge: Ridge::Evidence,
        restarts: Some(4),
        ..request_for(&structure)
    };
    let found = fit(&data, &request).expect("a fit");
    let choice = by_evidence(&structure, &data);
    assert!(choice.is_some());
    assert_eq!(found.choices.evidence, choice);
    assert_eq!(
        Some(found.objective.ridge),
        choice.map(|choice| choice.chosen)
    );
}
