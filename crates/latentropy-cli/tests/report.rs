//! The report of a fit, and the command that makes it again.

mod common;

use common::{Place, QUICK, SMALL, run, run_line, shipped};
use std::fs;

/// Fits with these arguments into `run` beside the data; returns the page.
fn report(place: &Place, data: &str, arguments: &[&str]) -> String {
    let out = place.path("run");
    let mut all = vec!["fit", data, "--out", &out];
    all.extend(arguments);
    run(&all).succeeded();
    let page = fs::read_to_string(place.path("run/report.html")).unwrap();
    check(&page);
    page
}

/// What holds of every page: it stands alone, it is small, and no text breaks out of its element.
fn check(page: &str) {
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    for outside in [
        "http:", "https:", "src=", "@import", "url(", "NaN", "Infinity",
    ] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    for tag in [
        "section", "figure", "svg", "table", "div", "p", "g", "details", "text",
    ] {
        let open =
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(open, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
    assert_eq!(page.matches("<script").count(), 1);
}

#[test]
fn a_run_can_be_reported_again_without_its_data() {
    let place = Place::new();
    let data = place.file("small.csv", SMALL);
    let mut arguments = vec!["--hidden", "2"];
    arguments.extend(QUICK);
    let page = report(&place, &data, &arguments);
    for part in [
        "Fit of small.csv",
        "The candidates",
        "How well it fits",
        "z1",
        "chosen by LME",
        "strongest weights",
        "interior local maximum",
    ] {
        assert!(page.contains(part), "{part}");
    }
    fs::remove_file(&data).unwrap();
    fs::remove_file(place.path("run/report.html")).unwrap();
    let said = run(&["report", &place.path("run")]).succeeded();
    assert!(
        said.starts_with("wrote ") && said.contains("report.html"),
        "{said}"
    );
    let again = fs::read_to_string(place.path("run/report.html")).unwrap();
    assert_eq!(page, again);
}

#[test]
fn the_report_changes_nothing_about_the_fit() {
    let place = Place::new();
    let data = place.file("small.csv", SMALL);
    for learner in ["auto", "em-is", "pcd"] {
        let line = |more: &str| {
            format!(
                "fit {data} --hidden 1 --ridge 1 --restarts 2 --max-iter 200 --learner {learner} --json {more}"
            )
        };
        let with = run_line(&line(&format!("--out {}", place.path(learner)))).succeeded();
        assert_eq!(with, run_line(&line("")).succeeded(), "{learner}");
    }
}

#[test]
fn reports_of_many_kinds_of_runs() {
    let votes = shipped("data/house-votes-84.csv")
        .to_str()
        .unwrap()
        .to_string();
    let rough = ["--ridge", "1", "--tol", "1e-3", "--restarts", "2"];
    for kind in [
        &["--columns", "!party", "--shape", "visible"][..],
        &["--columns", "!party", "--shape", "rbm", "--hidden", "3"],
        &[
            "--hidden",
            "1",
            "--columns",
            "crime,immigration,mx-missile",
            "--order",
            "3",
        ],
        &["--hidden", "1", "--columns", "crime", "--no-bias"],
        &[
            "--hidden",
            "2",
            "--columns",
            "crime,immigration",
            "--max-iter",
            "1",
        ],
        &[
            "--hidden",
            "1",
            "--columns",
            "crime,immigration",
            "--learner",
            "cd",
            "--max-iter",
            "50",
        ],
        &[
            "--hidden",
            "1",
            "--columns",
            "crime,immigration",
            "--anneal",
        ],
    ] {
        let place = Place::new();
        let page = report(&place, &votes, &[kind, &rough].concat());
        let hidden = !kind.contains(&"visible");
        assert_eq!(
            page.contains("What the hidden units say of the rows"),
            hidden,
            "{kind:?}"
        );
    }
}

#[test]
fn names_cannot_break_out() {
    let place = Place::new();
    let data = place.file(
        "odd.csv",
        "<script>alert(1)</script>,\"a \"\"&\"\" b\",</style>\n1,1,0\n1,1,1\n0,0,1\n0,0,0\n1,0,?\n0,1,0\n",
    );
    let mut arguments = vec!["--hidden", "1"];
    arguments.extend(QUICK);
    let page = report(&place, &data, &arguments);
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_eq!(page.matches("</style>").count(), 1);
}

#[test]
fn directories_that_are_no_runs() {
    let place = Place::new();
    let report = |name: &str| run(&["report", &place.path(name)]);
    report("absent").refused(&[
        "absent",
        "there is no such directory",
        "latentropy fit --out",
    ]);
    place.file("file", "x");
    report("file").refused(&["is a file, not a directory"]);
    fs::create_dir(place.path("empty")).unwrap();
    report("empty").refused(&["has no run.json, no candidates.csv, no model.json, no report.json"]);

    let data = place.file("small.csv", SMALL);
    let fit = |name: &str| {
        let out = place.path(name);
        let mut all = vec!["fit", &data, "--hidden", "1", "--out", &out];
        all.extend(QUICK);
        run(&all).succeeded();
    };
    fit("run");
    for (file, part) in [
        ("run.json", "run.json: does not say"),
        ("report.json", "report.json: is not as the run"),
        ("candidates.csv", "candidates.csv"),
        ("model.json", "model.json"),
    ] {
        let path = place.path(&format!("run/{file}"));
        let whole = fs::read(&path).unwrap();
        fs::write(&path, "{broken").unwrap();
        report("run").refused(&[part]);
        fs::remove_file(&path).unwrap();
        report("run").refused(&[&format!("has no {file};")]);
        fs::write(&path, whole).unwrap();
    }
    // Files of another run: fewer candidates than the evidence speaks of.
    let table = fs::read_to_string(place.path("run/candidates.csv")).unwrap();
    let fewer: Vec<&str> = table.lines().take(2).collect();
    fs::write(place.path("run/candidates.csv"), fewer.join("\n")).unwrap();
    report("run").refused(&["candidates.csv", "of another run"]);
    fs::write(place.path("run/candidates.csv"), table).unwrap();
    let evidence = fs::read_to_string(place.path("run/report.json")).unwrap();
    let other = evidence.replace("latentropy-report/1", "latentropy-report/9");
    let record = fs::read_to_string(place.path("run/run.json")).unwrap();
    let digest = |text: &str| latentropy::files::digest_of(text.as_bytes());
    let record = record.replace(&digest(&evidence), &digest(&other));
    fs::write(place.path("run/run.json"), record).unwrap();
    fs::write(place.path("run/report.json"), other).unwrap();
    report("run").refused(&["latentropy-report/9", "run `latentropy fit` again"]);
}

#[test]
fn columns_that_form_an_image() {
    let place = Place::new();
    let data = place.file("small.csv", SMALL);
    let mut arguments = vec!["--hidden", "1", "--image", "2x2"];
    arguments.extend(QUICK);
    let page = report(&place, &data, &arguments);
    assert!(page.contains("Weights as images") && page.contains("Samples as images"));
    let run_json = fs::read_to_string(place.path("run/run.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&run_json).unwrap();
    assert_eq!(record["data"]["image"], serde_json::json!([2, 2]));
    // The grid is found again, and can be given anew.
    let (directory, figures) = (place.path("run"), place.path("figures"));
    let said = run(&["report", &directory, "--figures", &figures]).succeeded();
    assert!(said.contains("sample-images.svg") && said.contains("weight-images.svg"));
    assert_eq!(
        fs::read_to_string(place.path("run/report.html")).unwrap(),
        page
    );
    run(&["report", &directory, "--image", "1x4"]).succeeded();
    let anew = fs::read_to_string(place.path("run/report.html")).unwrap();
    assert!(anew.contains("an image of 1 row and 4 columns"));
    run(&["report", &directory, "--image", "8x8"]).refused(&[
        "run: an image of 8x8 has 64 cells, and there are 4 columns",
        "rows first, such as 2x2",
    ]);
}

#[test]
fn images_that_columns_do_not_form() {
    let place = Place::new();
    let data = place.file("small.csv", SMALL);
    let out = place.path("run");
    let fit = |image: &str| {
        run(&[
            "fit", &data, "--hidden", "1", "--image", image, "--out", &out,
        ])
    };
    for image in ["3x2", "4x4", "99999999999x99999999999"] {
        fit(image).refused(&["small.csv: an image of", "4 columns", "such as 2x2"]);
    }
    for image in ["4", "0x4", "2x2x1", "-2x-2", "axb", ""] {
        let ran = fit(image);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{image}");
        ran.says(&["--image", "must be HEIGHTxWIDTH", "rows first, such as 8x8"]);
    }
    run(&["fit", &data, "--hidden", "1", "--image", "2x2"])
        .refused(&["--image is for the report", "--out"]);
    assert!(!std::path::Path::new(&out).exists());
}

#[test]
fn a_machine_learned_by_samples_has_images_too() {
    let place = Place::new();
    let data = place.file("small.csv", SMALL);
    let line = "--shape rbm --hidden 3 --engine gibbs --max-iter 20 --image 2x2 --ridge 1";
    let page = report(&place, &data, &line.split(' ').collect::<Vec<_>>());
    assert!(page.contains("One image per hidden unit") && page.contains("Samples as images"));
    assert!(page.contains("keeps no trace of its steps. With rows kept for validation"));
}
