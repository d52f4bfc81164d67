//! The files of a fit: model.json, start.json, candidates.csv and .jsonl, weights.csv, report.json, run.json and report.html,
//! all of one run, whole or not at all.

use super::exhibits::Exhibits;
use super::html;
use latentropy::files::{Content, MANIFEST, Manifest, RunDirectory, Staging};
use latentropy::fit::record::{CandidateRecord, CandidateWeights, ModelDocument, RunRecord};
use latentropy::network::SpinNetwork;
use latentropy::plain::csv_cell;
use latentropy::{Error, Fit, Result};
use std::borrow::Cow;

/// What a run of a fit is called in its manifest.
const KIND: &str = "fit";
/// Made anew by `report` whenever it is asked for.
pub(super) const REPORT: &str = "report.html";

/// All files that a fit writes.
pub const FILES: [&str; 8] = [
    "model.json",
    "start.json",
    "candidates.csv",
    "candidates.jsonl",
    "weights.csv",
    "report.json",
    MANIFEST,
    REPORT,
];

/// What a fit leaves behind.
#[derive(Debug)]
pub struct RunFiles<'a> {
    /// What was found.
    pub fit: &'a Fit,
    /// What run.json says.
    pub run: RunRecord,
    /// What model.json says.
    pub model: ModelDocument,
    /// What the report needs beyond them; without it, there is none.
    pub exhibits: Option<Exhibits>,
}

/// Files in a directory that a fit would write and that no fit has written as they are, or the run of something else: what
/// would be lost there.
pub fn in_the_way(directory: &RunDirectory) -> Vec<String> {
    match directory.content() {
        Content::Nothing => Vec::new(),
        _ => directory.foreign(KIND, &FILES),
    }
}

impl RunFiles<'_> {
    /// Puts all files into a directory, in place of those of an earlier fit; false where the report is left out since it cannot
    /// be made, and why.
    pub fn write(mut self, directory: &RunDirectory) -> Result<std::result::Result<(), Error>> {
        let run = self.name()?;
        self.model.run = Some(run.clone());
        let mut start = self.fit.start_document();
        start.run = Some(run.clone());
        let mut staging = directory.stage()?;
        staging.put("model.json", self.model.text().as_bytes())?;
        staging.put("start.json", start.text().as_bytes())?;
        staging.put("candidates.csv", &candidates(self.fit, &run)?)?;
        staging.put("candidates.jsonl", &weights_of_all(self.fit, Some(&run))?)?;
        staging.put("weights.csv", &weights(self.fit, &run)?)?;
        let has_report = self.exhibits.is_some();
        if let Some(mut exhibits) = self.exhibits.take() {
            exhibits.run.clone_from(&run);
            let text = serde_json::to_string(&exhibits).map_err(failed)? + "\n";
            staging.put("report.json", text.as_bytes())?;
        }
        self.run.manifest = staging.manifest(KIND, &run, &[REPORT]);
        let text = serde_json::to_string_pretty(&self.run).map_err(failed)? + "\n";
        staging.put(MANIFEST, text.as_bytes())?;
        // A page that cannot be made must not cost what was learned.
        let page = match has_report {
            true => page(&mut staging),
            false => Ok(()),
        };
        staging.commit()?;
        Ok(page)
    }

    /// The run's name: a digest of what was found, so that the same run has the same, however often it was interrupted.
    fn name(&self) -> Result<String> {
        let model = self.model.text();
        let all = weights_of_all(self.fit, None)?;
        let candidates = candidates(self.fit, "")?;
        let seed = self.run.seed.to_string();
        let parts = [
            self.run.version.as_bytes(),
            self.run.data.fingerprint.as_bytes(),
            seed.as_bytes(),
            model.as_bytes(),
            &all,
            &candidates,
        ];
        Ok(Manifest::name_of(parts))
    }
}

fn page(staging: &mut Staging<'_>) -> Result<()> {
    let page = html(staging.path(), None)?;
    staging.put(REPORT, page.as_bytes())
}

/// One line per candidate.
fn candidates(fit: &Fit, run: &str) -> Result<Vec<u8>> {
    let lines = fit.candidates.iter().enumerate().map(|(at, candidate)| {
        let record = CandidateRecord::new(candidate);
        let mut cells = record.cells(&candidate.network, at == fit.selected);
        cells.push(run.to_string());
        cells
    });
    let heads: Vec<&str> = CandidateRecord::HEADS.into_iter().chain(["run"]).collect();
    table(&heads, lines)
}

/// What every candidate began at and ended with, one line each.
fn weights_of_all(fit: &Fit, run: Option<&str>) -> Result<Vec<u8>> {
    let mut lines = Vec::new();
    for candidate in &fit.candidates {
        let mut line = CandidateWeights::new(candidate);
        line.run = run.map(str::to_string);
        serde_json::to_writer(&mut lines, &line).map_err(failed)?;
        lines.push(b'\n');
    }
    Ok(lines)
}

/// Every weight of the chosen machine: its units, its standard error where there is one, the weight of the same term in the
/// {−1,+1} view, and whether it is at the edge of the box.
fn weights(fit: &Fit, run: &str) -> Result<Vec<u8>> {
    let chosen = fit.chosen();
    let network = &chosen.network;
    // Terms of very high order have no such view.
    let spins = SpinNetwork::of(network).ok();
    let most = network.order();
    let full = |value: f64| format!("{value:?}");
    let optional = |value: Option<f64>| value.map(full).unwrap_or_default();
    let line = |at: usize| {
        let units = network.terms()[at].units();
        let name = |place: usize| {
            let unit = units.get(place);
            unit.map_or_else(String::new, |&unit| network.units()[unit].name.clone())
        };
        let mut cells: Vec<String> = (0..most).map(name).collect();
        cells.extend([
            full(network.weights()[at]),
            optional(chosen.standard_errors.weights[at]),
            optional(spins.as_ref().map(|spins| spins.terms[at].1)),
            chosen.certificate.boundary_terms.contains(&at).to_string(),
            run.to_string(),
        ]);
        cells
    };
    let units: Vec<String> = (1..=most).map(|place| format!("unit_{place}")).collect();
    let heads = ["weight", "standard_error", "spin_weight", "at_box", "run"];
    let heads: Vec<&str> = units.iter().map(String::as_str).chain(heads).collect();
    table(&heads, (0..network.terms().len()).map(line))
}

fn table(heads: &[&str], lines: impl Iterator<Item = Vec<String>>) -> Result<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(heads).map_err(failed)?;
    for line in lines {
        let cells: Vec<Cow<'_, str>> = line.iter().map(|cell| csv_cell(cell)).collect();
        let cells = cells.iter().map(|cell| cell.as_bytes());
        table.write_record(cells).map_err(failed)?;
    }
    table.into_inner().map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::failed(format!("cannot write the results: {error}"))
}
