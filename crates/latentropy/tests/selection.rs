//! Restarts, clustering and the two principles.

mod common;

use common::fits::{request_for, with_threads};
use latentropy::data::{Cell, Dataset};
use latentropy::fit::Ridge;
use latentropy::learning::Learner;
use latentropy::network::{Network, Shape, TermOptions, Unit, named_terms};
use latentropy::selection::CertificateKind;
use latentropy::{Fit, Principle, Remark, Request, fit};

fn machine(visible: usize, hidden: usize, bias: bool) -> Network {
    let units: Vec<Unit> = (1..=visible)
        .map(|u| Unit::visible(format!("y{u}")))
        .chain((1..=hidden).map(|u| Unit::hidden(format!("z{u}"))))
        .collect();
    let options = TermOptions {
        shape: Shape::Full,
        bias,
        order: 2,
    };
    let terms = named_terms(&units, &options).unwrap();
    Network::new(units, terms.into_iter().map(|t| (t, 0.0))).unwrap()
}

/// Two clusters of rows with noise, from a small linear congruence.
fn rows(visible: usize, count: u32) -> Dataset {
    let mut state = 12345u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 16
    };
    let cells = (0..count).map(|_| {
        let kind = next() % 2;
        (0..visible as u32)
            .map(|c| {
                let flip = next() % 5 == 0;
                if (c % 2 == kind) != flip {
                    Cell::One
                } else {
                    Cell::Zero
                }
            })
            .collect::<Vec<_>>()
    });
    let names = (1..=visible).map(|u| format!("y{u}")).collect();
    Dataset::from_cells(names, true, cells).unwrap()
}

fn request(structure: &Network, restarts: usize, ridge: f64) -> Request {
    Request {
        ridge: Ridge::Value(ridge),
        tolerance: Some(1e-6),
        restarts: Some(restarts),
        seed: 3,
        ..request_for(structure)
    }
}

fn numbers(fit: &Fit) -> Vec<(f64, f64, Vec<f64>)> {
    fit.candidates
        .iter()
        .map(|c| {
            (
                c.log_likelihood,
                c.entropy.value,
                c.network.weights().to_vec(),
            )
        })
        .collect()
}

#[test]
fn restarts_differ_and_seeds_repeat_whatever_the_threads() {
    let (network, data) = (machine(5, 2, true), rows(5, 60));
    let usual = request(&network, 6, 0.5);
    let by = |threads| with_threads(threads, || fit(&data, &usual).unwrap());
    let (one, two) = (by(1), by(2));
    assert_eq!(numbers(&one), numbers(&two));
    assert_ne!(
        one.candidates[0].network.weights(),
        one.candidates[1].network.weights()
    );
    let other = fit(&data, &Request { seed: 4, ..usual }).unwrap();
    assert_ne!(numbers(&one), numbers(&other));
}

#[test]
fn relabelled_solutions_are_one_solution() {
    // One hidden unit and its mirror image z → 1 − z are one distribution of the rows but two parameter
    // vectors with one entropy; so are two hidden units exchanged.
    let (network, data) = (machine(5, 2, true), rows(5, 60));
    let found = fit(&data, &request(&network, 12, 1.0)).unwrap();
    assert!(found.distinct_solutions < found.candidates.len());
    assert!(
        found
            .candidates
            .iter()
            .all(|c| c.solution < found.distinct_solutions)
    );
    for a in &found.candidates {
        for b in &found.candidates {
            if a.solution == b.solution {
                assert!((a.log_likelihood - b.log_likelihood).abs() < 1e-2);
                assert!((a.entropy.value - b.entropy.value).abs() < 1e-2);
            }
        }
    }
}

#[test]
fn both_principles_choose_from_the_same_feasible_set() {
    let (network, data) = (machine(5, 2, true), rows(5, 60));
    let found = fit(&data, &request(&network, 12, 0.3)).unwrap();
    let choose = |principle: Principle| principle.select(&found.candidates).unwrap().at;
    let lme = choose(Principle::LatentMaximumEntropy);
    let mle = choose(Principle::MaximumLikelihood);
    assert_eq!(lme, found.selected);
    assert!(found.candidates[lme].feasible && found.candidates[mle].feasible);
    for c in found
        .candidates
        .iter()
        .filter(|c| c.feasible && !c.trivial && c.certificate.kind != CertificateKind::Saddle)
    {
        // Values of one solution that agree to this are equal, and the first of them is taken.
        let slack = |winner: usize| match c.solution == found.candidates[winner].solution {
            true => 1e-6,
            false => 0.0,
        };
        assert!(c.entropy.value <= found.candidates[lme].entropy.value + slack(lme));
        assert!(c.log_likelihood <= found.candidates[mle].log_likelihood + slack(mle));
    }
}

#[test]
fn an_overwhelming_ridge_gives_the_trivial_solution_and_says_so() {
    let (network, data) = (machine(4, 1, true), rows(4, 30));
    let found = fit(&data, &request(&network, 3, 1e5)).unwrap();
    assert!(found.candidates.iter().all(|c| c.trivial));
    assert_eq!(found.remarks, [Remark::OnlyTrivial]);
}

#[test]
fn unfinished_fits_are_not_called_feasible() {
    let (network, data) = (machine(5, 3, false), rows(5, 40));
    let few = Request {
        learner: Some(Learner::default()),
        max_iterations: Some(3),
        ..request(&network, 3, 0.0)
    };
    let found = fit(&data, &few).unwrap();
    assert!(!found.selected_is_feasible);
    assert!(
        found
            .candidates
            .iter()
            .all(|c| c.certificate.kind == CertificateKind::NotConverged)
    );
    assert_eq!(found.remarks, [Remark::NoneFeasible]);
}

#[test]
fn pairs_that_never_occur_end_at_the_box() {
    // y1 and y2 never occur together.
    let cells = [
        [1, 0, 1],
        [0, 1, 0],
        [1, 0, 0],
        [0, 1, 1],
        [0, 0, 1],
        [0, 0, 0],
    ];
    let names = (1..=3).map(|u| format!("y{u}")).collect();
    let data = Dataset::from_cells(
        names,
        true,
        cells.map(|row| {
            row.map(|x| if x == 1 { Cell::One } else { Cell::Zero })
                .to_vec()
        }),
    )
    .unwrap();
    let network = machine(3, 0, true);
    let found = fit(&data, &request(&network, 1, 0.0)).unwrap();
    let chosen = found.chosen();
    let labels: Vec<String> = chosen
        .certificate
        .boundary_terms
        .iter()
        .map(|&t| network.label(t))
        .collect();
    assert_eq!(labels, ["y1*y2"]);
    assert_eq!(chosen.certificate.kind, CertificateKind::Boundary);
}

#[test]
fn learners_agree_on_a_convex_problem() {
    let (network, data) = (machine(4, 0, true), rows(4, 80));
    let weights: Vec<Vec<f64>> = Learner::all()
        .into_iter()
        .filter(Learner::converges)
        .map(|learner| {
            let with = Request {
                learner: Some(learner),
                tolerance: Some(1e-8),
                ..request(&network, 1, 1.0)
            };
            let found = fit(&data, &with).unwrap();
            found.chosen().network.weights().to_vec()
        })
        .collect();
    assert!(weights.len() > 2);
    for other in &weights[1..] {
        for (a, b) in weights[0].iter().zip(other) {
            assert!((a - b).abs() < 1e-5, "{a} against {b}");
        }
    }
}
