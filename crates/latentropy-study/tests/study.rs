//! Studies through the library: the same records whatever the threads and the order, and a planted truth found.

use latentropy_study::{Cell, Observer, Record, Results, Spec, Study, Summary, run, verdicts};
use std::path::Path;

struct Silent;

impl Observer for Silent {}

fn study(spec: &str) -> Study {
    Study::new(Spec::parse(spec, Path::new("test.toml")).unwrap()).unwrap()
}

const SPEC: &str = r#"
title = "test"
seed = 11
[[arm]]
name = "converged"
[[arm]]
name = "ridge"
ridge = 1.0
[[experiment]]
name = "small"
title = "small"
truth = { visible = 4, hidden = 1 }
fitted = { hidden = 2 }
truths = 3
trials = 2
rows = [20, 200]
restarts = 5
arms = ["converged", "ridge"]
"#;

fn results(study: &Study, cells: &[Cell], threads: usize) -> Results {
    let directory = tempfile::tempdir().unwrap();
    let journal = study
        .create_journal(&directory.path().join("journal.jsonl"))
        .unwrap();
    let mut results = Results::default();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(|| run(study, cells, &mut results, &journal, &Silent))
        .unwrap();
    results
}

#[test]
fn records_depend_neither_on_threads_nor_on_what_else_runs() {
    let study = study(SPEC);
    let cells = Cell::all(study.spec(), None);
    let one = results(&study, &cells, 1);
    assert_eq!(one.len(), 24);
    assert_eq!(one, results(&study, &cells, 3));
    // A single cell alone is what it is among the others.
    let alone = results(&study, &cells[17..18], 1);
    let record = |results: &Results| -> Record {
        results
            .iter()
            .find(|(cell, _)| **cell == cells[17])
            .unwrap()
            .1
            .clone()
    };
    assert_eq!(record(&alone), record(&one));
}

#[test]
fn a_journal_gives_back_what_was_put_in() {
    let study = study(SPEC);
    let cells = Cell::all(study.spec(), None);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal.jsonl");
    let journal = study.create_journal(&path).unwrap();
    let mut first = Results::default();
    run(&study, &cells[..10], &mut first, &journal, &Silent).unwrap();
    drop(journal);
    let (journal, mut resumed) = study.resume_journal(&path, "start anew").unwrap();
    assert_eq!(resumed, first);
    run(&study, &cells, &mut resumed, &journal, &Silent).unwrap();
    assert_eq!(resumed, results(&study, &cells, 2));
    study.close_journal(journal, &resumed).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let (journal, again) = study.resume_journal(&path, "start anew").unwrap();
    drop(journal);
    assert_eq!((again, std::fs::read(&path).unwrap()), (resumed, bytes));
}

#[test]
fn lme_and_mle_come_from_one_set_and_losses_fall_with_more_rows() {
    let study = study(SPEC);
    let all = results(&study, &Cell::all(study.spec(), None), 2);
    for (_, record) in all.iter() {
        let Record::Comparison(found) = record else {
            continue;
        };
        let [lme, mle] = &found.estimates[..] else {
            panic!("two estimates")
        };
        assert!(lme.entropy >= mle.entropy && lme.log_likelihood <= mle.log_likelihood);
        assert!(lme.loss >= 0.0 && lme.feasible);
    }
    let summary = Summary::new(study.spec(), &all);
    let of = |rows: usize| {
        let level = summary.levels.iter().find(|l| {
            l.rows == rows
                && l.arm == "ridge"
                && l.estimate == "lme"
                && l.metric.to_string() == "loss"
        });
        level.unwrap().mean
    };
    assert!(of(200) < of(20), "{} against {}", of(200), of(20));
    let verdicts = verdicts(study.spec(), &all, &summary);
    let ruling = |claim: &str| {
        verdicts
            .iter()
            .find(|v| v.claim.starts_with(claim))
            .unwrap()
    };
    // True by construction, but with three truths no test can say so.
    assert_eq!(ruling("MLE has the higher").findings.len(), 2);
    assert!(
        ruling("LME has a lower").findings[0]
            .numbers
            .contains("T=20")
    );
}
