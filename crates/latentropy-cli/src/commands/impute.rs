//! `impute`: data with its missing cells filled by what a model says about them.

use super::inputs::{self, Purpose};
use crate::args::ImputeArgs;
use crate::failure::{Failure, Outcome};
use crate::output;
use crate::progress::Busy;
use crate::render::number;
use latentropy::data::{Cell, Dataset};
use latentropy::impute;
use serde::{Serialize, Serializer};

/// A cell of the result.
#[derive(Clone, Copy)]
enum Filled {
    /// Known, or its more probable value.
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

impl Filled {
    fn text(self) -> String {
        match self {
            Filled::Value(value) => u8::from(value).to_string(),
            Filled::Probability(probability) => number::full(probability),
        }
    }
}

/// The document of `impute --json`.
#[derive(Serialize)]
struct Document<'a> {
    columns: &'a [&'a str],
    rows: Vec<Vec<Filled>>,
    filled_cells: u64,
    filled_with: &'static str,
    warnings: &'a [String],
}

/// Fills and prints.
pub(super) fn run(args: &ImputeArgs) -> Outcome {
    inputs::use_threads(&args.run)?;
    let mut warnings = Vec::new();
    let network = inputs::model(&args.model, &mut warnings)?;
    let data = inputs::data(&args.data, Purpose::Filling, &mut warnings)?;
    let units = inputs::matched_units(&network, &data, &args.data.data, &mut warnings)?;
    let busy = Busy::new("filling missing cells", args.run.quiet);
    let imputed = impute(&network, &data)?;
    drop(busy);
    if imputed.inexact_rows > 0 {
        warnings.push(format!(
            "{} of {} distinct rows leave too much open for exact sums: their probabilities are sampled",
            imputed.inexact_rows,
            data.rows().len()
        ));
    }
    let posteriors = imputed.by_distinct_row;
    output::warn(&warnings, args.run.quiet);

    // The units' names: columns without names of their own are known by now.
    let names = units
        .iter()
        .map(|&unit| network.units()[unit].name.as_str());
    let columns: Vec<&str> = names.collect();
    let rows = (0..data.len()).map(|row| {
        let posterior = &posteriors[data.distinct_of()[row] as usize];
        filled_row(&data, row, posterior, args.mode)
    });
    if args.json {
        return output::print_json(&Document {
            columns: &columns,
            rows: rows.collect(),
            filled_cells: data.missing_cells(),
            filled_with: if args.mode { "mode" } else { "probability" },
            warnings: &warnings,
        });
    }
    let mut table = output::csv_on_stdout();
    table.write_record(&columns).map_err(output::csv_failure)?;
    for row in rows {
        let cells = row.into_iter().map(Filled::text);
        table.write_record(cells).map_err(output::csv_failure)?;
    }
    table
        .flush()
        .map_err(|error| Failure::of_standard_output(&error))
}

fn filled_row(data: &Dataset, row: usize, posterior: &[f64], mode: bool) -> Vec<Filled> {
    let fill = |(column, &probability): (usize, &f64)| match data.cell(row, column) {
        Cell::Zero => Filled::Value(false),
        Cell::One => Filled::Value(true),
        Cell::Missing if mode => Filled::Value(probability > 0.5),
        Cell::Missing => Filled::Probability(probability),
    };
    posterior.iter().enumerate().map(fill).collect()
}
