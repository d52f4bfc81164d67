//! Rows with missing cells: given the hidden units' state z the columns are independent, and a missing one is summed
//! out by itself.

use super::gram::{add_transposed_product, product};
use super::layout::Layout;
use crate::inference::kernels;
use crate::network::Clamp;
use rayon::prelude::*;

/// Rows are summed in runs of this many, whatever the number of threads.
const ROWS_PER_RUN: usize = 256;
/// Fewer products than this are not worth a second thread.
const WORTH_THREADS: usize = 1 << 20;

#[derive(Clone, Debug, Default)]
pub(super) struct IncompleteRows {
    rows: Vec<usize>,
    pub(super) shares: Vec<f64>,
    /// Cells (zero where missing) and a one, row by row.
    pub(super) on: Vec<f64>,
    /// The columns that rows miss, and where each row's end.
    missing: Vec<usize>,
    ends: Vec<usize>,
}

/// What the states z say of each column, at these weights: one line of 2^hidden numbers per column.
#[derive(Debug)]
pub(super) struct Fields {
    pub(super) states: usize,
    /// Σ of the pairs' weights over the units that are on; of the column of ones, the hidden biases.
    pairs: Vec<f64>,
    /// log(1 + e^field), the bias included, of columns.
    soft: Vec<f64>,
    /// P(column = 1 | z).
    pub(super) on: Vec<f64>,
}

impl Fields {
    pub(super) fn new(layout: &Layout, weights: &[f64]) -> Self {
        let states = 1usize << layout.hidden.len();
        let pairs = Fields::pairs_of(layout, weights);
        let size = layout.biases.len() * states;
        let (mut soft, mut on) = (vec![0.0; size], vec![0.0; size]);
        for (at, bias) in layout.biases.iter().enumerate() {
            let bias = bias.map_or(0.0, |term| weights[term]);
            for place in at * states..(at + 1) * states {
                let field = pairs[place] + bias;
                let decay = (-field.abs()).exp();
                soft[place] = field.max(0.0) + decay.ln_1p();
                on[place] = if field >= 0.0 { 1.0 } else { decay } / (1.0 + decay);
            }
        }
        Fields {
            states,
            pairs,
            soft,
            on,
        }
    }

    /// Σ of the pairs' entries over the units that are on in each state.
    pub(super) fn pairs_of(layout: &Layout, weights: &[f64]) -> Vec<f64> {
        let width = layout.hidden.len();
        let states = 1usize << width;
        let pair_weights = layout.pair_weights(weights);
        let mut pairs = vec![0.0; layout.columns() * states];
        for (line, own) in pairs
            .chunks_exact_mut(states)
            .zip(pair_weights.chunks_exact(width))
        {
            for (unit, weight) in own.iter().enumerate() {
                let (known, new) = line[..2 << unit].split_at_mut(1 << unit);
                for (sum, known) in new.iter_mut().zip(known) {
                    *sum = *known + weight;
                }
            }
        }
        pairs
    }

    pub(super) fn line<'a>(&self, of: &'a [f64], column: usize) -> &'a [f64] {
        &of[column * self.states..(column + 1) * self.states]
    }
}

impl IncompleteRows {
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn add(&mut self, layout: &Layout, row: usize, share: f64, clamp: &Clamp) {
        self.rows.push(row);
        self.shares.push(share);
        self.on.extend(layout.cells(clamp));
        let visible = layout.visible.iter().enumerate();
        let missing = visible.filter(|(_, unit)| clamp.get(**unit).is_none());
        self.missing.extend(missing.map(|(column, _)| column));
        self.ends.push(self.missing.len());
    }

    /// The columns that the row at this place misses.
    pub(super) fn missing_of(&self, at: usize) -> &[usize] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.missing[start..self.ends[at]]
    }

    /// P(z | row) of a run of rows, row by row, and their log-sums.
    pub(super) fn posteriors(
        &self,
        fields: &Fields,
        columns: usize,
        run: std::ops::Range<usize>,
    ) -> (Vec<f64>, Vec<f64>) {
        let states = fields.states;
        let on = &self.on[run.start * columns..run.end * columns];
        let mut shares = product(on, &fields.pairs, columns, states);
        let mut log_sums = Vec::with_capacity(run.len());
        for (at, line) in run.clone().zip(shares.chunks_exact_mut(states)) {
            for &column in self.missing_of(at) {
                kernels::add_scaled(line, fields.line(&fields.soft, column), 1.0);
            }
            let largest = kernels::exponentials_below_maximum(line);
            let total = kernels::sum(line);
            line.iter_mut().for_each(|share| *share /= total);
            log_sums.push(largest + total.ln());
        }
        (shares, log_sums)
    }

    pub(super) fn runs(&self) -> Vec<std::ops::Range<usize>> {
        let count = self.rows.len();
        let starts = (0..count).step_by(ROWS_PER_RUN);
        starts
            .map(|start| start..(start + ROWS_PER_RUN).min(count))
            .collect()
    }

    pub(super) fn add_expectations(
        &self,
        layout: &Layout,
        weights: &[f64],
        expectations: &mut [f64],
    ) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let (columns, width) = (layout.columns(), layout.hidden.len());
        let fields = Fields::new(layout, weights);
        let states = fields.states;
        let of_run = |run: std::ops::Range<usize>| {
            let (mut shares, log_sums) = self.posteriors(&fields, columns, run.clone());
            let mut seen = vec![0.0; columns * states];
            let mut unseen = vec![0.0; columns * states];
            let mut log_sum = 0.0;
            let lines = shares.chunks_exact_mut(states).zip(&log_sums);
            for (at, (line, log)) in run.clone().zip(lines) {
                let share = self.shares[at];
                log_sum += share * log;
                line.iter_mut().for_each(|p| *p *= share);
                for &column in self.missing_of(at) {
                    let place = column * states;
                    kernels::add_scaled(&mut unseen[place..place + states], line, 1.0);
                }
            }
            let on = &self.on[run.start * columns..run.end * columns];
            add_transposed_product(&mut seen, on, &shares, columns, states);
            (log_sum, seen, unseen)
        };
        let runs = self.runs();
        let runs: Vec<_> = if self.on.len() * states < WORTH_THREADS {
            runs.into_iter().map(of_run).collect()
        } else {
            runs.into_par_iter().map(of_run).collect()
        };
        let mut total = 0.0;
        let (mut seen, mut unseen) = (vec![0.0; columns * states], vec![0.0; columns * states]);
        for (log_sum, run_seen, run_unseen) in runs {
            total += log_sum;
            kernels::add_scaled(&mut seen, &run_seen, 1.0);
            kernels::add_scaled(&mut unseen, &run_unseen, 1.0);
        }
        for column in 0..columns {
            let mut line = fields.line(&seen, column).to_vec();
            if column < layout.biases.len() {
                let on = fields.line(&fields.on, column);
                let unseen = fields.line(&unseen, column);
                let mut alone = 0.0;
                for ((sum, unseen), on) in line.iter_mut().zip(unseen).zip(on) {
                    *sum += unseen * on;
                    alone += unseen * on;
                }
                if let Some(term) = layout.biases[column] {
                    expectations[term] += alone;
                }
            }
            for unit in 0..width {
                if let Some(term) = layout.pairs[column * width + unit] {
                    expectations[term] += sum_with(&line, unit);
                }
            }
        }
        total
    }

    pub(super) fn add_log_sums(&self, layout: &Layout, weights: &[f64], sums: &mut [f64]) {
        // The tables are of 2^hidden states: none are made for no row.
        if self.rows.is_empty() {
            return;
        }
        let fields = Fields::new(layout, weights);
        for run in self.runs() {
            let (_, own) = self.posteriors(&fields, layout.columns(), run.clone());
            for (&row, sum) in self.rows[run].iter().zip(own) {
                sums[row] += sum;
            }
        }
    }
}

/// The sum over the states in which a unit is on.
pub(super) fn sum_with(line: &[f64], unit: usize) -> f64 {
    let pairs = line.chunks_exact(2 << unit);
    pairs
        .map(|pair| pair[1 << unit..].iter().sum::<f64>())
        .sum()
}
