//! `score`: how probable rows are under a model, what they do not show summed out.

use super::engine;
use super::inputs::{self, Purpose, RowLabels};
use crate::args::{EngineArg, ScoreArgs};
use crate::failure::{Failure, Outcome};
use crate::output;
use crate::progress::Busy;
use crate::render::{self, Style, number};
use crate::wording::Flags;
use latentropy::data::Dataset;
use latentropy::inference::Value;
use latentropy::network::Clamp;
use latentropy::score;
use serde::Serialize;

/// The document of `score --json`.
#[derive(Serialize)]
struct Document<'a> {
    rows: usize,
    /// What the rows weigh together, where they have weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows_weigh: Option<f64>,
    mean_log_likelihood: Value,
    /// Standard error of the mean over rows; what the mean itself is worth for these rows, its kind says.
    standard_error_over_rows: Option<f64>,
    /// Who summed over states for log Z, and why.
    engine: &'static str,
    reason: String,
    log_partition: Value,
    missing_cells: u64,
    /// Rows without a known cell: each counts with log-likelihood 0.
    unknown_rows: usize,
    per_row: &'a [f64],
    /// The rows' names, where a column holds them.
    #[serde(skip_serializing_if = "Option::is_none")]
    ids: Option<&'a [String]>,
    warnings: &'a [String],
}

/// Scores and prints.
pub(super) fn run(args: &ScoreArgs) -> Outcome {
    let sampling = engine::sampling(&args.engine)?;
    if args.engine.engine == EngineArg::All {
        return Err(Failure::Request(
            "score takes one engine; `infer --engine all` compares them".to_string(),
        ));
    }
    inputs::use_threads(&args.run)?;
    let mut warnings = Vec::new();
    let (network, words) = inputs::model_and_words(&args.model, &mut warnings)?;
    let weights = Some(&args.weights);
    let loaded = inputs::data(&args.data, weights, words, Purpose::Scoring, &mut warnings)?;
    let data = &loaded.dataset;
    inputs::matched_units(&network, data, &args.data.data, &mut warnings)?;
    let busy = Busy::new("scoring the rows", args.run.quiet);
    let none = Clamp::none(network.units().len());
    let choice = engine::choose(&args.engine, &network, &none)?;
    let scores = score(&network, data, Some(choice.engine), &sampling)?;
    drop(busy);
    warnings.extend(scores.remarks.iter().map(|remark| remark.worded(&Flags)));
    let distinct = data.distinct_of().iter();
    let per_row: Vec<f64> = distinct
        .map(|&row| scores.by_distinct_row[row as usize])
        .collect();
    let standard_error = standard_error(data, &per_row, scores.mean.value);
    if args.json {
        output::print_json(&Document {
            rows: data.len(),
            rows_weigh: args
                .weights
                .weights
                .as_ref()
                .map(|_| data.weights().iter().sum()),
            mean_log_likelihood: scores.mean,
            standard_error_over_rows: standard_error,
            engine: choice.engine.name(),
            reason: choice.reason.worded(&Flags),
            log_partition: scores.log_partition,
            missing_cells: data.missing_cells(),
            unknown_rows: data.len() - data.known_rows().len(),
            per_row: &per_row,
            ids: loaded.row_names.as_ref().map(|names| &names.names[..]),
            warnings: &warnings,
        })?;
    } else if args.per_row {
        print_rows(&RowLabels::new(&loaded), &per_row)?;
    } else {
        let style = Style::of_stdout().in_bits(args.bits);
        let text = render::score::text(data, &scores, &choice, &per_row, standard_error, style);
        output::print(&text)?;
    }
    output::warn(&warnings, args.run.quiet);
    Ok(())
}

fn print_rows(labels: &RowLabels<'_>, per_row: &[f64]) -> Outcome {
    let mut table = output::csv_on_stdout();
    table
        .write_record([labels.head(), "log_likelihood"])
        .map_err(output::csv_failure)?;
    for (at, &value) in per_row.iter().enumerate() {
        table
            .write_record([labels.of(at), number::full(value)])
            .map_err(output::csv_failure)?;
    }
    table
        .flush()
        .map_err(|error| Failure::of_standard_output(&error))
}

/// The standard error of the rows' mean, by their weights (linearised, as of any weighted mean of a sample); none from a
/// single row.
fn standard_error(data: &Dataset, per_row: &[f64], mean: f64) -> Option<f64> {
    let weighed = per_row.iter().enumerate();
    let weighed = weighed.map(|(row, value)| (data.row_weight(row), value));
    let counted: Vec<(f64, &f64)> = weighed.filter(|(weight, _)| *weight > 0.0).collect();
    let (rows, sum) = (
        counted.len() as f64,
        counted.iter().map(|(weight, _)| weight).sum::<f64>(),
    );
    let squared = |(weight, value): &(f64, &f64)| (weight * (*value - mean)).powi(2);
    let squares: f64 = counted.iter().map(squared).sum();
    (counted.len() > 1).then(|| (squares * rows / (rows - 1.0)).sqrt() / sum)
}
