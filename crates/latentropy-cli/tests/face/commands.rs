//! The commands of `commands.txt`: read, run in a fresh directory, and told as one text.

use super::normal::{Normal, Text};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};

const DATA: &str = "crates/latentropy-cli/tests/face/data";
const VOTES: &str = "data/house-votes-84.csv";
/// Pictures, pages and journals: written, but not shown; all of them are made from what is shown.
const NOT_SHOWN: [&str; 6] = [
    ".html",
    ".svg",
    ".png",
    "report.json",
    "journal.jsonl",
    "spec.toml",
];
/// A directory that holds nothing but times.
const TIMES: &str = "timings/";

/// One or more runs of the program, in one directory.
pub(crate) struct Command {
    pub(crate) name: String,
    runs: Vec<Vec<String>>,
}

/// The commands that a text lists.
pub(crate) fn parse(text: &str) -> Vec<Command> {
    let arguments = |run: &str| run.split_whitespace().map(str::to_string).collect();
    let mut commands: Vec<Command> = Vec::new();
    for line in text.lines() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with(' ') {
            let command = commands.last_mut().expect("a name above further runs");
            command.runs.push(arguments(line));
            continue;
        }
        let (name, runs) = line.split_once(':').expect("`name: arguments`");
        commands.push(Command {
            name: name.to_string(),
            runs: runs.split("&&").map(arguments).collect(),
        });
    }
    for command in &mut commands {
        // A name with nothing behind it is only the head of the runs below, if there are any.
        if command.runs.len() > 1 && command.runs[0].is_empty() {
            command.runs.remove(0);
        }
    }
    let names: HashSet<&str> = commands.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names.len(), commands.len(), "two commands share a name");
    commands
}

impl Command {
    /// Runs it: exit codes, both outputs and the files written, without what differs from run to run.
    pub(crate) fn answer(&self) -> String {
        let out = tempfile::tempdir().expect("a temporary directory");
        let place = out.path().to_str().expect("a plain path");
        let normal = Normal::new([(place, "{out}"), (DATA, "{data}"), (VOTES, "{votes}")]);
        let mut told = String::new();
        for run in &self.runs {
            let ran = execute(run, place);
            let kind = match run.iter().any(|part| part == "--help" || part == "-h") {
                true => Text::Help,
                false => Text::Answer,
            };
            let code = ran.status.code().expect("the program was not killed");
            told += &format!("$ latentropy {}\nexit code {code}\n", run.join(" "));
            for (name, bytes) in [("output", ran.stdout), ("errors", ran.stderr)] {
                let text = String::from_utf8(bytes).expect("text");
                assert!(!text.contains("panicked"), "{}: {text}", self.name);
                if !text.is_empty() {
                    told += &section(name, &normal.text(&text, kind));
                }
            }
        }
        let files = files_in(out.path());
        for name in files.iter().filter(|name| is_shown(name)) {
            let text = fs::read_to_string(out.path().join(name)).expect("a file of text");
            told += &section(&format!("{{out}}/{name}"), &normal.text(&text, Text::File));
        }
        let others: Vec<&str> = files
            .iter()
            .map(String::as_str)
            .filter(|name| !is_shown(name))
            .collect();
        if !others.is_empty() {
            told += &section("also written", &others.join("\n"));
        }
        told
    }
}

fn section(name: &str, text: &str) -> String {
    format!("--- {name}\n{}\n", text.trim_end())
}

/// The root of the repository, so that the paths that are typed are the same everywhere.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn execute(run: &[String], out: &str) -> process::Output {
    let built = env!("CARGO_BIN_EXE_latentropy").into();
    let binary = std::env::var_os("LATENTROPY_FACE_BINARY").unwrap_or(built);
    let typed = |part: &String| {
        part.replace("{data}", DATA)
            .replace("{votes}", VOTES)
            .replace("{out}", out)
    };
    // No variable of the terminal may change what is printed.
    process::Command::new(binary)
        .args(run.iter().map(typed))
        .current_dir(root())
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .expect("the program starts")
}

fn is_shown(name: &str) -> bool {
    !name.contains(TIMES) && !NOT_SHOWN.iter().any(|end| name.ends_with(end))
}

/// The files under a directory by their paths in it, sorted.
fn files_in(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("a directory") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a plain name");
        if entry.path().is_dir() {
            let inner = files_in(&entry.path());
            found.extend(inner.into_iter().map(|inner| format!("{name}/{inner}")));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}
