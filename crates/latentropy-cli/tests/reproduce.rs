//! `reproduce` and `study` as users meet them: interrupted, resumed, with other threads, with bad specs.

mod common;

use common::{Place, names_in, run, run_line};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Every kind of cell, in a second or two.
const TINY: &str = r#"
title = "tiny"
seed = 5

[convergence]
truth = { visible = 3, hidden = 1 }
fitted = { hidden = 1 }
truths = 2
rows = 30
starts = 2
iterations = 20
checkpoints = [2, 10]
[[convergence.arm]]
name = "em-is"
finish = false
[[convergence.arm]]
name = "gradient"
learner = "em-gradient"
steps = [0.5, 2.0]
finish = false
[[convergence.arm]]
name = "annealed"
anneal = true
[[convergence.claim]]
claim = "EM-IS is faster"
faster = "em-is"
slower = ["gradient"]

[[arm]]
name = "converged"
[[arm]]
name = "loose"
finish = false
tolerance = 1e-2
[[arm]]
name = "chosen"
ridges = [1.0, 0.1]
folds = 2
fold_restarts = 2
[[arm]]
name = "cd"
learner = "cd"
max_iterations = 50
single = true

[[experiment]]
name = "small"
title = "Small machines"
figures = [3, 5]
truth = { visible = 3, hidden = 1 }
fitted = { hidden = 1 }
truths = 2
trials = 2
rows = [10, 40]
restarts = 4
arms = ["converged", "loose", "chosen", "cd"]

[[experiment]]
name = "votes"
title = "Votes"
data = { file = "house-votes-84", columns = ["crime", "immigration", "mx-missile"] }
fitted = { hidden = 1, bias = true }
trials = 2
rows = [20, 40]
restarts = 3
arms = ["converged"]
"#;

/// Every file of a study but its times.
fn files(directory: &str) -> BTreeMap<String, Vec<u8>> {
    let names = names_in(Path::new(directory));
    let kept = names.into_iter().filter(|name| name != "timings");
    kept.map(|name| {
        let bytes = fs::read(Path::new(directory).join(&name)).expect("a file");
        (name, bytes)
    })
    .collect()
}

#[track_caller]
fn same(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>) {
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, bytes) in a {
        assert!(bytes == &b[name], "{name} differs");
    }
}

#[test]
fn killed_and_resumed_or_with_other_threads_the_files_are_the_same() {
    let place = Place::new();
    let spec = place.file("tiny.toml", TINY);
    let (whole, killed, other) = (
        place.path("whole"),
        place.path("killed"),
        place.path("other"),
    );
    let document = run(&["study", &spec, "--out", &whole, "--threads", "2", "--json"]).json();
    assert_eq!(document["cells"], 4 + 2 * 2 * 2 * 4 + 4);
    let expected = files(&whole);
    for name in [
        "figure-2.svg",
        "figure-5.csv",
        "figure-5-paired.csv",
        "experiment-votes.svg",
        "figure-5-tails.svg",
    ] {
        assert!(expected.contains_key(name), "{name}");
    }
    for name in ["figure-3.png", "figure-5-tails.png"] {
        assert_eq!(expected.contains_key(name), cfg!(feature = "png"), "{name}");
    }
    for name in [
        "cells.csv",
        "journal.jsonl",
        "report.html",
        "run.json",
        "spec.toml",
        "verdicts.md",
    ] {
        assert!(expected.contains_key(name), "{name}");
    }
    assert!(
        Path::new(&whole)
            .join("timings/figure-2-time.csv")
            .is_file()
    );
    assert!(
        document["verdicts"]
            .as_array()
            .is_some_and(|v| !v.is_empty())
    );

    run(&["study", &spec, "--out", &other, "--threads", "1", "--quiet"]).succeeded();
    same(&expected, &files(&other));

    // Killed as soon as a few cells are done: whatever was being written then is torn or absent.
    let mut child = Command::new(env!("CARGO_BIN_EXE_latentropy"))
        .args(["study", &spec, "--out", &killed, "--threads", "1"])
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let journal = Path::new(&killed).join("journal.jsonl");
    let lines =
        || fs::read(&journal).map_or(0, |bytes| bytes.iter().filter(|b| **b == b'\n').count());
    let started = Instant::now();
    while lines() < 4 && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it has ended");
    let done = lines();
    // A line cut short, as a kill in the middle of a write would leave it.
    let mut bytes = fs::read(&journal).expect("the journal");
    bytes.extend(b"{\"cell\":\"small/truth-0/ro");
    fs::write(&journal, bytes).expect("the journal");
    run(&["study", &spec, "--out", &killed, "--resume"]).succeeded();
    assert!(done >= 2, "{done}");
    same(&expected, &files(&killed));

    // A finished study can be resumed: there is nothing left to do.
    run(&["study", &spec, "--out", &killed, "--resume"]).succeeded();
    same(&expected, &files(&killed));
}

#[test]
fn a_directory_in_use_and_another_study_are_refused() {
    let place = Place::new();
    let spec = place.file("tiny.toml", TINY);
    let out = place.path("out");
    let figure = ["reproduce", "--spec", &spec, "--figure", "3", "--out", &out];
    run(&figure).succeeded();
    let names = names_in(Path::new(&out));
    assert!(
        names.contains(&"figure-3.svg".to_string()) && !names.contains(&"figure-5.svg".to_string())
    );
    run(&figure).refused(&["out", "holds a study already", "--resume"]);
    let other_seed = [&figure[..], &["--resume", "--seed", "6"]].concat();
    run(&other_seed).refused(&["journal.jsonl", "seed 5, not 6", "--out"]);
    let changed = place.file("changed.toml", TINY.replace("restarts = 4", "restarts = 5"));
    run(&["study", &changed, "--out", &out, "--resume"])
        .refused(&["other data, machine or settings", "--out"]);
    // The other figures join the one that is there.
    run(&["study", &spec, "--out", &out, "--resume"]).succeeded();
    assert!(Path::new(&out).join("figure-5.svg").is_file());

    let full = place.path("full");
    fs::create_dir(&full).unwrap();
    fs::write(Path::new(&full).join("mine.txt"), "x").unwrap();
    run(&["study", &spec, "--out", &full]).refused(&["full", "not empty", "--out"]);
    run(&["study", &spec, "--out", &full, "--resume"]).refused(&["no journal"]);
    assert_eq!(names_in(Path::new(&full)), ["mine.txt"]);
}

#[test]
fn bad_specs_are_refused_with_their_line_and_nothing_is_written() {
    let place = Place::new();
    let out = place.path("out");
    let refused = |text: &str, parts: &[&str]| {
        let spec = place.file("bad.toml", text);
        run(&["study", &spec, "--out", &out]).refused(parts);
        assert!(!Path::new(&out).exists());
    };
    refused(
        &TINY.replace("checkpoints", "checkpoint"),
        &["bad.toml, line 12", "`checkpoint`", "`checkpoints`"],
    );
    refused(
        &TINY.replace("learner = \"cd\"", "learner = \"xd\""),
        &["line", "\"xd\"", "em-is, em-gis"],
    );
    refused(
        &TINY.replace("restarts = 4", "restarts = \"many\""),
        &["bad.toml, line", "many"],
    );
    refused(
        &TINY.replace("rows = [10, 40]", "rows = [40, 10]"),
        &["\"small\"", "rows"],
    );
    refused(
        &TINY.replace("\"chosen\", \"cd\"]", "\"chose\"]"),
        &["no arm \"chose\"", "chosen"],
    );
    refused(
        &TINY.replace("tolerance = 1e-2", "tolerance = -1.0"),
        &["\"loose\"", "above 0"],
    );
    refused(
        &TINY.replace("rows = [20, 40]", "rows = [20, 4000]"),
        &["votes", "4000 of 435"],
    );
    refused(
        &TINY.replace("mx-missile", "mx-misile"),
        &["house-votes-84", "mx-misile"],
    );
    refused("title = ", &["bad.toml, line 1"]);
    run(&["study", &place.path("absent.toml")]).refused(&["absent.toml", "cannot read"]);
    run_line("reproduce --figure 8").says(&["8", "2..=7"]);
    let spec = place.file("tiny.toml", TINY);
    run(&["reproduce", "--spec", &spec, "--figure", "7", "--out", &out])
        .refused(&["tiny.toml", "figure 7"]);
}

#[test]
fn the_spec_that_is_printed_is_a_spec() {
    let paper = run_line("reproduce --print-spec").succeeded();
    assert!(paper.contains("[[experiment]]") && paper.contains("restarts = 100"));
    let quick = run_line("reproduce --quick --print-spec").succeeded();
    assert_ne!(paper, quick);
}
