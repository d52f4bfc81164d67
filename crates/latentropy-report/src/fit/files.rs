//! The files of a fit beside its report: model.json, start.json, candidates.csv and .jsonl, weights.csv
//! and run.json, each whole or not at all.

use latentropy::files::write_atomically;
use latentropy::fit::record::{CandidateRecord, CandidateWeights, ModelDocument, RunRecord};
use latentropy::network::SpinNetwork;
use latentropy::{Error, Fit, Result};
use std::path::Path;

/// Writes them into a directory; model.json, without which the others are no run, comes last.
pub fn write_results(
    directory: &Path,
    fit: &Fit,
    run: &RunRecord,
    model: &ModelDocument,
) -> Result<()> {
    let lines = fit.candidates.iter().enumerate().map(|(at, candidate)| {
        let record = CandidateRecord::new(candidate);
        record.cells(&candidate.network, at == fit.selected)
    });
    let candidates = table(&CandidateRecord::HEADS, lines)?;
    let run = serde_json::to_string_pretty(run).map_err(failed)? + "\n";
    let mut lines = String::new();
    for candidate in &fit.candidates {
        let line = serde_json::to_string(&CandidateWeights::new(candidate));
        lines += &(line.map_err(failed)? + "\n");
    }
    let start = fit.start_document().text();
    write_atomically(&directory.join("candidates.jsonl"), lines.as_bytes())?;
    write_atomically(&directory.join("start.json"), start.as_bytes())?;
    write_atomically(&directory.join("candidates.csv"), &candidates)?;
    write_atomically(&directory.join("weights.csv"), &weights(fit)?)?;
    write_atomically(&directory.join("run.json"), run.as_bytes())?;
    write_atomically(&directory.join("model.json"), model.text().as_bytes())
}

/// Every weight of the chosen machine: its units, its standard error where there is one, the weight of the same term in the
/// {−1,+1} view, and whether it is at the edge of the box.
fn weights(fit: &Fit) -> Result<Vec<u8>> {
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
        ]);
        cells
    };
    let units: Vec<String> = (1..=most).map(|place| format!("unit_{place}")).collect();
    let heads = ["weight", "standard_error", "spin_weight", "at_box"];
    let heads: Vec<&str> = units.iter().map(String::as_str).chain(heads).collect();
    table(&heads, (0..network.terms().len()).map(line))
}

fn table(heads: &[&str], lines: impl Iterator<Item = Vec<String>>) -> Result<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(heads).map_err(failed)?;
    for line in lines {
        table.write_record(line).map_err(failed)?;
    }
    table.into_inner().map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::failed(format!("cannot write the results: {error}"))
}
