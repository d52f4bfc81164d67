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
