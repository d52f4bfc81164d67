//! Standard errors and `--bootstrap`: printed, written, and refused where they make no sense.

mod common;

use common::{Place, SMALL, run_line};
use serde_json::Value;

const FIT: &str = "--hidden 1 --shape rbm --ridge 1 --restarts 3 --seed 5";

/// Asserts that a number has its value and standard error, and a bootstrap exactly where there was one.
#[track_caller]
fn check(number: &Value, bootstrapped: bool) {
    assert!(number["value"].is_f64(), "{number}");
    let error = number["standard_error"].as_f64().expect("a standard error");
    assert!(error.is_finite() && error >= 0.0, "{number}");
    assert_eq!(number.get("bootstrap").is_some(), bootstrapped, "{number}");
    if bootstrapped {
        let spread = &number["bootstrap"];
        assert!(spread["mean"].is_f64() && spread["standard_error"].is_f64());
        let end = |at: usize| spread["interval"][at].as_f64().expect("an end");
        assert!(end(0) <= end(1), "{number}");
    }
}

#[track_caller]
fn check_all(uncertainty: &Value, weights: usize, bootstrapped: bool) {
    check(&uncertainty["log_likelihood"], bootstrapped);
    check(&uncertainty["entropy"], bootstrapped);
    let entries = uncertainty["weights"].as_array().expect("weights");
    assert_eq!(entries.len(), weights);
    for entry in entries {
        assert!(entry["label"].is_string() && entry["units"].is_array());
        check(entry, bootstrapped);
    }
}

#[test]
fn standard_errors_are_printed_and_written() {
    let place = Place::new();
    let (data, out) = (place.file("d.csv", SMALL), place.path("run"));
    let line = format!("fit {data} {FIT} --out {out}");
    let document = run_line(&format!("{line} --json")).json();
    let uncertainty = &document["uncertainty"];
    let terms = document["model"]["terms"].as_array().unwrap();
    check_all(uncertainty, terms.len(), false);
    assert!(uncertainty.get("bootstrap").is_none());
    for (entry, term) in uncertainty["weights"].as_array().unwrap().iter().zip(terms) {
        assert_eq!(entry["value"], term["weight"]);
        assert_eq!(entry["units"], term["units"]);
    }
    let selected = document["selected"].as_u64().unwrap() as usize;
    let chosen = &document["candidates"][selected];
    assert_eq!(
        chosen["entropy_se"],
        uncertainty["entropy"]["standard_error"]
    );
    assert_eq!(
        chosen["log_likelihood_se"],
        uncertainty["log_likelihood"]["standard_error"]
    );

    let read = |name: &str| std::fs::read_to_string(place.path(&format!("run/{name}"))).unwrap();
    let run: Value = serde_json::from_str(&read("run.json")).unwrap();
    assert_eq!(&run["uncertainty"], uncertainty);
    assert_eq!(run["settings"]["bootstrap"], Value::Null);
    let table = read("candidates.csv");
    let lines: Vec<&str> = table.lines().collect();
    let heads: Vec<&str> = lines[0].split(',').collect();
    let errors_at = ["log_likelihood_se", "entropy_se"]
        .map(|name| heads.iter().position(|head| *head == name).unwrap());
    assert_eq!(lines.len(), 4);
    for line in &lines[1..] {
        let cells: Vec<&str> = line.split(',').collect();
        let errors = errors_at.map(|at| cells[at].parse::<f64>());
        assert!(errors.into_iter().all(|e| e.is_ok_and(f64::is_finite)));
    }

    let text = run_line(&line).succeeded();
    let error = uncertainty["entropy"]["standard_error"].as_f64().unwrap();
    assert!(text.contains(&format!(" ± {error:.4}\n")), "{text}");
    assert!(
        text.contains("goes with") || text.contains("goes against") || text.contains("of nothing"),
        "{text}"
    );
    assert!(!text.contains("bootstrap"), "{text}");
}

#[test]
fn the_bootstrap_is_printed_and_written_whatever_the_threads() {
    let place = Place::new();
    let (data, out) = (place.file("d.csv", SMALL), place.path("run"));
    for kind in ["rows", "parametric"] {
        let flags = format!("{FIT} --bootstrap 16 --bootstrap-kind {kind}");
        let line = format!("fit {data} {flags} --out {out}");
        let document = run_line(&format!("{line} --json --threads 2")).json();
        let uncertainty = &document["uncertainty"];
        check_all(uncertainty, 9, true);
        assert_eq!(uncertainty["bootstrap"]["kind"], kind);
        assert_eq!(uncertainty["bootstrap"]["resamples"], 16);
        assert_eq!(uncertainty["bootstrap"]["converged"], 16);
        let run = std::fs::read_to_string(place.path("run/run.json")).unwrap();
        let run: Value = serde_json::from_str(&run).unwrap();
        assert_eq!(&run["uncertainty"], uncertainty);
        assert_eq!(run["settings"]["bootstrap"], 16);
        assert_eq!(run["settings"]["bootstrap_kind"], kind);
        let again = run_line(&format!("fit {data} {flags} --json --threads 1")).json();
        assert_eq!(again, document);

        let text = run_line(&line).succeeded();
        assert!(text.contains("\nbootstrap 16 resamples"), "{text}");
        assert!(text.contains("16 refits converged"), "{text}");
        assert!(text.contains("97.5%"), "{text}");
    }
    // Rows are the default.
    let of = |flags: &str| {
        let line = format!("fit {data} {FIT} --bootstrap 5 --json {flags}");
        run_line(&line).json()
    };
    assert_eq!(of(""), of("--bootstrap-kind rows"));
    assert_ne!(of(""), of("--bootstrap-kind parametric"));
}

#[test]
fn what_cannot_be_bootstrapped_is_refused() {
    let place = Place::new();
    let data = place.file("d.csv", SMALL);
    let one = place.file("one.csv", "a,b\n1,0\n");
    for (flags, part) in [
        ("--bootstrap 1", "a whole number from 2"),
        ("--bootstrap 0", "a whole number from 2"),
        ("--bootstrap -3", "a whole number from 2"),
        ("--bootstrap many", "a whole number from 2"),
        ("--bootstrap 9 --bootstrap-kind foo", "parametric"),
    ] {
        let ran = run_line(&format!("fit {data} {FIT} {flags}"));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{flags}");
        ran.says(&[part]);
    }
    run_line(&format!("fit {data} {FIT} --bootstrap-kind rows"))
        .refused(&["--bootstrap-kind is for --bootstrap", "--bootstrap 200"]);
    run_line(&format!("fit {data} {FIT} --learner cd --bootstrap 9"))
        .refused(&["cd only comes near"]);
    run_line(&format!("fit {one} {FIT} --bootstrap 9")).refused(&["at least 2 with a known cell"]);
}

#[test]
fn refits_at_the_edge_of_the_box_are_told() {
    let place = Place::new();
    // Six of the eight rows, each once: many resamples miss a pair altogether.
    let data = place.file("d.csv", "a,b,c\n1,0,1\n0,1,1\n1,1,0\n0,0,1\n1,0,0\n0,0,0\n");
    let line = format!("fit {data} --shape visible --restarts 1 --bootstrap 20");
    let document = run_line(&format!("{line} --ridge 0 --json")).json();
    let bootstrap = &document["uncertainty"]["bootstrap"];
    assert!(bootstrap["at_the_edge"].as_u64() > Some(0), "{bootstrap}");
    run_line(&format!("{line} --ridge 0")).says(&[
        "refits of the bootstrap have weights at the edge",
        "--ridge",
    ]);
    let document = run_line(&format!("{line} --ridge 1 --json")).json();
    assert_eq!(document["uncertainty"]["bootstrap"]["at_the_edge"], 0);
}

#[test]
fn a_machine_that_is_no_solution_is_not_bootstrapped() {
    let place = Place::new();
    let data = place.file("d.csv", SMALL);
    let line =
        format!("fit {data} --hidden 1 --learner em-is --max-iter 2 --restarts 2 --bootstrap 9");
    let document = run_line(&format!("{line} --json")).json();
    assert_eq!(document["selected_is_feasible"], false);
    let uncertainty = &document["uncertainty"];
    assert!(uncertainty.get("bootstrap").is_none());
    assert_eq!(uncertainty["entropy"]["standard_error"], Value::Null);
    assert!(uncertainty["log_likelihood"]["standard_error"].is_f64());
    run_line(&line).says(&["there was no bootstrap"]);
}
