//! Covariances of the terms given rows that miss a few cells.
//!
//! Terms on known cells covary as their hidden units do: x x' Cov[z, z' | y], a matrix of cells with weights for each pair
//! of hidden units. Terms on missing cells are few, and are entered one by one from sums over the states z.

use super::gram::add_gram;
use super::incomplete::{Fields, IncompleteRows};
use super::layout::Layout;
use crate::inference::kernels;

impl IncompleteRows {
    /// Adds Σ p̃ Cov[f | y] to a matrix, both halves.
    pub(super) fn add_covariance_by_pairs(
        &self,
        layout: &Layout,
        weights: &[f64],
        matrix: &mut [f64],
    ) {
        if self.is_empty() {
            return;
        }
        let (columns, width) = (layout.columns(), layout.hidden.len());
        let fields = Fields::new(layout, weights);
        let pairs: Vec<(usize, usize)> = (0..width)
            .flat_map(|a| (0..=a).map(move |b| (a, b)))
            .collect();
        let size = columns * columns;
        let mut grams = vec![0.0; pairs.len() * size];
        let mut open = OpenTerms::new(layout, &fields);
        let mut scaled = Vec::new();
        for run in self.runs() {
            let (posteriors, _) = self.posteriors(&fields, columns, run.clone());
            let mut of_pairs = vec![0.0; pairs.len() * run.len()];
            let lines = posteriors.chunks_exact(fields.states);
            for (place, (at, line)) in run.clone().zip(lines).enumerate() {
                let cells = &self.on[at * columns..(at + 1) * columns];
                open.add_row(line, cells, self.missing_of(at), self.shares[at]);
                for (pair, &(a, b)) in pairs.iter().enumerate() {
                    of_pairs[pair * run.len() + place] = self.shares[at] * open.covariance(a, b);
                }
            }
            let on = &self.on[run.start * columns..run.end * columns];
            let by_pair = of_pairs.chunks_exact(run.len());
            for (weights, gram) in by_pair.zip(grams.chunks_exact_mut(size)) {
                scaled.clear();
                for (cells, weight) in on.chunks_exact(columns).zip(weights) {
                    scaled.extend(cells.iter().map(|cell| weight * cell));
                }
                add_gram(gram, &scaled, on, columns, 1.0);
            }
        }
        let mut own = open.gathered();
        for (&(a, b), gram) in pairs.iter().zip(grams.chunks_exact(size)) {
            enter_known(layout, (a, b), gram, &mut own);
        }
        let terms = layout.terms();
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
}

/// Adds to the lower half, for two hidden units, the covariances of their pairs with known cells.
fn enter_known(layout: &Layout, (a, b): (usize, usize), gram: &[f64], own: &mut [f64]) {
    let (columns, width, terms) = (layout.columns(), layout.hidden.len(), layout.terms());
    for first in 0..columns {
        let Some(term) = layout.pairs[first * width + a] else {
            continue;
        };
        // Two pairs of one hidden unit are met once, those of two units in both orders of the columns.
        let others = if a == b { first + 1 } else { columns };
        for second in 0..others {
            if let Some(other) = layout.pairs[second * width + b] {
                let (low, high) = (first.min(second), first.max(second));
                own[term.max(other) * terms + term.min(other)] += gram[high * columns + low];
            }
        }
    }
}

/// The terms on missing cells, one row at a time.
struct OpenTerms<'a> {
    layout: &'a Layout,
    fields: &'a Fields,
    /// The lower half of what was added so far.
    own: Vec<f64>,
    /// E[Π z | y] of every set of hidden units.
    hidden: Vec<f64>,
    /// The same with missing columns, one line per missing column of the row.
    single: Vec<f64>,
    /// And with two of them.
    double: Vec<f64>,
    /// For each column that was missing, each set of at most one hidden unit and each hidden unit: one sum per column
    /// that was known.
    with_known: Vec<f64>,
}

/// No hidden unit, and each one.
fn sets(width: usize) -> impl Iterator<Item = usize> {
    [0].into_iter().chain((0..width).map(|unit| 1 << unit))
}

impl<'a> OpenTerms<'a> {
    fn new(layout: &'a Layout, fields: &'a Fields) -> Self {
        let width = layout.hidden.len();
        OpenTerms {
            own: vec![0.0; layout.terms() * layout.terms()],
            layout,
            fields,
            hidden: Vec::new(),
            single: Vec::new(),
            double: Vec::new(),
            with_known: vec![0.0; layout.biases.len() * (width + 1) * width * layout.columns()],
        }
    }

    /// Cov[z_a, z_b] given the row.
    fn covariance(&self, a: usize, b: usize) -> f64 {
        let both = self.hidden[1 << a | 1 << b];
        both - self.hidden[1 << a] * self.hidden[1 << b]
    }

    /// A row with its posterior of the states, its cells and what it misses.
    fn add_row(&mut self, posterior: &[f64], cells: &[f64], missing: &[usize], share: f64) {
        let states = self.fields.states;
        self.hidden.clear();
        self.hidden.extend_from_slice(posterior);
        kernels::superset_sums(&mut self.hidden);
        self.single.clear();
        for &column in missing {
            let on = self.fields.line(&self.fields.on, column);
            self.single
                .extend(posterior.iter().zip(on).map(|(p, on)| p * on));
        }
        for line in self.single.chunks_exact_mut(states) {
            kernels::superset_sums(line);
        }
        for (place, &column) in missing.iter().enumerate() {
            self.add_with_known(place, column, cells, share);
            for (other_place, &other) in missing[..=place].iter().enumerate() {
                self.double.clear();
                let on = self.fields.line(&self.fields.on, column);
                let other_on = self.fields.line(&self.fields.on, other);
                let products = posterior.iter().zip(on).zip(other_on);
                // x² is x.
                self.double
                    .extend(products.map(|((p, a), b)| match other == column {
                        true => p * a,
                        false => p * a * b,
                    }));
                kernels::superset_sums(&mut self.double);
                self.add_both_open((place, column), (other_place, other), share);
            }
        }
    }

    /// The terms of a column: with no hidden unit, and with each.
    fn terms_of(&self, column: usize) -> impl Iterator<Item = (usize, usize)> + use<'a> {
        let (layout, width) = (self.layout, self.layout.hidden.len());
        let alone = layout.biases[column].map(|term| (term, 0));
        let pairs = (0..width)
            .filter_map(move |unit| Some((layout.pairs[column * width + unit]?, 1 << unit)));
        alone.into_iter().chain(pairs)
    }

    /// Terms on one missing column with those on known cells: Cov[x z_set, z_unit | y] for every set and unit, times the
    /// row of cells.
    fn add_with_known(&mut self, place: usize, column: usize, cells: &[f64], share: f64) {
        let (states, width) = (self.fields.states, self.layout.hidden.len());
        let line = &self.single[place * states..(place + 1) * states];
        for (at, set) in sets(width).enumerate() {
            for unit in 0..width {
                let both = line[set | 1 << unit] - line[set] * self.hidden[1 << unit];
                let start = ((column * (width + 1) + at) * width + unit) * cells.len();
                let known = &mut self.with_known[start..start + cells.len()];
                for (sum, cell) in known.iter_mut().zip(cells) {
                    *sum += share * both * cell;
                }
            }
        }
    }

    /// Everything, the lower half, once all rows are in.
    fn gathered(mut self) -> Vec<f64> {
        let (layout, terms) = (self.layout, self.layout.terms());
        let (columns, width) = (layout.columns(), layout.hidden.len());
        for (column, bias) in layout.biases.iter().enumerate() {
            for (at, set) in sets(width).enumerate() {
                let term = match set {
                    0 => *bias,
                    set => layout.pairs[column * width + set.trailing_zeros() as usize],
                };
                let Some(term) = term else { continue };
                for unit in 0..width {
                    let start = ((column * (width + 1) + at) * width + unit) * columns;
                    let known = &self.with_known[start..start + columns];
                    for (other, sum) in known.iter().enumerate() {
                        if let Some(other) = layout.pairs[other * width + unit] {
                            self.own[term.max(other) * terms + term.min(other)] += sum;
                        }
                    }
                }
            }
        }
        self.own
    }

    /// Terms on two missing columns, or on one with each other; `double` has the moments of both.
    fn add_both_open(
        &mut self,
        (place_a, a): (usize, usize),
        (place_b, b): (usize, usize),
        share: f64,
    ) {
        let (states, terms) = (self.fields.states, self.layout.terms());
        for (term_a, set_a) in self.terms_of(a) {
            let mean_a = self.single[place_a * states + set_a];
            for (term_b, set_b) in self.terms_of(b) {
                if a == b && term_b > term_a {
                    continue;
                }
                let mean_b = self.single[place_b * states + set_b];
                self.own[term_a.max(term_b) * terms + term_a.min(term_b)] +=
                    share * (self.double[set_a | set_b] - mean_a * mean_b);
            }
        }
    }
}
