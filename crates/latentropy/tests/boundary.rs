//! Why weights are at the edge: every stated cause is checked against the rows by brute force.

mod common;

use common::fits::request_for;
use latentropy::data::{Cell, Dataset};
use latentropy::fit::{BoundaryTerm, Cause, Grounds, PatternUnit, boundary_causes};
use latentropy::internals::{clamp_of_row, literal, units_of_columns};
use latentropy::network::{Clamp, Network, Shape, TermOptions, Unit, named_terms};
use latentropy::{Fit, Request, fit};
use proptest::prelude::*;

fn machine(visible: usize, hidden: usize, bias: bool, order: usize) -> Network {
    let units: Vec<Unit> = (1..=visible)
        .map(|u| Unit::visible(format!("y{u}")))
        .chain((1..=hidden).map(|u| Unit::hidden(format!("z{u}"))))
        .collect();
    let options = TermOptions {
        shape: Shape::Full,
        bias,
        order,
    };
    let terms = named_terms(&units, &options).unwrap();
    Network::new(units, terms.into_iter().map(|t| (t, 0.0))).unwrap()
}

/// Rows written as 0, 1 and ?.
fn rows(lines: &[&str]) -> Dataset {
    let names = (1..=lines[0].len()).map(|u| format!("y{u}")).collect();
    let cell = |letter: char| match letter {
        '0' => Cell::Zero,
        '1' => Cell::One,
        _ => Cell::Missing,
    };
    let cells = lines.iter().map(|line| line.chars().map(cell).collect());
    Dataset::from_cells(names, true, cells).unwrap()
}

fn fitted(structure: &Network, data: &Dataset, bound: f64) -> (Fit, Vec<BoundaryTerm>) {
    let request = Request {
        bound,
        restarts: Some(3),
        ..request_for(structure)
    };
    let found = fit(data, &request).unwrap();
    let causes = boundary_causes(found.chosen(), data).unwrap();
    assert_eq!(found.boundary, causes);
    (found, causes)
}

/// The causes of a fully visible machine as `term: sentence`.
fn sentences(data: &Dataset, bias: bool, order: usize) -> Vec<String> {
    let structure = machine(data.columns().len(), 0, bias, order);
    let (found, causes) = fitted(&structure, data, 15.0);
    let network = &found.chosen().network;
    let line = |at: &BoundaryTerm| format!("{}: {}", network.label(at.term), at.cause);
    causes.iter().map(line).collect()
}

/// In how many rows the model's posterior, summed state by state, shows the pattern; rows without a known cell do not count.
fn expected_rows(network: &Network, data: &Dataset, pattern: &[PatternUnit]) -> (f64, f64) {
    let columns = units_of_columns(network, data).unwrap();
    let (mut expected, mut rows) = (0.0, 0.0);
    for (row, &weight) in data.rows().iter().zip(data.weights()) {
        if row.missing.count() == data.columns().len() {
            continue;
        }
        rows += weight;
        let clamp = clamp_of_row(network.units().len(), &columns, row);
        let states = literal::states(network, &clamp);
        let largest = states.iter().map(|s| s.1).fold(f64::NEG_INFINITY, f64::max);
        let (mut hit, mut all) = (0.0, 0.0);
        for (state, exponent) in states {
            let share = (exponent - largest).exp();
            all += share;
            if pattern.iter().all(|u| state[u.unit] == u.one) {
                hit += share;
            }
        }
        expected += weight * hit / all;
    }
    (expected, rows)
}

/// Fails unless what the cause says holds of the rows, one by one.
fn check(network: &Network, data: &Dataset, at: &BoundaryTerm) {
    let said = at.cause.to_string();
    let cell = |row: usize, unit: &PatternUnit| {
        let column = data.columns().iter().position(|c| *c == unit.name);
        data.cell(row, column.expect("a column of this name"))
    };
    let is = |row: usize, unit: &PatternUnit| (cell(row, unit) == Cell::One) == unit.one;
    let weigh = |rows: &[usize]| -> f64 { rows.iter().map(|&row| data.row_weight(row)).sum() };
    let (pattern, grounds, always) = match &at.cause {
        Cause::Unseen {
            pattern, grounds, ..
        } => (pattern, grounds, false),
        Cause::Always { units, grounds } => (units, grounds, true),
        Cause::Pull {
            units,
            rows_show,
            machine_shows,
            rows,
            upwards,
        } => {
            let (expected, all) = expected_rows(network, data, units);
            assert_eq!(all, *rows);
            assert!((expected - rows_show).abs() < 1e-9 * (1.0 + expected));
            let none = Clamp::none(network.units().len());
            let free = literal::expectations(network, &none).terms[at.term] * all;
            assert!((free - machine_shows).abs() < 1e-9 * (1.0 + free));
            // The certificate: a weight stays at the edge because the rows ask for more of it.
            let gap = if *upwards {
                rows_show - free
            } else {
                free - rows_show
            };
            assert!(gap >= -1e-7 * all, "{said}: {gap}");
            return;
        }
    };
    match *grounds {
        Grounds::Counted {
            known,
            with_ones,
            rows,
        } => {
            let complete = |row: &usize| pattern.iter().all(|u| cell(*row, u) != Cell::Missing);
            let places: Vec<usize> = (0..data.len()).filter(complete).collect();
            assert_eq!(weigh(&places), known, "{said}");
            assert_eq!(expected_rows(network, data, pattern).1, rows, "{said}");
            let only = |keeps: &dyn Fn(usize) -> bool| -> f64 {
                let kept = places.iter().copied().filter(|&row| keeps(row));
                weigh(&kept.collect::<Vec<usize>>())
            };
            let matching = only(&|row| pattern.iter().all(|u| is(row, u)));
            let want = if always { known } else { 0.0 };
            assert_eq!(matching, want, "{said}");
            let with = only(&|row| pattern.iter().all(|u| !u.one || is(row, u)));
            assert_eq!(with, with_ones, "{said}");
        }
        Grounds::Expected { exceptions, rows } => {
            let (expected, all) = expected_rows(network, data, pattern);
            assert_eq!(all, rows, "{said}");
            let found = if always { all - expected } else { expected };
            assert!((found - exceptions).abs() < 1e-9 * all, "{said}: {found}");
            assert!(exceptions < 0.01, "{said}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_stated_cause_is_true_of_the_rows(
        columns in 2usize..5,
        hidden in 0usize..3,
        bias in any::<bool>(),
        order in 2usize..4,
        bound in prop::sample::select(vec![15.0, 15.0, 1.0]),
        cells in prop::collection::vec(prop::collection::vec(0u8..20, 4), 2..14),
        with_missing in any::<bool>(),
        halves in prop::option::of(prop::collection::vec(0u8..5, 14)),
    ) {
        let letter = |c: &u8| match c {
            0..2 if with_missing => Cell::Missing,
            c if c % 2 == 1 => Cell::One,
            _ => Cell::Zero,
        };
        let names = (1..=columns).map(|u| format!("y{u}")).collect();
        let lines = cells.iter().map(|line| line[..columns].iter().map(letter).collect());
        let mut data = Dataset::from_cells(names, true, lines).unwrap();
        if let Some(halves) = halves {
            let weights = halves.iter().take(data.len()).map(|&half| 0.5 * f64::from(half));
            data = data.with_row_weights(weights.collect()).unwrap();
        }
        // A column without a known cell is refused by itself, and so are rows that weigh nothing together.
        prop_assume!(data.unknown_columns().is_empty() && data.known_weight() > 0.0);
        let structure = machine(columns, hidden, bias, order);
        let (found, causes) = fitted(&structure, &data, bound);
        let chosen = found.chosen();
        let edge: Vec<usize> = causes.iter().map(|at| at.term).collect();
        prop_assert_eq!(&edge, &chosen.certificate.boundary_terms);
        for at in &causes {
            prop_assert_eq!(at.weight, chosen.network.weights()[at.term]);
            if chosen.feasible {
                check(&chosen.network, &data, at);
            }
        }
    }
}

#[test]
fn a_pair_that_never_occurs_together() {
    let data = rows(&["10", "01", "00", "10", "01", "00", "00"]);
    let found = sentences(&data, true, 2);
    assert_eq!(
        found,
        ["y1*y2: y1 and y2 never occur together in the 7 rows"]
    );
}

#[test]
fn an_implication_drives_the_pair_up_and_the_bias_down() {
    let data = rows(&["11", "01", "00", "11", "01", "00"]);
    let found = sentences(&data, true, 2);
    assert!(!found.is_empty());
    for line in &found {
        assert!(
            line.ends_with(": whenever y1 is 1, y2 is 1 (2 rows)"),
            "{line}"
        );
        assert!(
            line.starts_with("y1: ") || line.starts_with("y1*y2: "),
            "{line}"
        );
    }
}

#[test]
fn never_both_zero_and_constant_columns() {
    let found = sentences(&rows(&["10", "01", "11", "10", "01"]), true, 2);
    assert!(!found.is_empty());
    for line in &found {
        assert!(
            line.ends_with("y1 and y2 are never both 0 in the 5 rows"),
            "{line}"
        );
    }
    let found = sentences(&rows(&["10", "00", "10"]), true, 2);
    assert!(
        found.contains(&"y2: y2 is never 1 in the 3 rows".to_string()),
        "{found:?}"
    );
    let found = sentences(&rows(&["11", "11", "11"]), false, 2);
    assert_eq!(found, ["y1*y2: y1 and y2 are 1 in all 3 rows"]);
}

#[test]
fn missing_cells_are_not_counted_as_seen() {
    let data = rows(&["10", "01", "00", "1?", "01", "00", "?0", "10"]);
    let found = sentences(&data, true, 2);
    let want = "y1*y2: y1 and y2 never occur together in the 6 of 8 rows where both are known";
    assert!(found.contains(&want.to_string()), "{found:?}");
}

#[test]
fn higher_orders() {
    let data = rows(&["110", "101", "011", "100", "010", "001", "000"]);
    let found = sentences(&data, true, 3);
    assert_eq!(
        found,
        ["y1*y2*y3: y1, y2 and y3 never occur together in the 7 rows"]
    );
    let data = rows(&["111", "101", "011", "100", "010", "001", "000"]);
    let found = sentences(&data, true, 3);
    let want = "y1*y2*y3: whenever y1 and y2 are 1, y3 is 1 (1 row)";
    assert!(found.contains(&want.to_string()), "{found:?}");
}

#[test]
fn a_narrow_box_is_not_blamed_on_the_data() {
    // Every pattern occurs: only the box holds the weights.
    let lines = ["11", "11", "11", "11", "11", "10", "01", "00", "00", "00"];
    let data = rows(&lines);
    let (_, causes) = fitted(&machine(2, 0, true, 2), &data, 0.5);
    assert!(!causes.is_empty());
    for at in &causes {
        assert!(matches!(at.cause, Cause::Pull { .. }), "{}", at.cause);
        assert!(
            at.cause.to_string().contains("no single pattern"),
            "{}",
            at.cause
        );
    }
}
