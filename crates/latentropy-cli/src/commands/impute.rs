//! `impute`: data with its missing cells filled by what a model says about them, once or many times.

use super::inputs::{self, Purpose};
use crate::args::ImputeArgs;
use crate::failure::{Failure, Outcome};
use crate::output;
use crate::progress::Busy;
use crate::render::number;
use crate::spoken::Spoken;
use crate::wording::Flags;
use latentropy::answers::impute_draws;
use latentropy::data::{Cell, Coding, Loaded};
use latentropy::impute;
use latentropy::network::Network;
use serde::{Serialize, Serializer};

/// A cell of the result.
#[derive(Clone, Copy)]
enum Filled {
    /// Known, or its more probable or drawn value.
    Value(bool),
    /// The probability that a missing cell is one.
    Probability(f64),
}

impl Serialize for Filled {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Filled::Value(value) => serializer.serialize_u8(u8::from(value)),
            Filled::Probability(probability) => serializer.serialize_f64(probability),
        }
    }
}

/// The document of `impute --json`: one table in `rows`, or those of `--draws` in `draws`.
#[derive(Serialize)]
struct Document<'a> {
    columns: &'a [&'a str],
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<&'a [Vec<Filled>]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    draws: Option<&'a [Vec<Vec<Filled>>]>,
    filled_cells: u64,
    filled_with: &'static str,
    /// The rows' names, where a column holds them.
    #[serde(skip_serializing_if = "Option::is_none")]
    ids: Option<&'a [String]>,
    /// What the words of columns mean: the document itself has 0 and 1.
    #[serde(skip_serializing_if = "<[Coding]>::is_empty")]
    codings: &'a [Coding],
    warnings: &'a [String],
}

/// Fills and prints.
pub(super) fn run(args: &ImputeArgs) -> Outcome {
    inputs::use_threads(&args.run)?;
    let mut warnings = Vec::new();
    let (network, words) = inputs::model_and_words(&args.model, &mut warnings)?;
    let loaded = inputs::data(&args.data, None, words, Purpose::Filling, &mut warnings)?;
    let data = &loaded.dataset;
    let units = inputs::matched_units(&network, data, &args.data.data, &mut warnings)?;
    let busy = Busy::new("filling missing cells", args.run.quiet);
    let tables = match args.draws {
        Some(draws) => drawn(&network, &loaded, draws, args.seed, &mut warnings)?,
        None => vec![filled(&network, &loaded, args.mode, &mut warnings)?],
    };
    drop(busy);
    output::warn(&warnings, args.run.quiet);

    // The units' names: columns without names of their own are known by now.
    let names = units
        .iter()
        .map(|&unit| network.units()[unit].name.as_str());
    let columns: Vec<&str> = names.collect();
    if args.json {
        let filled_with = match (args.draws, args.mode) {
            (Some(_), _) => "draws",
            (None, true) => "mode",
            (None, false) => "probability",
        };
        return output::print_json(&Document {
            columns: &columns,
            rows: args.draws.is_none().then(|| &tables[0][..]),
            draws: args.draws.map(|_| &tables[..]),
            filled_cells: data.missing_cells(),
            filled_with,
            ids: loaded.row_names.as_ref().map(|names| &names.names[..]),
            codings: &loaded.codings,
            warnings: &warnings,
        });
    }
    // A column of probabilities is one of numbers, whatever its words.
    let in_words = args.mode || args.draws.is_some();
    print(&tables, &loaded, &columns, args.draws.is_some(), in_words)
}

/// One table, with probabilities or with the more probable values.
fn filled(
    network: &Network,
    loaded: &Loaded,
    mode: bool,
    warnings: &mut Vec<String>,
) -> Outcome<Vec<Vec<Filled>>> {
    let data = &loaded.dataset;
    let imputed = impute(network, data)?;
    if imputed.inexact_rows > 0 {
        warnings.push(format!(
            "{} of {} distinct rows leave too much open for exact sums: their probabilities are sampled",
            imputed.inexact_rows,
            data.rows().len()
        ));
    }
    let fill = |row: usize, column: usize, probability: f64| match data.cell(row, column) {
        Cell::Zero => Filled::Value(false),
        Cell::One => Filled::Value(true),
        Cell::Missing if mode => Filled::Value(probability > 0.5),
        Cell::Missing => Filled::Probability(probability),
    };
    let filled_row = |row: usize| {
        let posterior = &imputed.by_distinct_row[data.distinct_of()[row] as usize];
        let cells = posterior.iter().enumerate();
        cells
            .map(|(column, &probability)| fill(row, column, probability))
            .collect()
    };
    Ok((0..data.len()).map(filled_row).collect())
}

/// One table for each draw.
fn drawn(
    network: &Network,
    loaded: &Loaded,
    draws: usize,
    seed: u64,
    warnings: &mut Vec<String>,
) -> Outcome<Vec<Vec<Vec<Filled>>>> {
    let completed = impute_draws(network, &loaded.dataset, draws, seed)?;
    warnings.extend(completed.remarks.iter().map(|remark| remark.worded(&Flags)));
    let row = |row: Vec<bool>| row.into_iter().map(Filled::Value).collect();
    let table = |rows: Vec<Vec<bool>>| rows.into_iter().map(row).collect();
    Ok(completed.draws.into_iter().map(table).collect())
}

fn print(
    tables: &[Vec<Vec<Filled>>],
    loaded: &Loaded,
    columns: &[&str],
    are_draws: bool,
    in_words: bool,
) -> Outcome {
    let own = loaded.dataset.columns().iter().map(String::as_str);
    let codings = if in_words { &loaded.codings[..] } else { &[] };
    let spoken = Spoken::new(own, codings);
    let text = |(column, cell): (usize, &Filled)| match *cell {
        Filled::Value(value) => spoken.word(column, value).to_string(),
        Filled::Probability(probability) => number::full(probability),
    };
    let names = loaded.row_names.as_ref();
    let mut table = output::csv_on_stdout();
    let heads = are_draws.then_some("draw").into_iter();
    let heads = heads.chain(names.map(|names| names.column.as_str()));
    let heads = heads.chain(columns.iter().copied());
    table.write_record(heads).map_err(output::csv_failure)?;
    for (draw, rows) in tables.iter().enumerate() {
        for (at, row) in rows.iter().enumerate() {
            let label = are_draws.then(|| (draw + 1).to_string()).into_iter();
            let label = label.chain(names.map(|names| names.names[at].clone()));
            let cells = label.chain(row.iter().enumerate().map(text));
            table.write_record(cells).map_err(output::csv_failure)?;
        }
    }
    table
        .flush()
        .map_err(|error| Failure::of_standard_output(&error))
}
