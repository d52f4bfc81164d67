//! A job cut into pieces: however it is cut, sent around and put together, it is the whole fit, bit for bit.

mod common;

use common::fits::{assert_same, noisy_rows, with_threads};
use latentropy::data::Dataset;
use latentropy::fit::{
    Assembly, BootstrapKind, CrossValidation, Hidden, Job, Kind, Part, Resamples, Ridge, Round,
    Search, Structure, ValidationRows, Worker,
};
use latentropy::learning::{EmGis, Learner, Pcd};
use latentropy::network::{Shape, TermOptions};
use latentropy::{Control, EngineId, Error, Fit, Principle, Request, fit};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use std::ops::Range;

/// A fit with so many hidden units and restarts.
fn request(hidden: usize, restarts: usize) -> Request {
    Request {
        ridge: Ridge::Value(0.5),
        restarts: Some(restarts),
        seed: 11,
        ..Request::with_hidden(hidden)
    }
}

fn shape(shape: Shape) -> Structure {
    Structure::Named(TermOptions {
        shape,
        ..TermOptions::default()
    })
}

fn few_ridges(folds: usize) -> Option<CrossValidation> {
    Some(CrossValidation {
        folds,
        restarts: 3,
        ridges: vec![10.0, 1.0, 0.1],
    })
}

fn resamples(count: usize, kind: BootstrapKind) -> Option<Resamples> {
    Some(Resamples { count, kind })
}

/// Requests of every kind, each with its data.
fn cases() -> Vec<(&'static str, Dataset, Request)> {
    let complete = noisy_rows(4, 40, false);
    let missing = noisy_rows(4, 40, true);
    let weights = (0..40).map(|row| 0.5 + f64::from(row % 4)).collect();
    let weighted = missing.clone().with_row_weights(weights).unwrap();
    let exact = Request {
        keep_traces: true,
        ..request(2, 7)
    };
    let at_the_edge = Request {
        ridge: Ridge::Value(0.0),
        select: Principle::MaximumLikelihood.into(),
        ..request(2, 5)
    };
    let visible = Request {
        hidden: None,
        structure: shape(Shape::Visible),
        ridge: Ridge::Evidence,
        ..request(0, 3)
    };
    let cross_validated = Request {
        structure: shape(Shape::Rbm),
        ridge: Ridge::CrossValidated,
        validation: few_ridges(4),
        ..request(1, 3)
    };
    let sizes = Request {
        hidden: Some(Hidden::Several(vec![2, 0, 1])),
        structure: shape(Shape::Rbm),
        ridge: Ridge::Evidence,
        folds: Some(3),
        ..request(0, 3)
    };
    let both = Request {
        ridge: Ridge::CrossValidated,
        folds: None,
        validation: few_ridges(3),
        bootstrap: resamples(3, BootstrapKind::Rows),
        ..sizes.clone()
    };
    let bootstrap = |kind| Request {
        ridge: Ridge::Value(1.0),
        bootstrap: resamples(7, kind),
        ..request(1, 4)
    };
    let annealed = Request {
        anneal: true,
        structure: shape(Shape::Rbm),
        ..request(2, 3)
    };
    let by_messages = Request {
        engine: Some("bp".parse().unwrap()),
        structure: shape(Shape::Rbm),
        bootstrap: resamples(3, BootstrapKind::Rows),
        ..request(2, 3)
    };
    let on_kept_rows = Request {
        folds: None,
        validation_rows: Some(ValidationRows::Fraction(0.3)),
        ..sizes.clone()
    };
    let iterated = Request {
        ridge: Ridge::Value(0.02),
        ..request(2, 33)
    };
    let along_the_ridge = Request {
        search: Search::Path,
        ..request(2, 3)
    };
    let learned = fit(&complete, &request(1, 1)).unwrap();
    let from_given_weights = Request {
        start: Some(learned.chosen().network.clone()),
        ..request(1, 3)
    };
    vec![
        ("sizes on kept rows", complete.clone(), on_kept_rows),
        ("hidden units and missing cells", missing.clone(), exact),
        ("weights at the edge", missing.clone(), at_the_edge),
        ("visible units only", complete.clone(), visible),
        ("a cross-validated ridge", missing.clone(), cross_validated),
        ("sizes", complete.clone(), sizes),
        ("sizes, ridges and a bootstrap", weighted.clone(), both),
        (
            "rows drawn anew",
            missing.clone(),
            bootstrap(BootstrapKind::Rows),
        ),
        (
            "rows of the machine",
            missing.clone(),
            bootstrap(BootstrapKind::Parametric),
        ),
        ("row weights", weighted, bootstrap(BootstrapKind::Rows)),
        ("annealed", complete.clone(), annealed),
        ("iterated", missing.clone(), iterated),
        ("along the ridge", complete.clone(), along_the_ridge),
        ("from given weights", complete.clone(), from_given_weights),
        ("by messages", complete, by_messages),
    ]
}

/// Requests whose engine or learner draws samples.
fn sampled_cases() -> Vec<(&'static str, Dataset, Request)> {
    let data = noisy_rows(3, 30, true);
    let chains = Request {
        engine: Some(EngineId::GIBBS),
        learner: Some(Learner::EmGis(EmGis {
            chains: Some(64),
            ..EmGis::default()
        })),
        max_iterations: Some(8),
        ..request(1, 3)
    };
    let refits = Request {
        structure: shape(Shape::Rbm),
        ridge: Ridge::Value(5.0),
        bias_ridge: Some(5.0),
        max_iterations: Some(500),
        bootstrap: resamples(2, BootstrapKind::Rows),
        ..request(1, 1)
    };
    let refits = Request {
        engine: chains.engine,
        learner: chains.learner.clone(),
        ..refits
    };
    let contrastive = Request {
        learner: Some(Learner::Pcd(Pcd::default())),
        max_iterations: Some(30),
        ..request(1, 3)
    };
    let on_kept_rows = Request {
        hidden: Some(Hidden::Several(vec![1, 2])),
        validation_rows: Some(ValidationRows::Fraction(0.3)),
        ..contrastive.clone()
    };
    vec![
        ("sizes by samples on kept rows", data.clone(), on_kept_rows),
        ("an engine by samples", data.clone(), chains),
        ("refits by samples", noisy_rows(3, 40, false), refits),
        ("a learner by samples", data, contrastive),
    ]
}

/// How a number of pieces is cut into ranges.
type Cut = fn(usize) -> Vec<Range<usize>>;

fn one_by_one_from_the_last(count: usize) -> Vec<Range<usize>> {
    (0..count).rev().map(|piece| piece..piece + 1).collect()
}

/// In threes, the last of each range being the first of the next; halves again at the end.
fn overlapping(count: usize) -> Vec<Range<usize>> {
    let threes = (0..count).step_by(2).map(|at| at..(at + 3).min(count));
    threes.chain([count / 2..count, 0..count / 2]).collect()
}

/// Ranges at random, empty ones too, until nothing is left out; then in another order.
fn at_random(count: usize) -> Vec<Range<usize>> {
    let mut random = rand::rngs::ChaCha8Rng::seed_from_u64(count as u64);
    let (mut left, mut ranges) = (vec![true; count], Vec::new());
    while left.contains(&true) {
        let (a, b) = (
            random.random_range(0..=count),
            random.random_range(0..=count),
        );
        let range = a.min(b)..a.max(b);
        left[range.clone()].fill(false);
        ranges.push(range);
    }
    ranges.shuffle(&mut random);
    ranges
}

const CUTS: [(&str, Cut); 3] = [
    ("one by one", one_by_one_from_the_last),
    ("overlapping", overlapping),
    ("at random", at_random),
];

/// The job as another machine gets it.
fn sent(job: &Job) -> Job {
    Job::from_bytes(&job.to_bytes().unwrap()).unwrap()
}

/// The part as it comes back.
fn returned(part: Part) -> Part {
    Part::from_bytes(&part.to_bytes().unwrap()).unwrap()
}

/// The whole way with every piece of work done by a copy of the job.
fn in_pieces(data: &Dataset, request: &Request, cut: Cut) -> Fit {
    let control = Control::default();
    let mut job = Job::new(data, request).unwrap();
    let all = |count: usize, run: &dyn Fn(Range<usize>) -> latentropy::Result<Part>| {
        let parts = cut(count)
            .into_iter()
            .map(|range| returned(run(range).unwrap()));
        parts.collect::<Vec<Part>>()
    };
    let mut folds = Vec::new();
    while let Some(next) = job.next_comparison(&folds).unwrap() {
        let more = all(next.len(), &|part| {
            let range = next.start + part.start..next.start + part.end;
            sent(&job).compare(range, &folds, &control)
        });
        folds.extend(more);
    }
    job.decide(&folds, &control).unwrap();
    let restarts = all(job.restarts(), &|range| sent(&job).run(range, &control));
    let mut found = sent(&job).assemble(restarts, &control).unwrap();
    if job.refits() > 0 {
        let refits = all(job.refits(), &|range| {
            sent(&job).refit(&found, range, &control)
        });
        job.assemble_refits(&mut found, &refits).unwrap();
    }
    found
}

/// The whole way round by round, every piece run by a copy of the job and the round, in the order of a cut.
fn in_rounds(data: &Dataset, request: &Request, cut: Cut) -> Fit {
    let control = Control::default();
    let job = Job::new(data, request).unwrap();
    let mut assembly = Assembly::new(job.clone(), false);
    while let Some(round) = assembly.next(&control).unwrap() {
        let round = Round::from_bytes(&round.to_bytes().unwrap()).unwrap();
        let worker = Worker::new(&sent(&job), round.clone()).unwrap();
        for range in cut(round.pieces().len()) {
            let part = worker.run(&round.pieces()[range], &control).unwrap();
            let taken = assembly.take(returned(part)).unwrap();
            assert!(taken.iter().all(|(kind, _)| *kind == round.kind()));
        }
    }
    assembly.finish(&control).unwrap()
}

#[test]
fn rounds_are_the_whole() {
    for (name, data, request) in cases() {
        let whole = fit(&data, &request).unwrap();
        for (how, cut) in [CUTS[0], CUTS[2]] {
            let found = in_rounds(&data, &request, cut);
            assert_same(&whole, &found, &format!("{name} in rounds, {how}"));
        }
    }
}

#[test]
fn rounds_by_samples_are_the_whole() {
    for (name, data, request) in sampled_cases() {
        let whole = fit(&data, &request).unwrap();
        let found = in_rounds(&data, &request, one_by_one_from_the_last);
        assert_same(&whole, &found, name);
    }
}

/// Rounds of an iterated search are the first twenty restarts and tens from then on, each with what it leans on.
#[test]
fn an_assembly_hands_out_what_has_not_come() {
    let control = Control::default();
    let data = noisy_rows(4, 40, true);
    let request = Request {
        ridge: Ridge::Value(0.02),
        bootstrap: resamples(3, BootstrapKind::Rows),
        ..request(2, 33)
    };
    let job = Job::new(&data, &request).unwrap();
    let mut assembly = Assembly::new(job.clone(), false);
    let mut seen = Vec::new();
    let mut last = None;
    while let Some(round) = assembly.next(&control).unwrap() {
        seen.push((round.kind(), round.pieces().len()));
        let worker = Worker::new(&job, round.clone()).unwrap();
        // A first part, and the same once more: the rest is handed out again.
        let part = worker.run(&round.pieces()[..1], &control).unwrap();
        assembly.take(part.clone()).unwrap();
        assembly.take(part).unwrap();
        let rest = assembly.next(&control).unwrap();
        if let Some(rest) = rest.filter(|rest| rest.kind() == round.kind()) {
            assert_eq!(rest.pieces(), &round.pieces()[1..]);
            let worker = Worker::new(&job, rest.clone()).unwrap();
            assembly
                .take(worker.run(rest.pieces(), &control).unwrap())
                .unwrap();
        }
        let other = round.pieces().last().unwrap() + 1;
        let refused = refusal(worker.run(&[other], &control));
        assert!(refused.contains("is not in this round"), "{refused}");
        last = Some(round);
    }
    assert_eq!(
        seen,
        [
            (Kind::Restart, 20),
            (Kind::Restart, 10),
            (Kind::Restart, 3),
            (Kind::Refit, 3)
        ]
    );
    assert_same(
        &fit(&data, &request).unwrap(),
        &assembly.finish(&control).unwrap(),
        "with parts that come twice",
    );
    // What is missing is named; a round of another job is refused.
    let unfinished = Assembly::new(job.clone(), false).finish(&control);
    assert_eq!(refusal(unfinished), "restart 0 has not come yet");
    let other = Job::new(&data, &self::request(1, 2)).unwrap();
    let refused = refusal(Worker::new(&other, last.unwrap()));
    assert!(refused.contains("another job"), "{refused}");
}

#[test]
fn origins_are_refused_by_name() {
    let control = Control::default();
    let data = noisy_rows(4, 20, false);
    let job = Job::new(&data, &request(1, 2)).unwrap();
    let mut assembly = Assembly::new(job.clone(), false);
    let round = assembly.next(&control).unwrap().unwrap();
    let part = Worker::new(&job, round.clone())
        .unwrap()
        .run(round.pieces(), &control)
        .unwrap();
    let with = |change: fn(&mut Part)| {
        let mut part = part.clone();
        change(&mut part);
        part
    };
    type Change = fn(&mut Part);
    let cases: [(Change, &str); 4] = [
        (
            |part| part.origin.version = "0.0.1".to_string(),
            "version 0.0.1 of latentropy",
        ),
        (|part| part.origin.data += 1, "learned from other data"),
        (|part| part.origin.request += 1, "made with other settings"),
        (
            |part| part.origin.processor = "abacus+beads".to_string(),
            "another kind of processor: abacus+beads",
        ),
    ];
    for (change, told) in cases {
        let message = refusal(assembly.take(with(change)));
        assert!(message.contains(told), "{message}");
    }
    let mut assembly = assembly.taking_any_processor();
    assembly
        .take(with(|part| {
            part.origin.processor = "abacus+beads".to_string()
        }))
        .unwrap();
    assert_eq!(assembly.processors().collect::<Vec<_>>(), ["abacus+beads"]);
    assert_same(
        &fit(&data, &request(1, 2)).unwrap(),
        &assembly.finish(&control).unwrap(),
        "a part from elsewhere",
    );
}

#[test]
fn pieces_are_the_whole() {
    for (name, data, request) in cases() {
        let whole = fit(&data, &request).unwrap();
        assert!(whole.selected_is_feasible, "{name}");
        for (how, cut) in CUTS {
            let found = in_pieces(&data, &request, cut);
            assert_same(&whole, &found, &format!("{name}, {how}"));
        }
    }
}

#[test]
fn pieces_by_samples_are_the_whole() {
    for (name, data, request) in sampled_cases() {
        let whole = fit(&data, &request).unwrap();
        let found = in_pieces(&data, &request, overlapping);
        assert_same(&whole, &found, name);
    }
}

#[test]
fn threads_change_nothing() {
    for (name, data, request) in cases().into_iter().chain(sampled_cases()) {
        let by = |threads| with_threads(threads, || fit(&data, &request).unwrap());
        let one = by(1);
        for threads in [2, 5] {
            assert_same(&one, &by(threads), &format!("{name}, {threads} threads"));
        }
    }
}

/// A job whose choices are made.
fn decided(data: &Dataset, request: &Request) -> Job {
    let mut job = Job::new(data, request).unwrap();
    job.choose(&Control::default()).unwrap();
    job
}

/// The message of a refusal of what was handed over.
fn refusal<T>(found: latentropy::Result<T>) -> String {
    match found {
        Err(error @ Error::Invalid(_)) => error.to_string(),
        Err(error) => panic!("another kind of error: {error}"),
        Ok(_) => panic!("not refused"),
    }
}

#[test]
fn parts_of_other_jobs_are_refused() {
    let control = Control::default();
    let data = noisy_rows(4, 20, true);
    let own = Request {
        ridge: Ridge::CrossValidated,
        validation: few_ridges(2),
        bootstrap: resamples(2, BootstrapKind::Rows),
        ..request(1, 2)
    };
    let job = decided(&data, &own);
    let mut found = job
        .assemble(vec![job.run(0..2, &control).unwrap()], &control)
        .unwrap();
    let requests = [
        (
            &data,
            Request {
                seed: 12,
                ..own.clone()
            },
        ),
        (
            &data,
            Request {
                bound: 14.0,
                ..own.clone()
            },
        ),
        (
            &data,
            Request {
                restarts: Some(3),
                ..own.clone()
            },
        ),
        (&noisy_rows(4, 21, true), own.clone()),
    ];
    for (data, other) in requests {
        let other = decided(data, &other);
        assert_ne!(other.digest(), job.digest());
        let pieces = other.next_comparison(&[]).unwrap().unwrap();
        let folds = other.compare(pieces, &[], &control).unwrap();
        assert!(refusal(job.clone().decide(&[folds], &control)).contains("another job"));
        let restarts = other.run(0..2, &control).unwrap();
        assert!(refusal(job.assemble(vec![restarts], &control)).contains("another job"));
        let refits = other.refit(&found, 0..2, &control).unwrap();
        assert!(refusal(job.assemble_refits(&mut found, &[refits])).contains("another job"));
    }
    assert_eq!(found.bootstrap, None);
}

#[test]
fn what_is_missing_is_named() {
    let control = Control::default();
    let data = noisy_rows(4, 20, false);
    let request = Request {
        ridge: Ridge::CrossValidated,
        validation: few_ridges(3),
        bootstrap: resamples(4, BootstrapKind::Rows),
        ..request(1, 5)
    };
    let mut job = Job::new(&data, &request).unwrap();
    // Nothing can be run before the choices are made.
    assert!(matches!(job.run(0..1, &control), Err(Error::Failed(_))));
    assert!(matches!(job.identity(false), Err(Error::Failed(_))));
    let folds = vec![
        job.compare(0..1, &[], &control).unwrap(),
        job.compare(2..3, &[], &control).unwrap(),
    ];
    for parts in [&folds[..], &[]] {
        let message = refusal(job.decide(parts, &control));
        assert!(message.contains("has not been compared yet"), "{message}");
    }
    // Three folds, and all rows.
    let message = refusal(job.compare(2..5, &[], &control));
    assert_eq!(message, "folds 2 to 5 were asked for; there are 4");
    job.decide(&[job.compare(0..4, &[], &control).unwrap()], &control)
        .unwrap();
    // By evidence, folds begin where all rows end.
    let open = Request {
        hidden: Some(Hidden::Several(vec![0, 1])),
        ..self::request(1, 5)
    };
    let open = Request {
        ridge: Ridge::Evidence,
        ..open
    };
    let early = Job::new(&data, &open).unwrap();
    let message = refusal(early.compare(0..1, &[], &control));
    assert!(message.contains("compare piece 5 first"), "{message}");

    let restarts = vec![
        job.run(0..2, &control).unwrap(),
        job.run(3..5, &control).unwrap(),
    ];
    let message = refusal(job.assemble(restarts.clone(), &control));
    assert_eq!(message, "restart 2 is in none of the parts");
    // Pieces of another kind do not stand in for it.
    let more = [restarts, folds, vec![job.run(2..3, &control).unwrap()]].concat();
    let mut found = job.assemble(more, &control).unwrap();

    let refits = vec![
        job.refit(&found, 2..4, &control).unwrap(),
        job.refit(&found, 0..1, &control).unwrap(),
    ];
    let message = refusal(job.assemble_refits(&mut found, &refits));
    assert_eq!(message, "refit 1 is in none of the parts");
    assert_eq!(found.bootstrap, None);

    let none = Job::new(
        &data,
        &Request {
            bootstrap: None,
            ..request
        },
    )
    .unwrap();
    assert!(none.refit(&found, 0..1, &control).is_err());
}

#[test]
fn restarts_of_another_machine_are_refused() {
    let control = Control::default();
    let data = noisy_rows(4, 20, false);
    let job = decided(&data, &request(1, 1));
    let other = decided(&data, &request(2, 1)).run(0..1, &control).unwrap();
    let forged = Part {
        origin: job.origin().clone(),
        ..other
    };
    let message = refusal(job.assemble(vec![forged], &control));
    assert_eq!(message, "restart 0 has 21 weights for 15 terms");
}

#[test]
fn bytes_that_are_cut_short_damaged_or_of_another_version_are_refused() {
    let control = Control::default();
    let job = decided(&noisy_rows(3, 10, true), &request(1, 2));
    let part = job.run(0..2, &control).unwrap();
    let (job_bytes, part_bytes) = (job.to_bytes().unwrap(), part.to_bytes().unwrap());
    assert_eq!(sent(&job).digest(), job.digest());
    assert_eq!(sent(&job).to_bytes().unwrap(), job_bytes);
    assert_eq!(returned(part).to_bytes().unwrap(), part_bytes);
    let damaged = |bytes: &[u8], at: usize| {
        let mut bytes = bytes.to_vec();
        bytes[at] ^= 4;
        bytes
    };
    for at in 0..job_bytes.len() {
        refusal(Job::from_bytes(&job_bytes[..at]));
        refusal(Job::from_bytes(&damaged(&job_bytes, at)));
    }
    for at in 0..part_bytes.len() {
        refusal(Part::from_bytes(&part_bytes[..at]));
        refusal(Part::from_bytes(&damaged(&part_bytes, at)));
    }
    let end = part_bytes.len() - 1;
    assert!(refusal(Part::from_bytes(&part_bytes[..end])).contains("cut short"));
    assert!(refusal(Job::from_bytes(&part_bytes)).starts_with("this is not a fit's job"));
    assert!(refusal(Part::from_bytes(&job_bytes)).starts_with("this is not a part of a fit"));
    // Another version of the program may lay out the same otherwise.
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    let at = part_bytes.windows(version.len()).position(|w| w == version);
    let mut older = part_bytes.clone();
    older[at.unwrap()] = b'9';
    let message = refusal(Part::from_bytes(&older));
    assert!(message.contains("it was made by version 9"), "{message}");
    let newer = |bytes: &[u8]| {
        let at = bytes.iter().position(|&byte| byte == b'\n').unwrap() - 1;
        assert_eq!(bytes[at], b'2');
        let mut bytes = bytes.to_vec();
        bytes[at] = b'3';
        bytes
    };
    assert!(refusal(Job::from_bytes(&newer(&job_bytes))).contains("another version"));
    assert!(refusal(Part::from_bytes(&newer(&part_bytes))).contains("another version"));
}
