//! Defects that were there once, each with a test of its name.

mod common;

use common::close;
use common::fits::{noisy_rows, request_for};
use common::truths::{machine, rows_of};
use latentropy::data::{Dataset, ReadOptions, read_dataset_bytes};
use latentropy::fit::{BootstrapKind, CrossValidation, Hidden, Resamples, Ridge, Structure};
use latentropy::learning::{EmGis, Learner};
use latentropy::message::PlainWording;
use latentropy::network::{Shape, TermOptions};
use latentropy::{EngineId, Fit, Remark, Request, fit};
use std::path::Path;

/// A machine with visible and hidden units on two sides; with one hidden unit its graph is a tree.
fn restricted() -> Structure {
    Structure::Named(TermOptions {
        shape: Shape::Rbm,
        ..TermOptions::default()
    })
}

fn em_gis() -> Option<Learner> {
    Some(Learner::EmGis(EmGis::default()))
}

#[test]
fn refits_of_a_sampled_fit_are_judged_by_the_errors_of_samples() {
    let request = Request {
        structure: restricted(),
        engine: Some(EngineId::GIBBS),
        learner: em_gis(),
        ridge: Ridge::Value(1.0),
        max_iterations: Some(500),
        restarts: Some(1),
        bootstrap: Some(Resamples {
            count: 4,
            kind: BootstrapKind::Rows,
        }),
        ..Request::with_hidden(1)
    };
    let found = fit(&noisy_rows(3, 40, false), &request).unwrap();
    assert!(found.selected_is_feasible);
    let bootstrap = found.bootstrap.as_ref().unwrap();
    assert!(bootstrap.converged > 0, "{:?}", found.remarks);
    assert!(bootstrap.spreads.is_some());
    let none_converged = Remark::RefitsLost { lost: 4, refits: 4 };
    assert!(
        !found.remarks.contains(&none_converged),
        "{:?}",
        found.remarks
    );
}

fn cross_validated(engine: Option<EngineId>) -> Request {
    Request {
        structure: restricted(),
        engine,
        ridge: Ridge::CrossValidated,
        validation: Some(CrossValidation {
            folds: 2,
            restarts: 2,
            ridges: vec![10.0, 1.0],
        }),
        restarts: Some(2),
        ..Request::with_hidden(1)
    }
}

#[test]
fn cross_validation_works_through_belief_propagation() {
    let data = noisy_rows(4, 60, false);
    let bp: EngineId = "bp".parse().unwrap();
    let table = |engine: EngineId| {
        let found = fit(&data, &cross_validated(Some(engine))).unwrap();
        let choice = found.choices.ridge.unwrap();
        assert_eq!(found.objective.ridge, choice.chosen);
        choice.table
    };
    // On a tree messages are exact, and so are the held-out scores of what is learned by them.
    for (by_messages, exact) in table(bp).iter().zip(table(EngineId::EXACT)) {
        assert_eq!(by_messages.ridge, exact.ridge);
        let (a, b) = (by_messages.standing, exact.standing);
        assert!(close(a.mean, b.mean, 1e-4, 1.0), "{a:?} against {b:?}");
        assert!(
            close(a.std_err, b.std_err, 2e-2, 1e-3),
            "{a:?} against {b:?}"
        );
    }
}

#[test]
fn cross_validation_works_through_samples() {
    let data = noisy_rows(3, 30, false);
    let request = Request {
        learner: em_gis(),
        max_iterations: Some(5),
        restarts: Some(1),
        ..cross_validated(Some(EngineId::GIBBS))
    };
    let found = fit(&data, &request).unwrap();
    let choice = found.choices.ridge.as_ref().unwrap();
    assert!(
        choice
            .table
            .iter()
            .all(|score| score.standing.mean.is_finite())
    );
    assert_eq!(found.engine, EngineId::GIBBS);
    assert!([10.0, 1.0].contains(&choice.chosen));
}

/// The remarks on text in columns.
fn remarks_on(text: &str) -> Vec<Remark> {
    let read = read_dataset_bytes(
        Path::new("rows.csv"),
        text.as_bytes(),
        &ReadOptions::default(),
    );
    read.unwrap().remarks
}

#[test]
fn a_column_called_never_variable_is_judged_by_its_cells() {
    let constant = remarks_on("never variable,b\n1,0\n1,1\n1,0\n");
    let columns = vec![("never variable".to_string(), true)];
    assert_eq!(constant, [Remark::ConstantColumns(columns)]);
    let varying = remarks_on("never variable,b\n1,0\n0,1\n1,0\n");
    assert_eq!(varying, []);
    let both = remarks_on("never varies,no known cell\n0,\n0,\n");
    let columns = vec![("never varies".to_string(), false)];
    let unknown = vec!["no known cell".to_string()];
    assert_eq!(
        both[..2],
        [
            Remark::ConstantColumns(columns),
            Remark::UnknownColumns(unknown)
        ]
    );
}

#[test]
fn rows_used_are_those_with_a_known_cell() {
    let rows = [
        [1, 0, 1],
        [-1, -1, -1],
        [0, 1, -1],
        [1, 1, 0],
        [-1, -1, -1],
        [0, 0, 1],
    ];
    let data = Dataset::from_rows(&rows).unwrap();
    let request = Request {
        restarts: Some(2),
        ..Request::with_hidden(1)
    };
    let found = fit(&data, &request).unwrap();
    assert_eq!((data.len(), found.rows_used), (6, 4.0));
    assert_eq!(found.document(Vec::new(), &PlainWording).rows_used, 4.0);
    let weighted = data
        .with_row_weights(vec![0.5, 9.0, 2.0, 1.0, 9.0, 1.0])
        .unwrap();
    assert_eq!(fit(&weighted, &request).unwrap().rows_used, 4.5);
}

#[test]
fn the_reason_for_the_engine_is_that_of_the_chosen_machine() {
    // Columns that have nothing to do with each other need no hidden unit.
    let data = rows_of(&machine(4, 0, Shape::Visible), 0.0, 60, 1);
    let request = |sizes: Hidden| Request {
        hidden: Some(sizes),
        ridge: Ridge::Value(1.0),
        restarts: Some(2),
        ..Request::default()
    };
    let reason = |found: &Fit| found.engine_reason.as_ref().unwrap().to_string();
    let several = fit(&data, &request(Hidden::Several(vec![0, 3]))).unwrap();
    assert_eq!(
        several.choices.comparison.as_ref().unwrap().chosen().hidden,
        0
    );
    assert!(
        reason(&several).contains("2^4 states"),
        "{}",
        reason(&several)
    );
    for size in [0, 3] {
        let alone = fit(&data, &request(Hidden::One(size))).unwrap();
        let states = format!("2^{} states", 4 + size);
        assert!(reason(&alone).contains(&states), "{}", reason(&alone));
    }
}

/// Fails unless two numbers agree to 1e-9 of their size.
fn assert_close(a: f64, b: f64, what: &str) {
    assert!(close(a, b, 1e-9, 1.0), "{what}: {a} against {b}");
}

fn assert_close_options(a: Option<f64>, b: Option<f64>, what: &str) {
    assert_eq!(a.is_some(), b.is_some(), "{what}");
    assert_close(a.unwrap_or(0.0), b.unwrap_or(0.0), what);
}

#[test]
fn whole_row_weights_are_repeated_rows() {
    let distinct = noisy_rows(4, 25, true);
    let times: Vec<usize> = (0..25).map(|row| 1 + row % 3).collect();
    let repeated: Vec<usize> = (0..25).flat_map(|row| vec![row; times[row]]).collect();
    let repeated = distinct.rows_subset(&repeated);
    let weights = times.iter().map(|&times| times as f64).collect();
    let weighted = distinct.with_row_weights(weights).unwrap();
    for ridge in [Ridge::Value(0.0), Ridge::Value(0.7), Ridge::Evidence] {
        let request = Request {
            ridge,
            restarts: Some(4),
            tolerance: Some(1e-11),
            ..Request::with_hidden(1)
        };
        let (a, b) = (
            fit(&weighted, &request).unwrap(),
            fit(&repeated, &request).unwrap(),
        );
        assert_eq!((a.rows_used, a.selected), (b.rows_used, b.selected));
        assert_close(a.objective.ridge, b.objective.ridge, "ridge");
        assert_eq!(a.distinct_solutions, b.distinct_solutions);
        for (a, b) in a.candidates.iter().zip(&b.candidates) {
            assert_close(a.log_likelihood, b.log_likelihood, "log-likelihood");
            assert_close(a.entropy.value, b.entropy.value, "entropy");
            assert_eq!(a.certificate.kind, b.certificate.kind);
            let (errors, others) = (&a.standard_errors, &b.standard_errors);
            assert_close_options(errors.log_likelihood, others.log_likelihood, "its error");
            assert_close_options(errors.entropy, others.entropy, "error of the entropy");
            assert_eq!(errors.undetermined, others.undetermined);
            for term in 0..a.network.terms().len() {
                let label = a.network.label(term);
                assert_close(a.network.weights()[term], b.network.weights()[term], &label);
                assert_close_options(errors.weights[term], others.weights[term], &label);
            }
        }
        assert_eq!(a.boundary, b.boundary);
    }
}

#[test]
fn half_the_weight_of_all_rows_is_half_the_information() {
    let structure = machine(4, 1, Shape::Full);
    let whole = rows_of(&structure, 1.5, 400, 2);
    let half = whole.clone().with_row_weights(vec![0.5; 400]).unwrap();
    let request = Request {
        tolerance: Some(1e-11),
        restarts: Some(3),
        ..request_for(&structure)
    };
    let (a, b) = (
        fit(&whole, &request).unwrap(),
        fit(&half, &request).unwrap(),
    );
    assert_eq!((a.rows_used, b.rows_used), (400.0, 200.0));
    assert_eq!(a.selected, b.selected);
    let (a, b) = (a.chosen(), b.chosen());
    let larger = |error: Option<f64>| error.map(|error| error * 2f64.sqrt());
    let (errors, others) = (&a.standard_errors, &b.standard_errors);
    assert!(errors.weights.iter().any(Option::is_some));
    for term in 0..structure.terms().len() {
        assert_close(
            a.network.weights()[term],
            b.network.weights()[term],
            "weight",
        );
        assert_close_options(
            larger(errors.weights[term]),
            others.weights[term],
            "its error",
        );
    }
    assert_close_options(
        larger(errors.entropy),
        others.entropy,
        "error of the entropy",
    );
    // That of the rows' mean is over the rows less one.
    let rows = |error: Option<f64>, rows: f64| error.unwrap() * (rows - 1.0).sqrt();
    let (error, other) = (errors.log_likelihood, others.log_likelihood);
    assert_close(
        rows(error, 400.0),
        rows(other, 200.0),
        "error of the log-likelihood",
    );
}

#[test]
fn rows_that_weigh_nothing_are_as_if_left_out() {
    let rows: Vec<[i8; 3]> = (0..24)
        .map(|row| [row % 2, row / 2 % 2, i8::from(row % 5 < 2)])
        .collect();
    let all = Dataset::from_rows(&rows).unwrap();
    let kept: Vec<usize> = (0..24).filter(|row| row % 4 == 1 || row % 7 == 0).collect();
    let weights = (0..24)
        .map(|row| f64::from(u8::from(kept.contains(&row))))
        .collect();
    let without = all.rows_subset(&kept);
    let weighted = all.with_row_weights(weights).unwrap();
    let request = Request {
        restarts: Some(2),
        bootstrap: Some(Resamples {
            count: 20,
            kind: BootstrapKind::Rows,
        }),
        ..cross_validated(None)
    };
    let (a, b) = (
        fit(&weighted, &request).unwrap(),
        fit(&without, &request).unwrap(),
    );
    assert_eq!(a.rows_used, kept.len() as f64);
    let (errors, others) = (&a.chosen().standard_errors, &b.chosen().standard_errors);
    let (spreads, others_spreads) = (spreads(&a), spreads(&b));
    assert_close(
        a.chosen().log_likelihood,
        b.chosen().log_likelihood,
        "log-likelihood",
    );
    for term in 0..a.chosen().network.terms().len() {
        let weight = |found: &Fit| found.chosen().network.weights()[term];
        assert_close(weight(&a), weight(&b), "weight");
        assert_close_options(errors.weights[term], others.weights[term], "its error");
        assert_close(spreads[term], others_spreads[term], "its spread");
    }
    let (a, b) = (a.choices.ridge.unwrap(), b.choices.ridge.unwrap());
    assert_eq!(a.chosen, b.chosen);
    for (a, b) in a.table.iter().zip(&b.table) {
        assert_close(a.standing.mean, b.standing.mean, "held out");
        assert_close(a.standing.std_err, b.standing.std_err, "its error");
    }
}

/// The bootstrap's spread of every weight.
fn spreads(found: &Fit) -> Vec<f64> {
    let spreads = found.bootstrap.as_ref().unwrap().spreads.as_ref().unwrap();
    let weights = spreads.weights.iter();
    weights.map(|spread| spread.unwrap().std_err).collect()
}
