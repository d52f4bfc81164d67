//! Screening: which pairs of columns the rows show to be associated, and the machine that has a term for these alone.
//!
//! Where rows are few and columns many, most pairs of a semi-restricted machine learn noise, and a ridge that holds them
//! down holds down those that matter. The likelihood ratio of a 2 × 2 table, G = 2 n I(a; b), does not change when a
//! column is recoded (0 ↔ 1), and neither does the choice.

use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::network::{Network, Role, Shape, TermOptions};

/// The chance that any pair is kept at all where no two columns are associated (Bonferroni).
const CHANCE: f64 = 0.01;

/// The pairs of columns (the smaller place first) that are associated beyond chance, in order.
pub(super) fn associated_pairs(data: &Dataset) -> Vec<(usize, usize)> {
    let columns = data.columns().len();
    let tables = Tables::new(data);
    let least = threshold(columns * columns.saturating_sub(1) / 2);
    let pairs = (0..columns).flat_map(|a| (a + 1..columns).map(move |b| (a, b)));
    pairs
        .filter(|&(a, b)| likelihood_ratio(tables.of(a, b)) > least)
        .collect()
}

/// A semi-restricted machine on these columns without the pairs of visible units that are not associated.
pub(super) fn screened(data: &Dataset, hidden: usize, options: &TermOptions) -> Result<Network> {
    if options.order > 2 {
        return Err(Error::invalid(format!(
            "shape {} has pairs at most; take order 2, or shape {}",
            Shape::Screened,
            Shape::SemiRestricted
        )));
    }
    let all = TermOptions {
        shape: Shape::SemiRestricted,
        ..options.clone()
    };
    let all = Network::on_columns(data.columns(), hidden, &all)?;
    let pairs = associated_pairs(data);
    let is_visible = |unit: usize| all.units()[unit].role == Role::Visible;
    let terms = all.terms().iter().filter(|term| match *term.units() {
        // Visible units are the columns, in their order.
        [a, b] if is_visible(a) && is_visible(b) => pairs.binary_search(&(a, b)).is_ok(),
        _ => true,
    });
    Network::new(all.units().to_vec(), terms.map(|term| (term.clone(), 0.0)))
}

/// What rows weigh in the cells of a 2 × 2 table: both one, the first alone, the second alone, neither.
type Cells = [f64; 4];

/// G = 2 Σ observed · log(observed / expected): χ² with one degree of freedom where columns have nothing to do with each
/// other.
fn likelihood_ratio([both, first, second, neither]: Cells) -> f64 {
    let weighed = |count: f64| match count > 0.0 {
        true => count * count.ln(),
        false => 0.0,
    };
    let cells = weighed(both) + weighed(first) + weighed(second) + weighed(neither);
    let margins = [
        both + first,
        second + neither,
        both + second,
        first + neither,
    ];
    let margins: f64 = margins.into_iter().map(weighed).sum();
    2.0 * (cells - margins + weighed(both + first + second + neither))
}

/// G above which a pair is kept: t² with 2 φ(t) / t = [`CHANCE`] / pairs, which bounds the two tails of the normal
/// distribution from above (Gordon 1941).
fn threshold(pairs: usize) -> f64 {
    let log_share = (CHANCE / pairs.max(1) as f64).ln();
    let log_tails = |t: f64| (2.0 / std::f64::consts::PI).sqrt().ln() - t.ln() - 0.5 * t * t;
    let (mut low, mut high) = (0.1, 40.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        match log_tails(middle) > log_share {
            true => low = middle,
            false => high = middle,
        }
    }
    high * high
}

/// The 2 × 2 tables of all pairs, each over the rows in which both cells are known.
struct Tables {
    columns: usize,
    total: f64,
    /// What rows weigh in which a is one and b is one, by a and b.
    ones: Vec<f64>,
    /// In which a is one and b is missing; and in which both are missing. Empty where no cell is.
    lacking: Vec<f64>,
    missing: Vec<f64>,
}

impl Tables {
    fn new(data: &Dataset) -> Self {
        let columns = data.columns().len();
        let room = match data.missing_cells() {
            0 => 0,
            _ => columns * columns,
        };
        let mut tables = Tables {
            columns,
            total: 0.0,
            ones: vec![0.0; columns * columns],
            lacking: vec![0.0; room],
            missing: vec![0.0; room],
        };
        for (row, &weight) in data.rows().iter().zip(data.weights()) {
            tables.total += weight;
            let ones: Vec<usize> = row.ones.ones().collect();
            let missing: Vec<usize> = row.missing.ones().collect();
            let mut add = |to: fn(&mut Tables) -> &mut Vec<f64>, a: &[usize], b: &[usize]| {
                for &a in a {
                    for &b in b {
                        to(&mut tables)[a * columns + b] += weight;
                    }
                }
            };
            add(|tables| &mut tables.ones, &ones, &ones);
            add(|tables| &mut tables.lacking, &ones, &missing);
            add(|tables| &mut tables.missing, &missing, &missing);
        }
        tables
    }

    fn of(&self, a: usize, b: usize) -> Cells {
        let at = |matrix: &[f64], a: usize, b: usize| {
            let value = matrix.get(a * self.columns + b);
            value.copied().unwrap_or(0.0)
        };
        let both = at(&self.ones, a, b);
        let first = at(&self.ones, a, a) - at(&self.lacking, a, b) - both;
        let second = at(&self.ones, b, b) - at(&self.lacking, b, a) - both;
        let unknown = at(&self.missing, a, a) + at(&self.missing, b, b) - at(&self.missing, a, b);
        [
            both,
            first,
            second,
            self.total - unknown - both - first - second,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Cell;
    use proptest::prelude::*;

    fn data(rows: &[Vec<u8>]) -> Dataset {
        let columns = (1..=rows[0].len()).map(|column| format!("y{column}"));
        let cell = |cell: &u8| match cell {
            0 => Cell::Zero,
            1 => Cell::One,
            _ => Cell::Missing,
        };
        let cells = rows.iter().map(|row| row.iter().map(cell).collect());
        Dataset::from_cells(columns.collect(), true, cells).unwrap()
    }

    /// The same table, row by row.
    fn literal(rows: &[Vec<u8>], a: usize, b: usize) -> Cells {
        let mut cells = [0.0; 4];
        for row in rows {
            match (row[a], row[b]) {
                (1, 1) => cells[0] += 1.0,
                (1, 0) => cells[1] += 1.0,
                (0, 1) => cells[2] += 1.0,
                (0, 0) => cells[3] += 1.0,
                _ => {}
            }
        }
        cells
    }

    proptest! {
        #[test]
        fn tables_are_those_of_the_rows_and_recoding_changes_no_ratio(
            rows in prop::collection::vec(prop::collection::vec(0u8..3, 4), 1..40),
            flips in prop::collection::vec(any::<bool>(), 4),
        ) {
            let tables = Tables::new(&data(&rows));
            let recoded: Vec<Vec<u8>> = rows.iter().map(|row| {
                let cells = row.iter().zip(&flips);
                cells.map(|(&cell, &flip)| if flip && cell < 2 { 1 - cell } else { cell }).collect()
            }).collect();
            let turned = Tables::new(&data(&recoded));
            for a in 0..4 {
                for b in a + 1..4 {
                    let found = tables.of(a, b);
                    prop_assert_eq!(found, literal(&rows, a, b));
                    let (here, there) = (likelihood_ratio(found), likelihood_ratio(turned.of(a, b)));
                    prop_assert!((here - there).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn the_bar_rises_with_the_number_of_pairs() {
        // Two tails of the normal distribution: 0.01 beyond 2.5758, 1e-6 beyond 4.8916.
        assert!((threshold(1).sqrt() - 2.5758).abs() < 0.06);
        assert!((threshold(10_000).sqrt() - 4.8916).abs() < 0.02);
        assert!(threshold(1).sqrt() > 2.5758 && threshold(10_000).sqrt() > 4.8916);
    }

    #[test]
    fn pairs_that_go_together_are_kept_and_others_are_not() {
        let rows: Vec<Vec<u8>> = (0..64u8)
            .map(|row| vec![row & 1, row & 1, row >> 1 & 1, row >> 2 & 1])
            .collect();
        assert_eq!(associated_pairs(&data(&rows)), [(0, 1)]);
        let options = TermOptions {
            shape: Shape::Screened,
            ..TermOptions::default()
        };
        let network = screened(&data(&rows), 2, &options).unwrap();
        // Six biases, one pair of columns, and every column with every hidden unit.
        assert_eq!(network.terms().len(), 6 + 1 + 8);
    }
}
