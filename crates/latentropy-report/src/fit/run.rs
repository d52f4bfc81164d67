//! A run directory read back: `run.json`, `candidates.csv`, `model.json` and `report.json`.

use super::evidence::{Evidence, FORMAT};
use latentropy::network::{Network, read_network};
use latentropy::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::path::Path;

/// What the report is made from.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) record: Record,
    pub(super) candidates: Vec<CandidateRecord>,
    pub(super) network: Network,
    pub(super) evidence: Evidence,
}

/// `run.json`, as far as the report needs it.
#[derive(Debug, Deserialize)]
pub(super) struct Record {
    pub(super) version: String,
    #[serde(default)]
    pub(super) arguments: Vec<String>,
    pub(super) settings: Value,
    pub(super) seed: u64,
    pub(super) data: DataRecord,
    pub(super) result: ResultRecord,
    /// Absent where a run was made without it.
    #[serde(default)]
    uncertainty: Option<UncertaintyRecord>,
    #[serde(default)]
    pub(super) threads: u64,
    #[serde(default)]
    pub(super) timings: Value,
}

/// Standard errors, as far as the report shows them.
#[derive(Debug, Deserialize)]
struct UncertaintyRecord {
    log_likelihood: ErrorRecord,
    entropy: ErrorRecord,
    weights: Vec<ErrorRecord>,
}

#[derive(Debug, Deserialize)]
struct ErrorRecord {
    standard_error: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct DataRecord {
    pub(super) file: String,
    pub(super) fingerprint: String,
    pub(super) rows: u64,
    pub(super) distinct_rows: u64,
    pub(super) columns: Vec<String>,
    pub(super) missing_cells: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct ResultRecord {
    pub(super) selected: usize,
    pub(super) selected_is_feasible: bool,
    pub(super) distinct_solutions: usize,
    #[serde(default)]
    pub(super) warnings: Vec<String>,
}

/// One line of `candidates.csv`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct CandidateRecord {
    pub(super) index: usize,
    pub(super) seed_stream: u64,
    pub(super) log_likelihood: f64,
    pub(super) entropy: f64,
    pub(super) residual: f64,
    pub(super) iterations: usize,
    pub(super) stop: String,
    pub(super) certificate: String,
    #[serde(deserialize_with = "maybe")]
    pub(super) mutual_information: Option<f64>,
    pub(super) solution: usize,
    pub(super) feasible: bool,
    pub(super) trivial: bool,
}

fn maybe<'de, D: Deserializer<'de>>(cell: D) -> std::result::Result<Option<f64>, D::Error> {
    let text = String::deserialize(cell)?;
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(serde::de::Error::custom)
}

const REMEDY: &str = "give the directory that `latentropy fit --out` wrote, with all its files";

impl Run {
    /// Reads a run directory and checks that its files belong together.
    pub(super) fn read(directory: &Path) -> Result<Self> {
        let wrong = |problem: &str| Error::file(directory, None, problem, REMEDY);
        if !directory.exists() {
            return Err(wrong("there is no such directory"));
        }
        if !directory.is_dir() {
            return Err(wrong("is a file, not a directory"));
        }
        let absent: Vec<&str> = ["run.json", "candidates.csv", "model.json", "report.json"]
            .into_iter()
            .filter(|name| !directory.join(name).is_file())
            .collect();
        if !absent.is_empty() {
            return Err(wrong(&format!("has no {}", absent.join(", no "))));
        }
        let run = Run {
            record: json(&directory.join("run.json"))?,
            candidates: candidates(&directory.join("candidates.csv"))?,
            network: read_network(&directory.join("model.json"))?.network,
            evidence: json(&directory.join("report.json"))?,
        };
        run.check(directory)?;
        Ok(run)
    }

    fn check(&self, directory: &Path) -> Result<()> {
        let evidence = &self.evidence;
        if evidence.format != FORMAT {
            return Err(Error::file(
                &directory.join("report.json"),
                "field format".to_string(),
                format!(
                    "the layout is \"{}\", and this program knows \"{FORMAT}\"",
                    evidence.format
                ),
                "run `latentropy fit` again with this version",
            ));
        }
        let (candidates, columns) = (self.candidates.len(), self.record.data.columns.len());
        let units = self.network.units().len();
        let hidden = self.network.hidden().len();
        let fits = [self.record.result.selected, evidence.lme, evidence.mle]
            .iter()
            .all(|&at| at < candidates)
            && evidence.strongest.len() == candidates
            && evidence.columns.len() == columns
            && evidence.unit_means.len() == units
            && evidence
                .pairs
                .iter()
                .all(|pair| pair.a < columns && pair.b < columns)
            && evidence.histograms.len() == hidden
            && evidence
                .rows
                .iter()
                .all(|row| row.hidden.len() == hidden && row.cells.len() == columns);
        if fits {
            return Ok(());
        }
        Err(Error::file(
            directory,
            None,
            "its files are not of one run",
            "run `latentropy fit` again, or copy all files of the run together",
        ))
    }

    /// The chosen candidate.
    pub(super) fn chosen(&self) -> &CandidateRecord {
        &self.candidates[self.record.result.selected]
    }

    /// The standard error of a weight, where it is known.
    pub(super) fn weight_error(&self, term: usize) -> Option<f64> {
        let uncertainty = self.record.uncertainty.as_ref()?;
        uncertainty.weights.get(term)?.standard_error
    }

    /// The standard errors of the log-likelihood and of the entropy, where they are known.
    pub(super) fn errors(&self) -> (Option<f64>, Option<f64>) {
        match &self.record.uncertainty {
            Some(found) => (
                found.log_likelihood.standard_error,
                found.entropy.standard_error,
            ),
            None => (None, None),
        }
    }

    /// A setting, as text; empty where it is not there.
    pub(super) fn setting(&self, name: &str) -> String {
        match self.record.settings.get(name) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        }
    }

    /// The name of a unit.
    pub(super) fn name(&self, unit: usize) -> &str {
        &self.network.units()[unit].name
    }
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, "read", error))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let location = format!("line {}, column {}", error.line(), error.column());
        Error::file(
            path,
            location,
            format!("is not what `fit` writes ({error})"),
            REMEDY,
        )
    })
}

fn candidates(path: &Path) -> Result<Vec<CandidateRecord>> {
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, "read", error))?;
    let wrong = |problem: String| Error::file(path, None, problem, REMEDY);
    let mut table = csv::Reader::from_reader(bytes.as_slice());
    let lines: Vec<CandidateRecord> = table
        .deserialize()
        .collect::<std::result::Result<_, _>>()
        .map_err(|error| wrong(format!("is not what `fit` writes ({error})")))?;
    match lines.is_empty() {
        true => Err(wrong("holds no candidate".to_string())),
        false => Ok(lines),
    }
}
