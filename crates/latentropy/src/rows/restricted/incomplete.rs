//! Rows with missing cells: given the hidden units' state z the columns are independent, and a missing one is summed
//! out by itself.

use super::gram::{add_gram, add_transposed_product, product};
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
    shares: Vec<f64>,
    /// Cells (zero where missing) and a one, row by row.
    on: Vec<f64>,
    /// The columns that rows miss, and where each row's end.
    missing: Vec<usize>,
    ends: Vec<usize>,
}

/// What the states z say of each column, at these weights: one line of 2^hidden numbers per column.
struct Fields {
    states: usize,
    /// Σ of the pairs' weights over the units that are on; of the column of ones, the hidden biases.
    pairs: Vec<f64>,
    /// log(1 + e^field), the bias included, of columns.
    soft: Vec<f64>,
    /// P(column = 1 | z).
    on: Vec<f64>,
}

impl Fields {
    fn new(layout: &Layout, weights: &[f64]) -> Self {
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

    fn line<'a>(&self, of: &'a [f64], column: usize) -> &'a [f64] {
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
    fn missing_of(&self, at: usize) -> &[usize] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.missing[start..self.ends[at]]
    }

    /// P(z | row) of a run of rows, row by row, and their log-sums.
    fn posteriors(
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

    fn runs(&self) -> Vec<std::ops::Range<usize>> {
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
        let fields = Fields::new(layout, weights);
        for run in self.runs() {
            let (_, own) = self.posteriors(&fields, layout.columns(), run.clone());
            for (&row, sum) in self.rows[run].iter().zip(own) {
                sums[row] += sum;
            }
        }
    }

    /// Σ p̃ (E[f f' | y] − E[f | y] E[f' | y]).
    pub(super) fn add_covariance(&self, layout: &Layout, weights: &[f64], matrix: &mut [f64]) {
        if self.is_empty() {
            return;
        }
        let terms = layout.terms();
        let fields = Fields::new(layout, weights);
        let mut own = vec![0.0; terms * terms];
        let mut shares = Vec::with_capacity(self.rows.len() * fields.states);
        for run in self.runs() {
            let (own_shares, _) = self.posteriors(&fields, layout.columns(), run.clone());
            let means = self.means(layout, &fields, &own_shares, run.clone());
            let mut scaled = means.clone();
            let lines = scaled.chunks_exact_mut(terms);
            for (line, share) in lines.zip(&self.shares[run]) {
                line.iter_mut().for_each(|mean| *mean *= share);
            }
            add_gram(&mut own, &scaled, &means, terms, -1.0);
            shares.extend(own_shares);
        }
        self.add_second_moments(layout, &fields, &shares, &mut own);
        for a in 0..terms {
            for b in 0..=a {
                let covariance = own[a * terms + b];
                matrix[a * terms + b] += covariance;
                if a != b {
                    matrix[b * terms + a] += covariance;
                }
            }
        }
    }

    /// E[f | y] of a run of rows, row by row.
    fn means(
        &self,
        layout: &Layout,
        fields: &Fields,
        shares: &[f64],
        run: std::ops::Range<usize>,
    ) -> Vec<f64> {
        let (terms, columns, width) = (layout.terms(), layout.columns(), layout.hidden.len());
        let mut means = vec![0.0; run.len() * terms];
        let mut products = vec![0.0; fields.states];
        let lines = means.chunks_exact_mut(terms);
        for ((at, line), shares) in run.zip(lines).zip(shares.chunks_exact(fields.states)) {
            let on: Vec<f64> = (0..width).map(|unit| sum_with(shares, unit)).collect();
            let cells = &self.on[at * columns..(at + 1) * columns];
            for (column, _) in cells.iter().enumerate().filter(|(_, cell)| **cell != 0.0) {
                for (unit, on) in on.iter().enumerate() {
                    if let Some(term) = layout.pairs[column * width + unit] {
                        line[term] = *on;
                    }
                }
                if let Some(Some(term)) = layout.biases.get(column) {
                    line[*term] = 1.0;
                }
            }
            for &column in self.missing_of(at) {
                let probabilities = fields.line(&fields.on, column);
                for ((product, share), on) in products.iter_mut().zip(shares).zip(probabilities) {
                    *product = share * on;
                }
                for unit in 0..width {
                    if let Some(term) = layout.pairs[column * width + unit] {
                        line[term] = sum_with(&products, unit);
                    }
                }
                if let Some(term) = layout.biases[column] {
                    line[term] = kernels::sum(&products);
                }
            }
        }
        means
    }

    /// Adds Σ p̃ E[f f' | y] to the lower half: for every state z the columns' second moments, added up by the hidden
    /// units that two terms have together.
    fn add_second_moments(
        &self,
        layout: &Layout,
        fields: &Fields,
        shares: &[f64],
        own: &mut [f64],
    ) {
        let (columns, width, states) = (layout.columns(), layout.hidden.len(), fields.states);
        let size = columns * columns;
        // No unit, one unit, two units: the place of each set.
        let place = |a: usize, b: usize| match (a.min(b), a.max(b)) {
            (_, 0) => 0,
            (0, unit) => unit,
            (a, b) if a == b => a,
            (a, b) => width + 1 + (b - 1) * (b - 2) / 2 + (a - 1),
        };
        let mut by_set = vec![0.0; (1 + width + width * (width - 1) / 2) * size];
        let mut cells = self.on.clone();
        let mut scaled = vec![0.0; cells.len()];
        for state in 0..states {
            let mut gram = vec![0.0; size];
            for at in 0..self.rows.len() {
                let share = self.shares[at] * shares[at * states + state];
                let line = &mut cells[at * columns..(at + 1) * columns];
                for &column in self.missing_of(at) {
                    let on = fields.on[column * states + state];
                    line[column] = on;
                    // x² is x.
                    gram[column * columns + column] += share * on * (1.0 - on);
                }
                let out = &mut scaled[at * columns..(at + 1) * columns];
                for (entry, cell) in out.iter_mut().zip(line) {
                    *entry = share * *cell;
                }
            }
            add_gram(&mut gram, &scaled, &cells, columns, 1.0);
            let on: Vec<usize> = (1..=width).filter(|u| state >> (u - 1) & 1 == 1).collect();
            let mut add = |set: usize| {
                kernels::add_scaled(&mut by_set[set * size..(set + 1) * size], &gram, 1.0);
            };
            add(0);
            for (at, &a) in on.iter().enumerate() {
                add(a);
                on[..at].iter().for_each(|&b| add(place(a, b)));
            }
        }
        // Each term as a column and a hidden unit, numbered from one; zero is none.
        let terms = layout.terms();
        let mut parts = vec![(0, 0); terms];
        for (column, bias) in layout.biases.iter().enumerate() {
            if let Some(term) = bias {
                parts[*term] = (column, 0);
            }
        }
        for (at, pair) in layout.pairs.iter().enumerate() {
            if let Some(term) = pair {
                parts[*term] = (at / width, at % width + 1);
            }
        }
        for (a, &(column_a, unit_a)) in parts.iter().enumerate() {
            for (b, &(column_b, unit_b)) in parts[..=a].iter().enumerate() {
                let (low, high) = (column_a.min(column_b), column_a.max(column_b));
                own[a * terms + b] += by_set[place(unit_a, unit_b) * size + high * columns + low];
            }
        }
    }
}

/// The sum over the states in which a unit is on.
fn sum_with(line: &[f64], unit: usize) -> f64 {
    let pairs = line.chunks_exact(2 << unit);
    pairs
        .map(|pair| pair[1 << unit..].iter().sum::<f64>())
        .sum()
}
