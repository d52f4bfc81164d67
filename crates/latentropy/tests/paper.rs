//! docs/paper.md tells where each statement of the paper is: every file and every test that it names is there.

use std::fs;
use std::path::PathBuf;

#[test]
fn every_file_and_test_that_the_guide_names_is_there() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let Ok(guide) = fs::read_to_string(root.join("../../docs/paper.md")) else {
        eprintln!("skipped: docs/paper.md is not part of the package");
        return;
    };
    let mut checked = 0;
    for line in guide.lines().filter(|line| line.starts_with('|')) {
        let mut file: Option<PathBuf> = None;
        for (at, name) in line.split('`').enumerate() {
            if at % 2 == 0 {
                continue;
            }
            if name.contains('/') {
                let path = root.join(name);
                assert!(path.exists(), "{name} is not there: {line}");
                file = Some(path);
            } else {
                let text = fs::read_to_string(file.clone().expect("a file before its test"));
                let test = format!("fn {name}(");
                assert!(text.unwrap().contains(&test), "{name} is not there: {line}");
            }
            checked += 1;
        }
    }
    assert!(checked > 60, "{checked}");
}
