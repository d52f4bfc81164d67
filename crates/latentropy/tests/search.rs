//! The search for the highest entropy: what it finds, what it says of what it has not met, continua, and the box.

mod common;

use common::fits::{assert_same, noisy_rows, with_threads};
use latentropy::data::Dataset;
use latentropy::fit::{Ridge, Search};
use latentropy::internals::mutual_information;
use latentropy::learning::{EmIs, Learner, Problem, StopReason, learn};
use latentropy::selection::CertificateKind;
use latentropy::{Fit, Remark, Request, fit};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// The paper's machine, brought to its maxima by second-order steps.
fn paper(hidden: usize, search: Search, restarts: usize) -> Request {
    Request {
        hidden: Some(hidden.into()),
        learner: None,
        tolerance: None,
        search,
        restarts: Some(restarts),
        ..Request::of_the_paper()
    }
}

fn has(found: &Fit, is: fn(&Remark) -> bool) -> bool {
    found.remarks.iter().any(is)
}

#[test]
fn an_iterated_search_begins_with_the_same_restarts_and_ends_no_lower() {
    let data = noisy_rows(5, 60, false);
    let twenty = fit(&data, &paper(3, Search::Restarts, 20)).unwrap();
    let more = fit(&data, &paper(3, Search::Iterated, 60)).unwrap();
    for (a, b) in twenty.candidates.iter().zip(&more.candidates) {
        assert_eq!(a.network, b.network);
    }
    assert_eq!(
        (more.candidates.len(), more.completeness.independent),
        (60, 20)
    );
    assert!(more.chosen().entropy.value >= twenty.chosen().entropy.value);
    // A longer search goes on where a shorter one ended.
    let longer = fit(&data, &paper(3, Search::Iterated, 70)).unwrap();
    for (a, b) in more.candidates.iter().zip(&longer.candidates) {
        assert_eq!(a.network, b.network);
    }
}

#[test]
fn a_search_that_is_not_complete_says_so() {
    let data = noisy_rows(5, 60, false);
    let is_told = |remark: &Remark| matches!(remark, Remark::SearchIncomplete { .. });
    for restarts in [5, 20] {
        let found = fit(&data, &paper(3, Search::Restarts, restarts)).unwrap();
        let once = (0..found.distinct_solutions)
            .filter(|&s| found.candidates.iter().filter(|c| c.solution == s).count() == 1);
        let unseen = once.count() as f64 / restarts as f64;
        assert_eq!(found.completeness.unseen, unseen);
        assert_eq!(has(&found, is_told), restarts >= 10 && unseen > 0.05);
        assert!(found.completeness.gain.is_some_and(|gain| gain >= 0.0));
    }
    let easy = Request {
        ridge: Ridge::Value(20.0),
        restarts: Some(12),
        ..Request::with_hidden(1)
    };
    let found = fit(&data, &easy).unwrap();
    assert!(found.completeness.unseen <= 0.05 && !has(&found, is_told));
}

#[test]
fn a_restart_from_its_own_start_is_the_same_restart() {
    let data = noisy_rows(4, 50, false);
    let request = Request {
        ridge: Ridge::Value(0.1),
        restarts: Some(25),
        seed: 3,
        ..Request::with_hidden(2)
    };
    let found = fit(&data, &request).unwrap();
    // A proposal, the last one, has fewer steps of EM than a restart from given weights, and ends at the same solution within
    // the tolerance.
    for (candidate, within) in [
        (&found.candidates[0], 1e-6),
        (&found.candidates[4], 1e-6),
        (&found.candidates[22], 1e-3),
    ] {
        let start = candidate
            .network
            .with_weights(candidate.start.clone())
            .unwrap();
        let again = Request {
            start: Some(start),
            restarts: None,
            ..request.clone()
        };
        let again = fit(&data, &again).unwrap();
        assert_eq!(again.candidates.len(), 1);
        let pairs = again
            .chosen()
            .network
            .weights()
            .iter()
            .zip(candidate.network.weights());
        for (a, b) in pairs {
            assert!((a - b).abs() < within, "{a} against {b}");
        }
    }
}

#[test]
fn following_the_ridge_ends_in_solutions() {
    let data = noisy_rows(4, 50, false);
    let request = Request {
        search: Search::Path,
        ridge: Ridge::Value(0.05),
        restarts: Some(4),
        ..Request::with_hidden(2)
    };
    let found = fit(&data, &request).unwrap();
    assert!(found.candidates.iter().all(|c| c.feasible));
    assert_eq!(found.search, Search::Path);
}

/// 18 rows 1111 and 2 rows 1110.
fn hardly_any_rows() -> Dataset {
    let rows: Vec<[i8; 4]> = (0..20).map(|row| [1, 1, 1, i8::from(row < 18)]).collect();
    Dataset::from_rows(&rows).unwrap()
}

#[test]
fn of_a_continuum_the_point_of_highest_entropy_is_chosen() {
    let found = fit(&hardly_any_rows(), &paper(2, Search::Restarts, 20)).unwrap();
    assert!(
        has(&found, |remark| matches!(remark, Remark::FlatSet)),
        "{:?}",
        found.remarks
    );
    let chosen = found.chosen();
    let likeliest = found.candidates.iter().filter(|c| c.feasible);
    for other in likeliest {
        assert!(chosen.entropy.value >= other.entropy.value - 1e-6);
    }
    assert!(
        found.distinct_solutions <= 6,
        "{} solutions",
        found.distinct_solutions
    );
}

/// The first population stands still long before the end, and others begin.
#[test]
fn new_populations_depend_on_nothing_but_the_rounds_before() {
    const RESTARTS: usize = 260;
    let data = hardly_any_rows();
    let searched = |restarts| fit(&data, &paper(2, Search::Iterated, restarts)).unwrap();
    let found = searched(RESTARTS);
    let again = with_threads(3, || searched(RESTARTS));
    assert_same(&found, &again, "three threads");
    let longer = searched(RESTARTS + 10);
    for (a, b) in found.candidates.iter().zip(&longer.candidates) {
        assert_eq!(a.network, b.network);
    }
    // What was not given up ended in a solution, climbs along the continuum included.
    let ended = found.candidates.iter();
    let mut ended = ended.filter(|c| c.stop != StopReason::GivenUp);
    assert!(ended.all(|c| c.feasible));
    // The round that begins a population is of random starts: none of their weights is one of a solution before.
    let is_kept = |index: usize, first: usize| {
        let start = &found.candidates[index].start;
        let mut before = found.candidates[..first].iter();
        before.any(|c| c.network.weights().iter().any(|w| start.contains(w)))
    };
    let begun = (20..RESTARTS).step_by(10).find(|&first| {
        let mut round = first..first + 10;
        round.all(|index| !is_kept(index, first))
    });
    assert!(begun.is_some());
}

/// Other points of the set: the chosen one moved, and random starts, both brought back to a solution without a climb.
#[test]
fn no_other_point_of_a_continuum_has_more_entropy() {
    let data = hardly_any_rows();
    let found = fit(&data, &paper(2, Search::Restarts, 20)).unwrap();
    let chosen = found.chosen();
    assert!(chosen.is_of_flat_set);
    let problem =
        Problem::new(&chosen.network, &data, found.objective, found.engine, true).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let bound = found.objective.bound;
    let mut met = 0;
    for number in 0..150 {
        let size = [0.1, 0.5, 2.0][number % 3];
        let is_moved = number < 100;
        let start = chosen.network.weights().iter().map(|weight| {
            let normal: f64 = StandardNormal.sample(&mut random);
            let moved = if is_moved {
                weight + size * normal
            } else {
                normal
            };
            moved.clamp(-bound, bound)
        });
        let other = learn(&problem, start.collect(), &found.course)
            .unwrap()
            .point;
        // As likely: on the same set, or on another that is as good.
        if !other.is_stationary(found.course.tolerance)
            || other.log_likelihood < chosen.log_likelihood - 1e-8
        {
            continue;
        }
        let network = chosen.network.with_weights(other.weights.clone()).unwrap();
        // Hidden units that have nothing to do with the rows are excluded by (2).
        if mutual_information(&network).unwrap().unwrap() < 1e-3 {
            continue;
        }
        met += 1;
        assert!(
            other.entropy <= chosen.entropy.value + 1e-4,
            "{} above {}",
            other.entropy,
            chosen.entropy.value
        );
    }
    assert!(met >= 30, "{met} points of the set");
}

#[test]
fn a_choice_that_depends_on_the_box_says_so() {
    let data = noisy_rows(5, 30, false);
    let request = Request {
        bound: 4.0,
        ..paper(3, Search::Restarts, 20)
    };
    let is_told = |remark: &Remark| matches!(remark, Remark::DependsOnBox { .. });
    let found = fit(&data, &request).unwrap();
    assert!(!found.chosen().certificate.boundary_terms.is_empty());
    assert!(has(&found, is_told), "{:?}", found.remarks);
    let ridged = Request {
        ridge: Ridge::Value(1.0),
        ..request
    };
    assert!(!has(&fit(&data, &ridged).unwrap(), is_told));
}

#[test]
fn points_on_their_way_are_not_called_saddles() {
    let data = noisy_rows(5, 60, false);
    let loose = Request {
        learner: Some(Learner::EmIs(EmIs {
            inner: 4,
            ..EmIs::default()
        })),
        tolerance: Some(1e-2),
        ..paper(3, Search::Restarts, 20)
    };
    let found = fit(&data, &loose).unwrap();
    let saddles = |found: &Fit| {
        let of = found.candidates.iter().map(|c| c.certificate.kind);
        of.filter(|kind| *kind == CertificateKind::Saddle).count()
    };
    assert_eq!(saddles(&found), 0);
    assert!(found.selected_is_feasible);
}
