//! The page on a fit, made from a run directory that the library's own records fill.

mod common;

use common::{request, rows, run};
use latentropy::data::Cell;
use latentropy::{Dataset, Request};
use latentropy_report::fit::{html, write};
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
    assert!(refused.contains("not of one run"), "{refused}");
}
