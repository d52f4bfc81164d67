//! What is remarkable but not wrong in a data set.

use super::cell::Cell;
use super::dataset::Dataset;
use crate::remark::Remark;

/// The remarks on `dataset`; `first_unknown` says where its first row without a known cell is.
pub(super) fn describe(dataset: &Dataset, first_unknown: Option<String>) -> Vec<Remark> {
    let (mut constant, mut unknown) = (Vec::new(), Vec::new());
    for (at, name) in dataset.columns().iter().enumerate() {
        match values_of(dataset, at) {
            (true, true) => {}
            (true, false) => constant.push((name.clone(), false)),
            (false, true) => constant.push((name.clone(), true)),
            (false, false) => unknown.push(name.clone()),
        }
    }
    let mut remarks = Vec::new();
    if !constant.is_empty() {
        remarks.push(Remark::ConstantColumns(constant));
    }
    if !unknown.is_empty() {
        remarks.push(Remark::UnknownColumns(unknown));
    }
    if let Some(first) = first_unknown {
        let count = unknown_rows(dataset);
        remarks.push(Remark::UnknownRows { count, first });
    }
    remarks
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
    (dataset.len() - dataset.known_rows().len()) as u64
}
