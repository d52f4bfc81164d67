//! The second-order finish: certified points, never a lower objective, away from saddles.

mod common;

use common::truths::{machine, rows_of};
use latentropy::data::Dataset;
use latentropy::fit::{Ridge, Structure};
use latentropy::internals::hessian;
use latentropy::learning::{
    Course, Finish, Learner, Objective, Problem, QuasiNewton, StopReason, learn, learn_traced,
    random_start,
};
use latentropy::network::{Shape, TermOptions};
use latentropy::selection::CertificateKind;
use latentropy::{EngineId, Request, fit};

/// Rows drawn from a 5 + 3 machine with normal weights of a given scale.
fn sample(seed: u64, rows: usize, scale: f64) -> Dataset {
    rows_of(&machine(5, 3, Shape::Full), scale, rows, seed)
}

fn problem(data: &Dataset, ridge: f64) -> Problem {
    let objective = Objective::with_ridge(ridge);
    let structure = machine(5, 3, Shape::Full);
    Problem::new(&structure, data, objective, EngineId::EXACT, true).unwrap()
}

#[test]
fn every_restart_ends_certified() {
    for (seed, rows) in [10, 20, 50, 100, 200, 500, 1000].into_iter().enumerate() {
        for scale in [0.5, 1.0, 2.0, 4.0] {
            let data = sample(seed as u64, rows, scale);
            let request = Request {
                structure: Structure::Named(TermOptions {
                    bias: false,
                    ..TermOptions::default()
                }),
                ridge: Ridge::Value(0.0),
                restarts: Some(4),
                seed: rows as u64,
                ..Request::with_hidden(3)
            };
            let found = fit(&data, &request).unwrap();
            let problem = problem(&data, 0.0);
            for c in &found.candidates {
                let at = format!("{rows} rows, scale {scale}, restart {}", c.index);
                assert!(c.residual <= 1e-8, "{at}: residual {}", c.residual);
                assert_eq!(c.stop, StopReason::Converged, "{at}");
                assert!(
                    matches!(
                        c.certificate.kind,
                        CertificateKind::InteriorLocalMaximum | CertificateKind::Boundary
                    ) || c.is_of_flat_set,
                    "{at}: {}",
                    c.certificate.kind
                );
                assert!(
                    c.log_likelihood.is_finite() && c.entropy.value.is_finite(),
                    "{at}"
                );
                // The certificate is right: no upward direction among the weights inside the box.
                let weights = c.network.weights();
                let inside: Vec<usize> = (0..weights.len())
                    .filter(|&term| weights[term].abs() < 15.0)
                    .collect();
                let matrix = hessian(&problem, weights).unwrap();
                assert!(is_concave(&matrix, weights.len(), &inside, 1e-8), "{at}");
                // Corollary 1 at a feasible point inside the box; at its edge the gap is Σ λ (η − E f) over the edge.
                let is_inside = match c.certificate.kind {
                    CertificateKind::InteriorLocalMaximum => true,
                    kind => kind == CertificateKind::Stationary && c.is_of_flat_set,
                };
                assert_eq!(is_inside, inside.len() == weights.len(), "{at}");
                if is_inside {
                    let size: f64 = 1.0 + weights.iter().map(|w| w.abs()).sum::<f64>();
                    assert!((c.q + c.entropy.value).abs() <= 1e-8 * size, "{at}");
                }
            }
        }
    }
}

#[test]
fn the_objective_never_falls() {
    for seed in 0..6 {
        for ridge in [0.0, 0.1, 1.0] {
            let data = sample(seed, 60, 1.5);
            let problem = problem(&data, ridge);
            for learner in [
                Learner::default(),
                Learner::QuasiNewton(QuasiNewton::default()),
            ] {
                let course = Course {
                    learner,
                    ..Course::default()
                };
                let start = random_start(&problem, seed, 1);
                let outcome = learn_traced(&problem, start, &course).unwrap();
                for pair in outcome.trace.windows(2) {
                    let slack = 1e-12 * (1.0 + pair[0].objective.abs());
                    assert!(pair[1].objective >= pair[0].objective - slack);
                }
                assert_eq!(outcome.stop, StopReason::Converged);
            }
        }
    }
}

#[test]
fn the_finish_reaches_what_em_is_creeps_towards() {
    // With a ridge EM-IS does converge; the finish must end at the same point of the same basin.
    let data = sample(3, 80, 1.0);
    let problem = problem(&data, 2.0);
    let start = random_start(&problem, 9, 0);
    let pure = Course {
        tolerance: 1e-9,
        max_iterations: 200_000,
        ..Course::new(Learner::default())
    };
    let finished = Course {
        finish: Some(Finish::default()),
        max_iterations: 2000,
        ..pure.clone()
    };
    let slow = learn(&problem, start.clone(), &pure).unwrap();
    let fast = learn(&problem, start, &finished).unwrap();
    assert!(
        fast.iterations * 5 < slow.iterations,
        "{} {}",
        fast.iterations,
        slow.iterations
    );
    assert!((slow.point.objective - fast.point.objective).abs() < 1e-9);
}

#[test]
fn a_symmetric_start_does_not_end_at_a_saddle() {
    let data = sample(5, 500, 3.0);
    let problem = problem(&data, 0.01);
    // All hidden units alike: EM cannot tell them apart, ever.
    let start: Vec<f64> = vec![0.1; problem.terms()];
    let outcome = learn(&problem, start.clone(), &Course::default()).unwrap();
    let matrix = hessian(&problem, &outcome.point.weights).unwrap();
    assert!(largest_eigenvalue(&matrix, problem.terms()) <= 1e-7);
    let pure = Course {
        tolerance: 1e-7,
        max_iterations: 2000,
        ..Course::new(Learner::default())
    };
    let stuck = learn(&problem, start, &pure).unwrap();
    let matrix = hessian(&problem, &stuck.point.weights).unwrap();
    let all: Vec<usize> = (0..problem.terms()).collect();
    assert!(!is_concave(&matrix, problem.terms(), &all, 1e-8));
    assert!(
        outcome.point.objective > stuck.point.objective + 1e-4,
        "{} against {}",
        outcome.point.objective,
        stuck.point.objective
    );
}

/// Whether no eigenvalue of the matrix over these rows and columns is above `most`: `most` minus it has a Cholesky factor.
fn is_concave(matrix: &[f64], size: usize, of: &[usize], most: f64) -> bool {
    let mut factor: Vec<Vec<f64>> = Vec::new();
    for (i, &a) in of.iter().enumerate() {
        let mut row: Vec<f64> = Vec::with_capacity(i + 1);
        for (j, &b) in of[..=i].iter().enumerate() {
            let entry = if i == j { most } else { 0.0 } - matrix[a * size + b];
            let others = factor.get(j).unwrap_or(&row);
            let rest = entry - (0..j).map(|k| row[k] * others[k]).sum::<f64>();
            if i != j {
                row.push(rest / others[j]);
            } else if rest > 0.0 {
                row.push(rest.sqrt());
            } else {
                return false;
            }
        }
        factor.push(row);
    }
    true
}

/// By power iteration on matrix + shift, shift larger than any negative eigenvalue (entries are at most a quarter).
fn largest_eigenvalue(matrix: &[f64], size: usize) -> f64 {
    let shift = size as f64;
    let mut vector: Vec<f64> = (0..size).map(|i| 1.0 + (i * 7 % 5) as f64).collect();
    let mut value = 0.0;
    for _ in 0..200_000 {
        let next: Vec<f64> = (0..size)
            .map(|a| {
                shift * vector[a]
                    + (0..size)
                        .map(|b| matrix[a * size + b] * vector[b])
                        .sum::<f64>()
            })
            .collect();
        let norm = next.iter().map(|x| x * x).sum::<f64>().sqrt();
        vector = next.into_iter().map(|x| x / norm).collect();
        if (norm - shift - value).abs() < 1e-15 {
            break;
        }
        value = norm - shift;
    }
    value
}
