//! Second-order steps by samples against the exact fit, and on tables that no exact sum holds.

mod common;

use latentropy::fit::{Ridge, Structure};
use latentropy::network::{Shape, TermOptions};
use latentropy::selection::{Candidate, CertificateKind};
use latentropy::{Dataset, EngineId, Fit, Request, fit};

/// Rows of columns that follow two hidden causes, none of them missing.
fn two_causes(rows: usize, columns: usize) -> Vec<Vec<i8>> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut uniform = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..rows)
        .map(|_| {
            let causes = [uniform() < 0.5, uniform() < 0.3];
            (0..columns)
                .map(|column| {
                    let on = causes[column % 2];
                    i8::from(uniform() < if on { 0.7 } else { 0.25 })
                })
                .collect()
        })
        .collect()
}

fn visible(engine: EngineId, ridge: Ridge) -> Request {
    Request {
        structure: Structure::Named(TermOptions {
            shape: Shape::Visible,
            ..TermOptions::default()
        }),
        engine: Some(engine),
        ridge,
        ..Request::with_hidden(0)
    }
}

/// Every weight is near the exact one, in units of its own standard error.
fn assert_near(sampled: &Fit, exact: &Fit) {
    let (found, truth) = (sampled.chosen(), exact.chosen());
    assert_eq!(found.certificate.kind, CertificateKind::MaximumWithinError);
    let met = found.worth.constraints.unwrap();
    assert!(met.largest <= met.share, "{met:?}");
    let errors = truth.standard_errors.weights.iter();
    let weights = found.network.weights().iter().zip(truth.network.weights());
    for ((a, b), error) in weights.zip(errors) {
        assert!((a - b).abs() < 0.5 * error.unwrap(), "{a} {b} {error:?}");
    }
    let error = found.worth.log_likelihood_error.unwrap();
    assert!((found.log_likelihood - truth.log_likelihood).abs() < 4.0 * error + 1e-3);
    let sampled_errors = found.standard_errors.weights.iter();
    for (a, b) in sampled_errors.zip(&truth.standard_errors.weights) {
        let (a, b) = (a.unwrap(), b.unwrap());
        assert!((a / b - 1.0).abs() < 0.1, "{a} {b}");
    }
}

#[test]
fn pairs_of_columns_are_those_of_the_exact_fit() {
    let data = Dataset::from_rows(&two_causes(400, 9)).unwrap();
    let exact = fit(&data, &visible(EngineId::EXACT, Ridge::Value(1.0))).unwrap();
    for seed in 0..3 {
        let request = Request {
            seed,
            ..visible(EngineId::GIBBS, Ridge::Value(1.0))
        };
        let sampled = fit(&data, &request).unwrap();
        // One maximum, one start.
        assert_eq!(sampled.candidates.len(), 1);
        assert_near(&sampled, &exact);
    }
}

#[test]
fn the_ridge_by_evidence_is_that_of_the_exact_fit() {
    let data = Dataset::from_rows(&two_causes(300, 8)).unwrap();
    let ridge = |engine| {
        let found = fit(&data, &visible(engine, Ridge::Evidence)).unwrap();
        found.choices.evidence.unwrap().chosen
    };
    let (exact, sampled) = (ridge(EngineId::EXACT), ridge(EngineId::GIBBS));
    assert!((sampled / exact - 1.0).abs() < 0.2, "{sampled} {exact}");
}

#[test]
fn hidden_units_and_missing_cells_are_learned_by_samples() {
    let mut rows = two_causes(300, 8);
    for (at, row) in rows.iter_mut().enumerate() {
        if at % 5 == 0 {
            row[at % 8] = -1;
        }
    }
    let data = Dataset::from_rows(&rows).unwrap();
    let request = |engine| Request {
        engine: Some(engine),
        ridge: Ridge::Value(3.0),
        restarts: Some(3),
        ..Request::with_hidden(1)
    };
    let exact = fit(&data, &request(EngineId::EXACT)).unwrap();
    let sampled = fit(&data, &request(EngineId::GIBBS)).unwrap();
    let (found, truth) = (sampled.chosen(), exact.chosen());
    assert!(found.feasible, "{:?}", found.worth.constraints);
    let error = found.worth.log_likelihood_error.unwrap();
    assert!((found.log_likelihood - truth.log_likelihood).abs() < 4.0 * error + 0.01);
}

#[test]
fn rows_with_many_missing_cells_say_what_they_show() {
    // Most rows miss nine or more of fourteen cells, and few the same: tables hold hardly any of them.
    let mut rows = two_causes(1500, 14);
    let mut state = 7u64;
    for cell in rows.iter_mut().flatten() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        if state >> 33 < (0.62 * (1u64 << 31) as f64) as u64 {
            *cell = -1;
        }
    }
    let data = Dataset::from_rows(&rows).unwrap();
    let of = |engine| {
        let request = Request {
            restarts: Some(1),
            ..visible(engine, Ridge::Value(5.0))
        };
        fit(&data, &request).unwrap()
    };
    let (exact, sampled) = (of(EngineId::EXACT), of(EngineId::GIBBS));
    let (found, truth) = (sampled.chosen(), exact.chosen());
    let terms = truth.network.terms().iter().enumerate();
    let mut ratios: Vec<f64> = terms
        .filter(|(_, term)| term.order() == 2)
        .map(|(at, _)| {
            let error = |fit: &Candidate| fit.standard_errors.weights[at].unwrap();
            error(found) / error(truth)
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    // Taken for rows that say nothing they would make errors far too large, by what they show of each pair alone too small.
    assert!(
        (0.9..1.12).contains(&ratios[ratios.len() / 2]),
        "{ratios:?}"
    );
}

#[test]
fn pairs_beyond_a_matrix_begin_at_the_pseudo_likelihood_and_end_at_the_likelihood() {
    // Sixty-four columns: 2,080 terms.
    let data = Dataset::from_rows(&two_causes(300, 64)).unwrap();
    let request = Request {
        engine: None,
        restarts: Some(1),
        ..visible(EngineId::GIBBS, Ridge::Value(20.0))
    };
    let found = fit(&data, &request).unwrap();
    let chosen = found.chosen();
    assert_eq!(chosen.certificate.kind, CertificateKind::MaximumWithinError);
    let met = chosen.worth.constraints.unwrap();
    assert!(met.largest <= met.share, "{met:?}");
    assert_eq!(
        chosen.network.weights(),
        fit(&data, &request).unwrap().chosen().network.weights()
    );
}

#[test]
fn a_table_with_nearly_empty_rows_is_learned_whole() {
    // Forty columns: no exact engine holds the pairs, and no table the rows that show one or two cells.
    let mut rows = two_causes(250, 40);
    for (row, known) in [(3, 1), (70, 2), (140, 12)] {
        rows[row][known..].fill(-1);
    }
    rows[200].fill(-1);
    let data = Dataset::from_rows(&rows).unwrap();
    let request = Request {
        engine: None,
        restarts: Some(1),
        ..visible(EngineId::GIBBS, Ridge::Value(5.0))
    };
    let found = fit(&data, &request).unwrap();
    assert_eq!(found.engine, EngineId::GIBBS);
    let chosen = found.chosen();
    assert_eq!(chosen.certificate.kind, CertificateKind::MaximumWithinError);
    assert_eq!(found.rows_used, 249.0);
    assert!(chosen.log_likelihood.is_finite() && chosen.log_likelihood < 0.0);
    assert!(chosen.standard_errors.weights.iter().all(Option::is_some));
}

#[test]
fn what_is_within_is_for_samples_alone() {
    let data = Dataset::from_rows(&two_causes(50, 4)).unwrap();
    let request = Request {
        learner_options: vec![(latentropy::Setting::Within, 0.5.into())],
        ..visible(EngineId::EXACT, Ridge::Value(1.0))
    };
    assert!(fit(&data, &request).is_err());
    let request = Request {
        engine: Some(EngineId::GIBBS),
        ..request
    };
    let found = fit(&data, &request).unwrap();
    assert_eq!(found.chosen().worth.constraints.unwrap().share, 0.5);
}

#[test]
fn restarts_of_one_maximum_are_one_solution() {
    // Without hidden units there is one maximum; with a missing cell that is not known beforehand, and errors tell.
    for missing in [false, true] {
        let mut rows = two_causes(300, 9);
        if missing {
            rows[7][3] = -1;
            rows[20][..8].fill(-1);
        }
        let data = Dataset::from_rows(&rows).unwrap();
        let request = Request {
            restarts: Some(4),
            ..visible(EngineId::GIBBS, Ridge::Value(1.0))
        };
        let found = fit(&data, &request).unwrap();
        assert_eq!(found.candidates.len(), 4);
        assert!(
            found
                .candidates
                .iter()
                .all(|candidate| candidate.solution == 0)
        );
    }
}

#[test]
fn more_terms_than_a_matrix_holds_are_learned_by_products() {
    // 112 columns have 6,328 terms.
    let data = Dataset::from_rows(&two_causes(200, 112)).unwrap();
    let request = Request {
        engine: None,
        learner_options: vec![(latentropy::Setting::Within, 0.5.into())],
        restarts: Some(1),
        ..visible(EngineId::GIBBS, Ridge::Value(30.0))
    };
    let found = fit(&data, &request).unwrap();
    let chosen = found.chosen();
    assert_eq!(chosen.certificate.kind, CertificateKind::MaximumWithinError);
    let met = chosen.worth.constraints.unwrap();
    assert!(met.largest <= 0.5, "{met:?}");
    // The ridge is most of what bends: errors lie below those of the prior alone, and above a tenth of these.
    let prior = 30f64.powf(-0.5);
    let terms = chosen
        .network
        .terms()
        .iter()
        .zip(&chosen.standard_errors.weights);
    for (_, error) in terms.filter(|(term, _)| term.order() == 2) {
        let error = error.unwrap();
        assert!(error > 0.1 * prior && error < 1.5 * prior, "{error}");
    }
}

#[test]
fn rows_with_any_number_of_missing_cells_are_answered() {
    let network = latentropy::Network::full(40, 0);
    let terms = network.terms().len();
    let weights = (0..terms).map(|at| 0.15 * ((7 * at + 3) as f64).sin());
    let network = network.with_weights(weights.collect()).unwrap();
    let mut rows = vec![[-1i8; 40]; 4];
    rows[1][3] = 1;
    rows[2][..12].fill(1);
    rows[3].fill(0);
    let data = Dataset::from_rows(&rows).unwrap();
    let filled = latentropy::impute(&network, &data).unwrap();
    assert!(filled.inexact_rows >= 1);
    let cells = filled.by_distinct_row.iter().flatten();
    assert!(cells.clone().all(|p| (0.0..=1.0).contains(p)));
}
