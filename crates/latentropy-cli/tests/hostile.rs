//! What strangers may hand over: names that are formulas or escapes, links, bombs, endless inputs, and files of other runs.

mod common;

use common::{MODEL, Place, SMALL, names_in, run, run_line};
use std::path::Path;
use std::process::{Command, Stdio};

const ODD: &str = "\"=1+1\",\"a\u{1b}[2Jb\",\"c\nd\",\"e\u{202e}f\"\n1,1,0,0\n1,1,1,0\n0,0,1,1\n0,0,1,1\n0,1,1,1\n1,0,0,0\n1,?,0,1\n";

/// Whether a text may be shown: lines of letters.
fn is_harmless(text: &str) -> bool {
    let is_harmful =
        |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
    !text.contains(is_harmful)
}

#[test]
fn names_are_harmless_wherever_they_are_shown() {
    let place = Place::new();
    let data = place.file("odd\u{1b}[31m\n.csv", ODD);
    let out = place.path("out");
    let ran = run(&[
        "fit",
        &data,
        "--hidden",
        "1",
        "--ridge",
        "0.1",
        "--restarts",
        "6",
        "--out",
        &out,
    ]);
    assert!(
        is_harmless(&ran.stdout) && is_harmless(&ran.stderr),
        "{} {}",
        ran.stdout,
        ran.stderr
    );
    let text = ran.succeeded();
    assert!(text.contains(r"\u{1b}"), "{text}");
    let weights = std::fs::read_to_string(Path::new(&out).join("weights.csv")).unwrap();
    assert!(
        is_harmless(&weights) && weights.contains("c d"),
        "{weights}"
    );
    let starts_safely = |cell: &str| !cell.starts_with(['=', '@', '+']);
    let cells = weights.lines().flat_map(|line| line.split(','));
    assert!(
        cells.map(|cell| cell.trim_matches('"')).all(starts_safely),
        "{weights}"
    );
    // Numbers stay numbers, and the names come back.
    assert!(weights.contains(",-"), "{weights}");
    let model = format!("{out}/model.json");
    let drawn = run(&["sample", &model, "-n", "20"]).succeeded();
    assert!(drawn.starts_with("'=1+1,"), "{drawn}");
    let drawn = place.file("drawn.csv", drawn);
    run(&["score", &model, &drawn, "--json"]).json();
    run(&["score", &model, &data, "--json"]).json();
    let page = std::fs::read_to_string(Path::new(&out).join("report.html")).unwrap();
    assert!(page.contains("Content-Security-Policy") && !page.contains(" style=\""));
    // What is wrong with it is said in one line, too.
    let refused = run(&["fit", &data, "--columns", "x\u{1b}]0;y\u{7}"]);
    assert!(is_harmless(&refused.stderr));
    refused.refused(&["there is no column"]);
}

#[test]
fn a_file_of_another_run_is_named() {
    let place = Place::new();
    let data = place.file("d.csv", SMALL);
    let (one, other) = (place.path("one"), place.path("other"));
    for (seed, out) in [("1", &one), ("2", &other)] {
        let flags = [
            "--hidden",
            "1",
            "--ridge",
            "0.1",
            "--restarts",
            "2",
            "--quiet",
            "--seed",
            seed,
            "--out",
            out,
        ];
        run(&[&["fit", &data], &flags[..]].concat()).succeeded();
    }
    for name in ["candidates.csv", "weights.csv", "report.json", "start.json"] {
        let kept = std::fs::read(format!("{one}/{name}")).unwrap();
        std::fs::copy(format!("{other}/{name}"), format!("{one}/{name}")).unwrap();
        run_line(&format!("report {one}")).refused(&[name, "of another run"]);
        std::fs::write(format!("{one}/{name}"), kept).unwrap();
    }
    run_line(&format!("report {one}")).succeeded();
    let kept = std::fs::read(format!("{one}/model.json")).unwrap();
    std::fs::copy(format!("{other}/model.json"), format!("{one}/model.json")).unwrap();
    run_line(&format!("score {one}/model.json {data}")).refused(&["model.json", "of another run"]);
    // What was changed by hand is not overwritten without a word either.
    run_line(&format!("fit {data} --hidden 1 --restarts 2 --out {one}"))
        .refused(&["model.json", "--force"]);
    std::fs::write(format!("{one}/model.json"), kept).unwrap();
    run_line(&format!("score {one}/model.json {data}")).succeeded();
    // A model by itself is nobody's.
    std::fs::copy(format!("{other}/model.json"), place.path("model.json")).unwrap();
    run_line(&format!("score {} {data}", place.path("model.json"))).succeeded();
}

#[test]
fn files_of_ones_own_and_hidden_leftovers() {
    let place = Place::new();
    let data = place.file("d.csv", SMALL);
    let out = place.path("out");
    std::fs::create_dir(&out).unwrap();
    let flags = "--hidden 1 --ridge 1 --restarts 2 --quiet";
    // What dead runs have left, and what only looks like it.
    let dead = [
        ".latentropy-0123456789abcdef.tmp",
        ".latentropy.lock",
        ".DS_Store",
        ".latentropy-mine.tmp",
    ];
    for name in dead {
        std::fs::write(Path::new(&out).join(name), b"x").unwrap();
    }
    let staging = Path::new(&out).join(".latentropy-fedcba9876543210.staging");
    std::fs::create_dir(&staging).unwrap();
    std::fs::write(staging.join("model.json"), b"half").unwrap();
    let spec = place.file("s.toml", "title = \"t\"\nseed = 1\n[[arm]]\nname = \"a\"\n[[experiment]]\nname = \"e\"\ntitle = \"e\"\n\
        fitted = { hidden = 1 }\ntruth = { visible = 3, hidden = 1 }\ntrials = 2\nrestarts = 2\nrows = [20]\narms = [\"a\"]\n");
    run_line(&format!("study {spec} --quiet --out {out}")).succeeded();
    let hidden: Vec<String> = names_in(Path::new(&out))
        .into_iter()
        .filter(|name| name.starts_with('.'))
        .collect();
    assert_eq!(hidden, [".DS_Store", ".latentropy-mine.tmp"]);
    // A study is not overwritten by a fit, nor a file of one's own.
    run_line(&format!("fit {data} {flags} --out {out}")).refused(&["run.json", "--force"]);
    let own = place.path("own");
    std::fs::create_dir(&own).unwrap();
    std::fs::write(format!("{own}/model.json"), MODEL).unwrap();
    run_line(&format!("fit {data} {flags} --out {own}")).refused(&["holds model.json", "--force"]);
    assert_eq!(
        std::fs::read_to_string(format!("{own}/model.json")).unwrap(),
        MODEL
    );
    run_line(&format!("fit {data} {flags} --out {own} --force")).succeeded();
    // One beside the run's files is no matter.
    std::fs::write(format!("{own}/notes.txt"), b"mine").unwrap();
    run_line(&format!("fit {data} {flags} --out {own}")).succeeded();
    assert_eq!(std::fs::read(format!("{own}/notes.txt")).unwrap(), b"mine");
}

#[cfg(unix)]
#[test]
fn a_directory_under_the_name_of_a_result_is_refused_before_the_work() {
    let place = Place::new();
    let data = place.file("d.csv", SMALL);
    let out = place.path("out");
    let own = Path::new(&out).join("model.json").join("own");
    std::fs::create_dir_all(own.parent().unwrap()).unwrap();
    std::fs::write(&own, b"mine").unwrap();
    let fit = format!("fit {data} --hidden 1 --ridge 1 --restarts 2 --quiet --out {out}");
    for line in [fit.clone(), format!("{fit} --force")] {
        let ran = run_line(&line);
        assert_eq!(ran.code, 2);
        ran.says(&["model.json: is a directory"]);
        let seen = names_in(Path::new(&out));
        let seen: Vec<_> = seen.iter().filter(|name| !name.starts_with('.')).collect();
        assert_eq!(seen, ["model.json"]);
    }
    assert_eq!(std::fs::read(&own).unwrap(), b"mine");
}

#[test]
fn links_devices_and_closed_streams() {
    let place = Place::new();
    let (model, data) = (place.file("m.json", MODEL), place.file("d.csv", SMALL));
    // A link that leads nowhere yet.
    let link = place.path("link.json");
    std::os::unix::fs::symlink("made.json", &link).unwrap();
    run_line(&format!("convert {model} {link}")).succeeded();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(Path::new(&place.path("made.json")).exists());
    // A link of a stranger in a run's directory is replaced, not followed.
    let out = place.path("out");
    run_line(&format!(
        "fit {data} --hidden 1 --ridge 1 --restarts 2 --quiet --out {out}"
    ))
    .succeeded();
    let victim = place.file("victim", "untouched");
    std::fs::remove_file(format!("{out}/report.html")).unwrap();
    std::os::unix::fs::symlink(&victim, format!("{out}/report.html")).unwrap();
    run_line(&format!("report {out}")).succeeded();
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "untouched");
    // Endless inputs are refused with the bound.
    run_line("infer /dev/zero").refused(&["/dev/zero"]);
    let zero = place.path("zero.json");
    std::os::unix::fs::symlink("/dev/zero", &zero).unwrap();
    run_line(&format!("infer {zero}")).refused(&["more than 268,435,456 bytes"]);
    run_line(&format!("study {zero} --out {}", place.path("none")))
        .refused(&["more than 1,048,576 bytes"]);
    // Nobody listens: no panic, whatever the exit code.
    for line in [
        format!("infer {model}"),
        format!("score {model} {data}"),
        "--help".to_string(),
    ] {
        let script = format!("exec '{}' {line} >&-", env!("CARGO_BIN_EXE_latentropy"));
        let ended = Command::new("sh")
            .args(["-c", &script])
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(
            !said.contains("panicked") && ended.status.code().is_some(),
            "{line}: {said}"
        );
    }
}

#[test]
fn bounds_are_in_the_messages() {
    let place = Place::new();
    // A header of three megabytes.
    let names: Vec<String> = (0..300_000).map(|at| format!("column-{at}")).collect();
    let wide = place.file("wide.csv", format!("{}\n", names.join(",")));
    let refused = run(&["fit", &wide]);
    assert!(refused.stderr.len() < 5000);
    refused.refused(&["65536"]);
    let long = "n".repeat(3_000_000);
    let refused = run(&[
        "fit",
        &place.file("long.csv", format!("{long},b\n1,2\n3,4\n5,6\n")),
    ]);
    assert!(
        refused.stderr.len() < 6000 && refused.code == 2,
        "{}",
        refused.stderr.len()
    );
    // Weights beyond the limit, a constant that overflows, a tolerance that everything meets.
    for weight in ["1e155", "-2e100", "1e308"] {
        let model = place.file("m.json", MODEL.replace("-1.1", weight));
        for engine in ["exact", "tap", "mean-field"] {
            run(&["infer", &model, "--engine", engine]).refused(&["terms[1].weight", "1e100"]);
        }
    }
    let constant = MODEL.replace("\"terms\":[", "\"terms\":[{\"units\":[],\"weight\":1e101},");
    run(&["infer", &place.file("c.json", constant)]).refused(&["1e100"]);
    let data = place.file("d.csv", SMALL);
    let refused = run(&["fit", &data, "--hidden", "1", "--tol", "2"]);
    assert_eq!(refused.code, 2);
    refused.says(&["--tol", "at most 1"]);
    let spec = "title = \"t\"\nseed = 1\n[[arm]]\nname = \"a\"\n[[experiment]]\nname = \"e\"\ntitle = \"e\"\nfitted = { hidden = 1 }\n\
                truth = { visible = 3, hidden = 1 }\ntrials = TRIALS\nrestarts = 2\nrows = [20]\narms = [\"a\"]\n";
    for (trials, bound) in [("99999999", "10000000"), ("9999999", "1000000")] {
        let spec = place.file("s.toml", spec.replace("TRIALS", trials));
        run(&["study", &spec, "--out", &place.path("study")]).refused(&[bound]);
    }
}

#[test]
fn one_iteration_is_one_iteration_whatever_the_engine() {
    let place = Place::new();
    for (columns, shape) in [
        (16, "visible"),
        (57, "visible"),
        (57, "full --hidden 2"),
        (200, "rbm --hidden 4"),
    ] {
        let mut rows = String::new();
        for at in 1u32..41 {
            let mixed = |column: u32| at.wrapping_mul(column.wrapping_mul(2654435761) | 1) >> 17;
            let cell = |column: u32| ["0", "1"][(mixed(column) & 1) as usize];
            rows += &((0..columns).map(cell).collect::<Vec<_>>().join(",") + "\n");
        }
        let data = place.file(&format!("d{columns}.csv"), rows);
        for engine in [
            "auto",
            "exact",
            "junction-tree",
            "gibbs",
            "bp",
            "gbp",
            "tap",
            "mean-field",
            "trw",
            "cbp",
        ] {
            let clock = std::time::Instant::now();
            let line = format!(
                "fit {data} --shape {shape} --ridge 1 --engine {engine} --restarts 1 --max-iter 1 --quiet --json"
            );
            let ran = run_line(&line);
            let case = format!("{columns} {shape} {engine}");
            assert!([0, 1, 2].contains(&ran.code), "{case}");
            assert!(clock.elapsed().as_secs() < 120, "{case}");
        }
    }
}
