//! Covariances of the terms given rows that miss many cells: second moments of the columns for every state of the hidden
//! units, less the products of the means.

use super::gram::add_gram;
use super::incomplete::{Fields, IncompleteRows, sum_with};
use super::layout::Layout;
use crate::inference::kernels;

impl IncompleteRows {
    /// Adds Σ p̃ (E[f f' | y] − E[f | y] E[f' | y]) to a matrix, both halves.
    pub(super) fn add_covariance_by_states(
        &self,
        layout: &Layout,
        weights: &[f64],
        matrix: &mut [f64],
    ) {
        if self.is_empty() {
            return;
        }
        let terms = layout.terms();
        let fields = Fields::new(layout, weights);
        let mut own = vec![0.0; terms * terms];
        let mut shares = Vec::with_capacity(self.shares.len() * fields.states);
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
            for at in 0..self.shares.len() {
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
