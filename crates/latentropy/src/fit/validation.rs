//! Rows kept for validation: which they are, and what the chosen machine says of them.

use super::folds::shuffled;
use super::held_out::mean_and_error;
use crate::data::Dataset;
use crate::error::{Error, Result, shortened};
use crate::inference::Kind;
use crate::learning::{Point, Problem};
use crate::message::{Setting, words};
use serde::{Deserialize, Serialize};

/// Rows that a machine is not learned from, and is judged by.
///
/// Learners by samples look at them on their way, stop where they are no longer foretold better, and keep the best
/// weights; every other machine is scored on them at its end.
///
/// ```
/// use latentropy::{Dataset, Request, fit};
/// use latentropy::fit::ValidationRows;
/// let rows: Vec<[i8; 2]> = (0..20).map(|row| [(row % 2) as i8, (row % 3 == 0) as i8]).collect();
/// let data = Dataset::from_rows(&rows)?;
/// let request = Request {
///     validation_rows: Some(ValidationRows::Fraction(0.25)),
///     restarts: Some(2),
///     ..Request::with_hidden(1)
/// };
/// let told = fit(&data, &request)?.validation.expect("rows were kept");
/// assert_eq!(told.rows, 5);
/// println!("{:.3} ± {:.3}", told.mean, told.std_err);
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ValidationRows {
    /// This share of the rows with a known cell, drawn by the stream of the folds.
    Fraction(f64),
    /// A table with the columns of the data.
    Table(Dataset),
}

impl ValidationRows {
    /// Refuses what makes no sense whatever the data are.
    pub(super) fn check(&self) -> Result<()> {
        match self {
            ValidationRows::Fraction(share) if !(*share > 0.0 && *share < 1.0) => {
                Err(Error::invalid(words![
                    Setting::ValidationRows,
                    format!(" must be a table or a fraction between 0 and 1, not {share}"),
                ]))
            }
            _ => Ok(()),
        }
    }

    /// The rows to learn from, and those that are kept.
    pub(super) fn split(&self, data: &Dataset, seed: u64) -> Result<(Dataset, Dataset)> {
        let share = match self {
            ValidationRows::Table(table) => return Ok((data.clone(), matched(table, data)?)),
            ValidationRows::Fraction(share) => *share,
        };
        let mut rows = shuffled(data, seed);
        let count = ((share * rows.len() as f64).round() as usize).max(1);
        if count >= rows.len() {
            return Err(Error::invalid(words![
                Setting::ValidationRows,
                format!(
                    " keeps {count} of {} rows with a known cell, and leaves none to learn from; keep fewer",
                    rows.len()
                ),
            ]));
        }
        let mut others = rows.split_off(count);
        rows.sort_unstable();
        others.sort_unstable();
        Ok((data.rows_subset(&others), data.rows_subset(&rows)))
    }
}

/// The table with its columns in the order of the data.
fn matched(table: &Dataset, data: &Dataset) -> Result<Dataset> {
    let refuse = |why: String| {
        Err(Error::invalid(words![
            Setting::ValidationRows,
            format!(
                ": the table has other columns than the data: {why}; give one with the same columns"
            ),
        ]))
    };
    if table.informative_rows().is_empty() {
        return Err(Error::invalid(words![
            Setting::ValidationRows,
            ": the table has no row with a known cell; give rows to judge by",
        ]));
    }
    let (ours, theirs) = (data.columns(), table.columns());
    if !(data.has_header() && table.has_header()) {
        return match ours.len() == theirs.len() {
            true => Ok(table.clone()),
            false => refuse(format!("{} of them, not {}", theirs.len(), ours.len())),
        };
    }
    let place = |name: &String| theirs.iter().position(|other| other == name);
    let lacking: Vec<&String> = ours.iter().filter(|name| place(name).is_none()).collect();
    if !lacking.is_empty() {
        return refuse(format!("it lacks {}", shortened(&lacking)));
    }
    let beside: Vec<&String> = theirs.iter().filter(|name| !ours.contains(name)).collect();
    if !beside.is_empty() {
        return refuse(format!("it has {} beside them", shortened(&beside)));
    }
    let order: Vec<usize> = ours.iter().filter_map(place).collect();
    let weights = (0..table.len()).map(|row| table.row_weight(row));
    table.select(&order)?.with_row_weights(weights.collect())
}

/// What the chosen machine says of the rows kept for validation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Validated {
    /// How many rows with a known cell.
    pub rows: usize,
    /// The mean log-likelihood of a row.
    pub mean: f64,
    /// Its standard error over the rows.
    pub std_err: f64,
    /// What log Z in it is worth.
    pub kind: Kind,
    /// The Monte-Carlo error of log Z, where there is one.
    pub log_partition_error: Option<f64>,
}

impl Validated {
    /// Of a point of a problem with these rows, in the problem's coding.
    pub(super) fn new(problem: &Problem, point: &Point, kept: &Dataset) -> Result<Option<Self>> {
        if problem.validation().is_none() {
            return Ok(None);
        }
        let known = kept.informative_rows();
        let scores = scores_of_kept(problem, point, kept)?;
        let weights: Vec<f64> = known.iter().map(|&row| kept.row_weight(row)).collect();
        let (mean, std_err) = mean_and_error(&scores, &weights);
        Ok(Some(Validated {
            rows: known.len(),
            mean,
            std_err,
            kind: point.worth.log_likelihood,
            log_partition_error: point.worth.log_likelihood_error,
        }))
    }
}

/// log p of each of these rows with a known cell, those of the problem's validation.
pub(super) fn scores_of_kept(problem: &Problem, point: &Point, kept: &Dataset) -> Result<Vec<f64>> {
    let rows = problem.validation();
    let rows = rows.ok_or_else(|| Error::failed("there are no rows to validate by"))?;
    let sums = rows.log_sums(&point.weights)?;
    let score = |&row: &usize| sums[kept.distinct_of()[row] as usize] - point.log_partition;
    Ok(kept.informative_rows().iter().map(score).collect())
}
