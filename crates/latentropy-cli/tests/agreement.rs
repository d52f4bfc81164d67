//! The same numbers from the library and the command line, whatever the number of threads, and through files.

mod common;

use common::{MODEL, Place, QUICK, SMALL, run, run_line, shipped};
use latentropy::data::{ReadOptions, read_dataset_bytes};
use latentropy::inference::{Clamp, FeatureExpectations, exact_engine, impute, score};
use latentropy::learning::LearningSettings;
use latentropy::network::{
    Network, TermOptions, Unit, from_json_value, named_terms, network_from_bytes,
};
use latentropy::selection::{FitSettings, Silent, fit};
use std::path::Path;

fn model() -> Network {
    network_from_bytes(Path::new("model.json"), MODEL.as_bytes())
        .unwrap()
        .network
}

fn data(text: &str) -> latentropy::data::Dataset {
    let options = ReadOptions::default();
    read_dataset_bytes(Path::new("d.csv"), text.as_bytes(), &options)
        .unwrap()
        .dataset
}

#[test]
fn fits_agree_bit_by_bit() {
    let data = data(SMALL);
    let mut units: Vec<Unit> = data.columns().iter().map(Unit::visible).collect();
    units.extend(["z1", "z2"].map(Unit::hidden));
    let terms = named_terms(&units, &TermOptions::default()).unwrap();
    let structure = Network::new(units, terms.into_iter().map(|term| (term, 0.0))).unwrap();
    let settings = FitSettings {
        learning: LearningSettings {
            ridge: 1.0,
            tolerance: 1e-3,
            max_iterations: 2000,
            ..LearningSettings::default()
        },
        restarts: 4,
        seed: 9,
        ..FitSettings::default()
    };
    let expected = fit(&structure, &data, &settings, &Silent).unwrap();

    let place = Place::new();
    let file = place.file("d.csv", SMALL);
    let out = place.path("out");
    let arguments = [
        "fit", &file, "--hidden", "2", "--seed", "9", "--json", "--out", &out,
    ];
    let document = run(&[&arguments[..], &QUICK].concat()).json();
    assert_eq!(document["selected"], expected.selected);
    assert_eq!(document["distinct_solutions"], expected.distinct_solutions);
    for (printed, candidate) in document["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .zip(&expected.candidates)
    {
        assert_eq!(
            printed["log_likelihood"].as_f64(),
            Some(candidate.log_likelihood)
        );
        assert_eq!(printed["entropy"].as_f64(), Some(candidate.entropy.value));
        assert_eq!(printed["residual"].as_f64(), Some(candidate.residual));
        assert_eq!(
            printed["mutual_information"].as_f64(),
            candidate.mutual_information
        );
        assert_eq!(printed["iterations"], candidate.iterations);
        assert_eq!(
            printed["certificate"],
            candidate.certificate.kind.to_string()
        );
    }
    assert_eq!(
        from_json_value(&document["model"]).unwrap(),
        expected.chosen().network
    );
    let written = std::fs::read(format!("{out}/model.json")).unwrap();
    let written = network_from_bytes(Path::new("model.json"), &written)
        .unwrap()
        .network;
    assert_eq!(written, expected.chosen().network);
}

#[test]
fn threads_do_not_change_a_bit() {
    let place = Place::new();
    let file = place.file("d.csv", SMALL);
    let fits = ["1", "2", "3"].map(|threads| {
        let arguments = [
            "fit",
            &file,
            "--hidden",
            "2",
            "--json",
            "--threads",
            threads,
        ];
        run(&[&arguments[..], &QUICK].concat()).succeeded()
    });
    assert!(fits[0] == fits[1] && fits[0] == fits[2]);
    let model = place.file("model.json", MODEL);
    for line in [
        format!("infer {model} --json"),
        format!("score {model} {file} --columns !d --json"),
        format!("impute {model} {file} --columns !d --json"),
        format!("sample {model} -n 500 --seed 5"),
    ] {
        let [one, two] = [1, 2].map(|n| run_line(&format!("{line} --threads {n}")).succeeded());
        assert_eq!(one, two, "{line}");
    }
}

#[test]
fn seeds_repeat_and_differ() {
    let place = Place::new();
    let model = place.file("model.json", MODEL);
    let sample = |seed| run_line(&format!("sample {model} -n 100 --seed {seed}")).succeeded();
    assert_eq!(sample(1), sample(1));
    assert_ne!(sample(1), sample(2));
    let file = place.file("d.csv", SMALL);
    let fit = |seed| {
        let arguments = ["fit", &file, "--hidden", "2", "--json", "--seed", seed];
        run(&[&arguments[..], &QUICK].concat()).succeeded()
    };
    assert_eq!(fit("1"), fit("1"));
    assert_ne!(fit("1"), fit("2"));
}

#[test]
fn inference_agrees() {
    let network = model();
    let given = [("b".to_string(), true)];
    let clamp = Clamp::by_name(&network, &given).unwrap();
    let engine = exact_engine(&network, &clamp).unwrap();
    let expected = engine.expectations(&network, &clamp).unwrap();
    let place = Place::new();
    let file = place.file("model.json", MODEL);
    let document = run_line(&format!("infer {file} --given b=1 --json")).json();
    assert_eq!(
        document["log_partition"]["value"].as_f64(),
        Some(expected.log_partition.value)
    );
    assert_eq!(
        document["entropy"]["value"].as_f64(),
        Some(expected.entropy.value)
    );
    let means: Vec<f64> = serde_json::from_value(document["means"].clone()).unwrap();
    assert_eq!(means, expected.means);
    let terms = document["terms"].as_array().unwrap().iter();
    let terms: Vec<f64> = terms
        .map(|term| term["expectation"].as_f64().unwrap())
        .collect();
    assert_eq!(terms, expected.terms);
}

#[test]
fn scoring_and_filling_agree() {
    let text = "a,b,c\n1,?,0\n0,1,?\n1,?,0\n?,?,1\n1,1,1\n";
    let (network, data) = (model(), data(text));
    let place = Place::new();
    let (file, rows) = (place.file("model.json", MODEL), place.file("d.csv", text));

    let scores = score(&network, &data).unwrap();
    let document = run_line(&format!("score {file} {rows} --json")).json();
    assert_eq!(
        document["mean_log_likelihood"]["value"].as_f64(),
        Some(scores.mean.value)
    );
    let per_row: Vec<f64> = serde_json::from_value(document["per_row"].clone()).unwrap();
    assert_eq!(per_row.len(), 5);
    assert_eq!(
        (per_row[0], per_row[3]),
        (scores.by_distinct_row[0], scores.by_distinct_row[2])
    );

    let filled = impute(&network, &data).unwrap().by_distinct_row;
    let printed = run_line(&format!("impute {file} {rows}")).succeeded();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "a,b,c");
    assert_eq!(lines[1], format!("1,{:?},0", filled[0][1]));
    assert_eq!((lines[1], lines[5]), (lines[3], "1,1,1"));
    let document = run_line(&format!("impute {file} {rows} --json")).json();
    assert_eq!(document["rows"][0][1].as_f64(), Some(filled[0][1]));
    assert_eq!(
        (&document["rows"][0][0], &document["filled_cells"]),
        (&1.into(), &5.into())
    );

    let modes = run_line(&format!("impute {file} {rows} --mode")).succeeded();
    let mode = u8::from(filled[0][1] > 0.5);
    assert_eq!(modes.lines().nth(1), Some(format!("1,{mode},0").as_str()));
    assert!(!modes.contains('.'));
}

#[test]
fn rows_without_a_header_are_matched_by_position() {
    let place = Place::new();
    let model = place.file("model.json", MODEL);
    let (named, bare) = (
        place.file("n.csv", "b,a,c\n0,1,?\n1,1,1\n"),
        place.file("b.csv", "1,0,?\n1,1,1\n"),
    );
    let mean = |file: &str| {
        run_line(&format!("score {model} {file} --json")).json()["mean_log_likelihood"].clone()
    };
    assert_eq!(mean(&named), mean(&bare));
    let filled = run_line(&format!("impute {model} {bare}")).succeeded();
    assert!(filled.starts_with("a,b,c\n1,0,0."), "{filled}");
}

#[test]
fn samples_score_as_the_entropy_says() {
    // E log p(x) = −entropy when every unit is seen; within 5 standard errors over the rows.
    let place = Place::new();
    let visible = MODEL.replace("hidden", "visible");
    let model = place.file("model.json", visible);
    let rows = run_line(&format!("sample {model} -n 40000 --seed 3")).succeeded();
    let rows = place.file("rows.csv", rows);
    let scored = run_line(&format!("score {model} {rows} --json")).json();
    let entropy = run_line(&format!("infer {model} --json")).json()["entropy"]["value"]
        .as_f64()
        .unwrap();
    let mean = scored["mean_log_likelihood"]["value"].as_f64().unwrap();
    let error = scored["standard_error_over_rows"].as_f64().unwrap();
    assert_eq!(scored["rows"], 40000);
    assert!(
        (mean + entropy).abs() < 5.0 * error,
        "{mean} {entropy} {error}"
    );
}

#[test]
fn conversions_keep_the_distribution() {
    let place = Place::new();
    let model = place.file("m.json", MODEL);
    let log_partition = |file: &str| {
        let document = run_line(&format!("infer {file} --json")).json();
        document["log_partition"]["value"].as_f64().unwrap()
    };
    let (uai, back) = (place.path("m.uai"), place.path("back.json"));
    let ran = run_line(&format!("convert {model} {uai}"));
    ran.says(&["warning: ", "m.uai"]);
    assert!(ran.succeeded().starts_with("wrote "));
    run_line(&format!("convert {uai} {back}")).succeeded();
    assert!((log_partition(&model) - log_partition(&back)).abs() < 1e-12);

    // Order 3 does not fit into a quadratic model, and nothing is written.
    let bqm = place.path("m.bqm");
    run_line(&format!("convert {model} {bqm}")).refused(&["order"]);
    assert!(!Path::new(&bqm).exists());
    let pairs = place.file("pairs.json", MODEL.replace("[0,2,3]", "[2,3]"));
    run_line(&format!("convert {pairs} {bqm}")).succeeded();
    run_line(&format!("convert {bqm} {back}")).succeeded();
    assert!((log_partition(&pairs) - log_partition(&back)).abs() < 1e-12);

    let same = place.path("same.json");
    run_line(&format!("convert {model} {same}")).succeeded();
    let read =
        |path: &str| network_from_bytes(Path::new(path), &std::fs::read(path).unwrap()).unwrap();
    assert_eq!(read(&same).network, self::model());
    let ran = run_line(&format!("convert {model} {}", place.path("m.xml")));
    ran.refused(&["m.xml", ".json", ".uai", ".bqm"]);
}

#[test]
fn the_shipped_example_runs() {
    let votes = shipped("data/house-votes-84.csv");
    let votes = votes.to_str().unwrap();
    let place = Place::new();
    let out = place.path("run");
    let flags = "--columns !party --hidden 2 --shape rbm --ridge 1 --restarts 4";
    let text = run_line(&format!("fit {votes} {flags} --out {out}")).succeeded();
    for part in [
        "435 rows",
        "16 columns",
        "392 cells missing (5.6%)",
        "16 visible + 2 hidden units",
        "z1, on with",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let widest = text.lines().filter(|line| !line.starts_with("warning: "));
    let widest = widest.map(|line| line.chars().count()).max();
    assert!(widest <= Some(100), "{text}");
    let model = format!("{out}/model.json");
    let filled = run_line(&format!("impute {model} {votes} --columns !party --mode")).succeeded();
    assert_eq!(filled.lines().count(), 436);
    assert!(!filled.contains('?'));
    let rows = place.file("filled.csv", filled);
    let document = run_line(&format!("score {model} {rows} --json")).json();
    assert_eq!(document["missing_cells"], 0);
    // The column of words is named with what to do about it.
    run_line(&format!("fit {votes} --hidden 1")).refused(&[
        "line 2, column party",
        "`republican`",
        "--columns '!party'",
    ]);
}
