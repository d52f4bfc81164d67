//! The outward contract: commands, flags, JSON documents, files, exit codes.

mod common;

use common::{MODEL, Place, QUICK, SMALL, names_in, run, run_line};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// The keys of a JSON object, which must be there.
#[track_caller]
fn has(document: &Value, keys: &[&str]) {
    for key in keys {
        assert!(document.get(key).is_some(), "`{key}` is not in {document}");
    }
}

/// A value with its kind, as the contract has it.
#[track_caller]
fn is_exact(value: &Value) {
    assert!(
        value["value"].is_f64() && value["kind"] == "exact",
        "{value}"
    );
    assert!(value.get("std_err").is_some_and(Value::is_null), "{value}");
}

#[test]
fn fit_prints_every_candidate_and_the_model() {
    let place = Place::new();
    let data = place.file("votes.csv", SMALL);
    let arguments = [&["fit", &data, "--hidden", "2", "--json"][..], &QUICK].concat();
    let document = run(&arguments).json();
    has(
        &document,
        &[
            "selected",
            "candidates",
            "distinct_solutions",
            "model",
            "boundary",
            "warnings",
        ],
    );
    let candidates = document["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), 4);
    for (at, candidate) in candidates.iter().enumerate() {
        has(
            candidate,
            &[
                "seed_stream",
                "mutual_information",
                "solution",
                "boundary_terms",
            ],
        );
        has(candidate, &["largest_eigenvalue", "trivial", "feasible"]);
        assert_eq!(candidate["index"], at);
        for number in ["log_likelihood", "entropy", "residual"] {
            assert!(candidate[number].is_f64(), "{number}");
        }
        assert!(candidate["iterations"].is_u64());
        assert!(candidate["stop"].is_string() && candidate["certificate"].is_string());
    }
    let selected = document["selected"].as_u64().unwrap() as usize;
    assert!(
        document["selected_is_feasible"].as_bool() == candidates[selected]["feasible"].as_bool()
    );
    let boundary = document["boundary"].as_array().unwrap();
    let terms: Vec<&Value> = boundary.iter().map(|entry| &entry["term"]).collect();
    let edge = candidates[selected]["boundary_terms"].as_array().unwrap();
    assert_eq!(terms, edge.iter().collect::<Vec<_>>());
    for entry in boundary {
        assert!(entry["units"].is_array() && entry["weight"].is_f64());
        assert!(entry["cause"].is_string());
    }
    assert_eq!(document["model"]["format"], "latentropy/1");
    assert_eq!(document["model"]["units"][5]["name"], "z2");
    assert_eq!(document["model"]["units"][5]["role"], "hidden");
}

#[test]
fn a_fit_without_a_feasible_candidate_still_answers_and_says_so() {
    let place = Place::new();
    let data = place.file("votes.csv", SMALL);
    let line = format!("fit {data} --hidden 1 --restarts 3 --max-iter 1 --tol 1e-12");
    let ran = run_line(&format!("{line} --json"));
    ran.says(&["warning: ", "--max-iter", "--ridge"]);
    let document = ran.json();
    assert_eq!(document["selected_is_feasible"], false);
    assert_eq!(document["candidates"].as_array().unwrap().len(), 3);
    assert!(!document["warnings"].as_array().unwrap().is_empty());
    let text = run_line(&line).succeeded();
    assert!(
        text.contains("not converged") && text.contains("not a solution"),
        "{text}"
    );
}

#[test]
fn fit_writes_its_files() {
    let place = Place::new();
    let data = place.file("votes.csv", SMALL);
    let (out, trace) = (place.path("new/run"), place.path("trace.csv"));
    let arguments = [
        "fit", &data, "--hidden", "1", "--out", &out, "--trace", &trace, "--seed", "3",
    ];
    let text = run(&[&arguments[..], &QUICK].concat()).succeeded();
    assert!(
        text.contains("12 rows (") && text.contains("1 cell missing"),
        "{text}"
    );
    assert_eq!(
        names_in(out.as_ref()),
        [
            "candidates.csv",
            "candidates.jsonl",
            "model.json",
            "report.html",
            "report.json",
            "run.json",
            "start.json",
            "weights.csv"
        ]
    );

    let read = |name: &str| std::fs::read_to_string(format!("{out}/{name}")).unwrap();
    let model: Value = serde_json::from_str(&read("model.json")).unwrap();
    has(&model, &["format", "units", "terms", "fit"]);
    let run: Value = serde_json::from_str(&read("run.json")).unwrap();
    has(&run, &["settings", "version", "seed", "data", "timings"]);
    assert_eq!(
        (&run["seed"], &run["data"]["rows"]),
        (&3.into(), &12.into())
    );
    assert_eq!(run["data"]["missing_cells"], 1);
    assert_eq!(run["data"]["fingerprint"].as_str().unwrap().len(), 16);

    let candidates = read("candidates.csv");
    assert_eq!(candidates.lines().count(), 5);
    let head = "index,seed_stream,log_likelihood,entropy,residual,iterations,stop,certificate,\
                mutual_information,solution,";
    assert!(candidates.starts_with(head), "{candidates}");
    let trace = std::fs::read_to_string(trace).unwrap();
    assert!(
        trace.starts_with("candidate,iteration,log_likelihood,q,residual\n0,0,-"),
        "{trace}"
    );
    let candidate_of = |line: &str| line.split(',').next().unwrap().parse::<usize>().ok();
    assert_eq!(trace.lines().filter_map(candidate_of).max(), Some(3));

    // A second run replaces the files of the first, whole.
    let arguments = [
        "fit", &data, "--hidden", "1", "--out", &out, "--seed", "4", "--quiet",
    ];
    common::run(&[&arguments[..], &QUICK].concat()).succeeded();
    let again: Value = serde_json::from_str(&read("run.json")).unwrap();
    assert_eq!(again["seed"], 4);
    assert_eq!(
        names_in(out.as_ref()),
        [
            "candidates.csv",
            "candidates.jsonl",
            "model.json",
            "report.html",
            "report.json",
            "run.json",
            "start.json",
            "weights.csv"
        ]
    );
}

#[test]
fn infer_prints_the_contract() {
    let place = Place::new();
    let model = place.file("model.json", MODEL);
    let document = run_line(&format!("infer {model} --json --engine exact")).json();
    assert_eq!(document["engine"], "exact");
    is_exact(&document["log_partition"]);
    is_exact(&document["entropy"]);
    assert_eq!(document["means"].as_array().unwrap().len(), 4);
    assert_eq!(document["terms"][3]["units"], serde_json::json!([0, 2, 3]));
    assert!(document["terms"][3]["expectation"].is_f64());
    let text = run_line(&format!("infer {model}")).succeeded();
    for part in [
        "log Z",
        "entropy",
        "P(unit = 1)",
        "strongest terms",
        "a * c * z1",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn units_may_be_given() {
    let place = Place::new();
    let model = place.file("model.json", MODEL);
    let repeated = run_line(&format!("infer {model} --given z1=1 --given a=no --json")).json();
    assert_eq!(repeated["means"][3], 1.0);
    assert_eq!(repeated["means"][0], 0.0);
    // Given a = 0, c has no field left: it is a fair coin.
    assert!((repeated["means"][2].as_f64().unwrap() - 0.5).abs() < 1e-15);
    let listed = run_line(&format!("infer {model} --json --given z1=1 a=0")).json();
    assert_eq!(repeated, listed);
    let rows = run_line(&format!("sample {model} -n 20 --given a=1 --hidden")).succeeded();
    assert!(rows.starts_with("a,b,c,z1\n"));
    assert!(
        rows.lines().skip(1).all(|row| row.starts_with("1,")),
        "{rows}"
    );
}

#[test]
fn score_prints_the_contract() {
    let place = Place::new();
    let (model, data) = (
        place.file("model.json", MODEL),
        place.file("d.csv", "a,b,c\n1,0,?\n1,1,1\n"),
    );
    let document = run_line(&format!("score {model} {data} --json")).json();
    assert_eq!(document["rows"], 2);
    is_exact(&document["mean_log_likelihood"]);
    let per_row: Vec<f64> = serde_json::from_value(document["per_row"].clone()).unwrap();
    let mean = document["mean_log_likelihood"]["value"].as_f64().unwrap();
    assert!((per_row.iter().sum::<f64>() / 2.0 - mean).abs() < 1e-15);
    let rows = run_line(&format!("score {model} {data} --per-row")).succeeded();
    let expected = format!(
        "row,log_likelihood\n1,{:?}\n2,{:?}\n",
        per_row[0], per_row[1]
    );
    assert_eq!(rows, expected);
    let text = run_line(&format!("score {model} {data}")).succeeded();
    assert!(
        text.contains("mean log-likelihood") && text.contains("1 missing cell summed out"),
        "{text}"
    );
}

#[test]
fn large_restricted_machines_are_learned_by_default() {
    let place = Place::new();
    let data = place.file("d.csv", SMALL);
    let line =
        format!("fit {data} --shape rbm --hidden 40 --ridge 1 --restarts 1 --max-iter 3 --json");
    let document = run_line(&line).json();
    assert_eq!(document["candidates"].as_array().map(Vec::len), Some(1));
    run_line(&format!("fit {data} --hidden 1 --anneal --ridge auto")).refused(&["--anneal"]);
}

#[test]
fn infer_takes_every_engine_and_says_what_its_values_are_worth() {
    let place = Place::new();
    let model = place.file("pairs.json", PAIRS);
    let kinds = [
        ("exact", "exact"),
        ("junction-tree", "exact"),
        ("gibbs", "monte_carlo"),
        ("mean-field", "lower_bound"),
        ("tap", "estimate"),
        ("bp", "estimate"),
        ("gbp", "exact"),
        ("cbp", "exact"),
        ("trw", "upper_bound"),
    ];
    for (engine, kind) in kinds {
        let document = run_line(&format!("infer {model} --engine {engine} --json")).json();
        assert_eq!(document["engine"], engine);
        assert_eq!(document["log_partition"]["kind"], kind, "{engine}");
        assert!(document["entropy"]["value"].is_f64());
        assert_eq!(document["means"].as_array().map(Vec::len), Some(3));
        assert_eq!(document["terms"].as_array().map(Vec::len), Some(4));
        let text = run_line(&format!("infer {model} --engine {engine}")).succeeded();
        let shown = match kind {
            "monte_carlo" => "(sampled, ± ".to_string(),
            kind => format!("({})", kind.replace('_', " ")),
        };
        assert!(text.contains(&shown) && text.contains("as asked"), "{text}");
    }
    let chosen = run_line(&format!("infer {model} --json")).json();
    assert_eq!(chosen["engine"], "exact");
    assert!(chosen["reason"].as_str().is_some_and(|r| r.contains("2^3")));
}

#[test]
fn infer_compares_all_engines() {
    let place = Place::new();
    let (pairs, triples) = (place.file("pairs.json", PAIRS), place.file("m.json", MODEL));
    let document = run_line(&format!("infer {pairs} --engine all --json")).json();
    assert_eq!(document["engine"], "exact");
    is_exact(&document["log_partition"]);
    let engines = document["engines"].as_array().unwrap();
    assert_eq!(engines.len(), 9);
    for row in engines {
        let off = row["largest_difference_of_means"].as_f64().unwrap();
        assert!((0.0..0.5).contains(&off), "{row}");
    }
    // Engines that cannot hold a machine say why; the others answer all the same.
    let text = run_line(&format!("infer {triples} --engine all")).succeeded();
    for part in [
        "junction-tree",
        "no answer",
        "bp: engine bp knows biases and pairs only",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let parts = ["pairs only", "--engine exact"];
    run_line(&format!("infer {triples} --engine trw")).refused(&parts);
}

#[test]
fn sampling_repeats_with_its_seed_and_says_its_errors() {
    let place = Place::new();
    let model = place.file("pairs.json", PAIRS);
    let line = |rest: &str| format!("infer {model} --engine gibbs --json {rest}");
    let first = run_line(&line("--seed 5 --chains 100 --sweeps 64")).json();
    let again = run_line(&line("--seed 5 --chains 100 --sweeps 64 --threads 1")).json();
    assert_eq!(first, again);
    assert_ne!(first["means"], run_line(&line("--seed 6")).json()["means"]);
    assert!(first["log_partition"]["std_err"].is_f64());
    assert_eq!(first["mean_std_errs"].as_array().map(Vec::len), Some(3));
    assert!(
        first["terms"][0]["std_err"]
            .as_f64()
            .is_some_and(|e| e > 0.0)
    );
    assert!(
        first["remarks"][0]
            .as_str()
            .is_some_and(|r| r.contains("128 chains"))
    );
    for (flags, part) in [("--sweeps 3", "from 32"), ("--chains none", "whole number")] {
        let ran = run_line(&line(flags));
        assert_eq!(ran.code, 2);
        ran.says(&[part]);
    }
    let parts = ["bp does not sample", "--engine gibbs"];
    run_line(&format!("infer {model} --engine bp --sweeps 100")).refused(&parts);
}

#[test]
fn machines_beyond_exact_engines_are_sampled() {
    let place = Place::new();
    let units: Vec<String> = (0..70)
        .map(|u| format!(r#"{{"name":"x{u}","role":"visible"}}"#))
        .collect();
    let pairs = (0..70).flat_map(|a| (a + 1..70).map(move |b| (a, b)));
    let terms: Vec<String> = pairs
        .map(|(a, b)| {
            let weight = 0.01 * ((a * 7 + b * 3) % 11) as f64 - 0.05;
            format!(r#"{{"units":[{a},{b}],"weight":{weight}}}"#)
        })
        .collect();
    let document = format!(
        r#"{{"format":"latentropy/1","units":[{}],"terms":[{}]}}"#,
        units.join(","),
        terms.join(",")
    );
    let model = place.file("dense.json", &document);
    let found = run_line(&format!("infer {model} --json")).json();
    assert_eq!(found["engine"], "gibbs");
    assert!(
        found["reason"]
            .as_str()
            .is_some_and(|r| r.contains("treewidth"))
    );
    assert_eq!(
        found["warnings"].as_array().map(Vec::len),
        Some(0),
        "{found}"
    );
    let rows = run_line(&format!("sample {model} -n 300 --seed 2")).succeeded();
    assert_eq!(rows.lines().count(), 301);
    assert_eq!(
        rows,
        run_line(&format!("sample {model} -n 300 --seed 2")).succeeded()
    );
    assert_ne!(
        rows,
        run_line(&format!("sample {model} -n 300 --seed 3")).succeeded()
    );
}

/// A frustrated triangle with one bias.
const PAIRS: &str = r#"{"format":"latentropy/1","units":[{"name":"a","role":"visible"},
    {"name":"b","role":"visible"},{"name":"c","role":"hidden"}],"terms":[{"units":[0],"weight":0.4},
    {"units":[0,1],"weight":-1.0},{"units":[1,2],"weight":-1.0},{"units":[0,2],"weight":-1.0}]}"#;

#[test]
fn fit_takes_every_engine_and_says_what_its_values_are_worth() {
    let place = Place::new();
    let data = place.file("d.csv", SMALL);
    let kinds = [
        ("exact", "exact"),
        ("junction-tree", "exact"),
        // The last word on what estimates have learned is the chains'.
        ("mean-field", "monte_carlo"),
        ("tap", "monte_carlo"),
        ("bp", "monte_carlo"),
        ("gbp", "monte_carlo"),
        ("trw", "lower_bound"),
        ("gibbs", "monte_carlo"),
    ];
    for (engine, kind) in kinds {
        let line = format!("fit {data} --hidden 1 --engine {engine} --restarts 2 --max-iter 300");
        let document = run_line(&format!("{line} --json")).json();
        assert_eq!(document["engine"], engine);
        let candidate = &document["candidates"][0];
        // A region graph of short loops can be a tree of regions, and exact.
        if engine != "gbp" {
            assert_eq!(candidate["log_likelihood_kind"], kind, "{engine}");
        }
        let has_error = candidate["log_likelihood_std_err"].is_f64();
        let is_sampled = candidate["log_likelihood_kind"] == "monte_carlo";
        assert_eq!(has_error, is_sampled, "{engine}");
        run_line(&line).succeeded();
    }
    let refusals = [
        ("--engine bp --learner sequential", "em-gis"),
        ("--engine bp --order 3", "pairs only"),
        ("--engine trw --anneal", "--anneal"),
        ("--learner pcd --batch 10", "--shape rbm"),
        ("--learner em-gis --batch 10", "--batch"),
    ];
    for (flags, part) in refusals {
        run_line(&format!("fit {data} --hidden 1 {flags}")).refused(&[part]);
    }
}

#[test]
fn every_learner_and_principle_runs() {
    let place = Place::new();
    let data = place.file("d.csv", SMALL);
    for flags in [
        "--learner auto --select mle",
        "--learner em-is --inner 1",
        "--learner em-gis",
        "--learner em-gradient",
        "--learner em-gradient --step 0.5",
        "--learner quasi-newton",
        "--shape rbm --no-bias",
        "--shape semi-restricted",
        "--order 3 --box 5",
    ] {
        let line =
            format!("fit {data} --hidden 1 --restarts 2 --ridge 1 --max-iter 200 --json {flags}");
        let document = run_line(&line).json();
        assert_eq!(
            document["candidates"].as_array().unwrap().len(),
            2,
            "{flags}"
        );
    }
    let visible = run_line(&format!(
        "fit {data} --shape visible --restarts 1 --ridge 1 --json"
    ))
    .json();
    assert_eq!(visible["model"]["units"].as_array().unwrap().len(), 4);
}

#[test]
fn terms_come_from_a_file() {
    let place = Place::new();
    let (data, terms) = (
        place.file("d.csv", SMALL),
        place.file("terms.txt", "a\na z1\nb c z1 = 2\n"),
    );
    let line =
        format!("fit {data} --hidden 1 --shape {terms} --restarts 1 --ridge 1 --max-iter 50");
    let ran = run_line(&format!("{line} --json"));
    ran.says(&["warning: ", "terms.txt", "weights are not used"]);
    let terms = ran.json()["model"]["terms"].clone();
    let units: Vec<&Value> = terms
        .as_array()
        .unwrap()
        .iter()
        .map(|term| &term["units"])
        .collect();
    assert_eq!(
        serde_json::json!(units),
        serde_json::json!([[0], [0, 4], [1, 2, 4]])
    );
    run_line(&format!("{line} --order 3")).refused(&["--order", "lists its terms itself"]);
    let bad = place.file("bad.txt", "a b\na q\n");
    run_line(&format!("fit {data} --hidden 1 --shape {bad}")).refused(&["bad.txt, line 2", "`q`"]);
}

#[test]
fn hidden_units_do_not_take_a_columns_name() {
    let place = Place::new();
    let data = place.file("d.csv", SMALL.replace("a,b,c,d", "a,b,z1,d"));
    let document = run_line(&format!(
        "fit {data} --hidden 1 --restarts 1 --max-iter 5 --json"
    ))
    .json();
    assert_eq!(document["model"]["units"][4]["name"], "z_1");
}

#[test]
fn help_teaches() {
    for command in [
        "fit",
        "infer",
        "score",
        "sample",
        "impute",
        "convert",
        "completions",
    ] {
        let help = run(&[command, "--help"]).succeeded();
        assert!(
            help.contains("Example") && help.contains("latentropy "),
            "{help}"
        );
        let widest = help.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 100, "{command}: {widest}");
    }
    assert!(run(&["--help"]).succeeded().contains("Exit codes"));
    assert!(run(&["--version"]).succeeded().starts_with("latentropy "));
    let ran = run(&["fly"]);
    assert_eq!(ran.code, 2);
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&["completions", shell]).succeeded();
        assert!(
            script.contains("latentropy") && script.contains("max-iter"),
            "{shell}"
        );
    }
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let place = Place::new();
    let model = place.file("model.json", MODEL);
    let mut child = Command::new(env!("CARGO_BIN_EXE_latentropy"))
        .args(["sample", &model, "-n", "100000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    reader.read_line(&mut line).unwrap();
    assert_eq!(line, "a,b,c\n");
    drop(reader);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_a_failure() {
    let place = Place::new();
    let model = place.file("model.json", MODEL);
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_latentropy"))
        .args(["infer", &model, "--json"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        message.starts_with("error: cannot write to standard output"),
        "{message}"
    );
}

#[cfg(unix)]
#[test]
fn warnings_come_once_where_both_streams_are_one_file() {
    let place = Place::new();
    // A constant column is worth a warning.
    let data = place.file("d.csv", "a,b\n1,0\n1,1\n1,0\n1,1\n");
    let arguments = format!("fit {data} --hidden 1 --ridge 1 --restarts 2 --threads 1");
    let is_about = |line: &&str| line.contains("warning: ") && line.contains("never varies");
    let said = |text: &str| text.lines().filter(is_about).count();
    let to_files = |out: std::fs::File, err: std::fs::File| {
        let status = Command::new(env!("CARGO_BIN_EXE_latentropy"))
            .args(arguments.split(' '))
            .stdout(out)
            .stderr(err)
            .status()
            .unwrap();
        assert!(status.success());
    };
    let create = |name: &str| std::fs::File::create(place.path(name)).unwrap();
    let read = |name: &str| std::fs::read_to_string(place.path(name)).unwrap();
    // Apart, each file is whole by itself.
    to_files(create("out"), create("err"));
    assert_eq!(
        (said(&read("out")), said(&read("err"))),
        (1, 1),
        "{}",
        read("out")
    );
    let both = create("both");
    to_files(both.try_clone().unwrap(), both);
    assert_eq!(said(&read("both")), 1, "{}", read("both"));
    let ran = run_line(&arguments);
    assert_eq!((said(&ran.stdout), said(&ran.stderr)), (1, 1));
}
