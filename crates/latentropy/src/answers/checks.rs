//! Checks of a fit that can fail: what a machine was not asked to match, data against machine, with standard errors.
//!
//! Learning matches the moments of the terms, so that these say little. How many columns are one in a row, P(K), and how
//! often three columns are one together are in no term of a pairwise machine: a wrong machine shows there.

use super::columns::Columns;
use super::marks::Marks;
use crate::data::Dataset;
use crate::error::Result;
use crate::network::Network;
use crate::rows::units_of_columns;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// An expected count below this is too small for a standard error.
const LEAST_EXPECTED: f64 = 5.0;
/// A variance below this, times rows, is too small for a standard error.
const LEAST_LEFT: f64 = 1.0;
/// Triplets of at most this many columns are looked at.
const MOST_COLUMNS: usize = 60;
/// Products that the triplets may cost.
const MOST_PRODUCTS: f64 = 3e8;
/// A sum score this surprising comes by chance once in a hundred true machines.
const SURPRISING: f64 = 2.33;
/// The stream of random numbers for machines beyond exact sums.
const SEED: u64 = 1;

/// What the two checks found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitChecks {
    /// How many draws stand for the machine; none where its numbers are exact.
    pub draws: Option<usize>,
    /// The sum score; none without complete rows.
    pub sum_score: Option<SumScore>,
    /// The triplets; none with fewer than three columns.
    pub triplets: Option<Triplets>,
}

/// How many columns are one in a complete row, data against machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SumScore {
    /// What the complete rows weigh.
    pub rows: f64,
    /// Their shares with k ones, from 0 on.
    pub observed: Vec<f64>,
    /// P(K = k) of the machine.
    pub expected: Vec<f64>,
    /// Standard errors of the shares, if the machine were true.
    pub std_err: Vec<f64>,
    /// Σ (observed − expected)² / expected, neighbours put together until five rows are expected.
    pub chi_square: f64,
    /// Its degrees of freedom, that of free shares: a machine that was learned from the same rows comes closer.
    pub degrees: usize,
}

impl SumScore {
    /// Whether a true machine would show such a chi-square less than once in a hundred times.
    pub fn is_surprising(&self) -> bool {
        self.surprise() > SURPRISING
    }

    /// The chi-square as a standard normal deviate (Wilson and Hilferty); 0 without degrees of freedom.
    pub fn surprise(&self) -> f64 {
        if self.degrees == 0 {
            return 0.0;
        }
        let spread = 2.0 / (9.0 * self.degrees as f64);
        ((self.chi_square / self.degrees as f64).cbrt() - (1.0 - spread)) / spread.sqrt()
    }
}

/// Three columns that are one together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Triplet {
    /// Which columns.
    pub columns: [usize; 3],
    /// What the rows weigh that know all three.
    pub known: f64,
    /// The share of them in which all three are one.
    pub observed: f64,
    /// What the machine says.
    pub expected: f64,
    /// By how much the data are above the machine, beyond what the three columns' own shares explain.
    pub excess: f64,
    /// Standard error of that, if the machine were true.
    pub std_err: f64,
}

impl Triplet {
    /// How many standard errors the data are above the machine.
    pub fn z(&self) -> f64 {
        self.excess / self.std_err
    }
}

/// The triplets that rows enough can judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Triplets {
    /// How many columns were looked at, evenly picked where there are very many.
    pub columns: usize,
    /// How many triplets were judged: those with an expected count of five and more, both of ones and of others.
    pub count: usize,
    /// How many of them lie beyond two standard errors; one in twenty does by chance.
    pub beyond: usize,
    /// The worst, worst first.
    pub worst: Vec<Triplet>,
}

impl Triplets {
    /// The share beyond two standard errors.
    pub fn share_beyond(&self) -> f64 {
        self.beyond as f64 / self.count.max(1) as f64
    }
}

/// Checks a machine against rows, and keeps the `worst` triplets.
pub fn fit_checks(network: &Network, data: &Dataset, worst: usize) -> Result<FitChecks> {
    let units = units_of_columns(network, data)?;
    let columns = Columns::new(network, &units, SEED)?;
    Ok(FitChecks {
        draws: columns.draws(),
        sum_score: sum_score(&columns, data),
        triplets: triplets(&columns, data, worst),
    })
}

/// Variance of a share of `rows` around a probability, with that of the probability where it was drawn.
fn variance(p: f64, rows: f64, draws: Option<usize>) -> f64 {
    p * (1.0 - p) * (1.0 / rows + draws.map_or(0.0, |draws| 1.0 / draws as f64))
}

fn sum_score(columns: &Columns, data: &Dataset) -> Option<SumScore> {
    let expected = columns.of_sum();
    let mut observed = vec![0.0; expected.len()];
    let rows = data.rows().iter().zip(data.weights());
    for (row, weight) in rows.filter(|(row, _)| row.missing.is_empty()) {
        observed[row.ones.count()] += weight;
    }
    let rows: f64 = observed.iter().sum();
    if rows == 0.0 {
        return None;
    }
    observed.iter_mut().for_each(|weight| *weight /= rows);
    let errors = expected.iter();
    let errors = errors.map(|&p| variance(p, rows, columns.draws()).sqrt());
    let bins = pooled(&observed, &expected, rows);
    let more = 1.0 + columns.draws().map_or(0.0, |draws| rows / draws as f64);
    let parts = bins.iter();
    let parts = parts.map(|(seen, said)| (seen - said).powi(2) / (said * more));
    Some(SumScore {
        rows,
        std_err: errors.collect(),
        chi_square: parts.sum(),
        degrees: bins.len() - 1,
        observed,
        expected,
    })
}

/// Counts, observed and expected, of neighbours put together until enough rows are expected.
fn pooled(observed: &[f64], expected: &[f64], rows: f64) -> Vec<(f64, f64)> {
    let mut bins: Vec<(f64, f64)> = Vec::new();
    let mut open = (0.0, 0.0);
    for (seen, said) in observed.iter().zip(expected) {
        open.0 += seen * rows;
        open.1 += said * rows;
        if open.1 >= LEAST_EXPECTED {
            bins.push(std::mem::take(&mut open));
        }
    }
    // What is left over at the end belongs to the last one.
    match bins.last_mut() {
        Some(last) => *last = (last.0 + open.0, last.1 + open.1),
        None => bins.push(open),
    }
    bins
}

fn triplets(columns: &Columns, data: &Dataset, worst: usize) -> Option<Triplets> {
    let all = data.columns().len();
    let cost = (columns.parts() + data.rows().len()) as f64;
    let affordable = (6.0 * MOST_PRODUCTS / cost).cbrt() as usize;
    let taken = all.min(MOST_COLUMNS).min(affordable.max(3));
    if taken < 3 {
        return None;
    }
    let picked: Vec<usize> = (0..taken).map(|at| at * all / taken).collect();
    let marks = Marks::new(data, &picked);
    let shares = Shares::new(columns, picked);
    let of_pair = |(first, second): (usize, usize)| -> Vec<Triplet> {
        let third = second + 1..taken;
        third
            .filter_map(|third| judged(columns, &shares, &marks, [first, second, third]))
            .collect()
    };
    let pairs: Vec<(usize, usize)> = (0..taken)
        .flat_map(|first| (first + 1..taken).map(move |second| (first, second)))
        .collect();
    // Each on its own, in their order: the same whatever the number of threads.
    let found: Vec<Vec<Triplet>> = pairs.into_par_iter().map(of_pair).collect();
    let mut found = found.concat();
    let count = found.len();
    let beyond = found
        .iter()
        .filter(|triplet| triplet.z().abs() > 2.0)
        .count();
    found.sort_by(|a, b| b.z().abs().total_cmp(&a.z().abs()));
    found.truncate(worst);
    Some(Triplets {
        columns: taken,
        count,
        beyond,
        worst: found,
    })
}

/// The columns that are looked at, and what the machine says of them and of pairs of them, summed once for all triplets.
struct Shares {
    picked: Vec<usize>,
    both: Vec<f64>,
}

impl Shares {
    fn new(columns: &Columns, picked: Vec<usize>) -> Self {
        let mut both = Vec::with_capacity(picked.len().pow(2));
        for &a in &picked {
            both.extend(picked.iter().map(|&b| match a == b {
                true => columns.all_one(&[a]),
                false => columns.all_one(&[a, b]),
            }));
        }
        Shares { picked, both }
    }

    /// P(both are one), by their places; of a column with itself, that it is one.
    fn of(&self, a: usize, b: usize) -> f64 {
        self.both[a * self.picked.len() + b]
    }
}

/// A triplet of columns by their places, where enough rows know it.
///
/// Learning has matched the columns' own shares, which are therefore no chance: what counts is the part of x_a x_b x_c that
/// x_a, x_b and x_c do not predict, x_a x_b x_c − Σ β_i x_i with β = Cov(x)⁻¹ Cov(x, x_a x_b x_c) of the machine.
fn judged(
    columns: &Columns,
    shares: &Shares,
    marks: &Marks<'_>,
    places: [usize; 3],
) -> Option<Triplet> {
    let three = places.map(|place| shares.picked[place]);
    let (known, own, all) = marks.of_three(places);
    let expected = columns.all_one(&three);
    if known * expected.min(1.0 - expected) < LEAST_EXPECTED {
        return None;
    }
    let means = places.map(|place| shares.of(place, place));
    let with_all = means.map(|mean| expected * (1.0 - mean));
    let mut covariance = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            covariance[i][j] = shares.of(places[i], places[j]) - means[i] * means[j];
        }
    }
    let slopes = solved(covariance, with_all);
    let explained: f64 = slopes.iter().zip(with_all).map(|(b, c)| b * c).sum();
    let left = expected * (1.0 - expected) - explained;
    let scale = 1.0 / known + columns.draws().map_or(0.0, |draws| 1.0 / draws as f64);
    let by_shares: f64 = (0..3)
        .map(|i| slopes[i] * (own[i] / known - means[i]))
        .sum();
    // Where hardly anything is left, three columns are two.
    (left * known >= LEAST_LEFT).then(|| Triplet {
        columns: three,
        known,
        observed: all / known,
        expected,
        excess: all / known - expected - by_shares,
        std_err: (left * scale).sqrt(),
    })
}

/// Solves a symmetric system by elimination; a column that others determine counts for nothing.
fn solved(mut a: [[f64; 3]; 3], mut b: [f64; 3]) -> [f64; 3] {
    let scale = a[0][0].max(a[1][1]).max(a[2][2]);
    for pivot in 0..3 {
        if a[pivot][pivot] <= 1e-9 * scale {
            a[pivot] = [0.0; 3];
            b[pivot] = 0.0;
            continue;
        }
        for row in (0..3).filter(|&row| row != pivot) {
            let factor = a[row][pivot] / a[pivot][pivot];
            for at in 0..3 {
                a[row][at] -= factor * a[pivot][at];
            }
            b[row] -= factor * b[pivot];
        }
    }
    let mut found = [0.0; 3];
    for at in 0..3 {
        if a[at][at] > 0.0 {
            found[at] = b[at] / a[at][at];
        }
    }
    found
}
