//! `posterior`: what the hidden units of a model are for each row, and their most probable joint state.

use super::inputs::{self, Purpose, RowLabels};
use crate::args::PosteriorArgs;
use crate::failure::{Failure, Outcome};
use crate::output;
use crate::progress::Busy;
use crate::render::number;
use latentropy::answers::{
    HiddenState, RowMeans, most_probable_states, posterior_means_of_any_size,
};
use latentropy::data::Dataset;
use latentropy::files::write_atomically;
use latentropy::network::Network;
use latentropy::plain::plain_path;
use serde::Serialize;

/// The document of `posterior --json`.
#[derive(Serialize)]
struct Document<'a> {
    hidden: Vec<&'a str>,
    rows: Vec<Row>,
    warnings: &'a [String],
}

/// One row of the data.
#[derive(Serialize)]
struct Row {
    /// Its name, or its number counting from 1.
    row: String,
    /// P(z = 1 | row) of each hidden unit.
    means: Vec<f64>,
    /// Standard errors of the means, where the row leaves too much open for exact sums.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_std_errs: Option<Vec<f64>>,
    /// Null where too many units hang together for an exact answer.
    most_probable_state: Option<Vec<u8>>,
    most_probable_state_probability: Option<f64>,
}

/// Sums and prints.
pub(super) fn run(args: &PosteriorArgs) -> Outcome {
    if let Some(out) = &args.out {
        output::check_writable(out, "--out")?;
    }
    inputs::use_threads(&args.run)?;
    let mut warnings = Vec::new();
    let (network, words) = inputs::model_and_words(&args.model, &mut warnings)?;
    if network.hidden().is_empty() {
        return Err(Failure::Request(format!(
            "{}: the model has no hidden unit, so there is no posterior to tell; `score` says how probable rows are, and \
             `impute` fills missing cells",
            args.model.model.display()
        )));
    }
    let loaded = inputs::data(&args.data, None, words, Purpose::Answering, &mut warnings)?;
    let data = &loaded.dataset;
    inputs::matched_units(&network, data, &args.data.data, &mut warnings)?;
    let busy = Busy::new("summing over hidden units", args.run.quiet);
    let means = posterior_means_of_any_size(&network, data)?;
    let states = most_probable_states(&network, data)?;
    drop(busy);
    let sampled = means.iter().filter(|row| row.std_errs.is_some()).count();
    if sampled > 0 {
        warnings.push(format!(
            "{sampled} of {} distinct rows leave too much open for exact sums: their posteriors are sampled",
            data.rows().len()
        ));
    }
    let untold = states.iter().filter(|state| state.is_none()).count();
    if untold > 0 {
        warnings.push(format!(
            "{untold} of {} distinct rows leave too many units open for their most probable state, which is left empty",
            data.rows().len()
        ));
    }
    let rows = rows(&network, data, &RowLabels::new(&loaded), &means, &states);
    if args.json {
        let hidden = hidden_names(&network);
        output::print_json(&Document {
            hidden,
            rows,
            warnings: &warnings,
        })?;
    } else {
        let label = RowLabels::new(&loaded);
        let table = table(label.head(), &hidden_names(&network), &rows)?;
        match &args.out {
            Some(out) => {
                write_atomically(out, &table)
                    .map_err(|error| Failure::from(error).while_running())?;
                output::print(&format!("wrote {}\n", plain_path(out)))?;
            }
            None => output::print(&String::from_utf8_lossy(&table))?,
        }
    }
    output::warn(&warnings, args.run.quiet);
    Ok(())
}

fn hidden_names(network: &Network) -> Vec<&str> {
    let hidden = network.hidden().into_iter();
    hidden
        .map(|unit| network.units()[unit].name.as_str())
        .collect()
}

fn rows(
    network: &Network,
    data: &Dataset,
    labels: &RowLabels<'_>,
    means: &[RowMeans],
    states: &[Option<HiddenState>],
) -> Vec<Row> {
    let hidden = network.hidden();
    let row = |(row, &distinct): (usize, &u32)| {
        let state = states[distinct as usize].as_ref();
        let found = &means[distinct as usize];
        let of_hidden = |values: &Vec<f64>| hidden.iter().map(|&unit| values[unit]).collect();
        Row {
            row: labels.of(row),
            means: of_hidden(&found.means),
            mean_std_errs: found.std_errs.as_ref().map(of_hidden),
            most_probable_state: state
                .map(|state| state.values.iter().copied().map(u8::from).collect()),
            most_probable_state_probability: state.map(|state| state.probability),
        }
    };
    data.distinct_of().iter().enumerate().map(row).collect()
}

fn table(label: &str, hidden: &[&str], rows: &[Row]) -> Outcome<Vec<u8>> {
    let failed = |error: csv::Error| Failure::Running(format!("cannot write the table: {error}"));
    let mut table = output::Table::on(Vec::new());
    let mut heads = vec![label.to_string()];
    heads.extend(hidden.iter().map(|name| name.to_string()));
    heads.extend(hidden.iter().map(|name| format!("most_probable_{name}")));
    heads.push("most_probable_state_probability".to_string());
    table.write_record(&heads).map_err(failed)?;
    for row in rows {
        let mut cells = vec![row.row.clone()];
        cells.extend(row.means.iter().map(|&mean| number::full(mean)));
        match &row.most_probable_state {
            Some(state) => cells.extend(state.iter().map(u8::to_string)),
            None => cells.extend(hidden.iter().map(|_| String::new())),
        }
        let probability = row.most_probable_state_probability.map(number::full);
        cells.push(probability.unwrap_or_default());
        table.write_record(&cells).map_err(failed)?;
    }
    table
        .into_inner()
        .map_err(|error| Failure::Running(format!("cannot write the table: {error}")))
}
