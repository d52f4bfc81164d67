//! What is remarkable but not wrong in a data set.

use super::cell::Cell;
use super::coding::Coding;
use super::dataset::Dataset;
use crate::remark::{ReadAs, Remark};

/// So many columns are named in the recoding that would turn their words round.
const NAMED: usize = 4;
/// Fewer distinct rows than this may all be there an even number of times by chance, or by design.
const MANY_DISTINCT: usize = 10;

/// The remark on columns whose words were recognised, those with the same words together.
pub(super) fn recognised(codings: &[Coding], all_columns: usize) -> Remark {
    let mut pairs: Vec<ReadAs> = Vec::new();
    for coding in codings {
        let (zero, one) = (coding.word(false), coding.word(true));
        let same = |pair: &&mut ReadAs| pair.zero == zero && pair.one == one;
        match pairs.iter_mut().find(same) {
            Some(pair) => pair.columns.push(coding.column.clone()),
            None => pairs.push(ReadAs {
                columns: vec![coding.column.clone()],
                zero: zero.to_string(),
                one: one.to_string(),
                turned: String::new(),
            }),
        }
    }
    for pair in &mut pairs {
        let columns = match pair.columns.len() {
            count if count == all_columns => String::new(),
            count if count <= NAMED => format!("{}:", pair.columns.join(",")),
            _ => "COLUMNS:".to_string(),
        };
        pair.turned = format!("{columns}{}=1,{}=0", pair.zero, pair.one);
    }
    Remark::Recognised(pairs)
}

/// The remark on rows with weights.
pub(super) fn weighted(column: &str, weights: &[f64]) -> Remark {
    let sum: f64 = weights.iter().sum();
    let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
    Remark::Weighted {
        column: column.to_string(),
        rows: weights.len(),
        sum,
        effective: sum * sum / squares,
    }
}

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
    if let Some(times) = copied(dataset) {
        remarks.push(Remark::CopiedRows { times });
    }
    if let Some(first) = first_unknown {
        let count = unknown_rows(dataset);
        remarks.push(Remark::UnknownRows { count, first });
    }
    remarks
}

/// How often every distinct row is there at least, where all are there a multiple of that: with so many distinct rows
/// this is no chance.
fn copied(dataset: &Dataset) -> Option<u64> {
    let times = dataset.counts().iter().copied().fold(0, greatest_divisor);
    (times > 1 && dataset.rows().len() >= MANY_DISTINCT).then_some(times)
}

/// The greatest number that divides both.
fn greatest_divisor(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        b => greatest_divisor(b, a % b),
    }
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
