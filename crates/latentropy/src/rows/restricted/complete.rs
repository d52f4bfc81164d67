//! Rows without a missing cell: given one, the hidden units are independent.

use super::gram::{add_gram, add_transposed_product, product};
use super::layout::Layout;
use crate::inference::kernels;
use crate::network::Clamp;
use rayon::prelude::*;

/// Rows are summed in runs of this many, whatever the number of threads.
const ROWS_PER_RUN: usize = 512;
/// Fewer products than this are not worth a second thread.
const WORTH_THREADS: usize = 1 << 20;

#[derive(Clone, Debug, Default)]
pub(super) struct CompleteRows {
    rows: Vec<usize>,
    pub(super) shares: Vec<f64>,
    /// Cells and a one, row by row.
    pub(super) on: Vec<f64>,
}

impl CompleteRows {
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn add(&mut self, layout: &Layout, row: usize, share: f64, clamp: &Clamp) {
        self.rows.push(row);
        self.shares.push(share);
        self.on.extend(layout.cells(clamp));
    }

    pub(super) fn add_expectations(
        &self,
        layout: &Layout,
        weights: &[f64],
        expectations: &mut [f64],
    ) -> f64 {
        let (columns, width) = (layout.columns(), layout.hidden.len());
        let pairs = layout.pair_weights(weights);
        let of_run = |(on, shares): (&[f64], &[f64])| {
            let (mut ons, log_sums) = posteriors(on, &pairs, columns, width);
            let mut log_sum = 0.0;
            for ((row, share), log) in ons.chunks_exact_mut(width).zip(shares).zip(log_sums) {
                row.iter_mut().for_each(|p| *p *= share);
                log_sum += share * log;
            }
            let mut sums = vec![0.0; pairs.len()];
            add_transposed_product(&mut sums, on, &ons, columns, width);
            (log_sum, sums)
        };
        let in_runs = self.on.par_chunks(ROWS_PER_RUN * columns);
        let in_runs = in_runs.zip(self.shares.par_chunks(ROWS_PER_RUN));
        let runs: Vec<(f64, Vec<f64>)> = if self.on.len() * width < WORTH_THREADS {
            let in_runs = self.on.chunks(ROWS_PER_RUN * columns);
            let in_runs = in_runs.zip(self.shares.chunks(ROWS_PER_RUN));
            in_runs.map(of_run).collect()
        } else {
            in_runs.map(of_run).collect()
        };
        let mut total = 0.0;
        for (log_sum, sums) in runs {
            total += log_sum;
            for (pair, sum) in layout.pairs.iter().zip(sums) {
                if let Some(term) = *pair {
                    expectations[term] += sum;
                }
            }
        }
        total
    }

    pub(super) fn add_log_sums(&self, layout: &Layout, weights: &[f64], sums: &mut [f64]) {
        let (columns, width) = (layout.columns(), layout.hidden.len());
        let (_, own) = posteriors(&self.on, &layout.pair_weights(weights), columns, width);
        for (&row, sum) in self.rows.iter().zip(own) {
            sums[row] += sum;
        }
    }

    /// Given a row, terms of different hidden units are independent, and those of one have p(1 − p) times their cells.
    pub(super) fn add_covariance(&self, layout: &Layout, weights: &[f64], matrix: &mut [f64]) {
        let (columns, width, terms) = (layout.columns(), layout.hidden.len(), layout.terms());
        let (ons, _) = posteriors(&self.on, &layout.pair_weights(weights), columns, width);
        let mut scaled = vec![0.0; ROWS_PER_RUN.min(self.rows.len()) * columns];
        for unit in 0..width {
            let mut gram = vec![0.0; columns * columns];
            let runs = self.on.chunks(ROWS_PER_RUN * columns);
            let runs = runs.zip(ons.chunks(ROWS_PER_RUN * width));
            for ((on, ons), shares) in runs.zip(self.shares.chunks(ROWS_PER_RUN)) {
                let scaled = &mut scaled[..on.len()];
                let lines = scaled.chunks_exact_mut(columns);
                let lines = lines.zip(on.chunks_exact(columns));
                for ((line, cells), (ons, share)) in lines.zip(ons.chunks_exact(width).zip(shares))
                {
                    let variance = share * ons[unit] * (1.0 - ons[unit]);
                    for (entry, cell) in line.iter_mut().zip(cells) {
                        *entry = variance * cell;
                    }
                }
                add_gram(&mut gram, scaled, on, columns, 1.0);
            }
            let own = |column: usize| layout.pairs[column * width + unit];
            for a in 0..columns {
                let Some(term_a) = own(a) else { continue };
                for b in 0..=a {
                    let Some(term_b) = own(b) else { continue };
                    let covariance = gram[a * columns + b];
                    matrix[term_a * terms + term_b] += covariance;
                    if a != b {
                        matrix[term_b * terms + term_a] += covariance;
                    }
                }
            }
        }
    }
}

/// P(unit = 1 | row), row by row, and each row's Σ log(1 + e^field).
pub(super) fn posteriors(
    on: &[f64],
    pairs: &[f64],
    columns: usize,
    width: usize,
) -> (Vec<f64>, Vec<f64>) {
    let mut fields = product(on, pairs, columns, width);
    let mut decays: Vec<f64> = fields.iter().map(|field| -field.abs()).collect();
    kernels::exponentials(&mut decays);
    let lines = fields
        .chunks_exact_mut(width)
        .zip(decays.chunks_exact(width));
    let log_sums = lines.map(|(fields, decays)| {
        // log Π (1 + e) of some factors at a time: one logarithm for many, and no overflow.
        let (mut log_sum, mut factor) = (0.0, 1.0f64);
        for (field, e) in fields.iter_mut().zip(decays) {
            log_sum += field.max(0.0);
            factor *= 1.0 + e;
            if factor > 1e300 {
                log_sum += factor.ln();
                factor = 1.0;
            }
            *field = if *field >= 0.0 { 1.0 } else { *e } / (1.0 + e);
        }
        log_sum + factor.ln()
    });
    let log_sums = log_sums.collect();
    (fields, log_sums)
}
