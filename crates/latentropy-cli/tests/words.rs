//! Data as people have them: words for 0 and 1, names of rows, weights; and what comes back in the same words.

mod common;

use common::{Place, run, run_line};
use serde_json::Value;

/// Two views that go together, in words; the last column weighs the rows.
const VIEWS: &str = "who,sex,tax,war,weight\n\
    ann,F,agree,agree,1\nbob,M,disagree,disagree,2\ncid,M,disagree,NA,0.5\ndora,F,agree,agree,1.5\n\
    eve,F,NA,agree,1\nfred,M,disagree,disagree,1\ngail,F,agree,agree,1\nhal,M,disagree,disagree,1\n";

/// A place with the data and a fitted model.
fn fitted(more: &str) -> (Place, String, String) {
    let place = Place::new();
    let (data, out) = (place.file("views.csv", VIEWS), place.path("run"));
    let flags = "--id who --hidden 1 --ridge 1 --restarts 3 --tol 1e-4 --quiet";
    run_line(&format!("fit {data} {flags} {more} --out {out}")).succeeded();
    (place, data, format!("{out}/model.json"))
}

fn table(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader
        .records()
        .map(|record| record.unwrap().iter().map(str::to_string).collect())
        .collect()
}

#[test]
fn a_model_keeps_the_words_of_its_columns() {
    let (place, data, model) = fitted("--columns !weight");
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&model).unwrap()).unwrap();
    assert_eq!(document["codings"][0]["column"], "sex");
    assert_eq!(document["codings"][1]["one"][0], "agree");
    let run: Value =
        serde_json::from_str(&std::fs::read_to_string(place.path("run/run.json")).unwrap())
            .unwrap();
    assert_eq!(run["data"]["codings"], document["codings"]);
    assert_eq!(run["data"]["id"], "who");
    // New data may hold one of the words only.
    let few = place.file("few.csv", "sex,tax,war\nM,agree,agree\nM,agree,agree\n");
    let scores = run_line(&format!("score {model} {few} --json")).json();
    let bits = place.file("bits.csv", "sex,tax,war\n1,1,1\n1,1,1\n");
    let same = run_line(&format!("score {model} {bits} --json")).json();
    assert_eq!(scores["mean_log_likelihood"], same["mean_log_likelihood"]);
    // The flag comes before the model's own words.
    let turned = run_line(&format!("score {model} {few} --recode sex:M=0,F=1 --json")).json();
    assert_ne!(scores["mean_log_likelihood"], turned["mean_log_likelihood"]);
    let filled = run_line(&format!(
        "impute {model} {data} --id who --columns !weight --mode"
    ))
    .succeeded();
    let filled = table(&filled);
    assert_eq!(filled[0], ["ann", "F", "agree", "agree"]);
    assert_eq!(filled[2], ["cid", "M", "disagree", "disagree"]);
    assert_eq!(filled[4], ["eve", "F", "agree", "agree"]);
}

#[test]
fn words_that_mean_nothing_are_told_with_the_recoding_that_would() {
    let place = Place::new();
    let data = place.file("pain.csv", "pain,a\n0,1\n1,0\n2,1\n2,0\n1,1\n0,0\n");
    run_line(&format!("fit {data} --hidden 1")).refused(&[
        "pain.csv, line 4, column pain",
        "`2` is not a binary value",
        "--columns '!pain'",
        "--recode 'pain:0=0,1=1,2=1'",
    ]);
    run_line(&format!(
        "fit {data} --hidden 1 --recode pain:0=0,1=1,2=1 --restarts 2 --ridge 1"
    ))
    .succeeded();
    let refused = run_line(&format!("fit {data} --hidden 1 --recode pain"));
    assert_eq!(refused.code, 2);
    refused.says(&["`pain` has no value", "WORD=1,WORD=0"]);
}

#[test]
fn weights_count_as_rows() {
    let place = Place::new();
    let weighed = place.file("weighed.csv", "a,b,n\n1,1,3\n0,0,2\n1,0,1\n0,1,0\n");
    let repeated = place.file("repeated.csv", "a,b\n1,1\n1,1\n1,1\n0,0\n0,0\n1,0\n");
    let flags = "--shape visible --ridge 1 --restarts 1 --json";
    let one = run_line(&format!("fit {weighed} --weights n {flags}")).json();
    let other = run_line(&format!("fit {repeated} {flags}")).json();
    assert_eq!(one["rows_used"], 6.0);
    for part in ["model", "uncertainty"] {
        assert_eq!(one[part], other[part], "{part}");
    }
    let model = place.path("model.json");
    std::fs::write(&model, one["model"].to_string()).unwrap();
    let one = run_line(&format!("score {model} {weighed} --weights n --json")).json();
    let other = run_line(&format!("score {model} {repeated} --json")).json();
    let mean = |document: &Value| document["mean_log_likelihood"]["value"].as_f64().unwrap();
    assert!((mean(&one) - mean(&other)).abs() < 1e-12);
    let bad = place.file("bad.csv", "a,b,n\n1,1,3\n0,0,-2\n");
    run_line(&format!("fit {bad} --weights n --hidden 0"))
        .refused(&["line 3, column n", "`-2` is not a weight"]);
}

#[test]
fn posteriors_are_those_of_the_machine() {
    let (place, data, model) = fitted("--columns !weight");
    let flags = "--id who --columns !weight";
    let printed = run_line(&format!("posterior {model} {data} {flags}")).succeeded();
    let heads = "who,z1,most_probable_z1,most_probable_state_probability\n";
    assert!(printed.starts_with(heads), "{printed}");
    let rows = table(&printed);
    assert_eq!(rows.len(), 8);
    // The same as inference given the cells of the row.
    let given = run_line(&format!(
        "infer {model} --json --given sex=0 --given tax=1 --given war=1"
    ))
    .json();
    let wanted = given["means"][3].as_f64().unwrap();
    let found: f64 = rows[0][1].parse().unwrap();
    assert!((found - wanted).abs() < 1e-12);
    let probability: f64 = rows[0][3].parse().unwrap();
    assert!((probability - wanted.max(1.0 - wanted)).abs() < 1e-12);
    let out = place.path("hidden.csv");
    run_line(&format!(
        "posterior {model} {data} {flags} --out {out} --threads 1"
    ))
    .succeeded();
    assert_eq!(std::fs::read_to_string(&out).unwrap(), printed);
    let document = run_line(&format!("posterior {model} {data} {flags} --json")).json();
    assert_eq!(document["rows"][0]["row"], "ann");
}

#[test]
fn rows_are_drawn_in_the_words_of_the_data() {
    let (place, _, model) = fitted("--columns !weight");
    let line = format!("sample {model} -n 40 --seed 3 --hidden");
    let (worded, numbers) = (
        table(&run_line(&line).succeeded()),
        table(&run_line(&format!("{line} --numbers")).succeeded()),
    );
    let words = [
        ["F", "M"],
        ["disagree", "agree"],
        ["disagree", "agree"],
        ["0", "1"],
    ];
    for (row, plain) in worded.iter().zip(&numbers) {
        for ((word, number), words) in row.iter().zip(plain).zip(words) {
            assert_eq!(word, words[usize::from(number == "1")]);
        }
    }
    let both = |at: usize| numbers.iter().any(|row| row[at] != numbers[0][at]);
    assert!((0..4).all(both), "{numbers:?}");
    // What is drawn can be read again.
    let drawn = place.file(
        "drawn.csv",
        run_line(&format!("sample {model} -n 40 --seed 3")).succeeded(),
    );
    let plain = run_line(&format!("sample {model} -n 40 --seed 3 --numbers")).succeeded();
    let plain = place.file("plain.csv", &plain);
    let score = |data: &str| run_line(&format!("score {model} {data} --json")).json();
    assert_eq!(
        score(&drawn)["mean_log_likelihood"],
        score(&plain)["mean_log_likelihood"]
    );
}

#[test]
fn units_are_given_in_words_or_numbers() {
    let (place, _, model) = fitted("--columns !weight");
    let infer = |given: &str| run_line(&format!("infer {model} {given}"));
    let means = |given: &str| infer(&format!("--json {given}")).json()["means"].clone();
    let wanted = means("--given sex=0 --given tax=1");
    assert_eq!(means("--given sex=F --given tax=agree"), wanted);
    assert_eq!(means("--given sex=f tax=AGREE"), wanted);
    assert_eq!(means("--given sex=0 --given tax=1 --numbers"), wanted);
    let told = infer("--given sex=F").succeeded();
    assert!(told.contains("given    sex = F\n"), "{told}");
    let told = infer("--given sex=F --numbers");
    assert_eq!(told.code, 2);
    told.says(&["the value of sex must be 0 or 1"]);
    infer("--given sex=X").refused(&["sex=X", "its words are M (read as 1) and F (read as 0)"]);
    infer("--given sex=").refused(&["its words are M (read as 1) and F (read as 0)"]);
    infer("--given nobody=M").refused(&["no unit named \"nobody\""]);
    let rows = run_line(&format!("sample {model} -n 6 --given sex=F")).succeeded();
    assert!(table(&rows).iter().all(|row| row[0] == "F"), "{rows}");
    run_line(&format!("sample {model} -n 6 --given sex=X")).refused(&["its words are M"]);

    // Where a number is a word of the column with another value, it is not guessed which is meant.
    let data = place.file("answers.csv", "a,b\n1,2\n2,1\n2,2\n1,1\n2,2\n1,1\n");
    let out = place.path("answers");
    let fit = format!("fit {data} --shape visible --ridge 1 --restarts 1 --quiet --out {out}");
    run_line(&fit).succeeded();
    let infer = |given: &str| run_line(&format!("infer {out}/model.json --json {given}"));
    infer("--given a=1").refused(&["1 is a word of column a, read as 0", "a=0", "--numbers"]);
    let mean = |given: &str| infer(given).json()["means"][0].clone();
    assert_eq!(mean("--given a=2"), 1.0);
    assert_eq!(mean("--given a=0"), 0.0);
    assert_eq!(mean("--given a=1 --numbers"), 1.0);
}

#[test]
fn draws_complete_the_table_and_follow_the_posterior() {
    let (_place, data, model) = fitted("--columns !weight");
    let line = format!("impute {model} {data} --id who --columns !weight --quiet");
    let draw = |more: &str| run_line(&format!("{line} --draws 400 {more}")).succeeded();
    let first = draw("--seed 5");
    assert_eq!(first, draw("--seed 5 --threads 1"));
    assert_ne!(first, draw("--seed 6"));
    let rows = table(&first);
    assert_eq!(rows.len(), 3200);
    assert!(
        rows.iter()
            .all(|row| row[2..].iter().all(|cell| !cell.contains("NA")))
    );
    let probabilities = table(&run_line(&line).succeeded());
    let wanted: f64 = probabilities[4][2].parse().unwrap();
    let eve = rows.iter().filter(|row| row[1] == "eve");
    let agree = eve.filter(|row| row[3] == "agree").count() as f64 / 400.0;
    // Within four standard errors of a share of 400 draws.
    assert!(
        (agree - wanted).abs() < 4.0 * (wanted * (1.0 - wanted) / 400.0).sqrt(),
        "{agree} {wanted}"
    );
}

#[test]
fn every_weight_is_a_row_of_weights_csv() {
    let (place, _, model) = fitted("--columns !weight");
    let rows = table(&std::fs::read_to_string(place.path("run/weights.csv")).unwrap());
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&model).unwrap()).unwrap();
    let terms = document["terms"].as_array().unwrap();
    assert_eq!(rows.len(), terms.len());
    for (row, term) in rows.iter().zip(terms) {
        let weight: f64 = row[2].parse().unwrap();
        assert_eq!(weight, term["weight"].as_f64().unwrap());
        // Of a pair, a quarter of it in the {-1,+1} view.
        if !row[1].is_empty() {
            assert_eq!(row[4].parse::<f64>().unwrap(), weight / 4.0);
        }
    }
}

#[test]
fn bits_are_nats_over_the_logarithm_of_two() {
    let (_place, data, model) = fitted("--columns !weight");
    let line = format!("score {model} {data} --id who --columns !weight");
    let document = run_line(&format!("{line} --bits --json")).json();
    let nats = document["mean_log_likelihood"]["value"].as_f64().unwrap();
    let text = run_line(&format!("{line} --bits")).succeeded();
    let bits = format!("{:.6} bits per row", nats / std::f64::consts::LN_2);
    assert!(text.contains(&bits), "{text}");
}

#[test]
fn figures_of_a_report_are_files() {
    let (place, ..) = fitted("--columns !weight");
    let (out, figures) = (place.path("run"), place.path("deep/figures"));
    run(&["report", &out, "--figures", &figures]).succeeded();
    let names = common::names_in(figures.as_ref());
    for name in [
        "candidates.svg",
        "machine.svg",
        "ones-in-a-row.svg",
        "quality.svg",
        "rows.svg",
        "convergence.svg",
    ] {
        assert!(names.contains(&name.to_string()), "{names:?}");
    }
    let data = place.path("views.csv");
    run(&["report", &out, "--figures", &data])
        .refused(&["is a file, not a directory", "--figures"]);
}
