//! The answer does not depend on which answer is called 1: recoded columns give the same fit, restart by restart.

mod common;

use common::literal_penalty;
use latentropy::data::{Cell, Dataset};
use latentropy::fit::{Request, Resamples, Ridge, Select, Structure};
use latentropy::learning::{Learner, Objective};
use latentropy::network::{Network, Shape, TermOptions};
use latentropy::{Fit, Principle, fit};
use proptest::prelude::*;

/// One table in two codings, and what is asked of both.
#[derive(Clone, Debug)]
struct Case {
    rows: Vec<Vec<Cell>>,
    flips: Vec<bool>,
    request: Request,
}

impl Case {
    fn tables(&self) -> [Dataset; 2] {
        let turned = |(cell, flip): (&Cell, &bool)| match (cell, flip) {
            (Cell::One, true) => Cell::Zero,
            (Cell::Zero, true) => Cell::One,
            (cell, _) => *cell,
        };
        let names = || (1..=self.flips.len()).map(|c| format!("y{c}")).collect();
        let other = self
            .rows
            .iter()
            .map(|row| row.iter().zip(&self.flips).map(turned).collect());
        [
            Dataset::from_cells(names(), true, self.rows.clone()).unwrap(),
            Dataset::from_cells(names(), true, other).unwrap(),
        ]
    }
}

/// Learners that end somewhere within a few steps, whether they converge or not.
const LEARNERS: [&str; 9] = [
    "auto",
    "auto",
    "em-is",
    "em-gis",
    "em-gradient",
    "sequential",
    "quasi-newton",
    "cd",
    "pcd",
];

fn case() -> impl Strategy<Value = Case> {
    let cell = prop_oneof![5 => Just(Cell::Zero), 3 => Just(Cell::One), 1 => Just(Cell::Missing)];
    let shape = prop_oneof![
        Just((Shape::Full, 2)),
        Just((Shape::Rbm, 2)),
        Just((Shape::SemiRestricted, 2)),
        Just((Shape::Visible, 2)),
        Just((Shape::Full, 3)),
    ];
    let ridge = prop_oneof![
        Just(Ridge::Value(0.0)),
        (0.05..3.0f64).prop_map(Ridge::Value),
        Just(Ridge::Evidence),
    ];
    (2usize..=5, shape, 1usize..=2)
        .prop_flat_map(move |(columns, shape, hidden)| {
            (
                prop::collection::vec(prop::collection::vec(cell.clone(), columns), 6..40),
                prop::collection::vec(any::<bool>(), columns),
                Just((shape, hidden)),
                ridge.clone(),
                0..LEARNERS.len(),
                any::<bool>(),
            )
        })
        .prop_map(|(mut rows, flips, (shape, hidden), ridge, learner, mle)| {
            // Every column is known somewhere.
            rows[0].iter_mut().for_each(|cell| *cell = Cell::One);
            let (shape, order) = shape;
            let request = Request {
                structure: Structure::Named(TermOptions {
                    shape,
                    bias: true,
                    order,
                }),
                learner: (learner > 1).then(|| Learner::named(LEARNERS[learner]).unwrap()),
                max_iterations: (learner > 1).then_some(60),
                ridge,
                restarts: Some(6),
                select: match mle {
                    true => Principle::MaximumLikelihood.into(),
                    false => Select::default(),
                },
                ..Request::with_hidden(if shape == Shape::Visible { 0 } else { hidden })
            };
            Case {
                rows,
                flips,
                request,
            }
        })
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-8 * (1.0 + a.abs())
}

/// The same fit: every candidate, the solutions, the choice.
fn same(a: &Fit, b: &Fit) -> Result<(), TestCaseError> {
    prop_assert_eq!(a.distinct_solutions, b.distinct_solutions);
    prop_assert_eq!(a.selected, b.selected);
    prop_assert!(close(a.objective.ridge, b.objective.ridge));
    for (x, y) in a.candidates.iter().zip(&b.candidates) {
        prop_assert!(
            close(x.log_likelihood, y.log_likelihood),
            "{} {}",
            x.log_likelihood,
            y.log_likelihood
        );
        prop_assert!(close(x.entropy.value, y.entropy.value));
        prop_assert_eq!(x.certificate.kind, y.certificate.kind);
        prop_assert_eq!(&x.certificate.boundary_terms, &y.certificate.boundary_terms);
        for (term, of) in x.network.terms().iter().enumerate() {
            // Recoding turns the signs of pairs, and leaves the sizes of the highest terms.
            if of.order() == x.network.order() && of.order() > 1 {
                prop_assert!(close(
                    x.network.weights()[term].abs(),
                    y.network.weights()[term].abs()
                ));
                let errors = (
                    x.standard_errors.weights[term],
                    y.standard_errors.weights[term],
                );
                if let (Some(a), Some(b)) = errors {
                    prop_assert!(close(a, b));
                }
                prop_assert_eq!(errors.0.is_some(), errors.1.is_some());
            }
        }
    }
    Ok(())
}

/// log p of every row under the chosen machine, by its own table.
fn row_scores(found: &Fit, data: &Dataset) -> Vec<f64> {
    let network = &found.chosen().network;
    let scores = latentropy::score(network, data, None, &latentropy::Sampling::default());
    scores.unwrap().by_distinct_row
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn recoded_columns_give_the_same_fit(case in case()) {
        let [table, recoded] = case.tables();
        let (a, b) = (fit(&table, &case.request).unwrap(), fit(&recoded, &case.request).unwrap());
        same(&a, &b)?;
        // Not only the numbers that are told: the machines themselves say the same of every row.
        for (x, y) in row_scores(&a, &table).iter().zip(row_scores(&b, &recoded)) {
            prop_assert!(close(*x, y), "{x} against {y}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// The objective itself, without the fit's own coding: what is taken for ridge and bias ridge.
    #[test]
    fn the_penalty_does_not_know_the_coding(
        case in case(),
        weights in prop::collection::vec(-2.0..2.0f64, 80),
    ) {
        let [table, recoded] = case.tables();
        let columns = table.columns().to_vec();
        let Structure::Named(options) = &case.request.structure else { unreachable!() };
        let hidden = if options.shape == Shape::Visible { 0 } else { 2 };
        let network = Network::on_columns(&columns, hidden, options).unwrap();
        let network = network.with_weights(weights.into_iter().cycle().take(network.terms().len()).collect()).unwrap();
        let mut flips = case.flips.clone();
        // Hidden units may be recoded as well.
        flips.extend((0..hidden).map(|at| at == 0));
        let other = latentropy::internals::recoded(&network, &flips).unwrap();
        let objective = Objective { bias_ridge: 0.7, ..Objective::with_ridge(1.3) };
        let here = literal_penalty(&network, &table, network.weights(), objective);
        let there = literal_penalty(&other, &recoded, other.weights(), objective);
        prop_assert!(close(here, there), "{here} against {there}");
    }
}

#[test]
fn mirror_images_of_a_hidden_unit_are_one_solution() {
    // Two groups; from random starts some restarts call the first one 1, some the second.
    let rows: Vec<[i8; 6]> = (0..60)
        .map(|row| {
            let group = i8::from(row % 2 == 0);
            let odd = |column: usize| i8::from((row * 7 + column * 5).is_multiple_of(9));
            std::array::from_fn(|column| group ^ odd(column))
        })
        .collect();
    let data = Dataset::from_rows(&rows).unwrap();
    let request = Request {
        structure: Structure::Named(TermOptions {
            shape: Shape::Rbm,
            ..TermOptions::default()
        }),
        ridge: Ridge::Value(1.0),
        restarts: Some(12),
        bootstrap: Some(Resamples {
            count: 8,
            kind: Default::default(),
        }),
        ..Request::with_hidden(1)
    };
    let found = fit(&data, &request).unwrap();
    assert_eq!(found.distinct_solutions, 1);
    // And all are told the same way round: the unit is on in the fewer rows.
    for candidate in &found.candidates {
        for (a, b) in candidate
            .network
            .weights()
            .iter()
            .zip(found.chosen().network.weights())
        {
            assert!((a - b).abs() < 1e-5, "{a} against {b}");
        }
    }
    let spreads = found.bootstrap.unwrap().spreads.unwrap();
    let pair = found.candidates[0]
        .network
        .terms()
        .iter()
        .position(|t| t.order() == 2)
        .unwrap();
    assert!(spreads.weights[pair].as_ref().unwrap().std_err < 2.0);
}
