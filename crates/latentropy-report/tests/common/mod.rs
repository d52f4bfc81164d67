//! A run directory as the library's own records fill it, for tests of the page.
#![allow(dead_code, unreachable_pub, missing_docs)]

use latentropy::files::RunDirectory;
use latentropy::fit::record::RunContext;
use latentropy::fit::{Control, Ridge};
use latentropy::message::PlainWording;
use latentropy::{Candidate, Dataset, Fit, Observer, Request, fit_with};
use latentropy_report::fit::{Exhibits, RunFiles, TraceKeeper};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Keeps the traces of every restart.
#[derive(Default)]
struct Keeper(TraceKeeper);

impl Observer for Keeper {
    fn candidate_done(&self, candidate: &Candidate) {
        self.0.keep(candidate);
    }

    fn wants_traces(&self) -> bool {
        true
    }
}

/// Fits, and writes the files of a run directory.
pub fn run(data: &Dataset, request: &Request) -> (Fit, TempDir) {
    let keeper = Keeper::default();
    let control = Control {
        observer: &keeper,
        ..Control::default()
    };
    let fit = fit_with(data, request, &control).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let context = RunContext {
        file: "rows.csv".to_string(),
        shape: "full".to_string(),
        bias: true,
        threads: 1,
        ..RunContext::default()
    };
    let files = RunFiles {
        fit: &fit,
        run: fit.run_record(data, &context, &PlainWording),
        model: fit.model_document(data),
        exhibits: Some(Exhibits::gather(&fit, data, keeper.0).unwrap()),
    };
    let place = RunDirectory::open(directory.path()).unwrap();
    files.write(&place).unwrap().unwrap();
    (fit, directory)
}

/// Twelve rows of three columns, two of them without a known cell.
pub fn rows() -> Vec<[i8; 3]> {
    let known = [[0, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 0], [1, -1, 0]];
    let mut rows: Vec<[i8; 3]> = known.iter().copied().cycle().take(10).collect();
    rows.extend([[-1, -1, -1]; 2]);
    rows
}

pub fn request() -> Request {
    Request {
        restarts: Some(4),
        ridge: Ridge::Value(0.1),
        ..Request::with_hidden(1)
    }
}

/// Changes a JSON file.
pub fn change(path: &Path, edit: impl FnOnce(&mut serde_json::Value)) {
    let text = fs::read_to_string(path).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    edit(&mut value);
    fs::write(path, serde_json::to_vec(&value).unwrap()).unwrap();
    sealed(path.parent().unwrap());
}

/// Gives the files of a run the digests that they have now.
pub fn sealed(directory: &Path) {
    let path = directory.join("run.json");
    let text = fs::read_to_string(&path).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (name, digest) in value["files"].as_object_mut().unwrap() {
        if digest != "" {
            let bytes = fs::read(directory.join(name)).unwrap();
            *digest = latentropy::files::digest_of(&bytes).into();
        }
    }
    fs::write(path, serde_json::to_vec(&value).unwrap()).unwrap();
}
