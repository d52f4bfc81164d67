//! `fit --validation`: what is told and written of rows that a machine is not learned from.

mod common;

use common::{Place, run_line};
use std::fs;

/// Rows of two kinds with some noise.
fn rows() -> String {
    let cell = |row: usize, column: usize| {
        (row % 2 + usize::from((row * 7 + column * 5).is_multiple_of(6))) % 2
    };
    let line = |row: usize| {
        (0..4)
            .map(|c| cell(row, c).to_string())
            .collect::<Vec<_>>()
            .join(",")
    };
    (0..40).fold("a,b,c,d\n".to_string(), |text, row| {
        text + &line(row) + "\n"
    })
}

const PCD: &str =
    "--hidden 2 --shape rbm --learner pcd --batch 4 --max-iter 100 --restarts 1 --ridge 0";

#[test]
fn a_learner_by_samples_writes_its_curve() {
    let place = Place::new();
    let data = place.file("votes.csv", rows());
    let (trace, out) = (place.path("curve.csv"), place.path("run"));
    let line = format!("fit {data} {PCD} --validation 0.3 --trace {trace} --out {out}");
    let text = run_line(&line).succeeded();
    assert!(text.contains("validation log-likelihood"), "{text}");
    assert!(text.contains("kept are the weights of pass"), "{text}");
    let curve = fs::read_to_string(&trace).unwrap();
    let mut lines = curve.lines();
    assert_eq!(
        lines.next().unwrap(),
        "candidate,pass,training_log_likelihood,validation_log_likelihood,std_err,free_energy_gap,kept"
    );
    assert_eq!(lines.filter(|line| line.ends_with("true")).count(), 1);
    let run: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(place.path("run/run.json")).unwrap()).unwrap();
    let validation = &run["result"]["validation"];
    assert_eq!(
        validation["looks"].as_array().unwrap().len() + 1,
        curve.lines().count()
    );
    let page = fs::read_to_string(place.path("run/report.html")).unwrap();
    assert!(page.contains("was not learned from") && page.contains("free energies"));
    // The same seed, the same rows and the same curve.
    let again = place.path("again.csv");
    run_line(&format!(
        "fit {data} {PCD} --validation 0.3 --trace {again}"
    ))
    .succeeded();
    assert_eq!(fs::read_to_string(&again).unwrap(), curve);
}

#[test]
fn a_table_with_other_columns_is_refused() {
    let place = Place::new();
    let data = place.file("votes.csv", "a,b\n1,0\n0,1\n1,1\n0,0\n");
    let other = place.file("other.csv", "a,c\n1,0\n0,1\n");
    let ran = run_line(&format!("fit {data} --hidden 1 --validation {other}"));
    ran.refused(&["columns"]);
    let ran = run_line(&format!("fit {data} --hidden 1 --validation 1.5"));
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("a fraction between 0 and 1"),
        "{}",
        ran.stderr
    );
    let ran = run_line(&format!(
        "fit {data} --hidden 1,2 --validation {data} --folds 2"
    ));
    ran.refused(&["--validation keeps rows to compare by", "--folds"]);
}

#[test]
fn rows_kept_for_validation_compare_sizes_in_place_of_folds() {
    let place = Place::new();
    let (data, kept) = (
        place.file("data.csv", rows()),
        place.file("kept.csv", rows()),
    );
    let asked = format!("fit {data} --hidden 0..1 --shape rbm --ridge 1 --validation {kept}");
    let ran = run_line(&asked).succeeded();
    let table = "compared on the rows kept for validation in";
    assert!(ran.contains(table), "{ran}");
    assert!(!ran.contains("cross-validated"), "{ran}");
    let found = run_line(&format!("{asked} --json")).succeeded();
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    let compared = found["comparison"]["table"].as_array().unwrap();
    assert_eq!(compared.len(), 2);
    let chosen = compared
        .iter()
        .find(|entry| entry["chosen"] == true)
        .unwrap();
    let told = found["validation"]["log_likelihood"].as_f64().unwrap();
    assert!(
        (chosen["mean_log_likelihood"].as_f64().unwrap() - told).abs() < 1e-6,
        "{chosen} {told}"
    );
}

#[test]
fn a_file_of_rows_scores_the_chosen_machine() {
    let place = Place::new();
    let data = place.file(
        "votes.csv",
        "a,b\nyes,no\nno,yes\nyes,yes\nno,no\nyes,yes\n",
    );
    let rows = place.file("rows.csv", "b,a\nyes,yes\nno,yes\nyes,no\n");
    let line = format!("fit {data} --hidden 1 --ridge 1 --validation {rows} --json");
    let document = run_line(&line).json();
    assert_eq!(document["validation"]["rows"], 3);
    assert_eq!(document["validation"]["log_likelihood_kind"], "exact");
    assert!(document["validation"].get("looks").is_none());
    let model = place.path("model.json");
    let text = serde_json::to_string(&document["model"]).unwrap();
    fs::write(&model, text).unwrap();
    let scored = run_line(&format!("score {model} {rows} --json")).json();
    let told = |value: &serde_json::Value| value.as_f64().unwrap();
    let scores = told(&scored["mean_log_likelihood"]["value"]);
    assert!((told(&document["validation"]["log_likelihood"]) - scores).abs() < 1e-9);
}
