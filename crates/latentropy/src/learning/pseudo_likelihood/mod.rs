//! Pairs by pseudo-likelihood (Besag 1975): where learning by samples begins.
//!
//! Every column is foretold from all others by a logistic regression, the weights of a pair being the same in both of its
//! columns'. That has no log Z in it and is concave, its solution is near that of the likelihood, and chains of a machine
//! that is near to what it should be are near to the rows. Columns are taken about their means, so that which answer is
//! called 1 does not matter, and a missing cell says nothing.
//!
//! Hidden units are columns like others once they are drawn from their posterior, row by row; drawing and regressions take turns
//! (Celeux and Diebolt 1985 call it stochastic EM).

mod completed;
mod regressions;

use super::prior::centres;
use super::problem::Problem;
use crate::network::Network;
use crate::random::{Purpose, named_seed, stream};
pub(super) use completed::CompletedRows;
use rayon::prelude::*;
use regressions::{RUN, Regressions, Run};

/// Of very many rows a part is enough for a start: so many products of two cells.
const MOST_PRODUCTS: usize = 1 << 32;
/// How often hidden units are drawn, and regressions made.
const TURNS: usize = 4;

/// Sets all biases and pairs to those of the pseudo-likelihood; hidden units begin at what these weights say of them. Leaves a
/// machine alone that has no pairs, or a unit without a bias.
pub(super) fn begin_at_pseudo_likelihood(
    problem: &Problem,
    weights: &mut [f64],
    (seed, index): (u64, u64),
) {
    let network = problem.structure();
    let Some(places) = Places::new(network) else {
        return;
    };
    let most = (MOST_PRODUCTS / places.columns.len().pow(2)).max(RUN);
    let seed = named_seed(seed, "pseudo-likelihood");
    let mut random = stream(seed, Purpose::Start, index);
    let mut rows = CompletedRows::new(problem, most);
    let means = centres(network, problem.rows());
    let turns = if rows.hidden.is_empty() { 1 } else { TURNS };
    for turn in 0..turns {
        rows.redraw(weights, &mut random);
        let regressions = places.regressions(problem, &rows, &means);
        let start = match turn {
            0 => places.without_pairs(&rows, &means),
            _ => places.about(weights, &means),
        };
        places.write(problem, &regressions.solve(start), &means, weights);
    }
}

/// Whether a machine has pairs of columns, a bias for every unit, and nothing larger than pairs.
pub(super) fn has_pseudo_likelihood(network: &Network) -> bool {
    let is_between_columns = |units: &[usize]| match *units {
        [a, b] => network.visible().contains(&a) && network.visible().contains(&b),
        _ => false,
    };
    let mut terms = network.terms().iter();
    network.order() <= 2
        && terms.any(|term| is_between_columns(term.units()))
        && Places::new(network).is_some()
}

/// Which terms are biases and pairs.
struct Places {
    /// The units, visible ones first.
    columns: Vec<usize>,
    /// The term of each one's bias.
    biases: Vec<usize>,
    /// The terms of pairs, and which columns they are between.
    pairs: Vec<usize>,
    between: Vec<(usize, usize)>,
}

impl Places {
    fn new(network: &Network) -> Option<Self> {
        let mut columns = network.visible();
        columns.extend(network.hidden());
        let mut column_of = vec![None; network.units().len()];
        for (at, &unit) in columns.iter().enumerate() {
            column_of[unit] = Some(at);
        }
        let mut biases = vec![None; columns.len()];
        let (mut pairs, mut between) = (Vec::new(), Vec::new());
        for (at, term) in network.terms().iter().enumerate() {
            match *term.units() {
                [unit] => {
                    if let Some(column) = column_of[unit] {
                        biases[column] = Some(at);
                    }
                }
                [a, b] => {
                    if let (Some(a), Some(b)) = (column_of[a], column_of[b]) {
                        pairs.push(at);
                        between.push((a, b));
                    }
                }
                _ => {}
            }
        }
        let biases = biases.into_iter().collect::<Option<Vec<usize>>>()?;
        (!pairs.is_empty()).then_some(Places {
            columns,
            biases,
            pairs,
            between,
        })
    }

    /// Where regressions begin: units that are independent.
    fn without_pairs(&self, rows: &CompletedRows, means: &[f64]) -> Vec<f64> {
        let least = super::start::LEAST_MEAN;
        let mut start = vec![0.0; self.columns.len() + self.pairs.len()];
        for (start, &unit) in start.iter_mut().zip(&self.columns) {
            let mean = rows.mean_of_hidden(unit).unwrap_or(means[unit]);
            let mean = mean.clamp(least, 1.0 - least);
            *start = (mean / (1.0 - mean)).ln();
        }
        start
    }

    /// Weights as the regressions have them: log-odds at the mean row, then pairs.
    fn about(&self, weights: &[f64], means: &[f64]) -> Vec<f64> {
        let mut found: Vec<f64> = self.biases.iter().map(|&term| weights[term]).collect();
        for (&(a, b), &term) in self.between.iter().zip(&self.pairs) {
            found[a] += weights[term] * means[self.columns[b]];
            found[b] += weights[term] * means[self.columns[a]];
        }
        found.extend(self.pairs.iter().map(|&term| weights[term]));
        found
    }

    /// The way back.
    fn write(&self, problem: &Problem, found: &[f64], means: &[f64], weights: &mut [f64]) {
        let columns = self.columns.len();
        let (mut biases, pairs) = (found[..columns].to_vec(), &found[columns..]);
        let prior = problem.prior();
        for ((&(a, b), &term), &weight) in self.between.iter().zip(&self.pairs).zip(pairs) {
            weights[term] = prior.held(term, weight);
            biases[a] -= weights[term] * means[self.columns[b]];
            biases[b] -= weights[term] * means[self.columns[a]];
        }
        for (&term, &bias) in self.biases.iter().zip(&biases) {
            weights[term] = prior.held(term, bias);
        }
    }

    fn regressions(&self, problem: &Problem, rows: &CompletedRows, means: &[f64]) -> Regressions {
        let columns = self.columns.len();
        let all: Vec<usize> = (0..rows.len()).collect();
        let runs = all.par_chunks(RUN).map(|taken| {
            let mut run = Run {
                rows: taken.len(),
                centred: Vec::with_capacity(taken.len() * columns),
                ones: Vec::with_capacity(taken.len() * columns),
                shares: Vec::with_capacity(taken.len() * columns),
            };
            for &at in taken {
                for &unit in &self.columns {
                    let cell = rows.cell(problem, at, unit);
                    let value = cell.map(|on| f64::from(u8::from(on)));
                    run.centred
                        .push(value.map_or(0.0, |value| value - means[unit]));
                    run.ones.push(cell == Some(true));
                    run.shares.push(cell.map_or(0.0, |_| rows.shares[at]));
                }
            }
            run
        });
        Regressions {
            columns,
            runs: runs.collect(),
            pairs: self.between.clone(),
            // A pair is in two regressions, and so is its ridge.
            bend: 2.0 * problem.objective().ridge / problem.row_count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::regressions::Weights;
    use super::*;
    use crate::data::Dataset;
    use crate::inference::EngineId;
    use crate::inference::kernels::dot;
    use crate::learning::Objective;

    fn table(rows: usize, columns: usize) -> Vec<Vec<i8>> {
        let cell = |row: usize, column: usize| {
            let mixed = (row * row * 7 + column * 13 + row * column * 5) % 31;
            match mixed {
                0 => -1,
                _ => i8::from((mixed + row * column).is_multiple_of(3)),
            }
        };
        let line = |row: usize| (0..columns).map(|column| cell(row, column)).collect();
        (0..rows).map(line).collect()
    }

    fn problem(rows: &[Vec<i8>], structure: &Network) -> Problem {
        let data = Dataset::from_rows(rows).unwrap();
        Problem::new(
            structure,
            &data,
            Objective::with_ridge(3.0),
            EngineId::GIBBS,
            false,
        )
        .unwrap()
    }

    /// Value and slope agree with a literal sum over cells and with differences, and products with differences of slopes.
    #[test]
    fn slopes_and_products_are_differences() {
        let rows = table(300, 5);
        let structure = Network::full(5, 0);
        let problem = problem(&rows, &structure);
        let places = Places::new(&structure).unwrap();
        let means = centres(&structure, problem.rows());
        let rows = CompletedRows::new(&problem, 1000);
        let regressions = places.regressions(&problem, &rows, &means);
        let weights: Weights = (0..5 + 10)
            .map(|at| 0.5 * (3.0 * at as f64).cos())
            .collect();
        let stand = regressions.stand(&weights);
        let v: Weights = (0..15).map(|at| (2.0 * at as f64 + 1.0).sin()).collect();
        let at = |by: f64| -> (f64, Weights) {
            let moved: Weights = weights.iter().zip(&v).map(|(w, v)| w + by * v).collect();
            let stand = regressions.stand(&moved);
            (regressions.objective(&stand, &moved), stand.slope)
        };
        let step = 1e-5;
        let ((up, slope_up), (down, slope_down)) = (at(step), at(-step));
        assert!((dot(&stand.slope, &v) - (up - down) / (2.0 * step)).abs() < 1e-8);
        let product = regressions.times(&stand.bends, &v);
        for (found, (up, down)) in product.iter().zip(slope_up.iter().zip(&slope_down)) {
            assert!((found + (up - down) / (2.0 * step)).abs() < 1e-8);
        }
    }

    /// With no hidden unit and two columns the pseudo-likelihood of a table without missing cells is met by the likelihood's own
    /// solution where there is no ridge.
    #[test]
    fn two_columns_begin_at_their_log_odds_ratio() {
        let counts = [(0, 0, 40), (0, 1, 20), (1, 0, 10), (1, 1, 30)];
        let rows: Vec<Vec<i8>> = counts
            .iter()
            .flat_map(|&(a, b, count)| std::iter::repeat_n(vec![a, b], count))
            .collect();
        let data = Dataset::from_rows(&rows).unwrap();
        let structure = Network::full(2, 0);
        let objective = Objective::with_ridge(0.0);
        let problem = Problem::new(&structure, &data, objective, EngineId::GIBBS, false).unwrap();
        let mut weights = vec![0.0; 3];
        begin_at_pseudo_likelihood(&problem, &mut weights, (0, 0));
        let pair = structure.terms().iter().position(|term| term.order() == 2);
        let exact = (40.0f64 * 30.0 / (20.0 * 10.0)).ln();
        assert!((weights[pair.unwrap()] - exact).abs() < 0.05, "{weights:?}");
    }

    #[test]
    fn which_answer_is_called_one_does_not_matter() {
        let rows = table(200, 6);
        let turned: Vec<Vec<i8>> = rows
            .iter()
            .map(|row| {
                let turn = |(at, &cell): (usize, &i8)| match (at % 2, cell) {
                    (1, 0) => 1,
                    (1, 1) => 0,
                    _ => cell,
                };
                row.iter().enumerate().map(turn).collect()
            })
            .collect();
        let structure = Network::full(6, 0);
        let of = |rows: &[Vec<i8>]| {
            let mut weights = vec![0.0; structure.terms().len()];
            begin_at_pseudo_likelihood(&problem(rows, &structure), &mut weights, (0, 0));
            weights
        };
        let (plain, turned) = (of(&rows), of(&turned));
        for (at, term) in structure.terms().iter().enumerate() {
            if let [a, b] = *term.units() {
                let sign = if (a + b) % 2 == 1 { -1.0 } else { 1.0 };
                assert!((plain[at] - sign * turned[at]).abs() < 1e-9);
            }
        }
    }
}
