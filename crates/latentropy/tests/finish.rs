//! The second-order finish: certified points, never a lower objective, away from saddles.

mod common;

use common::truths::{machine, rows_of};
use latentropy::data::Dataset;
use latentropy::learning::{
    Learner, LearningSettings, Penalty, Problem, StopReason, hessian, learn, random_start,
};
use latentropy::network::Shape;
use latentropy::selection::{CertificateKind, FitSettings, Silent, fit};

/// Rows drawn from a 5 + 3 machine with normal weights of a given scale.
fn sample(seed: u64, rows: usize, scale: f64) -> Dataset {
    rows_of(&machine(5, 3, Shape::Full), scale, rows, seed)
}

fn problem(data: &Dataset, ridge: f64) -> Problem {
    let penalty = Penalty { ridge, bound: 15.0 };
    Problem::new(&machine(5, 3, Shape::Full), data, penalty, true).unwrap()
}

#[test]
fn every_restart_ends_certified() {
    let structure = machine(5, 3, Shape::Full);
    for (seed, rows) in [10, 20, 50, 100, 200, 500, 1000].into_iter().enumerate() {
        for scale in [0.5, 1.0, 2.0, 4.0] {
            let data = sample(seed as u64, rows, scale);
            let settings = FitSettings {
                restarts: 4,
                seed: rows as u64,
                ..FitSettings::default()
            };
            let found = fit(&structure, &data, &settings, &Silent).unwrap();
            for c in &found.candidates {
                let at = format!("{rows} rows, scale {scale}, restart {}", c.index);
                assert!(c.residual <= 1e-8, "{at}: residual {}", c.residual);
                assert_eq!(c.stop, StopReason::Converged, "{at}");
                assert!(
                    matches!(
                        c.certificate.kind,
                        CertificateKind::InteriorLocalMaximum | CertificateKind::Boundary
                    ),
                    "{at}: {}",
                    c.certificate.kind
                );
                assert!(
                    c.log_likelihood.is_finite() && c.entropy.value.is_finite(),
                    "{at}"
                );
                // Corollary 1 at a feasible point inside the box; at its edge the gap is Σ λ (η − E f) over the edge.
                if c.certificate.kind == CertificateKind::InteriorLocalMaximum {
                    let size: f64 = 1.0 + c.network.weights().iter().map(|w| w.abs()).sum::<f64>();
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
            for learner in [Learner::EmIs, Learner::QuasiNewton] {
                let settings = LearningSettings {
                    learner,
                    ridge,
                    ..LearningSettings::default()
                };
                let outcome =
                    learn(&problem, random_start(&problem, seed, 1), &settings, true).unwrap();
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
    let pure = LearningSettings {
        ridge: 2.0,
        finish: false,
        tolerance: 1e-9,
        max_iterations: 200_000,
        ..LearningSettings::default()
    };
    let finished = LearningSettings {
        finish: true,
        max_iterations: 2000,
        ..pure
    };
    let slow = learn(&problem, start.clone(), &pure, false).unwrap();
    let fast = learn(&problem, start, &finished, false).unwrap();
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
    let settings = LearningSettings {
        ridge: 0.01,
        ..LearningSettings::default()
    };
    let outcome = learn(&problem, start.clone(), &settings, false).unwrap();
    let matrix = hessian(&problem, &outcome.point.weights).unwrap();
    assert!(largest_eigenvalue(&matrix, problem.terms()) <= 1e-7);
    let pure = LearningSettings {
        finish: false,
        tolerance: 1e-7,
        max_iterations: 2000,
        ..settings
    };
    let stuck = learn(&problem, start, &pure, false).unwrap();
    assert!(
        outcome.point.objective > stuck.point.objective + 1e-4,
        "{} against {}",
        outcome.point.objective,
        stuck.point.objective
    );
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
