//! Kind to mistakes: each gives one message with place and remedy, the right exit code, and nothing half-written.

mod common;

use common::{MODEL, Place, QUICK, SMALL, names_in, run, run_line};

/// Fits a data file into `out`; whatever happens, nothing else may appear.
#[track_caller]
fn fit(place: &Place, data: &str, more: &[&str]) -> common::Ran {
    let out = place.path("out");
    let before = place.names();
    let arguments = [&["fit", data, "--hidden", "1", "--out", &out], more, &QUICK].concat();
    let ran = run(&arguments);
    let mut after = place.names();
    if ran.code == 0 {
        let written = names_in(out.as_ref());
        assert_eq!(
            written,
            [
                "candidates.csv",
                "candidates.jsonl",
                "model.json",
                "report.html",
                "report.json",
                "run.json",
                "start.json",
                "weights.csv"
            ]
        );
        after.retain(|name| name != "out");
    }
    assert_eq!(after, before, "something was left behind");
    ran
}

#[track_caller]
fn refused_data(content: impl AsRef<[u8]>, parts: &[&str]) {
    let place = Place::new();
    let data = place.file("votes.csv", content);
    fit(&place, &data, &[]).refused(&[&["votes.csv"], parts].concat());
}

#[test]
fn a_ragged_row() {
    refused_data(
        "a,b,c\n1,0,1\n1,0\n0,0,1\n",
        &[
            "line 3",
            "2 cells found where the header has 3",
            "same number of cells",
        ],
    );
}

#[test]
fn a_two_in_a_cell() {
    refused_data(
        "a,b\n1,0\n0,1\n1,2\n0,0\n",
        &[
            "line 4, column b",
            "`2` is not a binary value",
            "write it as 0/1",
        ],
    );
}

#[test]
fn an_empty_file() {
    refused_data(
        "",
        &["is empty", "give a file with a row of cells on each line"],
    );
    refused_data("\n\n", &["holds only blank lines"]);
}

#[test]
fn a_header_without_rows() {
    refused_data(
        "a,b,c\n",
        &["holds a header (a, b, c) and no rows", "add rows"],
    );
}

#[test]
fn duplicate_names() {
    refused_data(
        "a,b,a\n1,0,1\n0,1,1\n",
        &[
            "line 1",
            "columns 1 and 3 are both called `a`",
            "a name of its own",
        ],
    );
}

#[test]
fn a_column_without_a_known_cell() {
    refused_data(
        "a,it's,c\n1,?,0\n0,?,1\n1,NA,1\n",
        &["column it's", "has no known cell", r"--columns '!it'\''s'"],
    );
    refused_data("a,b\n?,?\nNA,\n", &["has no known cell at all"]);
}

#[test]
fn a_constant_column_is_a_warning() {
    let place = Place::new();
    let data = place.file("votes.csv", "a,b,c\n1,0,1\n0,0,1\n1,0,0\n0,0,0\n1,0,1\n");
    let ran = fit(&place, &data, &[]);
    ran.says(&[
        "warning: ",
        "votes.csv",
        "1 column never varies: b (always 0)",
        "--columns",
        "--ridge",
    ]);
    ran.succeeded();
}

#[test]
fn weights_that_run_off_are_named() {
    let place = Place::new();
    let data = place.file("votes.csv", "a,b,c\n1,0,1\n0,0,1\n1,0,0\n0,0,0\n1,0,1\n");
    let ran = run_line(&format!("fit {data} --hidden 1 --restarts 3 --ridge 0"));
    ran.says(&[
        "at the edge of the box (±",
        ": b is never 1 in the 5 rows",
        "--ridge 1",
        "--box",
    ]);
    ran.succeeded();
}

#[test]
fn one_column_with_one_value_is_a_warning() {
    let place = Place::new();
    let data = place.file("votes.csv", "a\n1\n1\n1\n");
    let ran = fit(&place, &data, &[]);
    ran.says(&["1 column never varies: a (always 1)"]);
    ran.succeeded();
}

#[test]
fn a_row_without_a_known_cell_is_a_warning() {
    let place = Place::new();
    let data = place.file("votes.csv", "a,b\n1,0\n?,?\n0,1\n1,1\n0,0\n");
    let ran = fit(&place, &data, &[]);
    ran.says(&[
        "warning: ",
        "votes.csv",
        "1 row has no known cell (the first: line 3)",
        "not counted",
    ]);
    ran.succeeded();
}

#[test]
fn quiet_keeps_warnings_off_standard_error() {
    let place = Place::new();
    let data = place.file("votes.csv", "a,b,c\n1,0,1\n0,0,1\n1,0,0\n0,0,0\n1,0,1\n");
    let ran = fit(&place, &data, &["--quiet"]);
    assert_eq!(ran.stderr, "");
    ran.succeeded();
}

#[test]
fn too_many_hidden_units() {
    let place = Place::new();
    let data = place.file("votes.csv", SMALL);
    for hidden in ["60", "100000000", "99999999999999999999"] {
        let line = format!(
            "fit {data} --hidden {hidden} --engine exact --out {}",
            place.path("out")
        );
        let ran = run_line(&line);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
        assert_eq!(place.names(), ["votes.csv"]);
    }
    let ran = run_line(&format!("fit {data} --hidden 60 --engine exact"));
    ran.refused(&["64 free units", "fewer hidden units", "--shape rbm"]);
}

#[test]
fn a_model_cut_in_half() {
    let place = Place::new();
    let data = place.file("votes.csv", SMALL);
    let model = place.file("model.json", &MODEL[..MODEL.len() / 2]);
    for line in [
        format!("infer {model}"),
        format!("score {model} {data}"),
        format!("sample {model} -n 3"),
        format!("impute {model} {data}"),
        format!("convert {model} {}", place.path("other.uai")),
    ] {
        run_line(&line).refused(&[
            "model.json, line 3, column",
            "cut off",
            "write or fetch it again",
        ]);
    }
    assert_eq!(place.names(), ["model.json", "votes.csv"]);
}

#[test]
fn a_weight_that_is_no_number() {
    let place = Place::new();
    for weight in ["NaN", "-Infinity", "1e999"] {
        let model = place.file("model.json", MODEL.replace("-1.1", weight));
        run_line(&format!("infer {model}")).refused(&["model.json, line 3", weight, "finite"]);
    }
    let model = place.file("model.json", MODEL.replace("-1.1", "\"much\""));
    run_line(&format!("infer {model}")).refused(&["terms[1].weight", "much", "finite"]);
}

#[test]
fn a_huge_npy_header() {
    let place = Place::new();
    let mut bytes = b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec();
    bytes.extend(b"{'descr': '|b1', 'fortran_order': False, 'shape': (4, 2)}");
    let data = place.file("votes.npy", bytes);
    fit(&place, &data, &[]).refused(&["votes.npy", "header"]);
    let shape = "{'descr': '|b1', 'fortran_order': False, 'shape': (4000000000000, 2000000000)}";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((shape.len() as u16).to_le_bytes());
    bytes.extend(shape.as_bytes());
    let data = place.file("votes.npy", bytes);
    fit(&place, &data, &[]).refused(&["votes.npy"]);
}

#[test]
fn a_directory_for_a_file() {
    let place = Place::new();
    let directory = place.path("");
    run_line(&format!("fit {directory} --hidden 1"))
        .refused(&["is a directory", "give a data file"]);
    let model = place.file("model.json", MODEL);
    run_line(&format!("score {model} {directory}")).refused(&["is a directory"]);
    std::fs::create_dir(place.path("folder.json")).unwrap();
    let folder = place.path("folder.json");
    run_line(&format!("infer {folder}")).refused(&["folder.json"]);
    run_line(&format!("convert {model} {folder}")).refused(&["folder.json", "cannot write"]);
}

#[test]
fn a_file_that_is_not_there() {
    let place = Place::new();
    let model = place.file("model.json", MODEL);
    run_line(&format!("fit {} --hidden 1", place.path("no.csv")))
        .refused(&["no.csv", "cannot read"]);
    run_line(&format!("score {model} {}", place.path("no.csv"))).refused(&["no.csv"]);
    run_line(&format!("infer {}", place.path("no.json"))).refused(&["no.json", "cannot read"]);
}

#[test]
fn results_that_cannot_be_written() {
    let place = Place::new();
    let data = place.file("votes.csv", SMALL);
    let file = place.file("file.txt", "taken");
    // A very long fit: that it cannot be written must be said before, not after it.
    let long = format!("fit {data} --hidden 3 --restarts 1000000 --tol 1e-300");
    run_line(&format!("{long} --out {file}/out")).refused(&[
        "file.txt/out",
        "--out",
        "can be written",
    ]);
    run_line(&format!("{long} --out {file}")).refused(&["file.txt", "is a file", "--out"]);
    run_line(&format!("{long} --trace {file}/trace.csv")).refused(&["trace.csv", "--trace"]);
    let both = format!("--out {} --trace {file}/t.csv", place.path("new/deep"));
    run_line(&format!("{long} {both}")).refused(&["t.csv"]);
    let model = place.file("model.json", MODEL);
    run_line(&format!("convert {model} {file}/m.uai")).refused(&["m.uai", "cannot write"]);
    assert_eq!(std::fs::read(&file).unwrap(), b"taken");
    assert_eq!(place.names(), ["file.txt", "model.json", "votes.csv"]);
}

#[test]
fn columns_that_do_not_match_the_model() {
    let place = Place::new();
    let model = place.file("model.json", MODEL);
    let data = place.file("votes.csv", SMALL);
    run_line(&format!("score {model} {data}")).refused(&[
        "votes.csv",
        "column \"d\"",
        "--columns '!d'",
    ]);
    run_line(&format!("score {model} {data} --columns !d")).succeeded();
    let ran = run_line(&format!("score {model} {data} --columns a,b"));
    ran.says(&[
        "warning: ",
        "no column for 1 of the model's visible units",
        "summed out: c",
    ]);
    ran.succeeded();
    run_line(&format!("fit {data} --hidden 1 --columns a,e"))
        .refused(&["no column `e`", "a, b, c, d"]);
}

#[test]
fn units_that_are_not_there() {
    let place = Place::new();
    let model = place.file("model.json", MODEL);
    run_line(&format!("infer {model} --given x=1"))
        .refused(&["no unit named \"x\"", "a, b, c, z1"]);
    run_line(&format!("infer {model} --given a=1 --given a=0")).refused(&["both as 0 and as 1"]);
    let ran = run_line(&format!("infer {model} --given a=2"));
    assert_eq!(ran.code, 2);
    ran.says(&["a=2", "must be 0 or 1"]);
}

#[test]
fn flags_that_make_no_sense() {
    let place = Place::new();
    let data = place.file("votes.csv", SMALL);
    for (flags, part) in [
        ("--threads 0", "--threads"),
        ("--ridge -1", "at least 0"),
        ("--tol 0", "above 0"),
        ("--box nan", "above 0"),
        ("--max-iter 0", "--max-iter"),
        ("--restarts 0", "--restarts"),
        ("--inner 0", "--inner"),
        ("--select best", "lme, mle"),
        ("--learner magic", "em-is"),
        ("--order 0", "--order"),
        ("--seed -1", "--seed"),
        ("--step 0.1", "em-gradient"),
        ("--inner 2 --learner quasi-newton", "--inner"),
        ("--step fast --learner em-gradient", "controlled"),
        ("--box 1e9", "--box"),
        (
            "--shape circle",
            "full, rbm, semi-restricted, screened, visible, independent and paths:GRAPH",
        ),
        ("--shape visible", "shape visible has no hidden unit"),
        ("--order 1 --no-bias", "leaves no terms"),
    ] {
        let ran = run_line(&format!("fit {data} --hidden 1 {flags}"));
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (2, ""),
            "{flags}: {}",
            ran.stderr
        );
        ran.says(&["error: ", part]);
    }
    // Nothing at all is no mistake: machines are compared.
    let shown = run_line(&format!("fit {data}")).succeeded();
    assert!(shown.contains("compared  "), "{shown}");
}
