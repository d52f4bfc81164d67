//! Planted structures: from rows of a known origin the default fit, without a setting, names where they come from.

use latentropy::data::{Cell, Dataset};
use latentropy::{Fit, Request, fit};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

const ROWS: usize = 500;
const COLUMNS: usize = 8;
const TRIALS: u64 = 10;

/// Rows whose columns are drawn one by one, each with the probability that `chance` gives it for this row's cause.
fn drawn(
    seed: u64,
    cause: impl Fn(&mut ChaCha8Rng) -> f64,
    chance: impl Fn(f64, usize) -> f64,
) -> Dataset {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let names = (1..=COLUMNS).map(|column| format!("y{column}")).collect();
    let rows: Vec<Vec<Cell>> = (0..ROWS)
        .map(|_| {
            let cause = cause(&mut random);
            let cell = |column| match random.random_bool(chance(cause, column)) {
                true => Cell::One,
                false => Cell::Zero,
            };
            (0..COLUMNS).map(cell).collect()
        })
        .collect();
    Dataset::from_cells(names, true, rows).unwrap()
}

fn logistic(field: f64) -> f64 {
    1.0 / (1.0 + (-field).exp())
}

/// In how many of ten trials the default fit is what it should be.
fn right(data: impl Fn(u64) -> Dataset, is_right: impl Fn(&Fit) -> bool) -> usize {
    (0..TRIALS)
        .filter(|&seed| {
            let found = fit(&data(seed), &Request::default()).unwrap();
            let right = is_right(&found);
            if !right {
                let units = found.chosen().hidden_units.as_ref();
                println!(
                    "trial {seed}: {} with {} hidden units, {units:?}",
                    found.shape,
                    found.chosen().network.hidden().len()
                );
            }
            right
        })
        .count()
}

/// The machine's name, and how many causes it tells apart.
fn is(found: &Fit, shape: &str, causes: usize) -> bool {
    let units = found.chosen().hidden_units.as_ref();
    found.shape == shape && units.map(|units| units.effective()) == Some(causes)
}

#[test]
fn two_classes_are_one_hidden_unit() {
    let side = |column: usize| if column.is_multiple_of(3) { -1.0 } else { 1.0 };
    let data = |seed| {
        let class = |random: &mut ChaCha8Rng| f64::from(u8::from(random.random_bool(0.4)));
        drawn(seed, class, |class, column| {
            logistic(side(column) * (3.0 * class - 1.5))
        })
    };
    assert!(right(data, |found| is(found, "rbm", 1)) >= 9);
}

#[test]
fn independent_columns_are_told_as_that() {
    let data = |seed| drawn(seed, |_| 0.0, |_, column| 0.1 + 0.1 * column as f64);
    assert!(right(data, |found| is(found, "independent", 0)) >= 9);
}

#[test]
fn pairs_alone_need_no_hidden_unit() {
    // A chain: each column follows the one before it, which is no common cause of all.
    let data = |seed| {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let names = (1..=COLUMNS).map(|column| format!("y{column}")).collect();
        let rows: Vec<Vec<Cell>> = (0..ROWS)
            .map(|_| {
                let mut last = random.random_bool(0.5);
                (0..COLUMNS)
                    .map(|_| {
                        last = last == random.random_bool(0.85);
                        if last { Cell::One } else { Cell::Zero }
                    })
                    .collect()
            })
            .collect();
        Dataset::from_cells(names, true, rows).unwrap()
    };
    assert!(right(data, |found| is(found, "visible", 0)) >= 9);
}

#[test]
fn a_graded_cause_is_not_several_causes() {
    // One trait from low to high in five grades, which every column follows.
    let data = |seed| {
        let grade = |random: &mut ChaCha8Rng| f64::from(random.random_range(0..5u8)) - 2.0;
        drawn(seed, grade, |grade, _| logistic(1.6 * grade))
    };
    // However many units it takes, all are told as grades of one cause.
    let is_graded = |found: &Fit| {
        let units = found.chosen().hidden_units.as_ref();
        units.map(|units| units.causes()) == Some(1)
    };
    assert!(right(data, is_graded) >= 9);
}

#[test]
fn a_dead_unit_is_not_found_where_one_lives() {
    // A machine of two hidden units one of which is connected to nothing is a machine of one.
    let data = |seed| {
        let class = |random: &mut ChaCha8Rng| {
            let _dead = random.random_bool(0.5);
            f64::from(u8::from(random.random_bool(0.5)))
        };
        drawn(seed, class, |class, column| {
            logistic((2.0 + 0.2 * column as f64) * (class - 0.5))
        })
    };
    assert!(right(data, |found| is(found, "rbm", 1)) >= 9);
    // And where it is asked for, it is recognised.
    let request = Request {
        structure: latentropy::fit::Structure::Named(latentropy::network::TermOptions {
            shape: latentropy::network::Shape::Rbm,
            ..Default::default()
        }),
        ..Request::with_hidden(2)
    };
    let found = fit(&data(3), &request).unwrap();
    let units = found.chosen().hidden_units.as_ref().unwrap();
    assert!(units.effective() <= 2);
}
