//! The same numbers from the library and the command line, whatever the number of threads, and through files.

mod common;

use common::{MODEL, Place, QUICK, SMALL, run, run_line, shipped};
use latentropy::data::{ReadOptions, read_dataset_bytes};
use latentropy::fit::record::FitDocument;
use latentropy::fit::{BootstrapKind, Hidden, Resamples, Ridge, Structure};
use latentropy::learning::{Learner, OptionValue};
use latentropy::network::{Network, Shape, TermOptions, network_from_bytes};
use latentropy::{Principle, Request, Sampling, Setting, fit, impute, infer, score};
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

/// Twenty requests, as flags and as the library takes them.
fn requests() -> Vec<(&'static str, Request)> {
    let one = || Request {
        restarts: Some(3),
        ..Request::with_hidden(1)
    };
    let ridged = || Request {
        ridge: Ridge::Value(1.0),
        ..one()
    };
    let shaped = |shape: Shape, bias: bool, order: usize| {
        Structure::Named(TermOptions { shape, bias, order })
    };
    let named = |name: &str| Learner::named(name).unwrap();
    let learner = |learner: Learner| Request {
        learner: Some(learner),
        max_iterations: Some(40),
        ..ridged()
    };
    let engine = |name: &str| Request {
        engine: Some(name.parse().unwrap()),
        restarts: Some(2),
        ..ridged()
    };
    vec![
        ("--hidden 1 --restarts 3", one()),
        (
            "--hidden 2 --restarts 4 --seed 9 --select mle",
            Request {
                restarts: Some(4),
                seed: 9,
                select: Principle::MaximumLikelihood.into(),
                ..Request::with_hidden(2)
            },
        ),
        (
            "--shape visible",
            Request {
                structure: shaped(Shape::Visible, true, 2),
                ..Request::default()
            },
        ),
        (
            "--hidden 1 --shape rbm --restarts 3",
            Request {
                structure: shaped(Shape::Rbm, true, 2),
                ..one()
            },
        ),
        (
            "--hidden 1 --no-bias --ridge 0 --restarts 3",
            Request {
                structure: shaped(Shape::Full, false, 2),
                ridge: Ridge::Value(0.0),
                ..one()
            },
        ),
        (
            "--hidden 1 --order 3 --ridge 1 --restarts 3",
            Request {
                structure: shaped(Shape::Full, true, 3),
                ..ridged()
            },
        ),
        (
            "--hidden 1 --ridge 0 --box 3 --restarts 3",
            Request {
                ridge: Ridge::Value(0.0),
                bound: 3.0,
                ..one()
            },
        ),
        (
            "--hidden 0..1 --restarts 2 --folds 2",
            Request {
                hidden: Some(Hidden::Several(vec![0, 1])),
                restarts: Some(2),
                folds: Some(2),
                ..Request::default()
            },
        ),
        (
            "--hidden 1 --ridge auto --folds 2 --restarts 2",
            Request {
                ridge: Ridge::CrossValidated,
                folds: Some(2),
                restarts: Some(2),
                ..Request::with_hidden(1)
            },
        ),
        (
            "--hidden 1 --ridge 1 --restarts 3 --bootstrap 4",
            Request {
                bootstrap: Some(Resamples {
                    count: 4,
                    kind: BootstrapKind::Rows,
                }),
                ..ridged()
            },
        ),
        (
            "--hidden 1 --ridge 1 --restarts 3 --bootstrap 4 --bootstrap-kind parametric",
            Request {
                bootstrap: Some(Resamples {
                    count: 4,
                    kind: BootstrapKind::Parametric,
                }),
                ..ridged()
            },
        ),
        (
            "--hidden 1 --anneal --ridge 1",
            Request {
                anneal: true,
                restarts: None,
                ..ridged()
            },
        ),
        (
            "--hidden 1 --ridge 1 --restarts 3 --max-iter 40 --learner em-is --inner 2",
            learner(named("em-is").with(Setting::Inner, 2).unwrap()),
        ),
        (
            "--hidden 1 --ridge 1 --restarts 3 --max-iter 40 --learner em-gis",
            learner(named("em-gis")),
        ),
        (
            "--hidden 1 --ridge 1 --restarts 3 --max-iter 40 --learner em-gradient --step 0.5",
            learner(named("em-gradient").with(Setting::Step, 0.5).unwrap()),
        ),
        (
            "--hidden 1 --ridge 1 --restarts 3 --max-iter 40 --learner sequential --rule collins",
            learner(named("sequential").with(Setting::Rule, "collins").unwrap()),
        ),
        (
            "--hidden 1 --ridge 1 --restarts 3 --max-iter 40 --learner quasi-newton",
            learner(named("quasi-newton")),
        ),
        (
            "--hidden 1 --ridge 1 --restarts 3 --max-iter 40 --learner cd",
            learner(named("cd")),
        ),
        (
            "--hidden 1 --ridge 1 --restarts 3 --max-iter 40 --learner pcd --chains 20",
            learner(named("pcd").with(Setting::Chains, 20).unwrap()),
        ),
        (
            "--hidden 1 --ridge 1 --restarts 2 --engine bp",
            engine("bp"),
        ),
        (
            "--hidden 1 --ridge 1 --restarts 2 --engine junction-tree",
            engine("junction-tree"),
        ),
        (
            "--hidden 1 --ridge 1 --restarts 2 --engine gibbs --max-iter 20 --chains 30",
            Request {
                max_iterations: Some(20),
                learner_options: vec![(Setting::Chains, OptionValue::Count(30))],
                ..engine("gibbs")
            },
        ),
        (
            "--hidden 1 --ridge 1 --restarts 3 --tol 1e-4 --max-iter 7",
            Request {
                tolerance: Some(1e-4),
                max_iterations: Some(7),
                ..ridged()
            },
        ),
    ]
}

#[test]
fn the_library_and_the_program_give_the_same_fits() {
    let place = Place::new();
    let file = place.file("d.csv", SMALL);
    let data = data(SMALL);
    let requests = requests();
    assert!(requests.len() >= 20);
    for (flags, request) in requests {
        let found = fit(&data, &request).unwrap();
        let printed = run_line(&format!("fit {file} --json --quiet {flags}")).json();
        let mut printed: FitDocument = serde_json::from_value(printed).unwrap();
        // Sentences name settings, each face in its own words.
        let expected = FitDocument {
            engine_reason: None,
            ..found.document(Vec::new(), &latentropy::message::PlainWording)
        };
        printed.warnings.clear();
        printed.engine_reason = None;
        assert_eq!(printed, expected, "{flags}");
    }
}

#[test]
fn the_written_model_is_the_chosen_one() {
    let place = Place::new();
    let (file, out) = (place.file("d.csv", SMALL), place.path("out"));
    let request = Request {
        restarts: Some(4),
        seed: 9,
        ..Request::with_hidden(2)
    };
    let expected = fit(&data(SMALL), &request).unwrap();
    let arguments = [
        "fit",
        &file,
        "--hidden",
        "2",
        "--seed",
        "9",
        "--restarts",
        "4",
        "--out",
        &out,
    ];
    run(&arguments).succeeded();
    let written = std::fs::read(format!("{out}/model.json")).unwrap();
    let written = network_from_bytes(Path::new("model.json"), &written).unwrap();
    assert_eq!(written.network, expected.chosen().network);
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
    let found = infer(&network, &[("b", true)], None, &Sampling::default()).unwrap();
    let expected = found.answer.expectations;
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

    let scores = score(&network, &data, None, &Sampling::default()).unwrap();
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
    // The column of words is named with what to do about it, or with what it was taken for.
    run_line(&format!("score {model} {votes}")).refused(&[
        "line 2, column party",
        "`republican`",
        "--columns '!party'",
    ]);
    let flags = "--shape visible --ridge 1 --restarts 1 --quiet --json";
    let document = run_line(&format!("fit {votes} {flags}")).json();
    let warning = document["warnings"][0].as_str().unwrap();
    assert!(
        warning.contains("republican is read as 1 and democrat as 0"),
        "{warning}"
    );
}
