//! What is remarkable but not wrong in a data set, in sentences for people.

use super::columns::list_names;
use super::{Cell, Dataset};

/// The warnings about `dataset`; `first_unknown` says where its first row without a known cell is.
pub(super) fn describe(dataset: &Dataset, first_unknown: Option<String>) -> Vec<String> {
    let (mut constant, mut unknown) = (Vec::new(), Vec::new());
    for (at, name) in dataset.columns().iter().enumerate() {
        match values_of(dataset, at) {
            (true, true) => {}
            (true, false) => constant.push(format!("{name} (always 0)")),
            (false, true) => constant.push(format!("{name} (always 1)")),
            (false, false) => unknown.push(name.clone()),
        }
    }
    let mut warnings = Vec::new();
    if !constant.is_empty() {
        let what = if constant.len() == 1 {
            "column never varies"
        } else {
            "columns never vary"
        };
        warnings.push(format!(
            "{} {what}: {}",
            constant.len(),
            list_names(&constant)
        ));
    }
    if !unknown.is_empty() {
        let what = if unknown.len() == 1 {
            "column has"
        } else {
            "columns have"
        };
        let list = list_names(&unknown);
        warnings.push(format!("{} {what} no known cell: {list}", unknown.len()));
    }
    if let Some(place) = first_unknown {
        let count = unknown_rows(dataset);
        let what = if count == 1 { "row has" } else { "rows have" };
        warnings.push(format!("{count} {what} no known cell (the first: {place})"));
    }
    warnings
}

/// Whether a zero and whether a one occurs in a column.
fn values_of(dataset: &Dataset, column: usize) -> (bool, bool) {
    let (mut zero, mut one) = (false, false);
    for row in dataset.rows() {
        match row.cell(column) {
            Cell::Zero => zero = true,
            Cell::One => one = true,
            Cell::Missing => {}
        }
        if zero && one {
            break;
        }
    }
    (zero, one)
}

fn unknown_rows(dataset: &Dataset) -> u64 {
    let width = dataset.columns().len();
    let rows = dataset.rows().iter().zip(dataset.counts());
    rows.filter(|(row, _)| row.missing.count() == width)
        .map(|(_, &count)| count)
        .sum()
}
