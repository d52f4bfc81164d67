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
    html(directory.path(), None).unwrap()
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

/// What the fit would record of a misfit with these causes.
fn misfit(signs: &[&str], causes: &[(&str, &str)]) -> Value {
    let causes: Vec<Value> = causes
        .iter()
        .map(|(cause, why)| json!({"cause": cause, "why": why}))
        .collect();
    json!({
        "misfits": !signs.is_empty(), "can_tell": true, "signs": signs, "causes": causes,
        "pairs": {"count": 100, "beyond": 50}, "triplets": null, "sum_score": null, "draws": null,
        "ridge_is_strong": false,
    })
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
fn a_misfit_is_in_the_headline_with_the_causes_that_the_fit_recorded() {
    let directory = directory();
    let told = |misfit: Value| {
        record(&directory, |run| run["result"]["misfit"] = misfit);
        page(&directory)
    };
    let fits = "The checks below find no more misfit than chance explains.";
    let clean = told(misfit(&[], &[]));
    assert!(clean.contains(fits) && !clean.contains("The machine misfits"));
    let few = told({
        let mut few = misfit(&[], &[]);
        few["can_tell"] = json!(false);
        few
    });
    assert!(few.contains("too few columns and rows to tell") && !few.contains(fits));
    let bad = told(misfit(
        &["50 of 100 pairs of columns are off", "so are triplets"],
        &[
            ("box", "likely cause: the box"),
            ("missing cells", "cells are missing"),
        ],
    ));
    let said = "The machine misfits: 50 of 100 pairs of columns are off; so are triplets. Likely cause: the box. Cells are \
                missing.";
    assert!(bad.contains(said) && !bad.contains(fits), "{bad}");
    assert!(bad.contains("It misfits, as said above"));
    let unknown = told(Value::Null);
    assert!(unknown.contains("It was not judged.") && !unknown.contains(fits));
}

#[test]
fn the_ridge_is_said_to_hold_weights_back_where_it_is_strong_and_something_is_off() {
    let directory = directory();
    let told = |strong: bool, off: bool| {
        record(&directory, |run| {
            let mut misfit = misfit(&[], &[]);
            misfit["ridge_is_strong"] = json!(strong);
            run["result"]["misfit"] = misfit;
        });
        report(&directory, |report| {
            report["pairs_beyond"] = json!(u8::from(off));
            for moment in report["columns"].as_array_mut().unwrap() {
                moment["std_err"] = json!(1.0);
            }
        });
        page(&directory).contains("The ridge holds weights back")
    };
    assert!(told(true, true));
    assert!(!told(false, true));
    assert!(!told(true, false));
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
        "The one with the fewest weights within one standard error of the best, or half a nat over all rows, is chosen.",
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

#[test]
fn what_is_no_solution_is_called_a_sketch() {
    let directory = directory();
    let none = "None of 4 restarts reached a solution within the tolerance";
    assert!(!page(&directory).contains(none));
    record(&directory, |run| {
        run["result"]["selected_is_feasible"] = json!(false);
    });
    let unfinished = page(&directory);
    assert!(
        unfinished.contains(none) && unfinished.contains("There is no solution to choose among.")
    );
}

#[test]
fn the_chance_of_another_solution_is_that_of_good_and_turing() {
    let directory = directory();
    let told = |chance: f64| {
        report(&directory, |report| {
            report["findings"]["chance_of_another"] = json!(chance);
        });
        page(&directory)
    };
    let once = "None was met only once: the chance that one more restart finds a new one is about 25.0% or less.";
    let more = "One more restart would find a new one with a chance of about";
    let none = told(0.0);
    assert!(none.contains(once) && !none.contains(more));
    let some = told(0.25);
    assert!(!some.contains(once) && some.contains(&format!("{more} 25.0%.")));
}

#[test]
fn the_principle_that_was_ahead_on_rows_held_out_is_named_where_both_were_compared() {
    let directory = directory();
    assert!(!page(&directory).contains("On rows held out"));
    record(&directory, |run| {
        run["principle_selection"] =
            json!({"chosen": "mle", "lme": -2.05, "mle": -2.0, "std_err": 0.01});
    });
    let said = "On rows held out maximum likelihood was ahead by 0.0500 ± 0.0100 nats per row.";
    assert!(page(&directory).contains(said));
}

#[test]
fn whether_machines_were_compared_is_said() {
    let directory = directory();
    let alone = "No other machine was compared with it";
    let compared = "Machines were compared on rows held out.";
    let before = page(&directory);
    assert!(before.contains(alone) && !before.contains(compared));
    compare(&directory, 0.005, false);
    let after = page(&directory);
    assert!(!after.contains(alone) && after.contains(compared));
}

#[test]
fn the_rule_of_a_comparison_on_a_validation_file_is_said() {
    let directory = directory();
    compare(&directory, 0.005, false);
    let best = "Machines were compared on the rows of a validation file. The one that foretells them best is chosen, or the one \
                with the fewest weights within half a nat over all rows of it.";
    assert!(!page(&directory).contains(best));
    record(&directory, |run| run["comparison"]["rule"] = json!("best"));
    let page = page(&directory);
    assert!(page.contains(best) && !page.contains("within one standard error of the best"));
}

#[test]
fn a_solution_that_validation_rows_chose_is_said_to_be_so() {
    let directory = directory();
    into_solutions(&directory, [0, 0, 1, 1]);
    let best = "The one that foretells the rows kept for validation best is chosen";
    assert!(!page(&directory).contains(best));
    record(&directory, |run| {
        run["settings"]["select"] = json!("held-out")
    });
    let page = page(&directory);
    assert!(page.contains(best) && !page.contains("by the principle of latent maximum entropy"));
}

#[test]
fn a_cross_validated_ridge_is_said_to_be_so() {
    let directory = directory();
    let said = "The ridge was cross-validated: the largest within one standard error of the best, or half a nat over all rows, is chosen.";
    assert!(!page(&directory).contains(said));
    record(&directory, |run| {
        run["ridge_selection"] = json!({"chosen": 0.1, "table": [{
            "ridge": 0.1, "chosen": true, "mean_log_likelihood": -2.0, "std_err": 0.1, "behind_best": 0.0,
            "behind_best_std_err": 0.0,
        }]});
    });
    assert!(page(&directory).contains(said));
}

#[test]
fn hidden_units_are_counted_as_causes_where_there_are_fewer_of_these() {
    let data = Dataset::from_rows(&rows()).unwrap();
    let mut two = request();
    two.hidden = Some(2.into());
    let (_, directory) = run(&data, &two);
    let told = |effective: usize| {
        report(&directory, |report| {
            report["findings"]["effective"] = json!(effective);
        });
        page(&directory)
    };
    assert!(told(0).contains("None of the 2 hidden units says anything about the rows."));
    assert!(told(1).contains("The 2 hidden units stand for one cause."));
    assert!(!told(2).contains("stand for"));
}

#[test]
fn weights_that_the_data_leave_open_are_counted_and_not_told() {
    let directory = directory();
    let told = |terms: &[usize]| {
        record(&directory, |run| {
            run["uncertainty"]["undetermined_terms"] = json!(terms);
        });
        page(&directory)
    };
    let open = "not determined by the data, and ";
    assert!(!told(&[]).contains(open));
    // All of them: those of the hidden unit that are not small are counted.
    let all: Vec<usize> = (0..10).collect();
    let page = told(&all);
    assert!(
        page.contains(open) && !page.contains("<strong>goes "),
        "{page}"
    );
}

#[test]
fn weights_beyond_two_standard_errors_are_counted_over_all_of_them() {
    let directory = directory();
    let told = |errors: [f64; 10]| {
        record(&directory, |run| {
            let weights = run["uncertainty"]["weights"].as_array_mut().unwrap();
            assert_eq!(weights.len(), 10);
            for (weight, share) in weights.iter_mut().zip(errors) {
                let size = weight["value"].as_f64().unwrap().abs();
                weight["standard_error"] = json!((share * size).max(1e-12));
            }
        });
        // The weights themselves are read from the model.
        page(&directory)
    };
    let mut errors = [0.51; 10];
    assert!(
        told(errors)
            .contains("0 of 10 weights are more than two standard errors away from nothing.")
    );
    errors[4] = 0.49;
    errors[7] = 0.49;
    let page = told(errors);
    assert!(page.contains("2 of 10 weights are more than two standard errors away from nothing."));
}

#[test]
fn frequencies_beyond_two_standard_errors_are_counted() {
    let directory = directory();
    let told = |off: usize| {
        report(&directory, |report| {
            report["pair_count"] = json!(3);
            report["pairs_beyond"] = json!(1);
            let moment =
                |ones: f64| json!({"known": 100.0, "ones": ones, "model": 0.5, "std_err": 0.05});
            let columns = (0..3).map(|column| moment(if column < off { 61.0 } else { 59.0 }));
            report["columns"] = columns.collect();
        });
        page(&directory)
    };
    let said = |count: &str| {
        format!(
            "Of 6 frequencies (columns, and pairs of columns), {count} more than two standard errors away"
        )
    };
    assert!(told(0).contains(&said("one is")));
    assert!(told(2).contains(&said("3 are")));
}

#[test]
fn what_goes_with_a_unit_is_told_in_the_words_of_the_column() {
    let directory = directory();
    let plain = page(&directory);
    assert!(!plain.contains("y1 = "));
    record(&directory, |run| {
        run["data"]["codings"] = json!([
            {"column": "y1", "one": ["agree"], "zero": ["disagree"]},
            {"column": "y2", "one": ["2"], "zero": ["1"]},
        ]);
        run["uncertainty"]["undetermined_terms"] = json!([]);
        for weight in run["uncertainty"]["weights"].as_array_mut().unwrap() {
            weight["standard_error"] = json!(1e-9);
        }
    });
    let model = fs::read_to_string(directory.path().join("model.json")).unwrap();
    let model: Value = serde_json::from_str(&model).unwrap();
    let terms = model["terms"].as_array().unwrap();
    let pair = terms
        .iter()
        .find(|term| term["units"] == json!([0, 3]))
        .unwrap();
    let weight = pair["weight"].as_f64().unwrap();
    assert!(weight.abs() > 0.05, "{weight}");
    let answer = if weight > 0.0 { "agree" } else { "disagree" };
    let worded = page(&directory);
    assert!(
        worded.contains(&format!("y1 = {answer} (+")),
        "{answer} {weight}"
    );
    assert!(!worded.contains("y2 = "));
}
