//! The files of a fit: model.json, start.json, candidates.csv and .jsonl, weights.csv, run.json, the report, and the trace, each whole or not at all.

use crate::failure::{Failure, Outcome};
use crate::output::{self, ResultDirectory};
use crate::render::number::full;
use latentropy::Fit;
use latentropy::files::write_atomically;
use latentropy::fit::record::{CandidateRecord, CandidateWeights, ModelDocument, RunRecord};
use latentropy::network::SpinNetwork;
use latentropy_report::fit::Exhibits;
use std::path::Path;

/// Writes the files of `--out` but for the report.
pub(super) fn write_results(
    directory: &ResultDirectory,
    fit: &Fit,
    run: &RunRecord,
    model: &ModelDocument,
) -> Outcome {
    let lines = fit.candidates.iter().enumerate().map(|(at, candidate)| {
        let record = CandidateRecord::new(candidate);
        record.cells(&candidate.network, at == fit.selected)
    });
    let candidates = table(&CandidateRecord::HEADS, lines)?;
    let run = output::json_text(run)? + "\n";
    let mut lines = String::new();
    for candidate in &fit.candidates {
        let line = serde_json::to_string(&CandidateWeights::new(candidate));
        let line = line
            .map_err(|error| Failure::Running(format!("cannot write candidates.jsonl: {error}")))?;
        lines += &(line + "\n");
    }
    let start = fit.start_document().text();
    write_atomically(&directory.file("candidates.jsonl"), lines.as_bytes())?;
    write_atomically(&directory.file("start.json"), start.as_bytes())?;
    write_atomically(&directory.file("candidates.csv"), &candidates)?;
    write_atomically(&directory.file("weights.csv"), &weights(fit)?)?;
    write_atomically(&directory.file("run.json"), run.as_bytes())?;
    write_atomically(&directory.file("model.json"), model.text().as_bytes())?;
    Ok(())
}

/// Every weight of the chosen machine: its units, its standard error where there is one, the weight of the same term in the
/// {−1,+1} view, and whether it is at the edge of the box.
fn weights(fit: &Fit) -> Outcome<Vec<u8>> {
    let chosen = fit.chosen();
    let network = &chosen.network;
    // Terms of very high order have no such view.
    let spins = SpinNetwork::of(network).ok();
    let most = network.order();
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

/// Writes what the report needs beyond the other files, and the report itself.
pub(super) fn write_report(directory: &ResultDirectory, exhibits: &Exhibits) -> Outcome {
    let text = serde_json::to_string(exhibits)
        .map_err(|error| Failure::Running(format!("cannot write the report: {error}")))?;
    write_atomically(&directory.file("report.json"), (text + "\n").as_bytes())?;
    latentropy_report::fit::write(directory.path(), None)?;
    Ok(())
}

/// Writes every iteration of every candidate; where validation rows were watched, every look at them.
pub(super) fn write_trace(path: &Path, fit: &Fit) -> Outcome {
    if fit.candidates.iter().any(|c| c.monitored.is_some()) {
        return Ok(write_atomically(path, &looks(fit)?)?);
    }
    let heads = ["candidate", "iteration", "log_likelihood", "q", "residual"];
    let lines = fit.candidates.iter().flat_map(|candidate| {
        let entries = candidate.trace.iter().enumerate();
        entries.map(|(iteration, entry)| {
            vec![
                candidate.index.to_string(),
                iteration.to_string(),
                full(entry.log_likelihood),
                full(entry.q),
                full(entry.residual),
            ]
        })
    });
    Ok(write_atomically(path, &table(&heads, lines)?)?)
}

/// What every look at the validation rows saw.
fn looks(fit: &Fit) -> Outcome<Vec<u8>> {
    let heads = [
        "candidate",
        "pass",
        "training_log_likelihood",
        "validation_log_likelihood",
        "std_err",
        "free_energy_gap",
        "kept",
    ];
    let lines = fit.candidates.iter().flat_map(|candidate| {
        let monitored = candidate.monitored.iter();
        monitored.flat_map(|monitored| {
            let looks = monitored.looks.iter().enumerate();
            looks.map(|(at, look)| {
                vec![
                    candidate.index.to_string(),
                    look.pass.to_string(),
                    full(look.training),
                    full(look.validation),
                    full(look.std_err),
                    full(look.gap),
                    (at == monitored.kept).to_string(),
                ]
            })
        })
    });
    table(&heads, lines)
}

fn table(heads: &[&str], lines: impl Iterator<Item = Vec<String>>) -> Outcome<Vec<u8>> {
    let failed = |error: csv::Error| Failure::Running(format!("cannot write a table: {error}"));
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(heads).map_err(failed)?;
    for line in lines {
        table.write_record(line).map_err(failed)?;
    }
    table
        .into_inner()
        .map_err(|error| Failure::Running(format!("cannot write a table: {error}")))
}
