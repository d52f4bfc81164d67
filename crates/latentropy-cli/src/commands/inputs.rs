//! What commands read before they compute: threads, models, data, and how data and model match.

use crate::args::{DataArgs, ModelArg, RunArgs, WeightArgs};
use crate::failure::{Failure, Outcome};
use crate::wording::Flags;
use latentropy::Remark;
use latentropy::answers::units_of_columns;
use latentropy::data::{Coding, Dataset, Loaded, ReadOptions, RowNames, Words, read_dataset};
use latentropy::files::check_beside;
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

/// Reads the model and the words of its columns; what its reader had to decide joins the warnings.
pub(super) fn model_and_codings(
    args: &ModelArg,
    warnings: &mut Vec<String>,
) -> Outcome<(Network, Vec<Coding>)> {
    check_beside(&args.model)?;
    let loaded = read_network(&args.model)?;
    let found = loaded.remarks.iter().map(|remark| remark.worded(&Flags));
    extend_named(warnings, &args.model, found.collect());
    Ok((loaded.network, loaded.codings))
}

/// Reads the model and what it says about the words of the data that come with it.
pub(super) fn model_and_words(
    args: &ModelArg,
    warnings: &mut Vec<String>,
) -> Outcome<(Network, Words)> {
    let (network, codings) = model_and_codings(args, warnings)?;
    let visible = network.visible().into_iter();
    let words = Words::OfModel {
        units: visible
            .map(|unit| network.units()[unit].name.clone())
            .collect(),
        codings,
    };
    Ok((network, words))
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
    /// To judge a machine by while it is learned from others.
    Judging,
    /// To be told their hidden units.
    Answering,
}

/// Reads the data; what is remarkable about them, for this purpose, joins the warnings.
pub(super) fn data(
    args: &DataArgs,
    weights: Option<&WeightArgs>,
    words: Words,
    purpose: Purpose,
    warnings: &mut Vec<String>,
) -> Outcome<Loaded> {
    let options = ReadOptions {
        columns: (!args.columns.is_empty()).then(|| args.columns.clone()),
        recode: args.recode.iter().flat_map(|list| list.0.clone()).collect(),
        id: args.id.clone(),
        weights: weights.and_then(|args| args.weights.clone()),
        words,
    };
    let loaded = read_dataset(&args.data, &options)?;
    let found = loaded.remarks.iter();
    let found = found.filter_map(|remark| with_remedy(purpose, remark));
    extend_named(warnings, &args.data, found.collect());
    Ok(loaded)
}

/// What rows of output begin with: the rows' names under the name of their column, or their numbers.
pub(super) struct RowLabels<'a> {
    row_names: Option<&'a RowNames>,
}

impl<'a> RowLabels<'a> {
    pub(super) fn new(loaded: &'a Loaded) -> Self {
        RowLabels {
            row_names: loaded.row_names.as_ref(),
        }
    }

    /// The head of the labels' column.
    pub(super) fn head(&self) -> &str {
        self.row_names.map_or("row", |names| &names.column)
    }

    /// The label of a row, counting from 0.
    pub(super) fn of(&self, row: usize) -> String {
        match self.row_names {
            Some(names) => names.names[row].clone(),
            None => (row + 1).to_string(),
        }
    }
}

/// A remark of the data's reader with what it means for the purpose; none where it means nothing.
fn with_remedy(purpose: Purpose, remark: &Remark) -> Option<String> {
    let remedy = match (remark, purpose) {
        (Remark::ConstantColumns(columns), Purpose::Learning) => {
            let (it, which) = match columns.len() {
                1 => ("it", "it"),
                _ => ("them", "them"),
            };
            format!(
                "; no finite weight is the best for {it}: leave {which} out with --columns '!NAME', or keep weights \
                 small with --ridge"
            )
        }
        (Remark::ConstantColumns(_), _) => return None,
        (Remark::Weighted { sum, .. }, Purpose::Learning) => format!(
            "; the ridge and held-out comparisons take the weights as given, and standard errors by curvature are \
             those of {sum:.1} rows: --bootstrap shows the rows' own"
        ),
        (Remark::UnknownRows { count, .. }, _) => {
            let such = match count {
                1 => "such a row",
                _ => "such rows",
            };
            let (is, says) = match count {
                1 => ("is", "says"),
                _ => ("are", "say"),
            };
            match purpose {
                Purpose::Learning | Purpose::Judging => {
                    format!("; {such} {says} nothing and {is} not counted")
                }
                Purpose::Scoring => format!(
                    "; {such} {is} certain: the log-likelihood is 0, and counts in the mean (fit leaves {such} out)"
                ),
                Purpose::Filling => {
                    format!("; {such} {is} filled with the model's own probabilities")
                }
                Purpose::Answering => {
                    format!("; {such} {is} given the model's own probabilities")
                }
            }
        }
        _ => String::new(),
    };
    Some(remark.worded(&Flags) + &remedy)
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
    let units = units_of_columns(network, data).map_err(|error| {
        Failure::Request(format!("{}: {}", path.display(), error.worded(&Flags)))
    })?;
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
