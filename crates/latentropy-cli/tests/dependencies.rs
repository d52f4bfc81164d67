//! What is depended on: licences, duplicates and sources by the rules of deny.toml, without a program to install.
//!
//! `cargo deny check` reads the same file and knows more (advisories); it takes minutes to compile, and is run by `.ci/run` where
//! it is there.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All packages of the lock file; none where it cannot be had.
fn packages() -> Option<Vec<Value>> {
    let found = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    if !found.status.success() {
        println!("skipped: {}", String::from_utf8_lossy(&found.stderr));
        return None;
    }
    let document: Value = serde_json::from_slice(&found.stdout).expect("one JSON document");
    Some(document["packages"].as_array().expect("packages").clone())
}

fn rules() -> toml::Table {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    text.parse().expect("TOML")
}

/// Whether a licence expression (SPDX, or the older `A/B`) can be met by these licences.
fn is_met(expression: &str, allowed: &[&str]) -> bool {
    let text = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut at = 0;
    any_of(&words, &mut at, allowed)
}

fn any_of(words: &[&str], at: &mut usize, allowed: &[&str]) -> bool {
    let mut is_met = all_of(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        is_met |= all_of(words, at, allowed);
    }
    is_met
}

fn all_of(words: &[&str], at: &mut usize, allowed: &[&str]) -> bool {
    let mut is_met = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        is_met &= one(words, at, allowed);
    }
    is_met
}

fn one(words: &[&str], at: &mut usize, allowed: &[&str]) -> bool {
    let Some(&word) = words.get(*at) else {
        return false;
    };
    *at += 1;
    if word == "(" {
        let is_met = any_of(words, at, allowed);
        *at += 1;
        return is_met;
    }
    let mut name = word.to_string();
    if words.get(*at) == Some(&"WITH") {
        name += &format!(" WITH {}", words.get(*at + 1).unwrap_or(&""));
        *at += 2;
    }
    allowed.contains(&name.as_str())
}

#[test]
fn licences_sources_and_versions_are_by_the_rules() {
    let Some(packages) = packages() else {
        return;
    };
    let rules = rules();
    let texts = |value: &toml::Value| -> Vec<String> {
        let list = value.as_array().expect("a list").iter();
        list.map(|text| text.as_str().expect("a text").to_string())
            .collect()
    };
    let allowed = texts(&rules["licenses"]["allow"]);
    let allowed: Vec<&str> = allowed.iter().map(String::as_str).collect();
    let registries = texts(&rules["sources"]["allow-registry"]);
    let skipped: BTreeSet<&str> = rules["bans"]["skip"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| entry["name"].as_str().expect("a name"))
        .collect();
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in &packages {
        let name = package["name"].as_str().expect("a name");
        versions
            .entry(name)
            .or_default()
            .insert(package["version"].as_str().expect("a version"));
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(
            is_met(licence, &allowed),
            "{name} has the licence {licence}"
        );
        if let Some(source) = package["source"].as_str() {
            let is_known = registries
                .iter()
                .any(|known| source.ends_with(known.as_str()));
            assert!(is_known, "{name} comes from {source}");
        }
    }
    for (name, found) in &versions {
        assert!(
            found.len() == 1 || skipped.contains(name),
            "{name} is there as {found:?}"
        );
    }
    for name in skipped {
        let count = versions.get(name).map_or(0, BTreeSet::len);
        assert!(count > 1, "{name} need not be skipped any more");
    }
}

#[test]
fn expressions_are_read_as_they_are_meant() {
    let allowed = ["MIT", "Apache-2.0 WITH LLVM-exception", "Zlib"];
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("MIT AND GPL-3.0", false),
        ("(GPL-3.0 OR MIT) AND Zlib", true),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("Apache-2.0", false),
        ("none", false),
    ] {
        assert_eq!(is_met(expression, &allowed), expected, "{expression}");
    }
}
