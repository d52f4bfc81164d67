//! Kinds of processors: the same fit by every instruction set that this machine can be made to have.
//!
//! Valgrind hides AVX-512 from a program and QEMU everything beyond SSE2; the kernels then choose other versions, as they do
//! on another machine. Where neither is installed there is nothing to compare, and the test says so.

mod common;

use common::{Place, SMALL, run};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What docs/cluster.md states.
const VALUES: f64 = 1e-7;
const WEIGHTS: f64 = 1e-5;

/// Another processor: a program that runs ours, and its flags.
fn others() -> Vec<(&'static str, Command)> {
    let known: [(&str, &[&str]); 2] = [
        ("valgrind", &["--tool=none", "-q"]),
        ("qemu-x86_64", &["-cpu", "Nehalem"]),
    ];
    let installed = known.into_iter().filter(|(program, _)| {
        let there = Command::new(program).arg("--version").output();
        there.is_ok_and(|there| there.status.success())
    });
    installed
        .map(|(program, flags)| {
            let mut command = Command::new(program);
            command.args(flags).arg(env!("CARGO_BIN_EXE_latentropy"));
            (program, command)
        })
        .collect()
}

/// The candidates of a run: log-likelihood and entropy of each, and the weights of the chosen one.
fn found(directory: &str) -> (Vec<[f64; 2]>, Vec<f64>) {
    let read = |name: &str| fs::read_to_string(Path::new(directory).join(name)).unwrap();
    let model: Value = serde_json::from_str(&read("model.json")).unwrap();
    let terms = model["terms"].as_array().unwrap();
    let weights = terms.iter().map(|term| term["weight"].as_f64().unwrap());
    let table = read("candidates.csv");
    let mut lines = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let heads = lines.next().unwrap();
    let place = |name: &str| heads.iter().position(|head| *head == name).unwrap();
    let (likelihood, entropy) = (place("log_likelihood"), place("entropy"));
    let values = lines.map(|cells| [likelihood, entropy].map(|at| cells[at].parse().unwrap()));
    (values.collect(), weights.collect())
}

#[test]
fn kinds_agree_to_the_stated_tolerance() {
    let others = others();
    if others.is_empty() {
        println!(
            "skipped: neither valgrind nor qemu-x86_64 is installed, so this machine is of one kind"
        );
        return;
    }
    let place = Place::new();
    let data = place.file("votes.csv", SMALL);
    let arguments = [
        "fit",
        &data,
        "--hidden",
        "1",
        "--restarts",
        "4",
        "--ridge",
        "0.5",
        "--quiet",
    ];
    let arguments = [&arguments[..], &["--threads", "1"]].concat();
    let whole = place.path("whole");
    run(&[&arguments[..], &["--out", &whole]].concat()).succeeded();
    let (values, weights) = found(&whole);
    for (name, mut other) in others {
        let out = place.path(name);
        run(&[&arguments[..], &["--out", &out, "--shard", "1/2"]].concat()).succeeded();
        other
            .args(&arguments)
            .args(["--out", &out, "--shard", "2/2"]);
        let ran = other.output().unwrap();
        assert!(
            ran.status.success(),
            "{name}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
        let refused = run(&["merge", &out]);
        if refused.code == 0 {
            println!("{name} makes no other kind of this machine");
            continue;
        }
        refused.refused(&["2-of-2.part", "another kind of processor"]);
        let mixed = run(&["merge", &out, "--mixed"]);
        mixed.says(&["several kinds of processors"]);
        mixed.succeeded();
        let (there, other_weights) = found(&out);
        assert_eq!(there.len(), values.len());
        let mut largest: [f64; 2] = [0.0, 0.0];
        for (a, b) in values.iter().flatten().zip(there.iter().flatten()) {
            largest[0] = largest[0].max((a - b).abs());
        }
        for (a, b) in weights.iter().zip(&other_weights) {
            largest[1] = largest[1].max((a - b).abs());
        }
        println!(
            "{name}: values differ by {:.1e}, weights by {:.1e}",
            largest[0], largest[1]
        );
        assert!(
            largest[0] < VALUES && largest[1] < WEIGHTS,
            "{name}: {largest:?}"
        );
    }
}
