//! The public face: every name that a user can write, so that one more is a decision.
//!
//! A name counts once, as the list of all items in the documentation counts it: the items of public modules, wherever
//! they are shown again, but not modules, methods and variants, nor what is hidden from the documentation.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The names by the module that shows them; those of the crate's root first.
const FACE: &[(&str, &[&str])] = &[
    (
        "latentropy",
        &[
            "Cancel",
            "Candidate",
            "Control",
            "Dataset",
            "EngineId",
            "Error",
            "Fit",
            "Learner",
            "Network",
            "Observer",
            "Principle",
            "Remark",
            "Request",
            "Result",
            "Sampling",
            "Setting",
            "Wording",
            "fit",
            "fit_with",
            "impute",
            "infer",
            "posterior_means",
            "read_dataset",
            "read_network",
            "sample",
            "score",
            "write_network",
        ],
    ),
    (
        "answers",
        &["Scores", "impute_draws", "most_probable_states"],
    ),
    ("data", &["Cell", "Loaded", "ReadOptions", "Recode", "Row"]),
    (
        "fit",
        &[
            "Assembly",
            "BootstrapKind",
            "Comparison",
            "Hidden",
            "Job",
            "Journal",
            "Part",
            "Resamples",
            "Ridge",
            "Round",
            "Search",
            "Select",
            "Stage",
            "Structure",
            "ValidationRows",
            "Worker",
        ],
    ),
    (
        "inference",
        &[
            "Answer",
            "Expectations",
            "Kind",
            "Tempering",
            "Value",
            "Witnesses",
        ],
    ),
    (
        "learning",
        &[
            "Course",
            "Objective",
            "OptionValue",
            "Outcome",
            "Problem",
            "Progress",
            "StopReason",
            "learn",
        ],
    ),
    ("message", &["Message"]),
    (
        "network",
        &[
            "Role",
            "Shape",
            "SpinNetwork",
            "Term",
            "TermOptions",
            "Unit",
        ],
    ),
    ("selection", &["CertificateKind"]),
];

/// What the source of a module says about its face.
#[derive(Default)]
struct Face {
    modules: Vec<String>,
    names: BTreeSet<String>,
}

/// Reads the items of one file that start a line; hidden ones and those for tests are left out.
fn face_of(path: &Path) -> Face {
    let text = fs::read_to_string(path).unwrap();
    let mut face = Face::default();
    let (mut is_hidden, mut item) = (false, String::new());
    for line in text.lines() {
        if item.is_empty() && line.starts_with("#[") {
            is_hidden |= line.contains("doc(hidden)")
                || line.contains("cfg(feature = \"internals\")")
                || line.contains("cfg(doctest)")
                || line.contains("cfg(any(test");
            continue;
        }
        let starts = line.starts_with("pub ") || line.starts_with("        pub ");
        if item.is_empty() && !starts {
            is_hidden &= line.starts_with("//") || line.is_empty();
            continue;
        }
        item += line;
        if item.starts_with("pub use") && !item.ends_with(';') {
            continue;
        }
        if !is_hidden {
            face.take(item.trim());
        }
        (is_hidden, item) = (false, String::new());
    }
    face
}

impl Face {
    fn take(&mut self, item: &str) {
        let rest = item.strip_prefix("pub ").unwrap();
        let (kind, rest) = rest.split_once(' ').unwrap();
        let name: String = rest
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        match kind {
            "mod" => self.modules.push(name),
            "use" => {
                let path = rest.trim_end_matches(';');
                let names = match path.split_once('{') {
                    Some((_, names)) => names.trim_end_matches('}'),
                    None => path.rsplit("::").next().unwrap(),
                };
                let names = names.split(',').map(|name| name.trim().to_string());
                self.names.extend(names.filter(|name| !name.is_empty()));
            }
            _ => {
                self.names.insert(name);
            }
        }
    }
}

fn source(module: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let file = folder.join(format!("{module}.rs"));
    match file.exists() {
        true => file,
        false => folder.join(module).join("mod.rs"),
    }
}

#[test]
fn the_public_names_are_these() {
    let root = face_of(&source("lib"));
    let mut found = vec![("latentropy".to_string(), root.names.clone())];
    for module in &root.modules {
        let face = face_of(&source(module));
        assert!(face.modules.is_empty(), "{module} has modules of its own");
        let own = face.names.difference(&root.names).cloned().collect();
        found.push((module.clone(), own));
    }
    let listed: Vec<(String, BTreeSet<String>)> = FACE
        .iter()
        .map(|(module, names)| {
            let names = names.iter().map(|name| name.to_string()).collect();
            (module.to_string(), names)
        })
        .collect();
    assert_eq!(found, listed);
}

/// All documentation comments of the source.
fn documentation(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            documentation(&path, text);
        } else {
            let source = fs::read_to_string(&path).unwrap();
            let lines = source.lines().map(str::trim_start);
            let comments = lines.filter(|line| line.starts_with("//!") || line.starts_with("///"));
            comments.for_each(|line| *text += &format!("{line}\n"));
        }
    }
}

#[test]
fn every_name_is_in_an_example_or_linked() {
    let mut text = String::new();
    documentation(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut text,
    );
    // Between two fences, code and prose take turns.
    let code: String = text.split("```").skip(1).step_by(2).collect();
    let words: BTreeSet<&str> = code
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    for name in FACE.iter().flat_map(|(_, names)| names.iter()) {
        let is_linked = text.contains(&format!("[`{name}`]"));
        assert!(words.contains(name) || is_linked, "{name}");
    }
}
