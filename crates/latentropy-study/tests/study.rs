//! Studies through the library: the same records whatever the threads and the order, and a planted truth found.

use latentropy::files::SimulatedDisk;
use latentropy::random::{Purpose, Random, stream};
use latentropy_study::{Cell, Observer, Record, Results, Spec, Study, Summary, run, verdicts};
use rand::RngExt;
use std::path::Path;
use std::sync::Arc;

struct Silent;

impl Observer for Silent {}

fn study_of(spec: &str) -> Study {
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
    let study = study_of(SPEC);
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

/// One study on a disk that may lose its power; the bytes of its closed journal.
fn on_disk(study: &Study, cells: &[Cell], disk: &SimulatedDisk) -> latentropy::Result<Vec<u8>> {
    let path = Path::new("study/journal.jsonl");
    let (journal, mut results) = study.journal_on(Arc::new(disk.clone()), path)?;
    run(study, cells, &mut results, &journal, &Silent)?;
    study.close_journal(journal, &results)?;
    Ok(disk.content(path))
}

#[test]
fn a_study_that_loses_its_power_ends_as_if_it_had_not() {
    let losses = std::env::var("LATENTROPY_CRASHES").ok();
    let losses = losses.and_then(|text| text.parse().ok()).unwrap_or(30);
    let study = study_of(SPEC);
    let cells = &Cell::all(study.spec(), None)[..10];
    let whole = SimulatedDisk::with_directory(Path::new("study"));
    let expected = on_disk(&study, cells, &whole).unwrap();
    let mut random: Random = stream(14, Purpose::Start, 3);
    let (mut lost, mut were_whole) = (0, 0);
    for _ in 0..losses {
        let mut disk = SimulatedDisk::with_directory(Path::new("study"));
        for _ in 0..random.random_range(1..4) {
            disk.lose_power_after(random.random_range(0..whole.asked()));
            let ended = on_disk(&study, cells, &disk);
            disk = match random.random_bool(0.3) {
                true => disk.after_kill(),
                false => disk.after_power_loss(&mut random),
            };
            lost += 1;
            were_whole += usize::from(ended.is_ok());
        }
        let ended = on_disk(&study, cells, &disk);
        assert!(ended.unwrap() == expected, "loss {lost}");
    }
    println!("{lost} losses of power or kills of a study; {were_whole} had ended");
    assert!(were_whole < lost);
}

#[test]
fn a_journal_gives_back_what_was_put_in() {
    let study = study_of(SPEC);
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
    assert_eq!(again, resumed);
    assert!(
        std::fs::read(&path).unwrap() == bytes,
        "a finished journal is left as it is"
    );
}

#[test]
fn lme_and_mle_come_from_one_set_and_losses_fall_with_more_rows() {
    let study = study_of(SPEC);
    let all = results(&study, &Cell::all(study.spec(), None), 2);
    for (_, record) in all.iter() {
        let Record::Comparison(found) = record else {
            continue;
        };
        let [lme, mle] = &found.estimates[..] else {
            panic!("two estimates")
        };
        // Points of one flat set are equally likely but for rounding.
        assert!(lme.entropy >= mle.entropy);
        assert!(lme.log_likelihood <= mle.log_likelihood + 1e-8);
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

/// The error of resuming a journal of `study` whose text was changed.
fn refused(study: &Study, change: impl Fn(String) -> String) -> String {
    let own = study_of(SPEC);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal.jsonl");
    let journal = own.create_journal(&path).unwrap();
    let mut first = Results::default();
    let cells = Cell::all(own.spec(), None);
    run(&own, &cells[..3], &mut first, &journal, &Silent).unwrap();
    own.close_journal(journal, &first).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, change(text)).unwrap();
    match study.resume_journal(&path, "start anew") {
        Ok((_, results)) => format!("{} cells", results.len()),
        Err(error) => error.to_string(),
    }
}

/// The same lines with checksums that are right again.
fn sealed(text: &str) -> String {
    const START: &str = "{\"sum\":\"0123456789abcdef\",";
    let seal = |line: &str| {
        let rest = &line[START.len()..];
        let sum = latentropy::files::digest_of(rest.as_bytes());
        format!("{{\"sum\":\"{sum}\",{rest}\n")
    };
    text.lines().map(seal).collect()
}

#[test]
fn a_journal_of_something_else_is_refused_and_damage_is_named() {
    let own = study_of(SPEC);
    let says = |said: String, parts: &[&str]| {
        for part in parts {
            assert!(said.contains(part), "`{part}` is not in `{said}`");
        }
    };
    assert_eq!(refused(&own, |text| text), "3 cells");
    // Cut in the middle of the last line.
    let cut = |text: String| text[..text.len() - 20].to_string();
    assert_eq!(refused(&own, cut), "2 cells");
    let other_seed = study_of(&SPEC.replace("seed = 11", "seed = 12"));
    says(
        refused(&other_seed, |text| text),
        &["journal.jsonl", "seed 11, not 12", "start anew"],
    );
    let other_settings = study_of(&SPEC.replace("restarts = 5", "restarts = 6"));
    says(
        refused(&other_settings, |text| text),
        &["other data, machine or settings", "start anew"],
    );
    let older = |text: String| text.replace("latentropy-study/3", "latentropy-study/1");
    says(refused(&own, older), &["not a journal of this version"]);
    let torn = |text: String| {
        text.replacen("\"restarts\"", "\"restar", 2)
            .replacen("\"restar", "\"restarts\"", 1)
    };
    // It costs itself alone.
    assert_eq!(refused(&own, torn), "2 cells");
    let renamed = |text: String| sealed(&text.replacen("truth-0", "truth-7", 1));
    says(
        refused(&own, renamed),
        &[
            "line 2",
            "small/truth-7/rows-20/trial-0/converged: is no cell of this study",
        ],
    );
    let above = |text: String| {
        let from = text.find("\"log_likelihood\":-").unwrap();
        sealed(&(text[..from].to_string() + "\"log_likelihood\":" + &text[from + 18..]))
    };
    says(refused(&own, above), &["line 2", "above 0"]);
}

#[test]
fn messages_name_the_keys_of_the_spec() {
    let refused = |arm: &str, parts: &[&str]| {
        let text = SPEC.replace("ridge = 1.0", arm);
        let error = Spec::parse(&text, Path::new("test.toml")).unwrap_err();
        let message = error.to_string();
        for part in parts {
            assert!(message.contains(part), "`{part}` is not in `{message}`");
        }
        assert!(!message.contains("--"), "{message}");
    };
    refused("tolerance = -1.0", &["arm \"ridge\"", "`tolerance`"]);
    refused("max_iterations = 0", &["`max_iterations`"]);
    refused("box = 0.0", &["`box`"]);
    refused("inner = 0", &["`inner`"]);
    refused("ridge = -1.0", &["`ridge`"]);
    refused("steps = [0.5]", &["`steps`", "`learner = \"em-gradient\"`"]);
    refused(
        "learner = \"em-gradient\"\nsteps = [inf]",
        &["`steps`", "finite", "inf"],
    );
    refused(
        "rule = \"byrne\"",
        &["`rule`", "`learner = \"sequential\"`"],
    );
    refused("cd_steps = 2", &["`cd_steps`", "`learner` cd and pcd"]);
    refused("chains = 2", &["`chains`"]);
    refused("ridges = [1.0, -2.0]", &["-2"]);
    refused("ridges = [1.0]\nfolds = 1", &["`folds`", "at least 2"]);
    refused(
        "learner = \"cd\"\nsingle = true\nanneal = true",
        &["`anneal`", "`learner = \"em-is\"`"],
    );
    refused(
        "learner = \"cd\"\nsingle = true\nfinish = true",
        &["second-order steps after cd"],
    );
}

#[test]
fn keys_that_would_be_ignored_are_refused() {
    let refused = |text: &str, part: &str| {
        let error = Spec::parse(text, Path::new("test.toml")).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    };
    let arm = |keys: &str| SPEC.replace("ridge = 1.0", keys);
    refused(&arm("warm_up = 5\nfinish = false"), "`warm_up`");
    refused(&arm("folds = 3"), "`ridges`");
    refused(&arm("ridge = 1.0\nevidence = true"), "one of `ridge`");
    let convergence = |keys: &str| {
        format!(
            "title = \"t\"\nseed = 1\n[convergence]\ntruth = {{ visible = 3, hidden = 1 }}\nfitted = {{ hidden = 1 }}\n\
             truths = 1\nrows = 9\nstarts = 1\niterations = 5\ncheckpoints = [5]\n[[convergence.arm]]\nname = \"a\"\n{keys}\n"
        )
    };
    assert!(Spec::parse(&convergence("tolerance = 1e-3"), Path::new("t")).is_ok());
    refused(
        &convergence("finish = false\ntolerance = 1e-3"),
        "`tolerance`",
    );
    refused(&convergence("restarts = 3"), "`restarts`");
    refused(&convergence("max_iterations = 3"), "`max_iterations`");
    refused(
        &convergence("learner = \"pcd\"\nsingle = true"),
        "no passes to count",
    );
}
