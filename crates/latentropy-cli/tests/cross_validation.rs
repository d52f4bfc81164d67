//! `--ridge auto` and ranges of `--hidden`: choices by cross-validation, printed and written.

mod common;

use common::{Place, SMALL, run_line};
use serde_json::Value;

/// Asserts that a table marks its choice once, and holds only finite numbers; returns the marked entry.
#[track_caller]
fn chosen(selection: &Value) -> &Value {
    let table = selection["table"].as_array().expect("a table");
    for entry in table {
        for field in [
            "mean_log_likelihood",
            "std_err",
            "behind_best",
            "behind_best_std_err",
        ] {
            assert!(entry[field].is_f64(), "{field} in {entry}");
        }
    }
    let marked: Vec<&Value> = table.iter().filter(|e| e["chosen"] == true).collect();
    assert_eq!(marked.len(), 1, "{selection}");
    marked[0]
}

#[test]
fn the_ridge_is_chosen_printed_and_written() {
    let place = Place::new();
    let (data, out) = (place.file("d.csv", SMALL), place.path("run"));
    let line = format!("fit {data} --hidden 1 --ridge auto --restarts 3 --out {out}");
    let document = run_line(&format!("{line} --json")).json();
    let selection = &document["ridge_selection"];
    assert_eq!(selection["table"].as_array().unwrap().len(), 9);
    assert_eq!(chosen(selection)["ridge"], selection["chosen"]);
    assert!(document.get("comparison").is_none());
    assert_eq!(document["candidates"].as_array().unwrap().len(), 3);

    let run = std::fs::read_to_string(place.path("run/run.json")).unwrap();
    let run: Value = serde_json::from_str(&run).unwrap();
    assert_eq!(&run["ridge_selection"], selection);
    assert_eq!(run["settings"]["ridge"], selection["chosen"]);
    assert_eq!(run["settings"]["folds"], 5);

    // The final fit is the fit with the chosen ridge.
    let again = run_line(&format!(
        "fit {data} --hidden 1 --ridge {} --restarts 3 --json",
        selection["chosen"]
    ))
    .json();
    assert_eq!(again["model"], document["model"]);
    assert!(again.get("ridge_selection").is_none());

    let text = run_line(&line).succeeded();
    let at = |part: &str| {
        text.find(part)
            .unwrap_or_else(|| panic!("`{part}` in\n{text}"))
    };
    assert!(at("held-out log-lik.") < at("certificate"), "{text}");
    assert!(text.contains(&format!(
        "\nridge     {}",
        selection["chosen"].as_f64().unwrap()
    )));
}

#[test]
fn the_number_of_hidden_units_is_chosen() {
    let place = Place::new();
    // Two clusters, often enough for a hidden unit to pay.
    let rows = SMALL.split_once('\n').unwrap().1;
    let data = place.file("d.csv", format!("a,b,c,d\n{}", rows.repeat(6)));
    let document = |flags: &str| {
        let line =
            format!("fit {data} --shape rbm --restarts 3 --tol 1e-6 --folds 3 --json {flags}");
        run_line(&line).json()
    };
    let found = document("--hidden 0..2 --ridge 1");
    let selection = &found["comparison"];
    let sizes = selection["table"].as_array().unwrap().iter();
    let sizes: Vec<u64> = sizes.map(|e| e["hidden"].as_u64().unwrap()).collect();
    assert_eq!(sizes, [0, 1, 2]);
    let size = chosen(selection)["hidden"].as_u64();
    assert!(size > Some(0), "{selection}");
    assert!(found.get("ridge_selection").is_none());
    let units = found["model"]["units"].as_array().unwrap().iter();
    let hidden = units.filter(|unit| unit["role"] == "hidden").count() as u64;
    assert_eq!(Some(hidden), size);
    assert_eq!(found, document("--hidden 0..=2 --ridge 1 --threads 1"));
    assert_eq!(found, document("--hidden 2,0,1 --ridge 1"));

    let both = document("--hidden 0..1 --ridge auto");
    let (size, ridge) = (&both["comparison"], &both["ridge_selection"]);
    assert_eq!(chosen(size)["ridge"], ridge["chosen"]);
    assert_eq!(chosen(ridge)["ridge"], ridge["chosen"]);
}

#[test]
fn what_cannot_be_cross_validated_is_refused() {
    let place = Place::new();
    let data = place.file("d.csv", SMALL);
    let one = place.file("one.csv", "a,b\n1,0\n");
    let three = place.file("three.csv", "a,b\n1,0\n0,0\n1,1\n");
    run_line(&format!("fit {data} --hidden 1 --folds 3"))
        .refused(&["--folds is for --ridge auto, --select held-out or several machines"]);
    for (flags, part) in [
        ("--hidden 3..1", "a range goes from fewer to more"),
        ("--hidden 0..1000", "over at most 100"),
        ("--hidden a..b", "a range such as 0..5"),
        ("--hidden 1 --ridge best", "or `auto`"),
        ("--hidden 1 --ridge auto --folds 1", "from 2 to"),
    ] {
        let ran = run_line(&format!("fit {data} {flags}"));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{flags}");
        ran.says(&[part]);
    }
    run_line(&format!("fit {one} --hidden 1 --ridge auto"))
        .refused(&["at least 2 with a known cell"]);
    run_line(&format!("fit {three} --hidden 0..1 --ridge auto")).succeeded();
}
