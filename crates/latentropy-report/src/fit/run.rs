//! A run directory read back: `run.json`, `candidates.csv`, `model.json` and `report.json`.

use super::candidate_table;
use super::exhibits::{Exhibits, FORMAT};
use super::grid::Grid;
use latentropy::files::{Manifest, read_bounded};
use latentropy::fit::record::{CandidateRecord, RunRecord};
use latentropy::network::{Network, read_network};
use latentropy::{Error, Result};
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::path::Path;

/// What the report is made from.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) record: RunRecord,
    pub(super) candidates: Vec<CandidateRecord>,
    pub(super) network: Network,
    pub(super) exhibits: Exhibits,
    /// The grid that the columns form, where they are said to form one.
    pub(super) grid: Option<Grid>,
}

/// What to do about a directory that is not whole.
pub(super) const REMEDY: &str =
    "give the directory that `latentropy fit --out` wrote, with all its files";

impl Run {
    /// Reads a run directory and checks that its files belong together; a grid that is given counts for the one of the run.
    pub(super) fn read(directory: &Path, grid: Option<Grid>) -> Result<Self> {
        check_place(directory)?;
        let wrong = |problem: &str| Error::file(directory, None, problem, REMEDY);
        let absent: Vec<&str> = ["run.json", "candidates.csv", "model.json", "report.json"]
            .into_iter()
            .filter(|name| !directory.join(name).is_file())
            .collect();
        if !absent.is_empty() {
            return Err(wrong(&format!("has no {}", absent.join(", no "))));
        }
        let remedy = "copy all files of one run together, or run `latentropy fit` again";
        Manifest::check(directory, None, remedy)?;
        let network = read_network(&directory.join("model.json"))?.network;
        let record: RunRecord = json(&directory.join("run.json"))?;
        let run = Run {
            grid: grid.or(record.data.image.map(Grid::of_record)),
            record,
            candidates: candidate_table::read(&directory.join("candidates.csv"), &network)?,
            exhibits: json(&directory.join("report.json"))?,
            network,
        };
        run.check(directory)?;
        if let Some(grid) = run.grid {
            grid.check(directory, run.record.data.columns.len())?;
        }
        Ok(run)
    }

    fn check(&self, directory: &Path) -> Result<()> {
        let format = &self.exhibits.format;
        if format != FORMAT {
            return Err(Error::file(
                &directory.join("report.json"),
                "field format".to_string(),
                format!("the layout is \"{format}\", and this program knows \"{FORMAT}\""),
                "run `latentropy fit` again with this version",
            ));
        }
        if self.is_of_one_run() {
            return Ok(());
        }
        Err(Error::file(
            directory,
            None,
            "its files are not of one run",
            "run `latentropy fit` again, or copy all files of the run together",
        ))
    }

    /// Whether the files speak of the same candidates, columns and units.
    fn is_of_one_run(&self) -> bool {
        let exhibits = &self.exhibits;
        let (candidates, columns) = (self.candidates.len(), self.record.data.columns.len());
        let units = self.network.units().len();
        let hidden = self.network.hidden().len();
        [self.record.result.selected, exhibits.lme, exhibits.mle]
            .iter()
            .all(|&at| at < candidates)
            && exhibits.strongest.len() == candidates
            && exhibits.columns.len() == columns
            && exhibits.unit_means.len() == units
            && exhibits
                .pairs
                .iter()
                .all(|pair| pair.a < columns && pair.b < columns)
            && exhibits.histograms.len() == hidden
            && exhibits.states.is_of(columns)
            && exhibits.findings.is_within(columns, units)
            && exhibits
                .rows
                .iter()
                .all(|row| row.hidden.len() == hidden && row.cells.len() == columns)
    }

    /// The chosen candidate.
    pub(super) fn chosen(&self) -> &CandidateRecord {
        &self.candidates[self.record.result.selected]
    }

    /// How many rows were learned from, by their weights: those with a known cell.
    pub(super) fn rows_used(&self) -> f64 {
        let data = &self.record.data;
        match data.rows_used {
            // A record of a program that did not say.
            0.0 => data.rows as f64,
            used => used,
        }
    }

    /// The standard error of a weight, where it is known.
    pub(super) fn weight_error(&self, term: usize) -> Option<f64> {
        let uncertainty = self.record.uncertainty.as_ref()?;
        uncertainty.weights.get(term)?.number.standard_error
    }

    /// Whether latent maximum entropy and maximum likelihood choose one solution, be it by two restarts.
    pub(super) fn principles_agree(&self) -> bool {
        let solution = |at: usize| self.candidates[at].solution;
        solution(self.exhibits.lme) == solution(self.exhibits.mle)
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

    /// The unit of every column, in the order of the data; none where a column has none.
    pub(super) fn units_of_columns(&self) -> Option<Vec<usize>> {
        let units = self.network.units().iter().enumerate();
        let by_name: HashMap<&str, usize> =
            units.map(|(at, unit)| (unit.name.as_str(), at)).collect();
        let columns = self.record.data.columns.iter();
        columns
            .map(|name| by_name.get(name.as_str()).copied())
            .collect()
    }

    /// How strongly each unit is connected: the sum of the squared weights of its terms on two and more units.
    pub(super) fn strengths(&self) -> Vec<f64> {
        let mut strengths = vec![0.0; self.network.units().len()];
        let terms = self.network.terms().iter().zip(self.network.weights());
        for (term, weight) in terms.filter(|(term, _)| term.order() > 1) {
            for &unit in term.units() {
                strengths[unit] += weight * weight;
            }
        }
        strengths
    }

    /// The most strongly connected of some units, at most so many, the strongest first.
    pub(super) fn strongest(&self, units: &[usize], most: usize) -> Vec<usize> {
        let strengths = self.strengths();
        let mut found = units.to_vec();
        // Ties stay in the order of the units.
        found.sort_by(|&a, &b| strengths[b].total_cmp(&strengths[a]));
        found.truncate(most);
        found
    }

    /// The name of a unit.
    pub(super) fn name(&self, unit: usize) -> &str {
        &self.network.units()[unit].name
    }
}

/// Refuses what is no directory.
pub(super) fn check_place(directory: &Path) -> Result<()> {
    let wrong = |problem: &str| Err(Error::file(directory, None, problem, REMEDY));
    match (directory.exists(), directory.is_dir()) {
        (false, _) => wrong("there is no such directory"),
        (true, false) => wrong("is a file, not a directory"),
        (true, true) => Ok(()),
    }
}

/// Most bytes of a file that is read back.
pub(super) const LONGEST: u64 = 1 << 30;

fn json<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let bytes = read_bounded(path, LONGEST)?;
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
