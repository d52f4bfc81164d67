//! Runs in shares: whatever the number of shares, their order and how often they are run, `merge` writes what one run writes.

mod common;

use common::{Place, SMALL, run};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A file of a result directory.
fn file(directory: &str, name: &str) -> Vec<u8> {
    let path = Path::new(directory).join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files that must be the same, whoever ran what.
#[track_caller]
fn assert_same_files(one: &str, other: &str, names: &[&str]) {
    for name in names {
        assert!(
            file(one, name) == file(other, name),
            "{name} differs between {one} and {other}"
        );
    }
}

const FIT_FILES: [&str; 4] = [
    "model.json",
    "candidates.csv",
    "candidates.jsonl",
    "weights.csv",
];

/// Runs every share once, in this order.
fn shares(arguments: &[&str], out: &str, count: usize, order: &[usize]) {
    for index in order {
        let shard = format!("{index}/{count}");
        run(&[arguments, &["--out", out, "--shard", &shard, "--quiet"]].concat()).succeeded();
    }
}

#[test]
fn shares_of_every_kind_of_fit_are_the_whole() {
    let place = Place::new();
    let data = place.file("votes.csv", SMALL);
    let cases: [(&str, &[&str]); 4] = [
        (
            "restarts",
            &["--hidden", "2", "--restarts", "5", "--search", "restarts"],
        ),
        (
            "rounds",
            &["--hidden", "2", "--restarts", "33", "--ridge", "0.1"],
        ),
        (
            "sizes",
            &["--hidden", "0..2", "--shape", "rbm,full", "--restarts", "4"],
        ),
        (
            "refits",
            &["--hidden", "1", "--restarts", "4", "--bootstrap", "7"],
        ),
    ];
    for (name, flags) in cases {
        let arguments = [&["fit", &data][..], flags].concat();
        let whole = place.path(&format!("{name}-whole"));
        run(&[&arguments[..], &["--out", &whole, "--quiet"]].concat()).succeeded();
        // Once each, the last first: what leans on earlier rounds is left to the merge.
        let once = place.path(&format!("{name}-once"));
        shares(&arguments, &once, 3, &[3, 1, 2]);
        run(&["merge", &once, "--quiet"]).succeeded();
        assert_same_files(&whole, &once, &FIT_FILES);
        // Again and again: every round is shared.
        let often = place.path(&format!("{name}-often"));
        let order: Vec<usize> = (0..12).flat_map(|_| [1, 2]).collect();
        shares(&arguments, &often, 2, &order);
        let told = run(&["merge", &often]);
        assert!(
            !told.stderr.contains("were run here"),
            "{name}: {}",
            told.stderr
        );
        assert_same_files(&whole, &often, &FIT_FILES);
    }
}

#[test]
fn shares_that_wait_do_every_round() {
    let place = Place::new();
    let data = place.file("votes.csv", SMALL);
    let arguments = [
        "fit",
        &data,
        "--hidden",
        "2",
        "--restarts",
        "40",
        "--ridge",
        "0.1",
        "--quiet",
    ];
    let (whole, out) = (place.path("whole"), place.path("out"));
    run(&[&arguments[..], &["--out", &whole]].concat()).succeeded();
    let waiting = [1, 2, 3].map(|index| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_latentropy"));
        let shard = format!("{index}/3");
        command
            .args(arguments)
            .args(["--out", &out, "--wait", "2m", "--threads", "1"]);
        command.args(["--shard", &shard]).spawn().unwrap()
    });
    for mut child in waiting {
        assert!(child.wait().unwrap().success());
    }
    let told = run(&["merge", &out]);
    assert!(!told.stderr.contains("were run here"), "{}", told.stderr);
    assert_same_files(&whole, &out, &FIT_FILES);
}

#[test]
fn missing_shares_are_named_and_a_share_is_not_done_twice() {
    let place = Place::new();
    let data = place.file("votes.csv", SMALL);
    let arguments = [
        "fit",
        &data,
        "--hidden",
        "1",
        "--restarts",
        "8",
        "--ridge",
        "1",
    ];
    let out = place.path("out");
    shares(&arguments, &out, 4, &[2, 4]);
    let refused = run(&["merge", &out]);
    assert_eq!(refused.code, 2);
    assert!(
        refused
            .stderr
            .contains("shards 1 and 3 of 4 have not been run"),
        "{}",
        refused.stderr
    );
    let share = Path::new(&out).join("shards/round-1/2-of-4.part");
    let before = fs::metadata(&share).unwrap().modified().unwrap();
    let again = run(&[&arguments[..], &["--out", &out, "--shard", "2/4"]].concat());
    assert!(again.succeeded().contains("nothing was left to do"));
    assert_eq!(fs::metadata(&share).unwrap().modified().unwrap(), before);
    // A share that is cut short is no share.
    fs::write(&share, &fs::read(&share).unwrap()[..40]).unwrap();
    shares(&arguments, &out, 4, &[1]);
    // The last one finds all others there, and goes on to read them.
    let last = run(&[&arguments[..], &["--out", &out, "--shard", "3/4"]].concat());
    assert_eq!(last.code, 2);
    last.says(&["2-of-4.part: this is not a part"]);
    let refused = run(&["merge", &out]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("2-of-4.part: this is not a part"),
        "{}",
        refused.stderr
    );
    fs::remove_file(&share).unwrap();
    // Other arguments or another number of shares do not mix with these.
    for (shard, seed, told) in [
        ("2/4", "7", "other data or settings"),
        ("1/3", "0", "of 4 shards, not 3"),
    ] {
        let flags = ["--out", &out, "--shard", shard, "--seed", seed];
        let refused = run(&[&arguments[..], &flags].concat());
        assert_eq!(refused.code, 2);
        assert!(refused.stderr.contains(told), "{}", refused.stderr);
    }
    // Two places, one of them on another machine.
    let (there, whole) = (place.path("there"), place.path("whole"));
    shares(&arguments, &there, 4, &[2]);
    let merged = place.path("merged");
    run(&["merge", &out, &there, "--out", &merged]).succeeded();
    run(&[&arguments[..], &["--out", &whole]].concat()).succeeded();
    assert_same_files(&whole, &merged, &FIT_FILES);
    let run_of = |directory: &str| -> serde_json::Value {
        serde_json::from_slice(&file(directory, "run.json")).unwrap()
    };
    assert_eq!(run_of(&whole)["result"], run_of(&merged)["result"]);
}

#[test]
fn batch_systems_say_which_share_it_is() {
    let place = Place::new();
    let data = place.file("votes.csv", SMALL);
    let out = place.path("out");
    let arguments = [
        "fit",
        &data,
        "--hidden",
        "1",
        "--restarts",
        "2",
        "--out",
        &out,
        "--quiet",
    ];
    for index in ["3", "5"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_latentropy"));
        command.args(arguments).args(["--shard", "auto"]);
        command
            .env("SLURM_ARRAY_TASK_ID", index)
            .env("SLURM_ARRAY_TASK_MIN", "3");
        command
            .env("SLURM_ARRAY_TASK_STEP", "2")
            .env("SLURM_ARRAY_TASK_COUNT", "2");
        assert!(command.output().unwrap().status.success());
    }
    run(&["merge", &out, "--json"]).json();
    let alone = run(&[&arguments[..], &["--shard", "auto"]].concat());
    assert_eq!(alone.code, 2);
    assert!(
        alone.stderr.contains("no task of an array"),
        "{}",
        alone.stderr
    );
}

#[test]
fn shares_of_a_study_are_the_whole() {
    let place = Place::new();
    let spec = place.file("tiny.toml", TINY);
    let arguments = ["study", &spec, "--quiet"];
    let (whole, out) = (place.path("whole"), place.path("out"));
    run(&[&arguments[..], &["--out", &whole]].concat()).succeeded();
    shares(&["study", &spec], &out, 3, &[2, 2, 3]);
    let refused = run(&["merge", &out]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("shard 1 of 3"),
        "{}",
        refused.stderr
    );
    shares(&["study", &spec], &out, 3, &[1]);
    run(&["merge", &out, "--quiet"]).succeeded();
    let names = ["journal.jsonl", "cells.csv", "verdicts.json", "report.html"];
    assert_same_files(&whole, &out, &names);
}

/// Some cells of both kinds.
const TINY: &str = r#"
title = "tiny"
seed = 5

[[arm]]
name = "converged"
[[arm]]
name = "ridge-1"
ridge = 1.0

[[experiment]]
name = "small"
title = "Small machines"
figures = [5]
truth = { visible = 3, hidden = 1 }
fitted = { hidden = 1 }
truths = 2
trials = 2
rows = [10, 30]
restarts = 3
arms = ["converged", "ridge-1"]
"#;
