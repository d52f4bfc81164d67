//! Runs the program and looks at what it says.
#![allow(dead_code)] // each test program uses its own part

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a run left behind.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `latentropy` with these arguments.
#[track_caller]
pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Ran {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_latentropy"))
        .args(arguments)
        .output()
        .expect("the program starts");
    let ran = Ran {
        code: status.code().expect("the program was not killed"),
        stdout: String::from_utf8(stdout).expect("text on standard output"),
        stderr: String::from_utf8(stderr).expect("text on standard error"),
    };
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    ran
}

/// Runs a line of arguments separated by blanks.
#[track_caller]
pub(crate) fn run_line(line: &str) -> Ran {
    run(&line.split_whitespace().collect::<Vec<_>>())
}

impl Ran {
    /// Asserts success; returns what was printed.
    #[track_caller]
    pub(crate) fn succeeded(self) -> String {
        assert_eq!(self.code, 0, "{}", self.stderr);
        self.stdout
    }

    /// Asserts success; returns the JSON document that was printed.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        serde_json::from_str(&self.succeeded()).expect("one JSON document")
    }

    /// Asserts exit code 2, nothing on standard output, and one message with all these parts.
    #[track_caller]
    pub(crate) fn refused(self, parts: &[&str]) {
        let message = &self.stderr;
        assert_eq!(self.code, 2, "{message}");
        assert_eq!(self.stdout, "");
        let lines: Vec<&str> = message.lines().collect();
        assert!(
            lines.len() == 1 && message.starts_with("error: "),
            "{message}"
        );
        self.says(parts);
    }

    /// Asserts that standard error holds all these parts.
    #[track_caller]
    pub(crate) fn says(&self, parts: &[&str]) {
        for part in parts {
            let message = &self.stderr;
            assert!(message.contains(part), "`{part}` is not in `{message}`");
        }
    }
}

/// A directory for one test.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Place(tempfile::tempdir().expect("a temporary directory"))
    }

    /// A path in it, as text for arguments.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0
            .path()
            .join(name)
            .to_str()
            .expect("a plain path")
            .to_string()
    }

    /// Writes a file in it; returns its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.path().join(name), content).expect("the file is written");
        self.path(name)
    }

    /// The names of everything in it, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        names_in(self.0.path())
    }
}

/// The names of everything in a directory, sorted.
pub(crate) fn names_in(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a plain name")
        })
        .collect();
    names.sort();
    names
}

/// Flags that make a fit quick.
pub(crate) const QUICK: [&str; 8] = [
    "--restarts",
    "4",
    "--ridge",
    "1",
    "--tol",
    "1e-3",
    "--max-iter",
    "2000",
];

/// A small table with a header and a missing cell: two clusters.
pub(crate) const SMALL: &str = "a,b,c,d\n1,1,0,0\n1,1,1,0\n1,1,0,0\n0,0,1,1\n0,0,1,1\n0,1,1,1\n\
                         1,0,0,0\n?,1,0,0\n0,0,1,1\n1,1,0,1\n0,0,0,1\n1,1,0,0\n";

/// A model with a hidden unit and a term of order 3.
pub(crate) const MODEL: &str = r#"{"format":"latentropy/1",
"units":[{"name":"a","role":"visible"},{"name":"b","role":"visible"},{"name":"c","role":"visible"},{"name":"z1","role":"hidden"}],
"terms":[{"units":[0],"weight":0.3},{"units":[0,1],"weight":-1.1},{"units":[1,3],"weight":0.7},{"units":[0,2,3],"weight":1.9}],
"note":"unknown fields are ignored"}"#;

/// A file that ships with the project.
pub(crate) fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(name)
}
