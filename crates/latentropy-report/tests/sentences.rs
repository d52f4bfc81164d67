//! The sentences of the report, each where its condition holds and not where it does not.

mod common;

use common::{change, request, rows, run};
use latentropy::Dataset;
use latentropy_report::fit::html;
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

/// A run of four restarts; its files are there to be changed.
fn directory() -> TempDir {
    let data = Dataset::from_rows(&rows()).unwrap();
    run(&data, &request()).1
}

fn page(directory: &TempDir) -> String {
    html(directory.path()).unwrap()
}

fn report(directory: &TempDir, edit: impl FnOnce(&mut Value)) {
    change(&directory.path().join("report.json"), edit);
}

fn record(directory: &TempDir, edit: impl FnOnce(&mut Value)) {
    change(&directory.path().join("run.json"), edit);
}

/// Puts the candidates into these solutions.
fn into_solutions(directory: &TempDir, solutions: [usize; 4]) {
    let path = directory.path().join("candidates.csv");
    let mut table = csv::Reader::from_path(&path).unwrap();
    let heads = table.headers().unwrap().clone();
    let at = heads.iter().position(|head| head == "solution").unwrap();
    let mut changed = csv::Writer::from_writer(Vec::new());
    changed.write_record(&heads).unwrap();
    for (line, solution) in table.records().zip(solutions) {
        let line = line.unwrap();
        let solution = solution.to_string();
        let cells = line.iter().enumerate();
        let cells = cells.map(|(place, cell)| if place == at { &solution } else { cell });
        changed.write_record(cells).unwrap();
    }
    fs::write(path, changed.into_inner().unwrap()).unwrap();
    record(directory, |run| {
        let most = solutions.iter().max().unwrap();
        run["result"]["distinct_solutions"] = json!(most + 1);
    });
}

const SAME: &str = "Latent maximum entropy and maximum likelihood choose the same solution.";

#[test]
fn two_restarts_of_one_solution_are_one_choice() {
    let directory = directory();
    into_solutions(&directory, [0, 0, 1, 1]);
    record(&directory, |run| run["result"]["selected"] = json!(0));
    report(&directory, |report| {
        report["lme"] = json!(0);
        report["mle"] = json!(1);
    });
    let same = page(&directory);
    assert!(same.contains(SAME) && same.contains("chosen by LME and by MLE"));
    assert!(!same.contains("would choose another one"));

    report(&directory, |report| {
        report["mle"] = json!(2);
        report["findings"]["cost"] =
            json!({"per_row": 0.0123, "std_err": 0.002, "all_rows": 5.35, "clear": true});
    });
    let different = page(&directory);
    assert!(!different.contains(SAME));
    assert!(different.contains("Maximum likelihood would choose another one."));
    for part in [
        "gives up 0.0123 ± 0.0020 nats",
        "the rows speak clearly for the likeliest one",
    ] {
        assert!(different.contains(part), "{part}");
    }
}

#[test]
fn weights_within_two_standard_errors_are_counted_and_not_named() {
    let directory = directory();
    let model = fs::read_to_string(directory.path().join("model.json")).unwrap();
    let model: Value = serde_json::from_str(&model).unwrap();
    let terms = model["terms"].as_array().unwrap();
    let of_hidden = |term: &&Value| {
        let units = term["units"].as_array().unwrap();
        units.len() == 2 && units[1] == 3 && term["weight"].as_f64().unwrap().abs() >= 0.05
    };
    let strong = terms.iter().filter(of_hidden).count();
    assert!(strong > 1);
    let with_errors = |share: f64| {
        record(&directory, |run| {
            run["uncertainty"]["undetermined_terms"] = json!([]);
            for weight in run["uncertainty"]["weights"].as_array_mut().unwrap() {
                let size = weight["value"].as_f64().unwrap().abs();
                weight["standard_error"] = json!(share * size);
            }
        });
        page(&directory)
    };
    let clear = with_errors(0.49);
    assert!(clear.contains("<strong>goes ") && !clear.contains("are not told"));
    let doubtful = with_errors(0.51);
    assert!(!doubtful.contains("<strong>goes "));
    let counted =
        format!("{strong} weights are within two standard errors of nothing, and are not told.");
    assert!(doubtful.contains(&counted));
}

#[test]
fn units_that_say_nothing_and_copies_are_told_as_such() {
    let directory = directory();
    let silent = "It says nothing: its posterior is the same for every row";
    let copy = "It is a copy of";
    let unit = |says_nothing: bool, copy_of: Option<usize>| {
        report(&directory, |report| {
            report["findings"]["units"] = json!([{
                "unit": 3, "information": 0.2, "says_nothing": says_nothing, "copy_of": copy_of,
            }]);
            report["findings"]["effective"] = json!(usize::from(!says_nothing));
        });
        page(&directory)
    };
    let live = unit(false, None);
    assert!(live.contains("says 0.200 nats per row"));
    assert!(!live.contains(silent) && !live.contains(copy) && !live.contains("apart.</p>"));
    let dead = unit(true, None);
    assert!(dead.contains(silent) && !dead.contains("<strong>goes "));
    let double = unit(false, Some(3));
    assert!(double.contains(copy) && !double.contains("<strong>goes "));
}

/// Makes half of a hundred triplets misfit.
fn misfit(directory: &TempDir) {
    report(directory, |report| {
        let triplets = &mut report["findings"]["checks"]["triplets"];
        triplets["count"] = json!(100);
        triplets["beyond"] = json!(50);
    });
}

/// A comparison of the chosen machine with a larger one that is ahead by so much, with an error of 0.01.
fn compare(directory: &TempDir, ahead: f64, best_is_last: bool) {
    let entry = |hidden: usize, behind: f64, chosen: bool| {
        json!({
            "shape": "rbm", "hidden": hidden, "parameters": 10 * hidden, "ridge": 0.1, "chosen": chosen, "best": !chosen,
            "mean_log_likelihood": -2.0 - behind, "std_err": 0.1, "behind_best": behind, "behind_best_std_err": 0.01,
            "training_log_likelihood": -1.9, "bic": 100.0,
        })
    };
    record(directory, |run| {
        run["comparison"] = json!({
            "table": [entry(1, ahead, true), entry(2, 0.0, false)],
            "gains": [
                {"over": "independent", "mean": 0.5, "std_err": 0.1},
                {"over": "visible", "mean": -0.01, "std_err": 0.02},
            ],
            "best_is_last": best_is_last,
        });
    });
}

#[test]
fn a_misfit_is_in_the_headline_with_the_cause_whose_condition_holds() {
    let directory = directory();
    assert!(!page(&directory).contains("The machine misfits"));
    assert!(page(&directory).contains("find no more misfit than chance explains"));
    misfit(&directory);
    record(&directory, |run| run["settings"]["ridge"] = json!(0.0));
    let alone = page(&directory);
    assert!(alone.contains("The machine misfits: 50.0% of the triplets"));
    assert!(alone.contains("no other machine was compared") && !alone.contains("Likely cause"));

    let few = "Likely cause: too few hidden units.";
    compare(&directory, 0.02, false);
    assert!(page(&directory).contains(few));
    compare(&directory, 0.005, false);
    let level = page(&directory);
    assert!(!level.contains(few) && level.contains("the shape itself may be wrong"));
    compare(&directory, 0.005, true);
    assert!(page(&directory).contains(few));

    compare(&directory, 0.005, false);
    let edge = "Likely cause: the box. 1 weight is at its edge";
    assert!(!page(&directory).contains(edge));
    record(&directory, |run| {
        run["result"]["boundary"] =
            json!([{"term": 0, "units": ["y1"], "weight": 15.0, "cause": "c"}]);
    });
    assert!(page(&directory).contains(edge));
}

#[test]
fn the_ridge_is_blamed_only_where_it_is_strong_and_pairs_are_pulled_to_independence() {
    let directory = directory();
    misfit(&directory);
    let blamed = "Likely cause: the ridge";
    let told = |ridge: f64, in_the_data: f64| {
        report(&directory, |report| {
            let half = json!({"known": 100.0, "ones": 50.0, "model": 0.5, "std_err": 0.05});
            report["columns"] = json!([half, half, half]);
            let pair =
                json!({"known": 100.0, "ones": 100.0 * in_the_data, "model": 0.3, "std_err": 0.04});
            report["pairs"] = json!([{"a": 0, "b": 1, "moment": pair}]);
        });
        record(&directory, |run| run["settings"]["ridge"] = json!(ridge));
        page(&directory).contains(blamed)
    };
    // Independent columns would be one together in a quarter of the rows.
    assert!(told(1e3, 0.45));
    assert!(!told(1e-6, 0.45));
    assert!(!told(1e3, 0.2));
}

#[test]
fn gains_over_plain_machines_are_told_in_standard_errors() {
    let directory = directory();
    assert!(page(&directory).contains("No row was held out"));
    compare(&directory, 0.005, false);
    let page = page(&directory);
    for part in [
        "Against independent columns: +0.5000 ± 0.1000 nats per held-out row, +5.0 standard errors, a clear gain.",
        "Against visible pairs: −0.0100 ± 0.0200 nats per held-out row, −0.5 standard errors, no clear difference.",
        "The one with the fewest weights within one standard error of the best is chosen.",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_report_of_an_earlier_program_is_read() {
    let directory = directory();
    report(&directory, |report| {
        report.as_object_mut().unwrap().remove("findings").unwrap();
    });
    let page = page(&directory);
    assert!(page.contains("What was learned") && !page.contains("was not asked to match"));
}
