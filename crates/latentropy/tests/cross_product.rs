//! Every learner through every engine, on machines of every shape and data of every kind: no panic, no NaN, no false certificate.

use latentropy::fit::{Hidden, Ridge, Structure};
use latentropy::internals::literal;
use latentropy::learning::Learner;
use latentropy::network::{Clamp, Shape, TermOptions};
use latentropy::selection::CertificateKind;
use latentropy::{Candidate, Dataset, EngineId, Error, Request, fit};
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Data that ordinary tables hardly are.
fn kinds() -> Vec<(&'static str, Dataset)> {
    let table = |rows: &[[i8; 3]]| Dataset::from_rows(rows).unwrap();
    let usual = table(&[
        [0, 0, 1],
        [1, 1, 0],
        [1, 1, 1],
        [0, 1, 0],
        [0, 0, 0],
        [1, 0, 1],
        [1, 1, 0],
    ]);
    let weighted = |weights: [f64; 7]| usual.clone().with_row_weights(weights.to_vec()).unwrap();
    vec![
        ("one row", table(&[[1, 0, 1]])),
        (
            "a constant column",
            table(&[[1, 0, 1], [1, 1, 0], [1, 1, 1]]),
        ),
        ("all alike", table(&[[1, 1, 1], [1, 1, 1]])),
        (
            "mostly missing",
            table(&[[-1, -1, 1], [0, -1, -1], [-1, 1, -1], [-1, -1, -1]]),
        ),
        (
            "huge weights",
            weighted([1e12, 1.0, 1.0, 1e-12, 0.0, 1.0, 3.0]),
        ),
        ("usual", usual.clone()),
    ]
}

/// Extremes of what may be asked for.
fn extremes() -> Vec<(&'static str, Request)> {
    let usual = Request {
        restarts: Some(2),
        max_iterations: Some(30),
        ridge: Ridge::Value(0.5),
        tolerance: Some(1e-6),
        ..Request::default()
    };
    vec![
        (
            "no ridge",
            Request {
                ridge: Ridge::Value(0.0),
                ..usual.clone()
            },
        ),
        (
            "a huge ridge",
            Request {
                ridge: Ridge::Value(1e12),
                ..usual.clone()
            },
        ),
        (
            "a tiny box",
            Request {
                bound: 1e-6,
                ridge: Ridge::Value(0.0),
                ..usual.clone()
            },
        ),
        (
            "a huge box",
            Request {
                bound: 1e6,
                ridge: Ridge::Value(0.0),
                max_iterations: Some(60),
                ..usual.clone()
            },
        ),
        (
            "one iteration",
            Request {
                max_iterations: Some(1),
                ..usual
            },
        ),
    ]
}

fn shapes() -> [(Shape, usize); 4] {
    [
        (Shape::Full, 1),
        (Shape::Rbm, 2),
        (Shape::SemiRestricted, 1),
        (Shape::Visible, 0),
    ]
}

/// One case: what it is, the rows, and what is asked for.
struct Case<'a> {
    what: String,
    data: &'a Dataset,
    request: Request,
}

#[test]
fn nothing_panics_nothing_is_nan_and_certificates_hold() {
    let (kinds, extremes, learners) = (kinds(), extremes(), Learner::all());
    // Fits by other engines end in chains, which take seconds each: of each learner and engine one case is taken in turn.
    let share = share_of_all();
    let every = share.is_some();
    let mut cases = Vec::new();
    let mut turn = 0;
    for learner in &learners {
        for engine in EngineId::all() {
            turn += 1;
            for (place, (shape, hidden)) in shapes().into_iter().enumerate() {
                for (at, (kind, data)) in kinds.iter().enumerate() {
                    for (number, (extreme, request)) in extremes.iter().enumerate() {
                        let is_in_turn = place == turn % 4
                            && at == turn % kinds.len()
                            && number == (turn / kinds.len()) % extremes.len();
                        if engine != EngineId::EXACT && !every && !is_in_turn {
                            continue;
                        }
                        cases.push(Case {
                            what: format!(
                                "{} through {} on {shape} of {kind}, {extreme}",
                                learner.name(),
                                engine.name()
                            ),
                            data,
                            request: Request {
                                learner: Some(learner.clone()),
                                engine: Some(engine),
                                hidden: Some(Hidden::One(hidden)),
                                structure: Structure::Named(TermOptions {
                                    shape,
                                    ..TermOptions::default()
                                }),
                                restarts: Some(if engine == EngineId::EXACT { 2 } else { 1 }),
                                ..request.clone()
                            },
                        });
                    }
                }
            }
        }
    }
    if let Some((share, of)) = share {
        let mut at = 0..;
        cases.retain(|_| at.next().is_some_and(|at: usize| at % of == share));
    }
    let fits = cases.par_iter().map(carried_out).sum::<usize>();
    println!("{fits} fits, {} refusals", cases.len() - fits);
    assert!(every || fits > 700, "{fits} fits of {} cases", cases.len());
}

/// `LATENTROPY_CROSS_PRODUCT=all` asks for every case, and `3/77` for every 77th, from the fourth on (a number
/// without a factor of 2, 3 and 5 has all kinds in every share).
fn share_of_all() -> Option<(usize, usize)> {
    let asked = std::env::var("LATENTROPY_CROSS_PRODUCT").ok()?;
    match asked.split_once('/') {
        Some((share, of)) => Some((share.parse().unwrap(), of.parse().unwrap())),
        None => (asked == "all").then_some((0, 1)),
    }
}

/// 1 for a fit all of whose candidates hold, 0 for a refusal in words.
fn carried_out(case: &Case<'_>) -> usize {
    let Case {
        what,
        data,
        request,
    } = case;
    match catch_unwind(AssertUnwindSafe(|| fit(data, request))) {
        Err(_) => panic!("{what} panicked"),
        Ok(Ok(found)) => {
            for candidate in &found.candidates {
                check(what, candidate, data, request);
            }
            1
        }
        Ok(Err(error)) => {
            is_a_sentence(what, &error);
            0
        }
    }
}

fn check(what: &str, candidate: &Candidate, data: &Dataset, request: &Request) {
    for value in [
        candidate.log_likelihood,
        candidate.entropy.value,
        candidate.residual,
    ] {
        assert!(value.is_finite(), "{what}: {value}");
    }
    let weights = candidate.network.weights();
    assert!(weights.iter().all(|weight| weight.is_finite()), "{what}");
    // What is said to be a maximum by exact sums has a gradient that the literal sums agree with.
    let is_claimed = candidate.certificate.kind == CertificateKind::InteriorLocalMaximum;
    let is_exact = request.engine == Some(EngineId::EXACT);
    if is_claimed && is_exact && request.ridge == Ridge::Value(0.0) {
        let steepest = gradient(candidate, data);
        assert!(
            steepest < 1e-4,
            "{what}: a slope of {steepest} at a maximum"
        );
    }
}

/// The largest entry of η − E f by the literal enumeration.
fn gradient(candidate: &Candidate, data: &Dataset) -> f64 {
    let network = &candidate.network;
    let none = Clamp::none(network.units().len());
    let free = literal::expectations(network, &none).terms;
    let (mut clamped, total) = (vec![0.0; free.len()], data.known_weight());
    for (at, row) in data.rows().iter().enumerate() {
        if !data.is_known(at) || data.weights()[at] == 0.0 {
            continue;
        }
        let visible = network.visible();
        let clamp = latentropy::internals::clamp_of_row(network.units().len(), &visible, row);
        let given = literal::expectations(network, &clamp).terms;
        for (sum, value) in clamped.iter_mut().zip(given) {
            *sum += value * data.weights()[at] / total;
        }
    }
    let slopes = clamped.iter().zip(&free).map(|(a, b)| (a - b).abs());
    slopes.fold(0.0, f64::max)
}

fn is_a_sentence(what: &str, error: &Error) {
    let message = error.to_string();
    assert!(
        !message.contains("NaN") && !message.contains('\n') && !message.is_empty(),
        "{what}: {message}"
    );
}
