//! Logistic regressions of all columns on each other, one weight per pair: their mean log-likelihood, its slope and curvature, and
//! Newton's steps to its maximum.

use crate::inference::kernels::dot;
use crate::learning::curvature::{by_diagonal, conjugate_gradients};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Rows are taken in runs of this many, whatever the number of threads.
pub(super) const RUN: usize = 256;
/// Newton's steps, the rounds of conjugate gradients in each, and the share of a gradient that these leave.
const STEPS: usize = 12;
const ROUNDS: usize = 12;
const LEFT: f64 = 0.2;
/// It is enough where a step gains less than this per row.
const GAIN: f64 = 1e-4;
/// Shorter steps are none.
const SHORTEST: f64 = 1e-3;

/// The regressions of all columns.
pub(super) struct Regressions {
    pub(super) columns: usize,
    pub(super) runs: Vec<Run>,
    /// Columns of every pair that has a weight.
    pub(super) pairs: Vec<(usize, usize)>,
    /// What a pair's ridge bends.
    pub(super) bend: f64,
}

/// Some rows: a line of columns for each.
pub(super) struct Run {
    pub(super) rows: usize,
    /// Cells about their columns' means; zero where one is missing.
    pub(super) centred: Vec<f64>,
    /// Which cells are one.
    pub(super) ones: Vec<bool>,
    /// The share of a row where its cell is known; else zero.
    pub(super) shares: Vec<f64>,
}

/// Log-odds at the mean row, one per column, then the weights of the pairs.
pub(super) type Weights = Vec<f64>;

/// Where a set of weights stands.
pub(super) struct Stand {
    /// The mean over the rows of Σ log P(cell | others), without the ridge's part.
    pub(super) value: f64,
    pub(super) slope: Weights,
    /// P (1 − P) times the share of every cell, run by run.
    pub(super) bends: Vec<Vec<f64>>,
}

impl Regressions {
    /// W with zeros where a pair has no weight.
    fn matrix(&self, weights: &[f64]) -> Vec<f64> {
        let columns = self.columns;
        let mut matrix = vec![0.0; columns * columns];
        for (&(a, b), &weight) in self.pairs.iter().zip(&weights[columns..]) {
            matrix[a * columns + b] = weight;
            matrix[b * columns + a] = weight;
        }
        matrix
    }

    /// a + W g of every cell of a run.
    fn fields(&self, run: &Run, weights: &[f64], matrix: &[f64]) -> Vec<f64> {
        let columns = self.columns;
        let mut fields = vec![0.0; run.centred.len()];
        matmul(
            MatMut::from_row_major_slice_mut(&mut fields, run.rows, columns),
            Accum::Replace,
            MatRef::from_row_major_slice(&run.centred, run.rows, columns),
            MatRef::from_row_major_slice(matrix, columns, columns),
            1.0,
            Par::Seq,
        );
        for line in fields.chunks_exact_mut(columns) {
            line.iter_mut().zip(weights).for_each(|(f, a)| *f += a);
        }
        fields
    }

    /// Σ of lines over all rows, and for the pair (a, b) of line_a g_b + line_b g_a; lines are given run by run.
    fn gather(&self, lines: &[Vec<f64>]) -> Weights {
        let columns = self.columns;
        let parts: Vec<Vec<f64>> = (lines.par_iter().zip(&self.runs))
            .map(|(line, run)| {
                let mut sums = vec![0.0; columns + columns * columns];
                for row in line.chunks_exact(columns) {
                    sums[..columns]
                        .iter_mut()
                        .zip(row)
                        .for_each(|(s, x)| *s += x);
                }
                matmul(
                    MatMut::from_row_major_slice_mut(&mut sums[columns..], columns, columns),
                    Accum::Replace,
                    MatRef::from_row_major_slice(line, run.rows, columns).transpose(),
                    MatRef::from_row_major_slice(&run.centred, run.rows, columns),
                    1.0,
                    Par::Seq,
                );
                sums
            })
            .collect();
        let mut sums = vec![0.0; columns + columns * columns];
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(s, x)| *s += x);
        }
        let (of_columns, of_pairs) = sums.split_at(columns);
        let both = |&(a, b): &(usize, usize)| of_pairs[a * columns + b] + of_pairs[b * columns + a];
        let pairs = self.pairs.iter().map(both);
        of_columns.iter().copied().chain(pairs).collect()
    }

    pub(super) fn stand(&self, weights: &[f64]) -> Stand {
        let matrix = self.matrix(weights);
        let found: Vec<(f64, Vec<f64>, Vec<f64>)> = self
            .runs
            .par_iter()
            .map(|run| {
                let mut rest = self.fields(run, weights, &matrix);
                let mut bends = vec![0.0; rest.len()];
                let mut value = 0.0;
                for (at, field) in rest.iter_mut().enumerate() {
                    let (x, share) = (*field, run.shares[at]);
                    let on = f64::from(u8::from(run.ones[at]));
                    let probability = 1.0 / (1.0 + (-x).exp());
                    value += share * (on * x - x.max(0.0) - (-x.abs()).exp().ln_1p());
                    *field = share * (on - probability);
                    bends[at] = share * probability * (1.0 - probability);
                }
                (value, rest, bends)
            })
            .collect();
        let value = found.iter().map(|(value, _, _)| value).sum();
        let (rest, bends): (Vec<_>, Vec<_>) = found
            .into_iter()
            .map(|(_, rest, bends)| (rest, bends))
            .unzip();
        let mut slope = self.gather(&rest);
        let pairs = slope[self.columns..].iter_mut();
        pairs
            .zip(&weights[self.columns..])
            .for_each(|(s, w)| *s -= self.bend * w);
        Stand {
            value,
            slope,
            bends,
        }
    }

    /// The value that is climbed.
    pub(super) fn objective(&self, stand: &Stand, weights: &[f64]) -> f64 {
        let pairs = &weights[self.columns..];
        stand.value - 0.5 * self.bend * dot(pairs, pairs)
    }

    /// Minus the Hessian times v.
    pub(super) fn times(&self, bends: &[Vec<f64>], v: &[f64]) -> Weights {
        let matrix = self.matrix(v);
        let lines: Vec<Vec<f64>> = (self.runs.par_iter().zip(bends))
            .map(|(run, bends)| {
                let mut fields = self.fields(run, v, &matrix);
                fields
                    .iter_mut()
                    .zip(bends)
                    .for_each(|(f, bend)| *f *= bend);
                fields
            })
            .collect();
        let mut product = self.gather(&lines);
        let pairs = product[self.columns..].iter_mut();
        pairs
            .zip(&v[self.columns..])
            .for_each(|(p, v)| *p += self.bend * v);
        product
    }

    /// About the diagonal of minus the Hessian: what columns that are independent would have.
    fn diagonal(&self, bends: &[Vec<f64>]) -> Weights {
        let columns = self.columns;
        let (mut own, mut spread) = (vec![0.0; columns], vec![0.0; columns]);
        for (run, bends) in self.runs.iter().zip(bends) {
            for (at, (bend, (centred, share))) in bends
                .iter()
                .zip(run.centred.iter().zip(&run.shares))
                .enumerate()
            {
                own[at % columns] += bend;
                spread[at % columns] += share * centred * centred;
            }
        }
        let pair = |&(a, b): &(usize, usize)| own[a] * spread[b] + own[b] * spread[a] + self.bend;
        let pairs = self.pairs.iter().map(pair);
        let all = own.iter().copied().chain(pairs);
        all.map(|bend| bend.max(f64::MIN_POSITIVE)).collect()
    }

    /// Newton's steps from no pairs, each solved roughly, and halved until it gains.
    pub(super) fn solve(&self, mut weights: Weights) -> Weights {
        let mut stand = self.stand(&weights);
        for _ in 0..STEPS {
            let diagonal = self.diagonal(&stand.bends);
            let slope = stand.slope.iter().zip(&diagonal);
            let whole: f64 = slope.map(|(s, bend)| s * (s / bend)).sum();
            let enough = |_: &[f64], size: f64| size <= LEFT * LEFT * whole;
            let times = |v: &[f64]| self.times(&stand.bends, v);
            let Some(solved) =
                conjugate_gradients(&stand.slope, by_diagonal(&diagonal), ROUNDS, times, enough)
            else {
                break;
            };
            let before = self.objective(&stand, &weights);
            let gained = dot(&stand.slope, &solved.x);
            let mut length = 1.0;
            let next = loop {
                let moved: Weights = weights
                    .iter()
                    .zip(&solved.x)
                    .map(|(w, d)| w + length * d)
                    .collect();
                let there = self.stand(&moved);
                if self.objective(&there, &moved) >= before + 0.1 * length * gained {
                    break Some((moved, there));
                }
                length *= 0.5;
                if length < SHORTEST {
                    break None;
                }
            };
            let Some((moved, there)) = next else { break };
            let gain = self.objective(&there, &moved) - before;
            (weights, stand) = (moved, there);
            if gain < GAIN {
                break;
            }
        }
        weights
    }
}
