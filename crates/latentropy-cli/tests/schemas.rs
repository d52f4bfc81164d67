//! The JSON schemas in docs/schemas are those of the library's record, and what the program writes follows them.

mod common;

use latentropy::fit::record::schemas;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas")
}

#[test]
fn the_schemas_are_those_of_the_record() {
    let update = std::env::var_os("UPDATE_SCHEMAS").is_some();
    for (name, schema) in schemas() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let path = directory().join(name);
        if update {
            fs::create_dir_all(directory()).unwrap();
            fs::write(&path, &text).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == text,
            "{name} is not the schema of the record any more: run UPDATE_SCHEMAS=1 cargo test -p latentropy-cli --test schemas"
        );
    }
}

/// Checks a document against a schema.
fn check(name: &str, document: &Value) {
    let (_, schema) = schemas().into_iter().find(|(n, _)| *n == name).unwrap();
    let schema = serde_json::to_value(schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(document)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}");
}

#[test]
fn what_is_written_follows_the_schemas() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("rows.csv");
    fs::write(
        &data,
        "a,b,c\n0,1,1\n1,1,0\n1,0,?\n0,0,0\n1,1,1\n0,1,1\n1,0,0\n?,?,?\n",
    )
    .unwrap();
    let requests: [&[&str]; 6] = [
        &["--hidden", "1", "--restarts", "3"],
        &[
            "--hidden",
            "0..1",
            "--ridge",
            "auto",
            "--folds",
            "2",
            "--restarts",
            "2",
        ],
        &[
            "--hidden",
            "1",
            "--ridge",
            "0",
            "--box",
            "2",
            "--restarts",
            "3",
        ],
        &[
            "--hidden",
            "1",
            "--ridge",
            "1",
            "--restarts",
            "2",
            "--bootstrap",
            "5",
        ],
        &[
            "--hidden",
            "1",
            "--learner",
            "em-gradient",
            "--step",
            "0.5",
            "--max-iter",
            "5",
            "--restarts",
            "1",
        ],
        &["--hidden", "1", "--engine", "gibbs", "--max-iter", "5"],
    ];
    for (at, flags) in requests.iter().enumerate() {
        let out = place.path().join(format!("run{at}"));
        let ran = Command::new(env!("CARGO_BIN_EXE_latentropy"))
            .args(["fit", data.to_str().unwrap(), "--json", "--quiet", "--out"])
            .arg(&out)
            .args(*flags)
            .output()
            .unwrap();
        assert!(
            ran.status.success(),
            "{flags:?}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
        check(
            "fit.schema.json",
            &serde_json::from_slice(&ran.stdout).unwrap(),
        );
        let read = |name: &str| serde_json::from_slice(&fs::read(out.join(name)).unwrap()).unwrap();
        check("run.schema.json", &read("run.json"));
        check("model.schema.json", &read("model.json"));
    }
}
