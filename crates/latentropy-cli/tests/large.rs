//! Machines beyond exact sums: which engine learns, scores and fills them, and what is said about it.

mod common;

use common::{Place, run_line};

/// Forty columns of zeros and ones with some order in them.
fn wide_rows() -> String {
    let cell = |row: usize, column: usize| {
        let mix = (row * 2_654_435_761 + (column / 4) * 40_503 + 12_345) % 97;
        u8::from(mix + (row + column) % 5 > 48)
    };
    let line = |row: usize| -> String {
        let cells: Vec<String> = (0..40)
            .map(|column| cell(row, column).to_string())
            .collect();
        cells.join(",")
    };
    (0..60).map(|row| line(row) + "\n").collect()
}

#[test]
fn learning_takes_the_best_engine_that_is_quick() {
    let place = Place::new();
    let data = place.file("wide.csv", wide_rows());
    let chain: Vec<String> = (1..40)
        .map(|u| format!(r#"{{"units":["y{u}","y{}"]}}"#, u + 1))
        .collect();
    let chain = place.file(
        "chain.json",
        format!(r#"{{"terms":[{}]}}"#, chain.join(",")),
    );
    let found = run_line(&format!("fit {data} --hidden 0 --shape {chain} --json")).json();
    assert_eq!(found["engine"], "junction-tree");
    assert!(
        found["engine_reason"]
            .as_str()
            .is_some_and(|r| r.contains("treewidth 1")),
        "{found}"
    );
    let narrow = "--columns y1,y2,y3,y4,y5";
    let found = run_line(&format!(
        "fit {data} {narrow} --hidden 1 --restarts 3 --json"
    ))
    .json();
    assert_eq!(found["engine"], "exact");

    let out = place.path("run");
    let ran = run_line(&format!(
        "fit {data} --shape visible --max-iter 5 --out {out}"
    ));
    let shown = ran.succeeded();
    assert!(
        shown.contains("engine    gibbs: ") && shown.contains("treewidth"),
        "{shown}"
    );
    run_line(&format!("fit {data} --shape visible --learner sequential"))
        .refused(&["--engine gibbs"]);
    // A restricted machine beyond enumeration has its ridge by evidence, too: its curvature is factorised.
    let shown = run_line(&format!("fit {data} --shape rbm --hidden 2 --restarts 1")).succeeded();
    assert!(shown.contains("(by evidence)"), "{shown}");

    // Such a machine is scored through an engine, too, and the score says what it is worth.
    let score = run_line(&format!("score {out}/model.json {data} --json")).json();
    assert_eq!(score["engine"], "gibbs");
    assert_eq!(score["mean_log_likelihood"]["kind"], "monte_carlo");
    assert!(
        score["mean_log_likelihood"]["std_err"]
            .as_f64()
            .is_some_and(|e| e > 0.0)
    );
    let bound = run_line(&format!(
        "score {out}/model.json {data} --engine trw --json"
    ))
    .json();
    assert_eq!(bound["mean_log_likelihood"]["kind"], "lower_bound");
    let value = |document: &serde_json::Value| document["mean_log_likelihood"]["value"].as_f64();
    assert!(value(&bound) < value(&score));
    run_line(&format!("score {out}/model.json {data} --engine all"))
        .refused(&["infer --engine all"]);
    // Cells of a row that leaves nearly everything open are filled by samples.
    let open = place.file("open.csv", format!("1{}\n", ",?".repeat(39)));
    let ran = run_line(&format!("impute {out}/model.json {open}"));
    ran.says(&["are sampled"]);
    let filled = ran.succeeded();
    let last = filled.lines().last().unwrap_or_default();
    let cells: Vec<f64> = last
        .split(',')
        .filter_map(|cell| cell.parse().ok())
        .collect();
    assert_eq!((cells.len(), cells[0]), (40, 1.0), "{filled}");
    assert!(
        cells[1..].iter().all(|p| (0.0..=1.0).contains(p)),
        "{filled}"
    );
}

/// Forty units, the last of them hidden or not, all pairs, with small weights of both signs.
fn dense_model(place: &Place, last: &str) -> String {
    let role = |unit: usize| if unit == 40 { last } else { "visible" };
    let units: Vec<String> = (1..=40)
        .map(|unit| format!(r#"{{"name":"y{unit}","role":"{}"}}"#, role(unit)))
        .collect();
    let weight = |a: usize, b: usize| 0.2 * ((7 * a + 11 * b + 3) as f64).sin();
    let pairs = (0..40).flat_map(|a| (a..40).map(move |b| (a, b)));
    let terms: Vec<String> = pairs
        .map(|(a, b)| {
            let units = if a == b {
                format!("[{a}]")
            } else {
                format!("[{a},{b}]")
            };
            format!(r#"{{"units":{units},"weight":{}}}"#, weight(a, b))
        })
        .collect();
    let model = format!(
        r#"{{"format":"latentropy/1","units":[{}],"terms":[{}]}}"#,
        units.join(","),
        terms.join(",")
    );
    place.file("dense.json", model)
}

#[test]
fn rows_that_leave_nearly_everything_open_are_scored_with_their_errors() {
    let place = Place::new();
    let model = dense_model(&place, "visible");
    let full = vec!["1"; 40].join(",");
    let open = ",?".repeat(39);
    let data = place.file("open.csv", format!("{full}\n1{open}\n0{open}\n?{open}\n"));
    let ran = run_line(&format!("score {model} {data} --json"));
    ran.says(&["2 of 4 distinct rows leave too much open for exact sums"]);
    let found = ran.json();
    assert_eq!(found["sampled_rows"], serde_json::json!([2, 3]));
    assert_eq!(found["per_row"][3], 0.0);
    assert_eq!(found["per_row_std_err"][3], serde_json::Value::Null);
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let (value, error) = (
        |row: usize| number(&found["per_row"][row]),
        |row: usize| number(&found["per_row_std_err"][row]),
    );
    // One cell is 1 or 0: their probabilities sum to one, within the errors.
    let (one, zero) = (value(1).exp(), value(2).exp());
    let away = (one + zero - 1.0) / (one * error(1)).hypot(zero * error(2));
    assert!(away.abs() < 4.0 && error(1) < 0.1, "{away} {found}");
    let common = number(&found["log_partition"]["std_err"]);
    assert_eq!(error(0), common);
    assert!(error(1) > common);
    // A quarter of the rows is certain, and two have errors of their own.
    let own = |row: usize| error(row).powi(2) - common.powi(2);
    let whole = ((0.75 * common).powi(2) + (own(1) + own(2)) / 16.0).sqrt();
    let mean = &found["mean_log_likelihood"];
    assert_eq!(mean["kind"], "monte_carlo");
    assert!(
        (number(&mean["std_err"]) / whole - 1.0).abs() < 1e-9,
        "{mean}"
    );

    let table = run_line(&format!("score {model} {data} --per-row")).succeeded();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "row,log_likelihood,std_err,sampled");
    assert!(lines[1].ends_with(",0") && lines[2].ends_with(",1") && lines[3].ends_with(",1"));
    assert!(lines[4].ends_with(",,0"), "{table}");
    let text = run_line(&format!("score {model} {data}")).succeeded();
    assert!(
        text.contains("by sampling: log Z, and what 2 rows leave open"),
        "{text}"
    );
}

#[test]
fn posteriors_of_rows_that_leave_nearly_everything_open_have_errors() {
    let place = Place::new();
    let model = dense_model(&place, "hidden");
    let full = vec!["1"; 39].join(",");
    let data = place.file("open.csv", format!("{full}\n1{}\n", ",?".repeat(38)));
    let ran = run_line(&format!("posterior {model} {data} --json"));
    ran.says(&["1 of 2 distinct rows"]);
    let found = ran.json();
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(rows[0].get("mean_std_errs"), None);
    let number = |value: &serde_json::Value| value[0].as_f64().unwrap();
    let sampled = number(&rows[1]["means"]);
    let error = number(&rows[1]["mean_std_errs"]);
    // The same question, asked of the machine itself by another seed.
    let asked = format!("infer {model} --given y1=1 --engine gibbs --seed 7 --json");
    let asked = run_line(&asked).json();
    let (mean, other) = (&asked["means"][39], &asked["mean_std_errs"][39]);
    let away = (sampled - mean.as_f64().unwrap()) / error.hypot(other.as_f64().unwrap());
    assert!(
        error > 0.0 && error < 0.05 && away.abs() < 4.0,
        "{away} {error}"
    );
}

#[test]
fn flags_of_sampling_are_refused_where_nothing_is_sampled() {
    let place = Place::new();
    let model = place.file("m.json", common::MODEL);
    run_line(&format!("infer {model} --chains 128")).refused(&["exact does not sample"]);
}

#[test]
fn a_large_restricted_machine_has_a_report_and_stays_on_one_screen() {
    let place = Place::new();
    let data = place.file("wide.csv", wide_rows());
    let out = place.path("run");
    let ran = run_line(&format!(
        "fit {data} --shape rbm --hidden 36 --batch 10 --max-iter 5 --ridge 1 --out {out}"
    ));
    let shown = ran.succeeded();
    assert!(shown.contains("engine    gibbs: "), "{shown}");
    assert!(shown.contains("the 5 most strongly connected of 36 hidden units"));
    assert!(shown.contains("learned by samples") && !shown.contains("not a solution"));
    assert!(shown.lines().count() < 60, "{shown}");
    let page = std::fs::read_to_string(place.path("run/report.html")).unwrap();
    assert!(page.contains("states drawn from it") && page.contains("learned by samples"));
}
