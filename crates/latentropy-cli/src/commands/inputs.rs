//! What commands read before they compute: threads, models, data, and how data and model match.

use crate::args::{DataArgs, ModelArg, RunArgs};
use crate::failure::{Failure, Outcome};
use latentropy::data::{Dataset, ReadOptions, read_dataset};
use latentropy::inference::units_of_columns;
use latentropy::network::{Network, read_network};
use std::path::Path;

/// Sets the number of threads for all that follows.
pub(super) fn use_threads(args: &RunArgs) -> Outcome {
    let Some(threads) = args.threads else {
        return Ok(());
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .map_err(|error| Failure::Running(format!("cannot start {threads} threads: {error}")))
}

/// Reads the model; what its reader had to decide joins the warnings.
pub(super) fn model(args: &ModelArg, warnings: &mut Vec<String>) -> Outcome<Network> {
    let loaded = read_network(&args.model)?;
    extend_named(warnings, &args.model, loaded.warnings);
    Ok(loaded.network)
}

/// What data are read for: it decides what is remarkable about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To learn from.
    Learning,
    /// To be scored.
    Scoring,
    /// To be filled in.
    Filling,
}

/// Reads the data; what is remarkable about them, for this purpose, joins the warnings.
pub(super) fn data(
    args: &DataArgs,
    purpose: Purpose,
    warnings: &mut Vec<String>,
) -> Outcome<Dataset> {
    let options = ReadOptions {
        columns: (!args.columns.is_empty()).then(|| args.columns.clone()),
    };
    let loaded = read_dataset(&args.data, &options)?;
    let found = loaded.warnings.into_iter();
    let found = found.filter_map(|warning| with_remedy(purpose, warning));
    extend_named(warnings, &args.data, found.collect());
    Ok(loaded.dataset)
}

/// A remark of the data's reader with what it means for the purpose; none where it means nothing.
fn with_remedy(purpose: Purpose, warning: String) -> Option<String> {
    let remedy = if warning.contains("never var") {
        if purpose != Purpose::Learning {
            return None;
        }
        "; no finite weight is the best for it: leave it out with --columns '!NAME', or keep weights \
         small with --ridge"
    } else if warning.contains("row has no known cell")
        || warning.contains("rows have no known cell")
    {
        match purpose {
            Purpose::Learning => "; such a row says nothing and is not counted",
            Purpose::Scoring => "; such a row is certain: its log-likelihood is 0",
            Purpose::Filling => "; such a row is filled with the model's own probabilities",
        }
    } else {
        ""
    };
    Some(warning + remedy)
}

fn extend_named(warnings: &mut Vec<String>, path: &Path, found: Vec<String>) {
    let named = |warning| format!("{}: {warning}", path.display());
    warnings.extend(found.into_iter().map(named));
}

/// The unit of each column of the data; units of the model that the data do not show are warned about.
pub(super) fn matched_units(
    network: &Network,
    data: &Dataset,
    path: &Path,
    warnings: &mut Vec<String>,
) -> Outcome<Vec<usize>> {
    let units = units_of_columns(network, data)
        .map_err(|error| Failure::Request(format!("{}: {error}", path.display())))?;
    let absent: Vec<&str> = network
        .visible()
        .into_iter()
        .filter(|unit| !units.contains(unit))
        .map(|unit| network.units()[unit].name.as_str())
        .collect();
    if !absent.is_empty() {
        warnings.push(format!(
            "{}: has no column for {} of the model's visible units, which are summed out: {}",
            path.display(),
            absent.len(),
            absent.join(", ")
        ));
    }
    Ok(units)
}
