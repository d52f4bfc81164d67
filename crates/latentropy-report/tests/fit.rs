//! The page on a fit, made from a run directory that the library's own records fill.

mod common;

use common::{change, request, rows, run};
use latentropy::data::Cell;
use latentropy::fit::{Hidden, Structure, ValidationRows};
use latentropy::network::{Shape, TermOptions};
use latentropy::{Dataset, Request};
use latentropy_report::fit::{Grid, html, write, write_figures};
use std::fs;
use std::path::Path;

#[test]
fn rows_that_were_left_out_are_told_from_those_that_were_used() {
    let data = Dataset::from_rows(&rows()).unwrap();
    let (_, directory) = run(&data, &request());
    let page = html(directory.path(), None).unwrap();
    for part in [
        "Fit of rows.csv",
        "<dd>10 rows<small>3 columns</small>",
        "12 rows, 6 of them distinct",
        "2 rows have no known cell and are left out: 10 rows were learned from.",
        "nats per row",
        "All distinct rows",
        "the chosen restart",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let path = write(directory.path(), None).unwrap();
    assert_eq!(fs::read_to_string(path).unwrap(), page);

    let whole = Dataset::from_rows(&rows()[..10]).unwrap();
    let (_, directory) = run(&whole, &request());
    let page = html(directory.path(), None).unwrap();
    assert!(page.contains("<dd>10 rows<small>") && !page.contains("left out"));
}

#[test]
fn weighted_rows_are_said_to_be_so() {
    let data = Dataset::from_rows(&rows()[..10]).unwrap();
    let weights = (0..10).map(|row| 0.5 + f64::from(row % 2)).collect();
    let data = data.with_row_weights(weights).unwrap();
    let (fit, directory) = run(&data, &request());
    assert_eq!(fit.rows_used, 10.0);
    let heavier = data.clone().with_row_weights(vec![1.25; 10]).unwrap();
    let (_, heavy) = run(&heavier, &request());
    let page = html(heavy.path(), None).unwrap();
    assert!(page.contains("together they count as 12.5 rows"));
    // Shares and histograms count rows by their weights.
    let exhibits = fs::read(directory.path().join("report.json")).unwrap();
    let exhibits: serde_json::Value = serde_json::from_slice(&exhibits).unwrap();
    let ones = (0..10).filter(|&row| data.cell(row, 0) == Cell::One);
    let weight: f64 = ones.map(|row| data.row_weight(row)).sum();
    assert_eq!(exhibits["columns"][0]["ones"], weight);
    let bars = exhibits["histograms"][0].as_array().unwrap();
    let sum: f64 = bars.iter().map(|bar| bar.as_f64().unwrap()).sum();
    assert_eq!(sum, 10.0);
    assert!(
        html(directory.path(), None)
            .unwrap()
            .contains("<dd>10 rows<small>")
    );
}

#[test]
fn a_record_of_an_earlier_program_is_read() {
    let data = Dataset::from_rows(&rows()).unwrap();
    let (_, directory) = run(&data, &request());
    without(&directory.path().join("run.json"), &["data", "rows_used"]);
    without(&directory.path().join("report.json"), &["unknown_rows"]);
    let page = html(directory.path(), None).unwrap();
    assert!(page.contains("<dd>12 rows<small>"));
}

/// Takes a field out of a JSON file.
fn without(path: &Path, field: &[&str]) {
    let text = fs::read_to_string(path).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let (last, way) = field.split_last().unwrap();
    let place = way.iter().fold(&mut value, |place, name| &mut place[*name]);
    assert!(place.as_object_mut().unwrap().remove(*last).is_some());
    fs::write(path, serde_json::to_vec(&value).unwrap()).unwrap();
    common::sealed(path.parent().unwrap());
}

#[test]
fn files_of_two_runs_are_refused() {
    let data = Dataset::from_rows(&rows()).unwrap();
    let (_, directory) = run(&data, &request());
    let fewer = Request {
        restarts: Some(2),
        ..request()
    };
    let (_, other) = run(&data, &fewer);
    let name = "candidates.csv";
    fs::copy(other.path().join(name), directory.path().join(name)).unwrap();
    let refused = html(directory.path(), None).unwrap_err().to_string();
    assert!(
        refused.contains(name) && refused.contains("of another run"),
        "{refused}"
    );
    // Digests that somebody made to fit do not hide it.
    common::sealed(directory.path());
    let refused = html(directory.path(), None).unwrap_err().to_string();
    assert!(refused.contains("not of one run"), "{refused}");
}

#[test]
fn columns_that_form_a_grid_are_shown_as_images() {
    let data = Dataset::from_rows(&rows()).unwrap();
    let (fit, directory) = run(&data, &request());
    assert!(!html(directory.path(), None).unwrap().contains("as images"));
    let grid = |height, width| Some(Grid { height, width });
    let page = html(directory.path(), grid(1, 3)).unwrap();
    for part in [
        "an image of 1 row and 3 columns",
        "Weights as images",
        "One image per hidden unit: its weights to the columns. The most strongly connected first.",
        "Samples as images",
        "Drawn from the machine",
        "Filled cells are 1; grey cells are missing.",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // What `run.json` says is found again, and what is given counts before it.
    change(&directory.path().join("run.json"), |run| {
        run["data"]["image"] = serde_json::json!([3, 1]);
    });
    let page = html(directory.path(), None).unwrap();
    assert!(page.contains("an image of 3 rows and 1 column"));
    let page = html(directory.path(), grid(1, 3)).unwrap();
    assert!(page.contains("an image of 1 row and 3 columns"));
    let refused = html(directory.path(), grid(2, 2)).unwrap_err().to_string();
    assert!(refused.contains("2x2 has 4 cells, and there are 3 columns"));

    // The strongest weight is at its column's place, in its colour.
    let network = &fit.chosen().network;
    let weight = |column: usize| {
        let terms = network.terms().iter().zip(network.weights());
        let found = terms.filter(|(term, _)| *term.units() == [column, 3]);
        *found.map(|(_, weight)| weight).next().unwrap()
    };
    let strongest = (0..3).max_by(|&a, &b| weight(a).abs().total_cmp(&weight(b).abs()));
    let figures = tempfile::tempdir().unwrap();
    let written = write_figures(directory.path(), figures.path(), None).unwrap();
    let names = ["weight-images.svg", "sample-images.svg"].map(String::from);
    assert!(names.iter().all(|name| written.contains(name)));
    let svg = fs::read_to_string(figures.path().join("weight-images.svg")).unwrap();
    let colour = match weight(strongest.unwrap()) > 0.0 {
        true => "#0072B2",
        false => "#D55E00",
    };
    let full = format!("fill=\"none\" stroke=\"{colour}\" stroke-opacity=\"1\"");
    let element = svg.split("<path ").find(|element| element.contains(&full));
    let place = format!("M0 {}h1", strongest.unwrap());
    assert!(element.unwrap().contains(&place), "{place}: {svg}");
}

#[test]
fn states_and_rows_are_kept_whole() {
    let data = Dataset::from_rows(&rows()).unwrap();
    let (_, directory) = run(&data, &request());
    let exhibits = fs::read(directory.path().join("report.json")).unwrap();
    let exhibits: serde_json::Value = serde_json::from_slice(&exhibits).unwrap();
    let texts = |name: &str| -> Vec<String> {
        let texts = exhibits["states"][name].as_array().unwrap().iter();
        texts
            .map(|text| text.as_str().unwrap().to_string())
            .collect()
    };
    // Two of the twelve rows have no known cell.
    let row = |row: usize| -> String {
        let cells = (0..3).map(|column| match data.cell(row, column) {
            Cell::Zero => '0',
            Cell::One => '1',
            Cell::Missing => '?',
        });
        cells.collect()
    };
    assert_eq!(texts("rows"), (0..10).map(row).collect::<Vec<_>>());
    let drawn = texts("drawn");
    assert_eq!(drawn.len(), 32);
    assert!(
        drawn
            .iter()
            .all(|state| state.len() == 3 && !state.contains('?'))
    );
    // An earlier program kept none.
    without(&directory.path().join("report.json"), &["states"]);
    let page = html(
        directory.path(),
        Some(Grid {
            height: 1,
            width: 3,
        }),
    )
    .unwrap();
    assert!(page.contains("The files of this run hold no drawn states."));
}

#[test]
fn a_search_without_a_trace_has_no_empty_axes() {
    let data = Dataset::from_rows(&rows()).unwrap();
    let (_, directory) = run(&data, &request());
    let drawn = "How far from a solution";
    assert!(html(directory.path(), None).unwrap().contains(drawn));
    change(&directory.path().join("report.json"), |exhibits| {
        for trace in exhibits["traces"].as_array_mut().unwrap() {
            trace["steps"].as_array_mut().unwrap().truncate(1);
        }
    });
    let page = html(directory.path(), None).unwrap();
    assert!(!page.contains(drawn));
    assert!(page.contains("keeps no trace of its steps.</p>"));
    change(&directory.path().join("run.json"), |run| {
        run["settings"]["learner"] = "pcd".into();
    });
    let page = html(directory.path(), None).unwrap();
    assert!(page.contains("latentropy fit --validation 0.2"));
    let figures = tempfile::tempdir().unwrap();
    let written = write_figures(directory.path(), figures.path(), None).unwrap();
    assert!(!written.iter().any(|name| name.starts_with("convergence")));
}

#[test]
fn of_many_hidden_units_the_strongest_are_told_first() {
    let data = Dataset::from_rows(&rows()).unwrap();
    let many = Request {
        restarts: Some(1),
        ..Request {
            hidden: Some(Hidden::One(9)),
            ..request()
        }
    };
    let (_, directory) = run(&data, &many);
    let page = html(directory.path(), None).unwrap();
    let told = page.find("Of 9 hidden units these 5 are the most strongly connected.");
    let others = page.find("<summary>The other 4 hidden units</summary>");
    assert!(told.is_some() && told < others);
    let few = run(&data, &request()).1;
    assert!(!html(few.path(), None).unwrap().contains("The other"));
}

#[test]
fn independent_columns_have_no_weights_to_show_as_images() {
    let data = Dataset::from_rows(&rows()).unwrap();
    let alone = Request {
        structure: Structure::Named(TermOptions {
            shape: Shape::Independent,
            ..TermOptions::default()
        }),
        hidden: None,
        ..request()
    };
    let (_, directory) = run(&data, &alone);
    let page = html(
        directory.path(),
        Some(Grid {
            height: 3,
            width: 1,
        }),
    );
    let page = page.unwrap();
    assert!(page.contains("No weight is on a pair of a unit and a column"));
    assert!(page.contains("Samples as images"));
}

#[test]
fn rows_kept_for_validation_are_rows_held_out() {
    let data = Dataset::from_rows(&rows()).unwrap();
    let nothing = "No row was held out";
    let (_, without) = run(&data, &request());
    assert!(html(without.path(), None).unwrap().contains(nothing));
    let kept = Request {
        validation_rows: Some(ValidationRows::Fraction(0.3)),
        ..request()
    };
    let (_, with) = run(&data, &kept);
    let page = html(with.path(), None).unwrap();
    assert!(!page.contains(nothing) && page.contains("that the machine was not learned from is"));
}

/// Ways to every number and list in a document, as JSON pointers.
fn numbers_and_lists(value: &serde_json::Value, way: &str, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Number(_) => found.push(way.to_string()),
        serde_json::Value::Array(items) => {
            found.push(way.to_string());
            // Long lists are of one kind.
            for (at, item) in items.iter().enumerate().take(6) {
                numbers_and_lists(item, &format!("{way}/{at}"), found);
            }
        }
        serde_json::Value::Object(fields) => {
            for (name, item) in fields {
                numbers_and_lists(item, &format!("{way}/{name}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn numbers_and_lists_that_nobody_counted_break_no_page() {
    let data = Dataset::from_rows(&rows()).unwrap();
    let (_, directory) = run(&data, &request());
    let read = |name: &str| -> serde_json::Value {
        serde_json::from_slice(&fs::read(directory.path().join(name)).unwrap()).unwrap()
    };
    let put = |name: &str, value: &serde_json::Value| {
        fs::write(
            directory.path().join(name),
            serde_json::to_vec(value).unwrap(),
        )
        .unwrap();
    };
    // A stranger who changes numbers has no digests to keep.
    let mut record = read("run.json");
    record["files"] = serde_json::json!({});
    put("run.json", &record);
    let (mut pages, mut broken) = (0, Vec::new());
    for name in ["run.json", "report.json"] {
        let whole = read(name);
        let mut ways = Vec::new();
        numbers_and_lists(&whole, "", &mut ways);
        for way in &ways {
            let others = match whole.pointer(way).unwrap() {
                serde_json::Value::Array(items) => {
                    let twice = items.iter().chain(items).cloned();
                    vec![serde_json::json!([]), twice.collect()]
                }
                _ => vec![
                    serde_json::json!(u64::MAX),
                    serde_json::json!(0),
                    serde_json::json!(-1),
                    serde_json::json!(1e308),
                    serde_json::json!(-1e308),
                ],
            };
            for other in others {
                let mut changed = whole.clone();
                let case = format!("{name} {way} {other}");
                *changed.pointer_mut(way).unwrap() = other;
                put(name, &changed);
                // Refused, or a page.
                match std::panic::catch_unwind(|| html(directory.path(), None)) {
                    Ok(page) => pages += usize::from(page.is_ok()),
                    Err(_) => broken.push(case),
                }
            }
        }
        put(name, &whole);
    }
    assert!(broken.is_empty(), "{broken:?}");
    assert!(pages > 500, "{pages}");
}
