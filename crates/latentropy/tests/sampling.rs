//! Sampling against the literal enumeration: errors that mean what they say, remarks where they cannot.

mod common;
mod oracle_files;

use latentropy::inference::{Kind, Tempering};
use latentropy::internals::{
    AnnealedImportance, AnswersAtOnce, Chains, Estimate, ExactSampler, Factorised, MOST_R_HAT,
    Sampled, StrataAtOnce, Tap, literal,
};
use latentropy::network::{Clamp, Network, Term, Unit};
use latentropy::{Remark, Sampling};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

fn network(count: usize, terms: &[(&[usize], f64)]) -> Network {
    let units = (0..count).map(|u| Unit::visible(format!("x{u}"))).collect();
    let terms = terms
        .iter()
        .map(|(units, w)| (Term::new(units.to_vec()), *w));
    Network::new(units, terms).unwrap()
}

/// Few chains: the tests look at errors, not at precision.
fn small(seed: u64) -> Sampling {
    Sampling {
        seed,
        chains: 128,
        sweeps: Some(256),
        tempering: Tempering::Auto,
        annealing: None,
    }
}

/// Random networks and clamps, the same in every run.
fn networks(
    count: usize,
    strategy: impl Strategy<Value = (Network, Clamp)>,
) -> Vec<(Network, Clamp)> {
    let mut runner = TestRunner::deterministic();
    (0..count)
        .map(|_| strategy.new_tree(&mut runner).unwrap().current())
        .collect()
}

/// What z-scores should look like: variance near one, hardly any beyond four.
fn check_scores(what: &str, scores: &[f64]) {
    let count = scores.len() as f64;
    let variance = scores.iter().map(|z| z * z).sum::<f64>() / count;
    let far = scores.iter().filter(|z| z.abs() > 4.0).count();
    println!("{what}: {count} scores, mean square {variance:.3}, {far} beyond four");
    assert!((0.7..1.5).contains(&variance), "{what}: {variance}");
    assert!(
        (far as f64) <= 1.0 + 0.002 * count,
        "{what}: {far} of {count}"
    );
}

fn score(found: &Estimate, truth: f64) -> Option<f64> {
    // Where hardly any sample has the feature, or hardly any has it not, errors are not normal.
    let usual = (0.01..=0.99).contains(&truth) && found.std_err > 0.0;
    usual.then(|| (found.value - truth) / found.std_err)
}

/// Right within its errors, or remarked on.
fn check_or_remarked(found: &Sampled, network: &Network, clamp: &Clamp) {
    let truth = literal::expectations(network, clamp);
    let z = &found.expectations.log_partition;
    let near = |value: f64, truth: f64, error: f64| {
        (value - truth).abs() <= 6.0 * error + 1e-6 * (1.0 + truth.abs())
    };
    let right = near(z.value, truth.log_partition.value, z.std_err.unwrap())
        && found
            .means
            .iter()
            .zip(&truth.means)
            .all(|(e, t)| near(e.value, *t, e.std_err))
        && found
            .terms
            .iter()
            .zip(&truth.terms)
            .all(|(e, t)| near(e.value, *t, e.std_err));
    assert!(
        right || !found.remarks.is_empty(),
        "{:?} {:?} against {truth:?}",
        found.expectations,
        found.witnesses
    );
}

#[test]
fn errors_are_calibrated() {
    let (mut expectations, mut partitions) = (Vec::new(), Vec::new());
    let mut remarked = 0;
    for (seed, (network, clamp)) in networks(150, common::network_and_clamp(12, 1.5))
        .iter()
        .enumerate()
    {
        let found = small(seed as u64).sample(network, clamp).unwrap();
        let truth = literal::expectations(network, clamp);
        remarked += usize::from(!found.remarks.is_empty());
        assert!(found.worst_r_hat < MOST_R_HAT, "{}", found.worst_r_hat);
        let means = found.means.iter().zip(&truth.means);
        let terms = found.terms.iter().zip(&truth.terms);
        expectations.extend(means.chain(terms).filter_map(|(e, &t)| score(e, t)));
        let (z, h) = (found.expectations.log_partition, found.expectations.entropy);
        assert_eq!((z.kind, h.kind), (Kind::MonteCarlo, Kind::MonteCarlo));
        let off = z.value - truth.log_partition.value;
        assert!(
            off.abs() < 5.0 * z.std_err.unwrap(),
            "{:?}",
            found.witnesses
        );
        let off = h.value - truth.entropy.value;
        assert!(
            off.abs() < 5.0 * h.std_err.unwrap(),
            "{h:?} against {:?}",
            truth.entropy
        );
        // A path so short that its weights vary: their error is then what the spread says.
        let annealing = AnnealedImportance {
            chains: small(seed as u64),
            base: None,
            steps: Some(2),
        };
        let (short, _) = annealing.log_partition(network, clamp).unwrap();
        if (0.02..0.5).contains(&short.forward.variance) {
            let z = short.log_partition();
            partitions.push((z.value - truth.log_partition.value) / z.std_err.unwrap());
        }
        assert!(
            found
                .means
                .iter()
                .chain(&found.terms)
                .all(|e| (0.0..=1.0).contains(&e.value))
        );
    }
    println!("{remarked} of 150 remarked on");
    assert!(remarked <= 8);
    check_scores("expectations", &expectations);
    check_scores("log Z", &partitions);
}

#[test]
fn tempered_chains_are_calibrated_too() {
    let mut scores = Vec::new();
    for (seed, (network, clamp)) in networks(80, common::network_and_clamp(10, 1.5))
        .iter()
        .enumerate()
    {
        let sampling = Sampling {
            tempering: Tempering::Always,
            ..small(seed as u64)
        };
        let found = sampling.sample(network, clamp).unwrap();
        let truth = literal::expectations(network, clamp);
        let terms = found.terms.iter().zip(&truth.terms);
        scores.extend(terms.filter_map(|(e, &t)| score(e, t)));
    }
    check_scores("tempered", &scores);
}

#[test]
fn strata_are_those_of_the_enumeration() {
    let mut scores = Vec::new();
    for (seed, (network, clamp)) in networks(40, common::network_and_clamp(8, 1.0))
        .iter()
        .enumerate()
    {
        let sampling = small(seed as u64);
        let found = sampling.strata(network, clamp).unwrap();
        let truth = literal::strata(network, clamp);
        let terms = network.terms().len();
        assert_eq!(found.terms, if found.values.is_empty() { 0 } else { terms });
        let sampled = sampling.sample(network, clamp).unwrap();
        for (row, value) in truth.values.iter().enumerate() {
            let Some(at) = found.values.iter().position(|v| v == value) else {
                let most = (0..terms)
                    .map(|t| truth.sums[row * terms + t])
                    .fold(0.0, f64::max);
                assert!(most < 0.01, "stratum {value} of share {most} is not there");
                continue;
            };
            for term in 0..terms {
                let (ours, exact) = (
                    found.sums[at * terms + term],
                    truth.sums[row * terms + term],
                );
                // Their error as if samples were as good as those of the term as a whole.
                let effective = sampled.terms[term].effective_samples;
                let error = (exact * (1.0 - exact) / effective).sqrt();
                if exact > 0.01 && exact < 0.99 {
                    scores.push((ours - exact) / error);
                }
            }
        }
        // Summed over the strata, they are the terms' expectations.
        for term in 0..terms {
            let sum: f64 = (0..found.values.len())
                .map(|at| found.sums[at * terms + term])
                .sum();
            assert!((sum - sampled.terms[term].value).abs() < 1e-12);
        }
    }
    let variance = scores.iter().map(|z| z * z).sum::<f64>() / scores.len() as f64;
    println!("{} strata, mean square {variance}", scores.len());
    assert!((0.6..1.7).contains(&variance), "{variance}");
}

#[test]
fn hard_constraints_are_right_or_remarked_on() {
    for sign in [1.0, -1.0] {
        let loops = network(
            5,
            &[
                (&[0, 1], sign * 1000.0),
                (&[1, 2], -sign * 1000.0),
                (&[2, 3], 1000.0),
                (&[3, 0], 0.5),
                (&[0], -sign * 1000.0),
                (&[1], 0.3),
                (&[2], 1000.0),
                (&[3, 4], -1000.0),
            ],
        );
        let none = Clamp::none(5);
        check_or_remarked(&small(1).sample(&loops, &none).unwrap(), &loops, &none);
    }
    // Two equal units: no single flip leads from one of their states to the other.
    let equal = network(2, &[(&[0], -1000.0), (&[1], -1000.0), (&[0, 1], 2000.0)]);
    let none = Clamp::none(2);
    let found = small(2).sample(&equal, &none).unwrap();
    check_or_remarked(&found, &equal, &none);
    println!("{:?} {:?}", found.expectations, found.remarks);
    // Tempering finds both.
    assert!(found.temperatures > 1);
    assert!((found.means[0].value - 0.5).abs() < 6.0 * found.means[0].std_err);
    for (network, clamp) in networks(60, common::network_and_clamp(9, 1000.0)) {
        check_or_remarked(
            &small(3).sample(&network, &clamp).unwrap(),
            &network,
            &clamp,
        );
    }
}

/// Units that want to be equal, all on or all off with one weight.
fn alike(units: usize, weight: f64) -> Network {
    let mut terms: Vec<(Vec<usize>, f64)> = Vec::new();
    for a in 0..units {
        terms.push((vec![a], -0.5 * weight * (units - 1) as f64));
        terms.extend((0..a).map(|b| (vec![b, a], weight)));
    }
    let terms: Vec<(&[usize], f64)> = terms.iter().map(|(u, w)| (&u[..], *w)).collect();
    network(units, &terms)
}

/// What an expectation should rest on.
const LEAST_EFFECTIVE: f64 = 100.0;

#[test]
fn chains_that_disagree_and_few_samples_are_remarked_on_exactly_where_they_are() {
    let mut made = [false; 2];
    let mut not_made = [false; 2];
    for weight in [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 6.0] {
        for sweeps in [32, 256] {
            let sampling = Sampling {
                chains: 64,
                tempering: Tempering::Never,
                sweeps: Some(sweeps),
                ..small(4)
            };
            let machine = alike(8, weight);
            let found = sampling.sample(&machine, &Clamp::none(8)).unwrap();
            let disagree = found.remarks.iter().find_map(|remark| match remark {
                Remark::ChainsDisagree { r_hat, limit, .. } => Some((*r_hat, *limit)),
                _ => None,
            });
            let is_worse = found.worst_r_hat > MOST_R_HAT;
            assert_eq!(disagree.is_some(), is_worse, "{weight} {sweeps}");
            assert!(disagree.is_none_or(|told| told == (found.worst_r_hat, MOST_R_HAT)));
            let few = found.remarks.iter().find_map(|remark| match remark {
                Remark::FewSamples { count } => Some(*count),
                _ => None,
            });
            let estimates = found.means.iter().chain(&found.terms);
            let least = estimates.fold(f64::INFINITY, |least, e| least.min(e.effective_samples));
            assert_eq!(
                few.is_some(),
                least < LEAST_EFFECTIVE,
                "{weight} {sweeps} {least}"
            );
            for (at, is) in [disagree.is_some(), few.is_some()].into_iter().enumerate() {
                made[at] |= is;
                not_made[at] |= !is;
            }
        }
    }
    assert_eq!((made, not_made), ([true; 2], [true; 2]));
}

#[test]
fn small_and_odd_machines() {
    for weight in [0.0, 2.5, -1000.0] {
        let one = network(1, &[(&[0], weight)]);
        for clamp in [Clamp::none(1), Clamp::new(vec![Some(true)])] {
            let found = small(1).sample(&one, &clamp).unwrap();
            assert!(found.remarks.is_empty(), "{:?}", found.remarks);
            check_or_remarked(&found, &one, &clamp);
            let truth = literal::expectations(&one, &clamp).log_partition.value;
            let value = found.expectations.log_partition;
            let error = 4.0 * value.std_err.unwrap_or(0.0) + 1e-9 * (1.0 + truth.abs());
            assert!((value.value - truth).abs() < error, "{value:?} {truth}");
        }
    }
    let nothing = network(1, &[]);
    check_or_remarked(
        &small(1).sample(&nothing, &Clamp::none(1)).unwrap(),
        &nothing,
        &Clamp::none(1),
    );
    let parts = network(
        9,
        &[
            (&[0, 1], 1.5),
            (&[1, 2], -0.5),
            (&[0, 2], 0.7),
            (&[4, 5], 2.0),
            (&[6], -0.3),
            (&[7, 8], -1.2),
        ],
    );
    let none = Clamp::none(9);
    let found = small(1).sample(&parts, &none).unwrap();
    assert!(found.remarks.is_empty(), "{:?}", found.remarks);
    check_or_remarked(&found, &parts, &none);
}

#[test]
fn the_same_seed_gives_the_same_answer_whatever_the_threads() {
    let network = common::complete(9, true, &[0.3, -0.7, 0.2, 0.9, -0.4]);
    let none = Clamp::none(9);
    let answer = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| small(seed).expectations(&network, &none).unwrap())
    };
    assert_eq!(answer(1, 5), answer(3, 5));
    assert_ne!(answer(1, 5), answer(1, 6));
}

/// A dense machine, whose fields are kept in tiles.
fn dense(units: usize, scale: f64) -> Network {
    let weight = |at: usize| scale * (((at * 7919 + 13) % 1009) as f64 / 504.5 - 1.0);
    let weights: Vec<f64> = (0..units * (units + 1) / 2).map(weight).collect();
    common::complete(units, true, &weights)
}

#[test]
fn tiles_of_dense_machines_follow_the_exact_marginals() {
    // Too large to enumerate, but with weights so weak that the second order (TAP) is exact to within the error here.
    let network = dense(200, 0.02);
    let none = Clamp::none(200);
    let mut chains = Chains::new(&network, &none, 1024, 3).unwrap();
    let mut sums = vec![0.0; network.terms().len()];
    chains.sweep(20);
    for _ in 0..60 {
        chains.sweep(2);
        for (sum, mean) in sums.iter_mut().zip(chains.term_means()) {
            *sum += mean / 60.0;
        }
    }
    let tap = Tap.expectations(&network, &none).unwrap();
    let error = 0.5 / (60.0f64 * 1024.0).sqrt();
    let scores = (0..200).map(|u| (sums[u] - tap.means[u]) / error);
    let variance = scores.map(|z| z * z).sum::<f64>() / 200.0;
    println!("mean square {variance}");
    assert!((0.7..1.5).contains(&variance), "{variance}");
}

#[test]
fn chains_that_start_at_the_target_stay_there() {
    // More than 96 neighbours each, yet exact: a restricted machine with five hidden units and 130 visible ones.
    let mut terms: Vec<(Term, f64)> = Vec::new();
    for v in 0..130usize {
        terms.push((Term::new(vec![v]), 0.3 * ((v * 5 % 7) as f64 - 3.0)));
        for h in 130..135 {
            terms.push((
                Term::new(vec![v, h]),
                0.1 * (((v + 3 * h) % 11) as f64 - 5.0),
            ));
        }
    }
    // Weights of zero make it dense for the sampler, and leave it restricted in truth.
    for v in 0..130 {
        terms.extend((v + 1..130).map(|w| (Term::new(vec![v, w]), 0.0)));
    }
    let units = (0..135)
        .map(|u| Unit::visible(format!("x{u}")))
        .collect::<Vec<_>>();
    let sampled = Network::new(units.clone(), terms.clone()).unwrap();
    terms.retain(|(term, weight)| *weight != 0.0 || term.order() < 2);
    let exact = Network::new(units, terms).unwrap();
    let none = Clamp::none(135);
    let truth = Factorised.expectations(&exact, &none).unwrap();
    let sampler = ExactSampler::new(&exact, &none).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut chains = Chains::new(&sampled, &none, 4096, 9).unwrap();
    chains.set_states(&sampler.sample(4096, &mut rng)).unwrap();
    chains.sweep(5);
    let means = chains.term_means();
    let mut scores = Vec::new();
    for (at, term) in sampled.terms().iter().enumerate() {
        let place = exact.terms().iter().position(|t| t == term);
        let Some(place) = place else { continue };
        let p = truth.terms[place];
        if (0.02..0.98).contains(&p) {
            scores.push((means[at] - p) / (p * (1.0 - p) / 4096.0).sqrt());
        }
    }
    check_scores("from the target", &scores);
}

#[test]
fn annealing_brackets_strong_restricted_machines_or_says_so() {
    for (name, network, log10_partition, _) in oracle_files::uai(&["DBN_"]) {
        let none = Clamp::none(network.units().len());
        let annealing = AnnealedImportance {
            chains: Sampling {
                chains: 128,
                sweeps: Some(512),
                ..Sampling::default()
            },
            ..AnnealedImportance::default()
        };
        let start = std::time::Instant::now();
        let (found, remarks) = annealing.log_partition(&network, &none).unwrap();
        let truth = log10_partition * std::f64::consts::LN_10;
        let value = found.log_partition();
        println!(
            "{name}: truth {truth}, {found:?} {remarks:?}, {:.1} s",
            start.elapsed().as_secs_f64()
        );
        // Six digits of the outside answer.
        let slack = 6.0 * value.std_err.unwrap() + 1e-5 * truth.abs();
        let slack_of_bracket =
            3.0 * found.forward.std_err.max(found.reverse.std_err) + 1e-5 * truth.abs();
        let bracketed = found.forward.value - slack_of_bracket <= truth
            && truth <= found.reverse.value + slack_of_bracket;
        assert!(
            (value.value - truth).abs() <= slack || !remarks.is_empty(),
            "{name}"
        );
        assert!(bracketed || !remarks.is_empty(), "{name}");
    }
}

#[test]
fn annealing_finds_the_partition_function_of_ising_tori() {
    for (coupling, exact) in oracle_files::torus_ising(64) {
        let network = oracle_files::grid((64, 64), coupling, true);
        let mut clamp = Clamp::none(64 * 64);
        // In the ordered phase one spin is held, which is half of Z, and the path begins magnetised.
        let ordered = coupling > 0.45;
        let (mean, steps, halves) = match coupling {
            k if k > 0.45 => (0.95, 300, 2f64.ln()),
            k if k > 0.42 => (0.5, 2500, 0.0),
            k if k > 0.3 => (0.5, 1600, 0.0),
            _ => (0.5, 200, 0.0),
        };
        if ordered {
            clamp.hold(0, true).unwrap();
        }
        let annealing = AnnealedImportance {
            chains: Sampling {
                chains: 64,
                sweeps: Some(600),
                tempering: Tempering::Never,
                ..Sampling::default()
            },
            base: Some(vec![mean; 64 * 64]),
            steps: Some(steps),
        };
        let start = std::time::Instant::now();
        let (found, remarks) = annealing.log_partition(&network, &clamp).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        let value = found.log_partition();
        let ours = value.value + halves;
        println!("K = {coupling}: exact {exact}, {ours} {found:?} {remarks:?}, {seconds:.1} s");
        assert!((ours - exact).abs() <= 5e-4 * exact);
        assert!((ours - exact).abs() <= 3.0 * value.std_err.unwrap());
    }
}
