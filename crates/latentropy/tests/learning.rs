//! The theorems as properties: monotone likelihood, entropy as a by-product, gradients, posteriors, missing cells.

mod common;

use common::{close, literal_penalty, with_all_parts};
use latentropy::data::{Cell, Dataset};
use latentropy::internals::{
    Clamped, RowPosteriors, clamp_of_row, hessian, literal, penalty_slope,
};
use latentropy::learning::{
    Course, EmGis, EmGradient, EmIs, Learner, Need, Objective, Outcome, Problem, Step, TraceEntry,
    learn, learn_traced,
};
use latentropy::network::{Clamp, Network, Term, Unit};
use latentropy::{EngineId, Error, Sampling, score};
use proptest::prelude::*;

/// A machine of up to 5 visible and 3 hidden units with random terms, one half of them with all parts of each, and rows with missing cells.
fn problem_strategy() -> impl Strategy<Value = (Network, Dataset)> {
    (2usize..=5, 0usize..=3)
        .prop_flat_map(|(visible, hidden)| {
            let units = visible + hidden;
            let term = prop::collection::btree_set(0..units, 1..=3.min(units));
            let cell =
                prop_oneof![4 => Just(Cell::Zero), 4 => Just(Cell::One), 1 => Just(Cell::Missing)];
            (
                Just((visible, hidden)),
                prop::collection::btree_set(term, units..3 * units),
                prop::collection::vec(-1.5..1.5f64, 97),
                prop::collection::vec(prop::collection::vec(cell, visible), 3..25),
                -1.0..1.0f64,
                any::<bool>(),
            )
        })
        .prop_map(
            |((visible, hidden), terms, weights, mut rows, constant, recodable)| {
                rows[0][0] = Cell::One;
                let terms = if recodable {
                    with_all_parts(&terms)
                } else {
                    terms
                };
                let units = (1..=visible)
                    .map(|u| Unit::visible(format!("y{u}")))
                    .chain((1..=hidden).map(|u| Unit::hidden(format!("z{u}"))))
                    .collect();
                let weighted = terms
                    .into_iter()
                    .zip(weights.into_iter().cycle())
                    .map(|(units, w)| (Term::new(units.into_iter().collect()), w))
                    .chain([(Term::new(vec![]), constant)]);
                let network = Network::new(units, weighted).unwrap();
                let names = (1..=visible).map(|u| format!("y{u}")).collect();
                (network, Dataset::from_cells(names, true, rows).unwrap())
            },
        )
}

/// A learner with S updates for each E step.
fn em_is(inner: usize) -> Learner {
    Learner::EmIs(EmIs {
        inner,
        ..EmIs::default()
    })
}

fn em_gis(inner: usize) -> Learner {
    Learner::EmGis(EmGis {
        inner,
        ..EmGis::default()
    })
}

fn em_gradient(inner: usize, step: Step) -> Learner {
    Learner::EmGradient(EmGradient {
        inner,
        step,
        ..EmGradient::default()
    })
}

/// The learner alone, so many iterations.
fn course(learner: Learner, iterations: usize) -> Course {
    Course {
        tolerance: 1e-300,
        max_iterations: iterations,
        ..Course::new(learner)
    }
}

fn posed(network: &Network, data: &Dataset, objective: Objective, learner: &Learner) -> Problem {
    let strata = learner.need() == Need::Strata;
    Problem::new(network, data, objective, EngineId::EXACT, strata).unwrap()
}

fn run(network: &Network, data: &Dataset, ridge: f64, course: &Course) -> Outcome {
    let problem = posed(network, data, Objective::with_ridge(ridge), &course.learner);
    learn_traced(&problem, network.weights().to_vec(), course).unwrap()
}

/// log p of the known cells of every row, by summing every state that agrees with it.
fn literal_scores(network: &Network, data: &Dataset) -> Vec<f64> {
    let units = network.units().len();
    let visible = network.visible();
    let log_sum = |clamp: &Clamp| literal::expectations(network, clamp).log_partition.value;
    let log_z = log_sum(&Clamp::none(units));
    data.rows()
        .iter()
        .map(|row| log_sum(&clamp_of_row(units, &visible, row)) - log_z)
        .collect()
}

fn mean_score(network: &Network, data: &Dataset, weights: &[f64]) -> f64 {
    let network = network.with_weights(weights.to_vec()).unwrap();
    let scores = literal_scores(&network, data);
    let known = |row: usize| data.rows()[row].missing.count() < data.columns().len();
    let total: f64 = (0..scores.len())
        .filter(|&r| known(r))
        .map(|r| data.counts()[r] as f64)
        .sum();
    (0..scores.len())
        .filter(|&r| known(r))
        .map(|r| scores[r] * data.counts()[r] as f64 / total)
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn iterative_scaling_never_lowers_the_objective(
        (network, data) in problem_strategy(),
        inner in 1usize..6,
        ridge in prop_oneof![Just(0.0), 0.01..5.0f64],
    ) {
        for learner in [em_is(inner), em_gis(inner)] {
            let name = learner.name();
            let outcome = run(&network, &data, ridge, &course(learner, 40));
            for pair in outcome.trace.windows(2) {
                // Rounding of a sum of some hundred terms of size |log p|.
                let slack = 1e-13 * (10.0 + pair[0].objective.abs());
                prop_assert!(pair[1].objective >= pair[0].objective - slack,
                    "{name}: {} then {}", pair[0].objective, pair[1].objective);
            }
        }
    }

    #[test]
    fn controlled_gradient_never_lowers_the_objective((network, data) in problem_strategy(), ridge in prop_oneof![Just(0.0), 0.01..5.0f64]) {
        let outcome = run(&network, &data, ridge, &course(em_gradient(2, Step::Controlled), 25));
        for pair in outcome.trace.windows(2) {
            prop_assert!(pair[1].objective >= pair[0].objective - 1e-13 * (10.0 + pair[0].objective.abs()));
        }
    }

    #[test]
    fn evaluations_agree_with_literal_sums((network, data) in problem_strategy()) {
        let outcome = run(&network, &data, 0.0, &course(em_gis(1), 1));
        let start = &outcome.trace[0];
        prop_assert!(close(start.log_likelihood, mean_score(&network, &data, network.weights()), 1e-12, 1.0));
        let literal_entropy = literal::expectations(
            &network.with_weights(outcome.point.weights.clone()).unwrap(), &Clamp::none(network.units().len())).entropy.value;
        prop_assert!(close(outcome.point.entropy, literal_entropy, 1e-11, 1.0));
        // Corollary 1 up to the residual: −Q − H = Σ λ (E f − η).
        let gap: f64 = outcome.point.weights.iter().enumerate()
            .map(|(i, w)| w * (outcome.point.free[i] - outcome.point.clamped.expectations[i])).sum();
        prop_assert!(close(-outcome.point.q - outcome.point.entropy, gap, 1e-11, 1.0));
    }

    #[test]
    fn the_gradient_is_a_finite_difference((network, data) in problem_strategy(), ridge in 0.0..3.0f64) {
        let objective = Objective { bound: 20.0, ..Objective::with_ridge(ridge) };
        let outcome = run(&network, &data, ridge, &course(em_gis(1), 1));
        let problem = posed(&network, &data, objective, &em_gis(1));
        let weights = outcome.point.weights.clone();
        let value = |weights: &[f64]| {
            mean_score(&network, &data, weights) - literal_penalty(&network, &data, weights, objective)
        };
        for term in 0..weights.len() {
            let (mut up, mut down) = (weights.clone(), weights.clone());
            up[term] += 1e-5;
            down[term] -= 1e-5;
            let numeric = (value(&up) - value(&down)) / 2e-5;
            let exact = outcome.point.clamped.expectations[term] - outcome.point.free[term]
                - penalty_slope(&problem, &weights)[term];
            // Truncation 1e-10, rounding 1e-15 / 1e-5.
            prop_assert!((numeric - exact).abs() < 1e-8, "{numeric} against {exact}");
        }
    }

    #[test]
    fn the_hessian_is_a_finite_difference_of_the_gradient((network, data) in problem_strategy(), ridge in 0.0..3.0f64) {
        let problem = posed(&network, &data, Objective { bound: 20.0, ..Objective::with_ridge(ridge) }, &em_gis(1));
        let gradient = |weights: &[f64]| -> Vec<f64> {
            let network = network.with_weights(weights.to_vec()).unwrap();
            let none = Clamp::none(network.units().len());
            let free = literal::expectations(&network, &none).terms;
            let mut clamped = Clamped::default();
            problem.rows().clamped(weights, &mut clamped).unwrap();
            let pulls = penalty_slope(&problem, weights);
            (0..weights.len()).map(|i| clamped.expectations[i] - free[i] - pulls[i]).collect()
        };
        let weights = network.weights();
        let matrix = hessian(&problem, weights).unwrap();
        for term in 0..weights.len() {
            let (mut up, mut down) = (weights.to_vec(), weights.to_vec());
            up[term] += 1e-5;
            down[term] -= 1e-5;
            for (other, (u, d)) in gradient(&up).iter().zip(gradient(&down)).enumerate() {
                let numeric = (u - d) / 2e-5;
                prop_assert!((numeric - matrix[term * weights.len() + other]).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn the_e_step_follows_equation_six((network, data) in problem_strategy()) {
        let posteriors = RowPosteriors::new(&network, &data).unwrap();
        let mut clamped = Clamped::default();
        posteriors.clamped(network.weights(), &mut clamped).unwrap();
        let visible = network.visible();
        let mut eta = vec![0.0; network.terms().len()];
        for (row, share) in data.rows().iter().zip(posteriors.shares()) {
            let clamp = clamp_of_row(network.units().len(), &visible, row);
            for (sum, expectation) in eta.iter_mut().zip(literal::expectations(&network, &clamp).terms) {
                *sum += share * expectation;
            }
        }
        for (a, b) in clamped.expectations.iter().zip(&eta) {
            prop_assert!(close(*a, *b, 1e-12, 1e-3), "{a} against {b}");
        }
    }

    #[test]
    fn scores_sum_missing_cells_out((network, data) in problem_strategy()) {
        let scores = score(&network, &data, None, &Sampling::default()).unwrap();
        for (a, b) in scores.by_distinct_row.iter().zip(literal_scores(&network, &data)) {
            prop_assert!((a - b).abs() < 1e-11, "{a} against {b}");
        }
    }
}

/// What is known of a problem at the network's weights.
fn evaluated(network: &Network, data: &Dataset, ridge: f64) -> TraceEntry {
    run(network, data, ridge, &course(em_gis(1), 1)).trace[0]
}

fn same(a: &TraceEntry, b: &TraceEntry) -> Result<(), TestCaseError> {
    let pairs = [
        ("log-likelihood", a.log_likelihood, b.log_likelihood),
        ("objective", a.objective, b.objective),
        ("Q", a.q, b.q),
        ("residual", a.residual, b.residual),
    ];
    for (what, a, b) in pairs {
        prop_assert!(close(a, b, 1e-12, 1.0), "{what}: {a} against {b}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_row_of_weight_n_is_n_rows(
        (network, data) in problem_strategy(),
        times in prop::collection::vec(0usize..4, 25),
        ridge in prop_oneof![Just(0.0), 0.01..5.0f64],
    ) {
        // The first row has a known cell.
        let times: Vec<usize> = (0..data.len()).map(|row| times[row].max(usize::from(row == 0))).collect();
        let rows: Vec<usize> = (0..data.len()).flat_map(|row| std::iter::repeat_n(row, times[row])).collect();
        let repeated = data.rows_subset(&rows);
        let weights = times.iter().map(|&n| n as f64).collect();
        let weighted = data.clone().with_row_weights(weights).unwrap();
        same(&evaluated(&network, &weighted, ridge), &evaluated(&network, &repeated, ridge))?;
        let scored = |data: &Dataset| score(&network, data, None, &Sampling::default()).unwrap().mean.value;
        prop_assert!(close(scored(&weighted), scored(&repeated), 1e-12, 1.0));
        // Weights of one are none.
        let ones = data.clone().with_row_weights(vec![1.0; data.len()]).unwrap();
        same(&evaluated(&network, &ones, ridge), &evaluated(&network, &data, ridge))?;
    }

    #[test]
    fn only_the_ratio_of_weights_matters_without_a_ridge(
        (network, data) in problem_strategy(),
        weights in prop::collection::vec(0.05..3.0f64, 25),
        ridge in 0.01..5.0f64,
    ) {
        let with = |factor: f64| {
            let weights = weights[..data.len()].iter().map(|weight| factor * weight).collect();
            data.clone().with_row_weights(weights).unwrap()
        };
        let (once, twice) = (with(1.0), with(2.0));
        same(&evaluated(&network, &once, 0.0), &evaluated(&network, &twice, 0.0))?;
        // T is what the rows weigh: a ridge is shared among twice as many.
        let first = |data: &Dataset, factor: f64| {
            let objective = Objective {
                ridge: factor * ridge,
                bias_ridge: factor * 0.3,
                ..Objective::default()
            };
            let problem = posed(&network, data, objective, &em_gis(1));
            learn_traced(&problem, network.weights().to_vec(), &course(em_gis(1), 1)).unwrap().trace[0]
        };
        same(&first(&once, 1.0), &first(&twice, 2.0))?;
        prop_assert!(close(twice.known_weight(), 2.0 * once.known_weight(), 1e-12, 0.0));
    }
}

/// Two visible units and a hidden one, every pair, and some rows.
fn small() -> (Network, Dataset) {
    let data = Dataset::from_rows(&[[0, 1], [1, 1], [1, 0], [1, 1]]).unwrap();
    (Network::full(2, 1), data)
}

#[test]
fn starts_that_do_not_fit_are_refused() {
    let (network, data) = small();
    let objective = Objective {
        bound: 2.0,
        ..Objective::with_ridge(1.0)
    };
    let problem = posed(&network, &data, objective, &em_gis(4));
    let course = Course::new(em_gis(4));
    let refused = |start: Vec<f64>, part: &str| {
        for found in [
            learn(&problem, start.clone(), &course),
            learn_traced(&problem, start.clone(), &course),
        ] {
            let error = found.unwrap_err();
            assert!(matches!(error, Error::Invalid(_)), "{error:?}");
            assert!(error.to_string().contains(part), "{error}");
        }
    };
    refused(vec![], "0 weights");
    refused(vec![0.0; 5], "5 weights for a machine of 6 terms");
    refused(vec![0.0; 7], "7 weights");
    for weight in [2.5, -2.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut start = vec![0.0; 6];
        start[4] = weight;
        refused(start, "outside the box of ±2");
    }
    // The edge itself is inside.
    for weight in [2.0, -2.0] {
        assert!(learn(&problem, vec![weight; 6], &course).is_ok());
    }
}

#[test]
fn objectives_that_make_no_sense_are_refused() {
    let (network, data) = small();
    let usual = Objective::default();
    let problem = posed(&network, &data, usual, &em_gis(4));
    let ridges = [-1.0, -1e-300, f64::NAN, f64::INFINITY].map(|ridge| Objective { ridge, ..usual });
    let bounds =
        [0.0, -1.0, 500.5, f64::NAN, f64::INFINITY].map(|bound| Objective { bound, ..usual });
    let bad = ridges.map(|bad| (bad, "ridge")).into_iter();
    for (objective, part) in bad.chain(bounds.map(|bad| (bad, "bound"))) {
        for found in [
            Problem::new(&network, &data, objective, EngineId::EXACT, false),
            problem.with_objective(objective),
        ] {
            let error = found.unwrap_err();
            assert!(matches!(error, Error::Invalid(_)), "{error:?}");
            assert!(error.to_string().starts_with(part), "{error}");
        }
    }
    let other = Objective {
        bound: 500.0,
        ..Objective::with_ridge(3.0)
    };
    assert_eq!(problem.with_objective(other).unwrap().objective(), other);
}

#[test]
fn entropy_is_minus_q_at_a_converged_point() {
    // Four visible units and one hidden; rows with every pair present, so that the maximum is inside.
    let rows: Vec<Vec<Cell>> = (0..64u32)
        .map(|i| {
            let mixed = i.wrapping_mul(2_654_435_761) >> 20;
            (0..4)
                .map(|b| {
                    if mixed >> b & 1 == 1 {
                        Cell::One
                    } else {
                        Cell::Zero
                    }
                })
                .collect()
        })
        .collect();
    let names: Vec<String> = (1..=4).map(|u| format!("y{u}")).collect();
    let data = Dataset::from_cells(names.clone(), true, rows).unwrap();
    let units: Vec<Unit> = names.into_iter().map(Unit::visible).collect();
    let mut terms: Vec<(Term, f64)> = (0..4).map(|u| (Term::new(vec![u]), 0.1)).collect();
    for a in 0..4 {
        terms.extend((0..a).map(|b| (Term::new(vec![a, b]), 0.2)));
    }
    let network = Network::new(units, terms).unwrap();
    let course = Course {
        tolerance: 1e-13,
        ..course(Learner::default(), 100_000)
    };
    let outcome = run(&network, &data, 0.0, &course);
    let point = &outcome.point;
    let scale: f64 = 1.0 + point.weights.iter().map(|w| w.abs()).sum::<f64>();
    assert!(point.residual < 1e-12, "residual {}", point.residual);
    assert!((-point.q - point.entropy).abs() <= 1e-9 * scale);
}

#[test]
fn fixed_gradient_steps_reach_the_same_point_as_controlled_ones() {
    let rows = (0..40u32).map(|i| {
        (0..3)
            .map(|b| {
                if (i * i + 3 * i) >> b & 1 == 1 {
                    Cell::One
                } else {
                    Cell::Zero
                }
            })
            .collect::<Vec<_>>()
    });
    let names: Vec<String> = (1..=3).map(|u| format!("y{u}")).collect();
    let data = Dataset::from_cells(names.clone(), true, rows).unwrap();
    let units: Vec<Unit> = names.into_iter().map(Unit::visible).collect();
    let terms = (0..3).map(|u| (Term::new(vec![u]), 0.0));
    let network = Network::new(units, terms).unwrap();
    let with = |step| Course {
        tolerance: 1e-9,
        ..Course::new(em_gradient(4, step))
    };
    let fixed = run(&network, &data, 1.0, &with(Step::Fixed(1.0)));
    let controlled = run(&network, &data, 1.0, &with(Step::Controlled));
    for (a, b) in fixed.point.weights.iter().zip(&controlled.point.weights) {
        assert!((a - b).abs() < 1e-6);
    }
}
