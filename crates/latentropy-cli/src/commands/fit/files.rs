//! The files of a fit: model.json, candidates.csv, run.json, the report, and the trace, each whole or not at all.

use super::plan::Plan;
use super::{Finding, Timings};
use crate::args::FitArgs;
use crate::failure::{Failure, Outcome};
use crate::output::{self, ResultDirectory};
use crate::render::number::full;
use latentropy::files::write_atomically;
use latentropy::inference::Kind;
use latentropy::learning::{SequentialRule, Step};
use latentropy::network::{Format, Network, network_to_bytes};
use latentropy::selection::{Candidate, Fit};
use latentropy_report::fit::Evidence;
use serde_json::{Value, json};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Writes the files of `--out` but for the report.
pub(super) fn write_results(
    directory: &ResultDirectory,
    args: &FitArgs,
    plan: &Plan,
    finding: &Finding,
    timings: &Timings,
) -> Outcome {
    let fit = finding.fit;
    let model = model_text(&fit.chosen().network, &fit_fields(plan, fit))?;
    let mut run = run_fields(args, plan, finding, timings);
    run["uncertainty"] = finding.uncertainty.fields(fit.chosen());
    let run = output::json_text(&run)? + "\n";
    write_atomically(&directory.file("candidates.csv"), &candidates_table(fit)?)?;
    write_atomically(&directory.file("run.json"), run.as_bytes())?;
    write_atomically(&directory.file("model.json"), model.as_bytes())?;
    Ok(())
}

/// Writes what the report needs beyond the other files, and the report itself.
pub(super) fn write_report(directory: &ResultDirectory, evidence: &Evidence) -> Outcome {
    let text = serde_json::to_string(evidence)
        .map_err(|error| Failure::Running(format!("cannot write the report: {error}")))?;
    write_atomically(&directory.file("report.json"), (text + "\n").as_bytes())?;
    latentropy_report::fit::write(directory.path())?;
    Ok(())
}

/// Writes every iteration of every candidate.
pub(super) fn write_trace(path: &Path, fit: &Fit) -> Outcome {
    let heads = ["candidate", "iteration", "log_likelihood", "q", "residual"];
    let lines = fit.candidates.iter().flat_map(|candidate| {
        candidate
            .trace
            .iter()
            .enumerate()
            .map(|(iteration, entry)| {
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

fn candidates_table(fit: &Fit) -> Outcome<Vec<u8>> {
    const HEADS: [&str; 21] = [
        "index",
        "seed_stream",
        "log_likelihood",
        "entropy",
        "residual",
        "iterations",
        "stop",
        "certificate",
        "mutual_information",
        "solution",
        "feasible",
        "trivial",
        "boundary_terms",
        "largest_eigenvalue",
        "selected",
        "log_likelihood_se",
        "entropy_se",
        "log_likelihood_kind",
        "log_likelihood_std_err",
        "entropy_kind",
        "entropy_std_err",
    ];
    let optional = |value: Option<f64>| value.map(full).unwrap_or_default();
    let line = |(at, candidate): (usize, &Candidate)| {
        let network = &candidate.network;
        let boundary = candidate.certificate.boundary_terms.iter();
        let boundary: Vec<String> = boundary.map(|&term| network.label(term)).collect();
        vec![
            candidate.index.to_string(),
            candidate.seed_stream.to_string(),
            full(candidate.log_likelihood),
            full(candidate.entropy.value),
            full(candidate.residual),
            candidate.iterations.to_string(),
            candidate.stop.to_string(),
            candidate.certificate.kind.to_string(),
            optional(candidate.mutual_information),
            candidate.solution.to_string(),
            candidate.feasible.to_string(),
            candidate.trivial.to_string(),
            boundary.join("; "),
            optional(candidate.certificate.largest_eigenvalue),
            (at == fit.selected).to_string(),
            optional(candidate.standard_errors.log_likelihood),
            optional(candidate.standard_errors.entropy),
            spelled(candidate.worth.log_likelihood),
            optional(candidate.worth.log_likelihood_error),
            spelled(candidate.entropy.kind),
            optional(candidate.entropy.std_err),
        ]
    };
    table(&HEADS, fit.candidates.iter().enumerate().map(line))
}

/// A kind as JSON documents spell it.
fn spelled(kind: Kind) -> String {
    kind.words().to_lowercase().replace(' ', "_")
}

/// A model file with one more field, which readers of the format ignore.
fn model_text(network: &Network, fit: &Value) -> Outcome<String> {
    let (bytes, _) = network_to_bytes(Format::Json, network)?;
    let text = String::from_utf8_lossy(&bytes);
    let open = text
        .trim_end()
        .strip_suffix('}')
        .unwrap_or(&text)
        .trim_end();
    Ok(format!("{open},\n\"fit\": {fit}\n}}\n"))
}

/// Where a model comes from, kept in its own file.
fn fit_fields(plan: &Plan, fit: &Fit) -> Value {
    let chosen = fit.chosen();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "select": plan.settings.principle.to_string(),
        "seed": plan.settings.seed,
        "candidate": chosen.index,
        "feasible": chosen.feasible,
        "engine": plan.settings.learning.engine.name(),
        "log_likelihood": chosen.log_likelihood,
        "log_likelihood_kind": spelled(chosen.worth.log_likelihood),
        "entropy": chosen.entropy.value,
        "residual": chosen.residual,
        "certificate": chosen.certificate.kind.to_string(),
        "rows": plan.data.len(),
        "data_fingerprint": fingerprint(plan),
    })
}

fn fingerprint(plan: &Plan) -> String {
    format!("{:016x}", plan.data.fingerprint())
}

fn run_fields(args: &FitArgs, plan: &Plan, finding: &Finding, timings: &Timings) -> Value {
    let fit = finding.fit;
    let (settings, learning) = (&plan.settings, &plan.settings.learning);
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let started = timings
        .started
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let mut run = json!({
        "program": "latentropy",
        "version": env!("CARGO_PKG_VERSION"),
        "arguments": arguments,
        "settings": {
            "hidden": plan.structure.hidden().len(),
            "shape": args.machine.shape,
            "bias": !args.machine.no_bias,
            "order": plan.structure.order(),
            "learner": learning.learner.to_string(),
            "inner": learning.inner,
            "finish": learning.finish,
            "warm_up": learning.warm_up,
            "step": match learning.step {
                Step::Controlled => json!("controlled"),
                Step::Fixed(step) => json!(step),
            },
            "rule": match learning.rule {
                SequentialRule::Byrne => "byrne",
                SequentialRule::Collins => "collins",
            },
            "cd_steps": learning.cd_steps,
            "chains": learning.chains,
            "cd_rate": learning.schedule.first,
            "cd_decay": learning.schedule.decay,
            "anneal": learning.anneal,
            "engine": learning.engine.name(),
            "engine_reason": plan.engine_reason,
            "ridge": learning.ridge,
            "box": learning.bound,
            "tol": learning.tolerance,
            "max_iter": learning.max_iterations,
            "restarts": settings.restarts,
            "folds": plan.validation.as_ref().map(|validation| validation.folds),
            "select": settings.principle.to_string(),
            "bootstrap": plan.bootstrap.map(|bootstrap| bootstrap.resamples),
            "bootstrap_kind": plan.bootstrap.map(|bootstrap| bootstrap.kind.to_string()),
            "columns": args.data.columns,
        },
        "seed": settings.seed,
        "data": {
            "file": args.data.data.to_string_lossy(),
            "fingerprint": fingerprint(plan),
            "rows": plan.data.len(),
            "distinct_rows": plan.data.rows().len(),
            "columns": plan.data.columns(),
            "missing_cells": plan.data.missing_cells(),
        },
        "result": {
            "selected": fit.selected,
            "selected_is_feasible": fit.selected_is_feasible,
            "distinct_solutions": fit.distinct_solutions,
            "boundary": finding.edge.field(&fit.chosen().network),
            "warnings": finding.warnings,
        },
        "threads": rayon::current_num_threads(),
        "timings": {
            "started_unix": started.as_secs_f64(),
            "reading_seconds": timings.reading.as_secs_f64(),
            "choosing_seconds": timings.choosing.as_secs_f64(),
            "fitting_seconds": timings.fitting.as_secs_f64(),
            "resampling_seconds": timings.resampling.as_secs_f64(),
        },
    });
    if let Value::Object(fields) = &mut run {
        fields.extend(plan.choices.fields());
    }
    run
}
