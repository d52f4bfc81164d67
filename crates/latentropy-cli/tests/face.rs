//! The face of the program: its answers to the commands of `face/commands.txt`, compared with those that are checked in.
//!
//! `LATENTROPY_FACE_BINARY=/path/to/latentropy` asks another binary in place of the one just built.

#[path = "face/commands.rs"]
mod commands;
#[path = "face/document.rs"]
mod document;
#[path = "face/normal.rs"]
mod normal;

use commands::Command;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;

const COMMANDS: &str = include_str!("face/commands.txt");
const SNAPSHOTS: &str = "face/snapshots";
/// Each command uses threads of its own; more at a time would only wait for each other.
const AT_A_TIME: usize = 2;
const ACCEPT: &str = "look at the differences above; if they are wanted, accept them with\n    \
                      INSTA_UPDATE=always cargo test -p latentropy-cli --test face";

#[test]
fn every_command_answers_as_before() {
    let commands = commands::parse(COMMANDS);
    let answers = answers(&commands);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(SNAPSHOTS);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let _bound = settings.bind_to_scope();
    let mut changed = Vec::new();
    for (command, answer) in commands.iter().zip(&answers) {
        // All of them are compared before the test ends, not the first change alone.
        let compared = catch_unwind(AssertUnwindSafe(|| {
            insta::assert_snapshot!(command.name.as_str(), answer);
        }));
        if compared.is_err() {
            changed.push(command.name.as_str());
        }
    }
    let (count, all) = (changed.len(), commands.len());
    let names = changed.join(", ");
    assert!(
        changed.is_empty(),
        "{count} of {all} commands answer otherwise than before: {names}\n{ACCEPT}"
    );
}

/// A snapshot that no command makes would be compared with nothing.
#[test]
fn every_snapshot_has_its_command() {
    let names: BTreeSet<String> = commands::parse(COMMANDS)
        .into_iter()
        .map(|command| format!("{}.snap", command.name))
        .collect();
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(SNAPSHOTS);
    for entry in std::fs::read_dir(directory).expect("the snapshots") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_string_lossy();
        assert!(
            names.contains(&*name) || name.ends_with(".snap.new"),
            "no command is named as {name}; delete it"
        );
    }
}

/// What each command answers, in their order.
fn answers(commands: &[Command]) -> Vec<String> {
    let next = Mutex::new(0..commands.len());
    let answers = Mutex::new(vec![String::new(); commands.len()]);
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let Some(at) = next.lock().expect("a queue").next() else {
                        return;
                    };
                    let answer = commands[at].answer();
                    answers.lock().expect("a list")[at] = answer;
                }
            });
        }
    });
    answers.into_inner().expect("a list")
}
