//! Every exact engine against the literal enumeration.

mod common;

use common::{close, complete, network_and_clamp};
use latentropy::inference::Expectations;
use latentropy::internals::{
    AnswersAtOnce, Enumeration, ExactSampler, Factorised, StrataAtOnce, literal,
};
use latentropy::network::{Clamp, Network, Term, Unit};
use proptest::prelude::*;
use rand::SeedableRng;

/// Relative closeness of everything an engine answers; sums of positive numbers keep their digits, so
/// expectations are held to 1e-12 of their own size, log Z and entropy to 1e-12 of the exponents' size.
fn agree(
    ours: &Expectations,
    exact: &Expectations,
    network: &Network,
) -> Result<(), TestCaseError> {
    let scale = 1.0 + network.weights().iter().map(|w| w.abs()).sum::<f64>();
    prop_assert!(
        close(
            ours.log_partition.value,
            exact.log_partition.value,
            1e-12,
            scale
        ),
        "log Z {} against {}",
        ours.log_partition.value,
        exact.log_partition.value
    );
    prop_assert!(close(ours.entropy.value, exact.entropy.value, 1e-12, scale));
    // A probability e^-k is known to k ulps: its exponent is a sum of size k.
    let tolerance = 1e-12 * (1.0 + scale / 100.0);
    for (a, b) in ours.means.iter().zip(&exact.means) {
        prop_assert!(close(*a, *b, tolerance, 1e-290), "mean {a} against {b}");
    }
    for (a, b) in ours.terms.iter().zip(&exact.terms) {
        prop_assert!(close(*a, *b, tolerance, 1e-290), "term {a} against {b}");
    }
    Ok(())
}

fn strata_agree(network: &Network, clamp: &Clamp) -> Result<(), TestCaseError> {
    let ours = Enumeration.strata(network, clamp).unwrap();
    let exact = literal::strata(network, clamp);
    prop_assert!(close(ours.log_partition, exact.log_partition, 1e-12, 100.0));
    for (c, row) in ours.values.iter().zip(ours.sums.chunks(ours.terms.max(1))) {
        match exact.values.iter().position(|v| v == c) {
            None => prop_assert!(row.iter().all(|&a| a == 0.0)),
            Some(at) => {
                for (a, b) in row.iter().zip(&exact.sums[at * exact.terms..]) {
                    prop_assert!(close(*a, *b, 1e-12, 1e-290), "stratum {c}: {a} against {b}");
                }
            }
        }
    }
    for (c, row) in exact
        .values
        .iter()
        .zip(exact.sums.chunks(exact.terms.max(1)))
    {
        prop_assert!(ours.values.contains(c) || row.iter().all(|&a| a < 1e-300));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn enumeration_is_the_literal_sum((network, clamp) in network_and_clamp(12, 3.0)) {
        let ours = Enumeration.expectations(&network, &clamp).unwrap();
        agree(&ours, &literal::expectations(&network, &clamp), &network)?;
    }

    #[test]
    fn factorisation_is_the_literal_sum((network, clamp) in network_and_clamp(12, 3.0)) {
        let ours = Factorised.expectations(&network, &clamp).unwrap();
        agree(&ours, &literal::expectations(&network, &clamp), &network)?;
    }

    #[test]
    fn huge_weights_stay_finite_and_right((network, clamp) in network_and_clamp(9, 1000.0)) {
        let exact = literal::expectations(&network, &clamp);
        for ours in [Enumeration.expectations(&network, &clamp).unwrap(), Factorised.expectations(&network, &clamp).unwrap()] {
            prop_assert!(ours.log_partition.value.is_finite() && ours.entropy.value.is_finite());
            prop_assert!(close(ours.log_partition.value, exact.log_partition.value, 1e-12, 1.0));
            for (a, b) in ours.terms.iter().zip(&exact.terms) {
                prop_assert!((a - b).abs() < 1e-9, "{a} against {b}");
            }
        }
    }

    #[test]
    fn strata_are_the_literal_ones((network, clamp) in network_and_clamp(11, 3.0)) {
        strata_agree(&network, &clamp)?;
    }

    #[test]
    fn strata_of_complete_machines(units in 1usize..13, bias: bool, weights in prop::collection::vec(-2.0..2.0f64, 7..90)) {
        let network = complete(units, bias, &weights);
        strata_agree(&network, &Clamp::none(units))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn matrix_products_agree_with_blocks(units in 11usize..21, bias: bool, weights in prop::collection::vec(-1.0..1.0f64, 40..200)) {
        // The same machine with one vanishing third-order term goes through blocks instead.
        let pairwise = complete(units, bias, &weights);
        let mut terms: Vec<(Term, f64)> = pairwise.terms().iter().cloned().zip(pairwise.weights().iter().copied()).collect();
        terms.push((Term::new(vec![0, 1, 2]), 0.0));
        let cubic = Network::new(pairwise.units().to_vec(), terms).unwrap();
        let clamp = Clamp::none(units);
        let (a, b) = (Enumeration.expectations(&pairwise, &clamp).unwrap(), Enumeration.expectations(&cubic, &clamp).unwrap());
        agree(&a, &Expectations { terms: b.terms[..a.terms.len()].to_vec(), ..b }, &pairwise)?;
        let strata = Enumeration.strata(&pairwise, &clamp).unwrap();
        for (term, expectation) in a.terms.iter().enumerate() {
            let total: f64 = strata.sums.iter().skip(term).step_by(strata.terms).sum();
            prop_assert!(close(total, *expectation, 1e-12, 1e-290));
        }
    }
}

#[test]
fn more_units_than_a_tile_of_matrix_products() {
    // 26 units: two units beyond the tile of A, so that every kind of pair occurs.
    let weights: Vec<f64> = (0..401)
        .map(|i| ((i * 37 % 101) as f64 - 50.0) / 150.0)
        .collect();
    let network = complete(26, true, &weights);
    let clamp = Clamp::none(26);
    let ours = Enumeration.expectations(&network, &clamp).unwrap();
    let strata = Enumeration.strata(&network, &clamp).unwrap();
    for (term, expectation) in ours.terms.iter().enumerate() {
        let total: f64 = strata.sums.iter().skip(term).step_by(strata.terms).sum();
        assert!(close(total, *expectation, 1e-11, 0.0));
    }
    // Holding four units and adding the sixteen parts up again is the whole.
    let (mut log_parts, mut parts) = (Vec::new(), Vec::new());
    for held in 0..16 {
        let mut clamp = Clamp::none(26);
        for (bit, unit) in [0, 9, 17, 25].into_iter().enumerate() {
            clamp.hold(unit, held >> bit & 1 == 1).unwrap();
        }
        let part = Enumeration.expectations(&network, &clamp).unwrap();
        log_parts.push(part.log_partition.value);
        parts.push(part.terms);
    }
    let total: f64 = log_parts
        .iter()
        .map(|l| (l - ours.log_partition.value).exp())
        .sum();
    assert!((total - 1.0).abs() < 1e-11, "{total}");
    for (term, expectation) in ours.terms.iter().enumerate() {
        let sum: f64 = log_parts
            .iter()
            .zip(&parts)
            .map(|(l, p)| (l - ours.log_partition.value).exp() * p[term])
            .sum();
        assert!(
            close(sum, *expectation, 1e-11, 0.0),
            "{} {sum} {expectation}",
            network.label(term)
        );
    }
}

#[test]
fn restricted_shapes_stratify_by_two_counts() {
    // 9 visible and 4 hidden units: two classes, products by code against the literal sums.
    let mut units: Vec<Unit> = (0..9).map(|u| Unit::visible(format!("y{u}"))).collect();
    units.extend((0..4).map(|u| Unit::hidden(format!("z{u}"))));
    let mut terms = Vec::new();
    for v in 0..9 {
        for h in 9..13 {
            terms.push((
                Term::new(vec![v, h]),
                ((v * 7 + h * 3) % 11) as f64 / 5.0 - 1.0,
            ));
        }
    }
    terms.extend((0..13).map(|u| (Term::new(vec![u]), u as f64 / 13.0 - 0.4)));
    let network = Network::new(units, terms).unwrap();
    strata_agree(&network, &Clamp::none(13)).unwrap();
}

#[test]
fn samples_follow_the_distribution() {
    // Chi-square of 2^6 cells at 40,000 draws; 120 is beyond the 1e-5 quantile of 63 degrees of freedom (113).
    for restricted in [false, true] {
        let mut network = complete(6, true, &[0.7, -0.4, 1.1, -0.8, 0.2, 0.5, -1.0]);
        if restricted {
            let kept: Vec<(Term, f64)> = network
                .terms()
                .iter()
                .cloned()
                .zip(network.weights().iter().copied())
                .filter(|(t, _)| t.order() == 1 || (t.units()[0] < 2 && t.units()[1] >= 2))
                .collect();
            network = Network::new(network.units().to_vec(), kept).unwrap();
        }
        let clamp = Clamp::none(6);
        let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(7);
        let draws = 40_000;
        let mut counts = [0.0; 64];
        for state in ExactSampler::new(&network, &clamp)
            .unwrap()
            .sample(draws, &mut rng)
        {
            let index: usize = state
                .iter()
                .enumerate()
                .map(|(b, &x)| usize::from(x) << b)
                .sum();
            counts[index] += 1.0;
        }
        let log_z = literal::expectations(&network, &clamp).log_partition.value;
        let chi_square: f64 = (0..64usize)
            .map(|s| {
                let expected = draws as f64 * (network.exponent(|u| s >> u & 1 == 1) - log_z).exp();
                (counts[s] - expected).powi(2) / expected
            })
            .sum();
        assert!(chi_square < 120.0, "{chi_square}");
    }
}

#[test]
fn samples_respect_the_clamp() {
    let network = complete(7, true, &[0.3, -0.2, 0.9]);
    let mut clamp = Clamp::none(7);
    clamp.hold(2, true).unwrap();
    clamp.hold(5, false).unwrap();
    let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(1);
    for state in ExactSampler::new(&network, &clamp)
        .unwrap()
        .sample(500, &mut rng)
    {
        assert!(state[2] && !state[5]);
    }
}
