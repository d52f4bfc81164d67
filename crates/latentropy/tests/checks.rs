//! The checks of a fit against the literal enumeration, and that they fail where they should.

mod common;

use common::{close, network_and_clamp};
use latentropy::answers::{FitChecks, fit_checks};
use latentropy::data::{Cell, Dataset};
use latentropy::internals::literal;
use latentropy::network::{Clamp, Network, Role};
use latentropy::sample;
use proptest::prelude::*;

/// One complete row and one with a missing cell, so heavy that no triplet is too rare to judge.
fn heavy_rows(network: &Network) -> Dataset {
    let visible = network.visible();
    let names = visible
        .iter()
        .map(|&unit| network.units()[unit].name.clone());
    let whole = vec![Cell::One; visible.len()];
    let mut torn = whole.clone();
    torn[0] = Cell::Missing;
    let data = Dataset::from_cells(names.collect(), true, [whole, torn]).unwrap();
    data.with_row_weights(vec![1e9, 1e9]).unwrap()
}

/// P(K) and every triplet by the definition, against what the checks say.
fn check(network: &Network, tolerance: f64) {
    let (visible, data) = (network.visible(), heavy_rows(network));
    let states = literal::states(network, &Clamp::none(network.units().len()));
    let total: f64 = states.iter().map(|(_, exponent)| exponent.exp()).sum();
    let mut of_sum = vec![0.0; visible.len() + 1];
    for (state, exponent) in &states {
        let ones = visible.iter().filter(|&&unit| state[unit]).count();
        of_sum[ones] += exponent.exp() / total;
    }
    let FitChecks {
        sum_score,
        triplets,
        ..
    } = fit_checks(network, &data, usize::MAX).unwrap();
    let score = sum_score.unwrap();
    assert_eq!(score.rows, 1e9);
    assert_eq!(score.observed.last(), Some(&1.0));
    assert_eq!(score.expected.len(), of_sum.len());
    for (found, expected) in score.expected.iter().zip(&of_sum) {
        assert!(
            close(*found, *expected, tolerance, 1.0),
            "{found} {expected}"
        );
    }
    let Some(triplets) = triplets else {
        assert!(visible.len() < 3);
        return;
    };
    let n = visible.len();
    assert_eq!(triplets.count, n * (n - 1) * (n - 2) / 6);
    assert_eq!(triplets.worst.len(), triplets.count);
    for triplet in &triplets.worst {
        let units = triplet.columns.map(|column| visible[column]);
        let on = states
            .iter()
            .filter(|(state, _)| units.iter().all(|&unit| state[unit]));
        let expected = on.map(|(_, exponent)| exponent.exp()).sum::<f64>() / total;
        assert!(
            close(triplet.expected, expected, tolerance, 1.0),
            "{triplet:?} {expected}"
        );
        let knows_first = triplet.columns.contains(&0);
        assert_eq!(triplet.known, if knows_first { 1e9 } else { 2e9 });
        let joint: Vec<(f64, [f64; 3])> = states
            .iter()
            .map(|(state, exponent)| {
                (
                    exponent.exp() / total,
                    units.map(|unit| f64::from(state[unit])),
                )
            })
            .collect();
        let (excess, error) = literal_residual(&joint, [1.0; 4]);
        assert!(
            close(triplet.excess, excess, 1e-6, 1.0),
            "{triplet:?} {excess}"
        );
        assert!(
            close(triplet.std_err * triplet.known.sqrt(), error, 1e-6, 1e-6),
            "{triplet:?} {error}"
        );
    }
}

/// What x_a x_b x_c is beyond its best linear prediction by x_a, x_b and x_c, and its standard deviation: by Cramer's rule.
fn literal_residual(joint: &[(f64, [f64; 3])], observed: [f64; 4]) -> (f64, f64) {
    let all = |x: &[f64; 3]| x[0] * x[1] * x[2];
    let mean = |f: &dyn Fn(&[f64; 3]) -> f64| joint.iter().map(|(p, x)| p * f(x)).sum::<f64>();
    let means = [0, 1, 2].map(|i| mean(&|x| x[i]));
    let expected = mean(&all);
    let covariance =
        [0, 1, 2].map(|i| [0, 1, 2].map(|j| mean(&|x| (x[i] - means[i]) * (x[j] - means[j]))));
    let with_all = [0, 1, 2].map(|i| mean(&|x| (x[i] - means[i]) * (all(x) - expected)));
    let determinant = |m: [[f64; 3]; 3]| {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
            - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    let slopes = [0, 1, 2].map(|column| {
        let mut replaced = covariance;
        for row in 0..3 {
            replaced[row][column] = with_all[row];
        }
        determinant(replaced) / determinant(covariance)
    });
    let shares: f64 = (0..3).map(|i| slopes[i] * (observed[i] - means[i])).sum();
    let residual = |x: &[f64; 3]| {
        let linear: f64 = (0..3).map(|i| slopes[i] * (x[i] - means[i])).sum();
        all(x) - expected - linear
    };
    let variance = mean(&|x| residual(x).powi(2));
    (observed[3] - expected - shares, variance.sqrt())
}

/// A machine with these weights, taken from the list in turn.
fn weighted(network: Network, weights: &[f64]) -> Network {
    let weights = weights.iter().copied().cycle().take(network.terms().len());
    network.with_weights(weights.collect()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn sums_and_triplets_are_those_of_the_definition(
        (network, _) in network_and_clamp(8, 2.0),
        weights in prop::collection::vec(-2.0..2.0f64, 17),
    ) {
        // By a table of all states where columns are connected, by a mixture where they are not.
        prop_assume!(network.units().iter().any(|unit| unit.role == Role::Visible));
        check(&network, 1e-11);
        check(&weighted(Network::rbm(5, 2), &weights), 1e-11);
        check(&weighted(Network::full(4, 2), &weights), 1e-11);
    }
}

/// Rows drawn from a network.
fn drawn(network: &Network, rows: usize, seed: u64) -> Dataset {
    let mut draws = sample(network, &[], seed).unwrap();
    let visible = network.visible();
    let names = visible
        .iter()
        .map(|&unit| network.units()[unit].name.clone());
    let mut states = Vec::new();
    while states.len() < rows {
        states.extend(draws.next(rows - states.len()));
    }
    let cell = |on: bool| if on { Cell::One } else { Cell::Zero };
    let rows = states.iter();
    let rows = rows.map(|state| {
        visible
            .iter()
            .map(|&unit| cell(state[unit]))
            .collect::<Vec<_>>()
    });
    Dataset::from_cells(names.collect(), true, rows).unwrap()
}

/// Two groups of rows of the same size: all columns go with one hidden unit.
fn two_groups() -> Network {
    let network = Network::rbm(8, 1);
    let weights = network.terms().iter().map(|term| match term.units() {
        [unit] if *unit < 8 => -1.2,
        [_] => -9.6,
        _ => 2.4,
    });
    let weights = weights.collect();
    network.with_weights(weights).unwrap()
}

#[test]
fn the_true_machine_passes_and_a_wrong_one_fails() {
    let truth = two_groups();
    let data = drawn(&truth, 2000, 5);
    let checks = fit_checks(&truth, &data, 5).unwrap();
    let score = checks.sum_score.unwrap();
    assert!(score.surprise() < 2.33, "{score:?}");
    let triplets = checks.triplets.unwrap();
    assert_eq!((triplets.count, triplets.worst.len()), (56, 5));
    assert!(triplets.share_beyond() < 0.15, "{triplets:?}");

    // Independent columns of the same means: too many rows in the middle, too few at the ends.
    let independent = Network::rbm(8, 0);
    let bias = |column: usize| {
        let mean = data.frequency(column, column).mean().unwrap();
        (mean / (1.0 - mean)).ln()
    };
    let weights = (0..8).map(bias).collect();
    let wrong = independent.with_weights(weights).unwrap();
    let checks = fit_checks(&wrong, &data, 5).unwrap();
    let score = checks.sum_score.unwrap();
    assert!(score.surprise() > 10.0, "{score:?}");
    assert!(checks.triplets.unwrap().share_beyond() > 0.9);
}

#[test]
fn a_machine_beyond_exact_tables_is_drawn_from_with_an_error() {
    // Fourteen hidden units that do nothing: a mixture of 16384 parts is not made, 22 units are too many for a table.
    let truth = two_groups();
    let large = Network::rbm(8, 14);
    let weights = large.terms().iter().map(|term| {
        let own = truth.terms().iter().position(|other| other == term);
        own.map_or(0.0, |at| truth.weights()[at])
    });
    let large = large.with_weights(weights.collect()).unwrap();
    let data = drawn(&truth, 500, 9);
    let exact = fit_checks(&truth, &data, usize::MAX).unwrap();
    let sampled = fit_checks(&large, &data, usize::MAX).unwrap();
    assert_eq!(exact.draws, None);
    let draws = sampled.draws.unwrap() as f64;
    let (exact, sampled) = (exact.sum_score.unwrap(), sampled.sum_score.unwrap());
    for (k, (a, b)) in exact.expected.iter().zip(&sampled.expected).enumerate() {
        let error = (a * (1.0 - a) / draws).sqrt();
        assert!((a - b).abs() < 5.0 * error, "{k}: {a} {b}");
        let both = (b * (1.0 - b) * (1.0 / 500.0 + 1.0 / draws)).sqrt();
        assert!(close(sampled.std_err[k], both, 1e-12, 1e-12));
    }
}
