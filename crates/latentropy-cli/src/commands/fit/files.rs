//! The files of a fit: model.json, candidates.csv, run.json, the report, and the trace, each whole or not at all.

use crate::failure::{Failure, Outcome};
use crate::output::{self, ResultDirectory};
use crate::render::number::full;
use latentropy::Fit;
use latentropy::files::write_atomically;
use latentropy::fit::record::{CandidateRecord, ModelDocument, RunRecord};
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
    write_atomically(&directory.file("candidates.csv"), &candidates)?;
    write_atomically(&directory.file("run.json"), run.as_bytes())?;
    write_atomically(&directory.file("model.json"), model.text().as_bytes())?;
    Ok(())
}

/// Writes what the report needs beyond the other files, and the report itself.
pub(super) fn write_report(directory: &ResultDirectory, exhibits: &Exhibits) -> Outcome {
    let text = serde_json::to_string(exhibits)
        .map_err(|error| Failure::Running(format!("cannot write the report: {error}")))?;
    write_atomically(&directory.file("report.json"), (text + "\n").as_bytes())?;
    latentropy_report::fit::write(directory.path())?;
    Ok(())
}

/// Writes every iteration of every candidate.
pub(super) fn write_trace(path: &Path, fit: &Fit) -> Outcome {
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
