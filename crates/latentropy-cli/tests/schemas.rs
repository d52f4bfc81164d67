//! The JSON schemas in docs/schemas are those of the library's record; that what the program writes follows them is tested in Python
//! (python/tests/test_schemas.py), whose validator needs no compiling.

use latentropy::fit::record::schemas;
use std::fs;
use std::path::PathBuf;

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
