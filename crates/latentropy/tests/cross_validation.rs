//! Choices by cross-validation: the ridge, the number of hidden units, and the folds behind both.

mod common;

use common::close;
use common::fits::{request_for, with_threads};
use latentropy::data::{Cell, Dataset};
use latentropy::fit::{Comparison, CrossValidation, Hidden, Ridge, RidgeChoice, Structure};
use latentropy::internals::{ExactSampler, Setup, folds, held_out};
use latentropy::learning::{Cd, Course, Learner, Objective, Outcome, Pcd};
use latentropy::network::{Clamp, Network, Shape, TermOptions, Unit, named_terms};
use latentropy::{Control, EngineId, Observer, Principle, Request, Sampling, fit, score};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use std::sync::Mutex;

/// Visible units that only hidden ones connect: independent of each other without any.
fn machine(visible: usize, hidden: usize) -> latentropy::Result<Network> {
    let units: Vec<Unit> = (1..=visible)
        .map(|u| Unit::visible(format!("y{u}")))
        .chain((1..=hidden).map(|u| Unit::hidden(format!("z{u}"))))
        .collect();
    let options = TermOptions {
        shape: Shape::Rbm,
        bias: true,
        order: 2,
    };
    let terms = named_terms(&units, &options)?;
    Network::new(units, terms.into_iter().map(|t| (t, 0.0)))
}

fn names(visible: usize) -> Vec<String> {
    (1..=visible).map(|u| format!("y{u}")).collect()
}

/// Rows drawn from a machine whose pairs have the weight `strength`, every field centred.
fn drawn(visible: usize, hidden: usize, strength: f64, count: usize, seed: u64) -> Dataset {
    let structure = machine(visible, hidden).unwrap();
    let weights = structure.terms().iter().map(|term| match term.units() {
        [unit] if *unit < visible => -0.5 * strength * hidden as f64,
        [_] => -0.5 * strength * visible as f64,
        _ => strength,
    });
    let network = structure.with_weights(weights.collect()).unwrap();
    let sampler = ExactSampler::new(&network, &Clamp::none(visible + hidden)).unwrap();
    let states = sampler.sample(count, &mut ChaCha8Rng::seed_from_u64(seed));
    let cell = |&on: &bool| if on { Cell::One } else { Cell::Zero };
    let rows = states
        .iter()
        .map(|state| state[..visible].iter().map(cell).collect());
    Dataset::from_cells(names(visible), true, rows).unwrap()
}

/// Rows as text: `?` is missing.
fn table(rows: &[&str]) -> Dataset {
    let cell = |letter: char| Cell::parse(&letter.to_string()).unwrap();
    let cells = rows.iter().map(|row| row.chars().map(cell).collect());
    Dataset::from_cells(names(rows[0].len()), true, cells).unwrap()
}

const SEED: u64 = 5;

fn setup<'a>(
    structure: &'a Network,
    data: &'a Dataset,
    course: &'a Course,
    restarts: usize,
) -> Setup<'a> {
    Setup {
        structure,
        data,
        engine: EngineId::EXACT,
        scored_by: EngineId::EXACT,
        course,
        objective: Objective::default(),
        restarts,
        seed: SEED,
        principle: Principle::default(),
    }
}

/// A request that cross-validates the ridge of restricted machines.
fn request(hidden: Hidden, restarts: usize, validation: CrossValidation) -> Request {
    Request {
        hidden: Some(hidden),
        structure: Structure::Named(TermOptions {
            shape: Shape::Rbm,
            ..TermOptions::default()
        }),
        ridge: Ridge::CrossValidated,
        validation: Some(validation),
        restarts: Some(restarts),
        seed: SEED,
        ..Request::default()
    }
}

/// The choice of a ridge for a machine with one hidden unit.
fn ridge_of(
    data: &Dataset,
    restarts: usize,
    validation: CrossValidation,
) -> latentropy::Result<RidgeChoice> {
    let found = fit(data, &request(Hidden::One(1), restarts, validation))?;
    Ok(found.choices.ridge.expect("a choice"))
}

fn size_of(
    sizes: &[usize],
    data: &Dataset,
    restarts: usize,
    validation: CrossValidation,
) -> latentropy::Result<Comparison> {
    let hidden = Hidden::Several(sizes.to_vec());
    let found = fit(data, &request(hidden, restarts, validation))?;
    let choice = found.choices.comparison.clone().expect("a choice");
    let chosen = choice.chosen();
    assert_eq!(found.chosen().network.hidden().len(), chosen.hidden);
    assert_eq!(found.objective.ridge, chosen.ridge);
    assert_eq!(found.choices.ridge, choice.ridge);
    assert_eq!(choice.ridge.as_ref().map(|r| r.chosen), Some(chosen.ridge));
    Ok(choice)
}

fn few_ridges() -> CrossValidation {
    CrossValidation {
        ridges: vec![0.1, 1.0, 10.0],
        restarts: 3,
        ..CrossValidation::default()
    }
}

#[test]
fn a_common_cause_is_found_and_independent_columns_need_none() {
    let choose = |data: &Dataset| size_of(&[2, 0, 1], data, 4, few_ridges()).unwrap();
    let caused = choose(&drawn(5, 1, 2.5, 150, 1));
    assert_eq!(caused.chosen().hidden, 1, "{caused:?}");
    let none = &caused.table[0].standing;
    assert!(none.behind > 3.0 * none.behind_std_err, "{caused:?}");
    let sizes: Vec<usize> = caused.table.iter().map(|entry| entry.hidden).collect();
    assert_eq!(sizes, [0, 1, 2]);
    let gain = &caused.gains[0];
    assert_eq!(gain.over, "independent");
    assert!((gain.mean - none.behind + caused.chosen().standing.behind).abs() < 1e-12);

    let independent = choose(&drawn(5, 1, 0.0, 150, 4));
    assert_eq!(independent.chosen().hidden, 0, "{independent:?}");
}

#[test]
fn strong_effects_want_less_ridge_than_noise() {
    let choose = |strength: f64| {
        let data = drawn(5, 1, strength, 100, 3);
        let validation = CrossValidation {
            restarts: 3,
            ..CrossValidation::default()
        };
        ridge_of(&data, 4, validation).unwrap()
    };
    let (strong, noise) = (choose(4.0), choose(0.0));
    assert!(strong.chosen < noise.chosen, "{strong:?} {noise:?}");
    for choice in [strong, noise] {
        assert!(choice.table.windows(2).all(|w| w[0].ridge > w[1].ridge));
        let best = choice.table.iter().map(|entry| entry.standing.mean);
        let best = best.fold(f64::NEG_INFINITY, f64::max);
        for entry in &choice.table {
            let standing = entry.standing;
            assert!(close(standing.behind, best - standing.mean, 1e-9, 1.0));
            assert!(standing.std_err > 0.0 && standing.behind_std_err >= 0.0);
            // Nothing with a larger ridge than the chosen one was as good.
            assert!(!(standing.is_not_clearly_behind() && entry.ridge > choice.chosen));
        }
    }
}

#[test]
fn a_folds_score_is_what_fitting_and_scoring_by_hand_give() {
    let data = table(&[
        "1100", "1110", "11?0", "0011", "0011", "0111", "????", "1000", "?100", "0011", "1101",
        "0001",
    ]);
    let structure = machine(4, 1).unwrap();
    // A ridge that leaves one solution: which of several is met depends on where a fit begins.
    let validation = CrossValidation::default().with_ridge(3.0);
    let course = Course::default();
    let setup = setup(&structure, &data, &course, 4);
    let found = held_out(&setup, &validation, &Control::default()).unwrap();
    assert_eq!((found.len(), found[0].by_row.len()), (1, 11));

    let request = Request {
        ridge: Ridge::Value(3.0),
        bias_ridge: Some(0.0),
        restarts: Some(4),
        seed: SEED,
        ..request_for(&structure)
    };
    let parts = folds(&data, 5, SEED).unwrap();
    let mut total = 0.0;
    for held in &parts {
        let others: Vec<usize> = (0..data.len())
            .filter(|row| *row != 6 && !held.contains(row))
            .collect();
        let learned = fit(&data.rows_subset(&others), &request).unwrap();
        for &row in held {
            let one = data.rows_subset(&[row]);
            let by_hand = score(
                &learned.chosen().network,
                &one,
                Some(EngineId::EXACT),
                &Sampling::default(),
            );
            let by_hand = by_hand.unwrap().mean.value;
            let at = row - usize::from(row > 6);
            assert!(
                close(found[0].by_row[at], by_hand, 1e-6, 1.0),
                "row {row}: {} {by_hand}",
                found[0].by_row[at]
            );
            total += by_hand;
        }
    }
    assert!(close(found[0].mean, total / 11.0, 1e-6, 1.0));
}

#[test]
fn folds_hold_every_known_row_once() {
    let data = table(&["11", "10", "??", "1?", "11", "00", "01", "11"]);
    for count in [2, 3, 7, 100] {
        let dealt = folds(&data, count, 9).unwrap();
        assert_eq!(dealt.len(), count.min(7));
        let sizes = || dealt.iter().map(Vec::len);
        assert!(sizes().max().unwrap() - sizes().min().unwrap() <= 1);
        let mut rows = dealt.concat();
        rows.sort_unstable();
        assert_eq!(rows, [0, 1, 3, 4, 5, 6, 7]);
    }
    assert_eq!(folds(&data, 3, 9).unwrap(), folds(&data, 3, 9).unwrap());
    let differ = (0..20).any(|seed| folds(&data, 3, seed).unwrap() != folds(&data, 3, 9).unwrap());
    assert!(differ);
}

#[test]
fn some_rows_are_a_data_set_of_their_own() {
    let data = table(&["10", "1?", "10", "00"]);
    let some = data.rows_subset(&[3, 0, 2, 0]);
    assert_eq!(some, table(&["00", "10", "10", "10"]));
    assert_eq!(data.rows_subset(&[0, 1, 2, 3]), data);
    assert!(data.rows_subset(&[]).is_empty());
}

#[test]
fn the_choice_does_not_depend_on_threads() {
    let data = drawn(4, 1, 2.0, 60, 4);
    let choose = |threads: usize| {
        with_threads(threads, || {
            size_of(&[0, 1, 2], &data, 3, few_ridges()).unwrap()
        })
    };
    let one = choose(1);
    assert_eq!(one, choose(2));
    assert_eq!(one, choose(5));
}

#[test]
fn tiny_data_work_or_are_refused_in_words() {
    let choose = |rows: &[&str]| ridge_of(&table(rows), 2, CrossValidation::default());
    for rows in [
        &["11", "00", "1?"][..],
        &["11", "0?"],
        &["1?", "?0", "??"],
        &["11", "11", "11"],
    ] {
        let choice = choose(rows).unwrap();
        assert!(
            choice.table.iter().all(|e| e.standing.mean.is_finite()),
            "{choice:?}"
        );
        assert!(choice.chosen > 0.0);
    }
    for rows in [&["11"][..], &["11", "??"]] {
        let message = choose(rows).unwrap_err().to_string();
        assert!(
            message.contains("at least 2 with a known cell"),
            "{message}"
        );
    }
    let one_fold = folds(&table(&["11", "00"]), 1, 0).unwrap_err();
    assert!(one_fold.to_string().contains("folds must be at least 2"));
    for ridges in [vec![], vec![f64::NAN], vec![-1.0]] {
        let validation = CrossValidation {
            ridges,
            ..CrossValidation::default()
        };
        let data = table(&["11", "00"]);
        assert!(ridge_of(&data, 1, validation).is_err());
    }
    let nothing = size_of(&[], &table(&["11", "00"]), 1, few_ridges()).unwrap_err();
    assert_eq!(nothing.to_string(), "hidden names no number");
}

/// Keeps the weights of every restart it hears of.
#[derive(Default)]
struct Kept(Mutex<Vec<(usize, Vec<f64>)>>);

impl Observer for Kept {
    fn restart_done(&self, index: usize, outcome: &Outcome) {
        let mut kept = self.0.lock().unwrap();
        kept.push((index, outcome.point.weights.clone()));
    }
}

/// All candidates of a cross-validation whose folds leave the very same rows to learn from.
fn candidates_of_equal_folds(course: &Course) -> Vec<(usize, Vec<f64>)> {
    let data = table(&["10"; 10]);
    let structure = machine(2, 1).unwrap();
    let course = Course {
        max_iterations: 50,
        ..course.clone()
    };
    let setup = setup(&structure, &data, &course, 2);
    let validation = CrossValidation::default().with_ridge(1.0);
    let kept = Kept::default();
    let control = Control {
        observer: &kept,
        ..Control::default()
    };
    held_out(&setup, &validation, &control).unwrap();
    let mut kept = kept.0.into_inner().unwrap();
    kept.sort_by(|a, b| a.partial_cmp(b).unwrap());
    kept
}

#[test]
fn folds_and_restarts_draw_their_own_samples() {
    // Starts belong to restarts, so what differs between equal folds is the noise of the samples alone.
    let mut exact = candidates_of_equal_folds(&Course::default());
    assert_eq!(exact.len(), 10);
    exact.dedup();
    assert_eq!(exact.len(), 2, "one result a restart");
    for learner in [Learner::Cd(Cd::default()), Learner::Pcd(Pcd::default())] {
        let (name, course) = (learner.name(), Course::new(learner));
        let sampled = candidates_of_equal_folds(&course);
        assert_eq!(sampled, candidates_of_equal_folds(&course), "{name}");
        let mut distinct = sampled;
        distinct.dedup();
        assert_eq!(distinct.len(), 10, "{name}: one result a fold and restart");
    }
}
