//! `score`: how probable rows are under a model, what they do not show summed out.

use super::engine;
use super::inputs::{self, Purpose, RowLabels};
use crate::args::{EngineArg, ScoreArgs};
use crate::failure::{Failure, Outcome};
use crate::output;
use crate::progress::Busy;
use crate::render::{self, Style, number};
use crate::wording::Flags;
use latentropy::answers::{AtLeast, Scores};
use latentropy::data::Dataset;
use latentropy::inference::{Within, Witnesses};
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
    mean_log_likelihood: Within,
    /// What the mean is not below, by annealing backward from the rows; where log Z was sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    raise: Option<AtLeast>,
    /// Standard error of the mean over rows; what the mean itself is worth for these rows, its kind says.
    standard_error_over_rows: Option<f64>,
    /// Who summed over states for log Z, and why.
    engine: &'static str,
    reason: String,
    log_partition: Within,
    /// The ways to log Z, where it was sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    log_partition_witnesses: Option<&'a Witnesses>,
    missing_cells: u64,
    /// Rows without a known cell: each counts with log-likelihood 0.
    unknown_rows: usize,
    per_row: &'a [f64],
    /// The standard error of each row's log-likelihood, that of log Z included (null: exact); where some row was sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    per_row_std_err: Option<Vec<Option<f64>>>,
    /// The numbers, from 1 on, of rows that leave too much open for exact sums and were annealed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sampled_rows: Vec<usize>,
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
    let worth = Worth::new(data, &scores);
    let standard_error = scores.std_err_over_rows(data);
    if args.json {
        output::print_json(&Document {
            rows: data.len(),
            rows_weigh: args
                .weights
                .weights
                .as_ref()
                .map(|_| data.weights().iter().sum()),
            mean_log_likelihood: scores.mean_within(),
            raise: scores.at_least,
            standard_error_over_rows: standard_error,
            engine: choice.engine.name(),
            reason: choice.reason.worded(&Flags),
            log_partition: scores.log_partition_within(),
            log_partition_witnesses: scores.witnesses.as_deref(),
            missing_cells: data.missing_cells(),
            unknown_rows: data.len() - data.known_rows().len(),
            per_row: &per_row,
            per_row_std_err: worth.is_sampled().then(|| worth.std_errs.clone()),
            sampled_rows: worth.sampled_rows(),
            ids: loaded.row_names.as_ref().map(|names| &names.names[..]),
            warnings: &warnings,
        })?;
    } else if args.per_row {
        print_rows(&RowLabels::new(&loaded), &per_row, &worth)?;
    } else {
        let style = Style::of_stdout().in_bits(args.bits);
        let sampled = worth.sampled_rows().len();
        let found = render::score::Found {
            scores: &scores,
            engine: &choice,
            per_row: &per_row,
            standard_error,
            sampled,
        };
        let text = render::score::text(data, &found, style);
        output::print(&text)?;
    }
    output::warn(&warnings, args.run.quiet);
    Ok(())
}

/// What each row's log-likelihood is worth.
struct Worth {
    std_errs: Vec<Option<f64>>,
    is_sampled: Vec<bool>,
}

impl Worth {
    fn new(data: &Dataset, scores: &Scores) -> Self {
        let distinct = data.distinct_of().iter().map(|&row| row as usize);
        Worth {
            std_errs: distinct
                .clone()
                .map(|row| scores.std_err(row, data.is_known(row)))
                .collect(),
            is_sampled: distinct
                .map(|row| scores.sampled_errors[row].is_some())
                .collect(),
        }
    }

    /// True where some row was sampled.
    fn is_sampled(&self) -> bool {
        self.is_sampled.contains(&true)
    }

    /// The numbers of rows that were sampled, from 1 on.
    fn sampled_rows(&self) -> Vec<usize> {
        let rows = self.is_sampled.iter().enumerate();
        rows.filter_map(|(at, is_sampled)| is_sampled.then_some(at + 1))
            .collect()
    }
}

/// One line per row; what it is worth beside it where some row was sampled.
fn print_rows(labels: &RowLabels<'_>, per_row: &[f64], worth: &Worth) -> Outcome {
    let mut table = output::csv_on_stdout();
    let mut heads = vec![labels.head(), "log_likelihood"];
    if worth.is_sampled() {
        heads.extend(["std_err", "sampled"]);
    }
    table.write_record(&heads).map_err(output::csv_failure)?;
    for (at, &value) in per_row.iter().enumerate() {
        let mut cells = vec![labels.of(at), number::full(value)];
        if worth.is_sampled() {
            cells.push(worth.std_errs[at].map(number::full).unwrap_or_default());
            cells.push(u8::from(worth.is_sampled[at]).to_string());
        }
        table.write_record(&cells).map_err(output::csv_failure)?;
    }
    table
        .flush()
        .map_err(|error| Failure::of_standard_output(&error))
}
