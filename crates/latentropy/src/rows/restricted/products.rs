//! The covariance of a restricted machine's terms given its rows, as an operator: two products of matrices per vector.

use super::RestrictedRows;
use super::complete::posteriors;
use super::gram::{add_transposed_product, product};
use super::incomplete::{Fields, IncompleteRows, sum_with};
use super::layout::Layout;
use crate::inference::kernels;
use std::ops::Range;
use std::sync::Arc;

/// Σ_y p̃(y) Cov[f | y] of these rows at one set of weights.
#[derive(Debug)]
pub(in crate::rows) struct RestrictedProducts {
    rows: Arc<RestrictedRows>,
    /// p̃(y) p(1 − p) of each complete row and hidden unit.
    variances: Vec<f64>,
    /// What the states z say of each column; none where no row misses a cell.
    fields: Option<Fields>,
}

impl RestrictedProducts {
    pub(in crate::rows) fn new(rows: &Arc<RestrictedRows>, weights: &[f64]) -> Self {
        let layout = &rows.layout;
        let (columns, width) = (layout.columns(), layout.hidden.len());
        let complete = &rows.complete;
        let (mut variances, _) =
            posteriors(&complete.on, &layout.pair_weights(weights), columns, width);
        for (line, share) in variances.chunks_exact_mut(width).zip(&complete.shares) {
            line.iter_mut().for_each(|p| *p *= share * (1.0 - *p));
        }
        let has_gaps = !(rows.few_missing.is_empty() && rows.many_missing.is_empty());
        RestrictedProducts {
            variances,
            fields: has_gaps.then(|| Fields::new(layout, weights)),
            rows: Arc::clone(rows),
        }
    }

    pub(in crate::rows) fn add_times(&self, v: &[f64], scale: f64, out: &mut [f64]) {
        self.add_complete(v, scale, out);
        if let Some(fields) = &self.fields {
            for rows in [&self.rows.few_missing, &self.rows.many_missing] {
                if !rows.is_empty() {
                    add_incomplete(rows, &self.rows.layout, fields, v, scale, out);
                }
            }
        }
    }

    /// About how many numbers a product reads; those of matrices are read many at a time.
    pub(in crate::rows) fn work(&self) -> f64 {
        let layout = &self.rows.layout;
        let gaps = [&self.rows.few_missing, &self.rows.many_missing];
        let gaps: usize = gaps.iter().map(|rows| rows.on.len()).sum();
        let states = 2f64.powi(layout.hidden.len() as i32);
        0.5 * (self.rows.complete.on.len() * layout.hidden.len()) as f64 + gaps as f64 * states
    }

    /// Given a row, terms of different hidden units are independent, and those of one have p(1 − p) times their cells.
    fn add_complete(&self, v: &[f64], scale: f64, out: &mut [f64]) {
        let (layout, complete) = (&self.rows.layout, &self.rows.complete);
        if complete.is_empty() {
            return;
        }
        let (columns, width) = (layout.columns(), layout.hidden.len());
        let mut along = product(&complete.on, &layout.pair_weights(v), columns, width);
        for (along, variance) in along.iter_mut().zip(&self.variances) {
            *along *= variance;
        }
        let mut sums = vec![0.0; columns * width];
        add_transposed_product(&mut sums, &complete.on, &along, columns, width);
        for (pair, sum) in layout.pairs.iter().zip(sums) {
            if let Some(term) = *pair {
                out[term] += scale * sum;
            }
        }
    }
}

/// Sums over a run of rows, one line of 2^hidden numbers per column.
struct Lines {
    /// Σ p̃ p(z | y) (E[g | y, z] − E[g | y]) over the rows that show a one.
    seen: Vec<f64>,
    /// The same over those that miss the cell, and without the factor.
    unseen: Vec<f64>,
    mass: Vec<f64>,
}

/// With g = f·v: E[g | y, z] is v's part on the known cells and Σ P(c | z) u_c(z) over the missing ones, u_c = v's part that
/// meets column c; given y and z the missing cells are independent, with variances P(1 − P).
fn add_incomplete(
    rows: &IncompleteRows,
    layout: &Layout,
    fields: &Fields,
    v: &[f64],
    scale: f64,
    out: &mut [f64],
) {
    let (width, states) = (layout.hidden.len(), fields.states);
    let along = Along::new(layout, fields, v);
    let mut lines = Lines::new(layout.columns() * states);
    for run in rows.runs() {
        add_run(rows, layout, fields, &along, run, &mut lines);
    }
    for column in 0..layout.columns() {
        let mut line = fields.line(&lines.seen, column).to_vec();
        if column < layout.biases.len() {
            let places = column * states..(column + 1) * states;
            let mut alone = 0.0;
            for (sum, at) in line.iter_mut().zip(places) {
                let on = fields.on[at];
                let part =
                    on * (lines.unseen[at] + lines.mass[at] * (1.0 - on) * along.columns[at]);
                *sum += part;
                alone += part;
            }
            if let Some(term) = layout.biases[column] {
                out[term] += scale * alone;
            }
        }
        for unit in 0..width {
            if let Some(term) = layout.pairs[column * width + unit] {
                out[term] += scale * sum_with(&line, unit);
            }
        }
    }
}

/// What a vector says of each column in each state z, as [`Fields`] says it of weights.
struct Along {
    /// Of pairs alone.
    pairs: Vec<f64>,
    /// Pairs and bias, u.
    columns: Vec<f64>,
    /// P u.
    expected: Vec<f64>,
}

impl Along {
    fn new(layout: &Layout, fields: &Fields, v: &[f64]) -> Self {
        let pairs = Fields::pairs_of(layout, v);
        let mut columns = pairs[..layout.biases.len() * fields.states].to_vec();
        for (line, bias) in columns.chunks_exact_mut(fields.states).zip(&layout.biases) {
            let bias = bias.map_or(0.0, |term| v[term]);
            line.iter_mut().for_each(|u| *u += bias);
        }
        let expected = columns.iter().zip(&fields.on).map(|(u, p)| u * p).collect();
        Along {
            pairs,
            columns,
            expected,
        }
    }
}

impl Lines {
    fn new(size: usize) -> Self {
        Lines {
            seen: vec![0.0; size],
            unseen: vec![0.0; size],
            mass: vec![0.0; size],
        }
    }
}

fn add_run(
    rows: &IncompleteRows,
    layout: &Layout,
    fields: &Fields,
    along: &Along,
    run: Range<usize>,
    lines: &mut Lines,
) {
    let (columns, states) = (layout.columns(), fields.states);
    let (shares, _) = rows.posteriors(fields, columns, run.clone());
    let on = &rows.on[run.start * columns..run.end * columns];
    let mut tilts = product(on, &along.pairs, columns, states);
    let of_rows = tilts
        .chunks_exact_mut(states)
        .zip(shares.chunks_exact(states));
    for (at, (tilt, posterior)) in run.zip(of_rows) {
        let missing = rows.missing_of(at);
        for &column in missing {
            kernels::add_scaled(tilt, fields.line(&along.expected, column), 1.0);
        }
        let (middle, share) = (kernels::dot(tilt, posterior), rows.shares[at]);
        for (tilt, p) in tilt.iter_mut().zip(posterior) {
            *tilt = share * p * (*tilt - middle);
        }
        for &column in missing {
            let places = column * states..(column + 1) * states;
            kernels::add_scaled(&mut lines.unseen[places.clone()], tilt, 1.0);
            kernels::add_scaled(&mut lines.mass[places], posterior, share);
        }
    }
    add_transposed_product(&mut lines.seen, on, &tilts, columns, states);
}
