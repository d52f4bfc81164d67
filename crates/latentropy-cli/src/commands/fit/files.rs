//! The trace of a fit, whole or not at all.

use crate::failure::{Failure, Outcome};
use crate::output::Table;
use crate::render::number::full;
use latentropy::Fit;
use latentropy::files::write_atomically;
use std::path::Path;

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
    let mut table = Table::on(Vec::new());
    table.write_record(heads).map_err(failed)?;
    for line in lines {
        table.write_record(line).map_err(failed)?;
    }
    table
        .into_inner()
        .map_err(|error| Failure::Running(format!("cannot write a table: {error}")))
}
