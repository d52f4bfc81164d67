//! Columns as marks on rows: what the rows weigh that have some marks and not others, counted 64 rows at a time.

use crate::data::Dataset;

/// Which rows have a one in each of some columns, and which have no known cell there.
pub(super) struct Marks<'a> {
    weights: &'a [f64],
    /// The weight of every row, where it is the same.
    even: Option<f64>,
    total: f64,
    columns: Vec<Column>,
}

/// The marks of one column, and what the rows with a one weigh.
struct Column {
    ones: Vec<u64>,
    missing: Vec<u64>,
    weight: f64,
}

impl<'a> Marks<'a> {
    pub(super) fn new(data: &'a Dataset, columns: &[usize]) -> Self {
        let weights = data.weights();
        let first = weights.first().copied();
        let mut marks = Marks {
            weights,
            even: first.filter(|first| weights.iter().all(|weight| weight == first)),
            total: weights.iter().sum(),
            columns: Vec::with_capacity(columns.len()),
        };
        let words = weights.len().div_ceil(64);
        for &column in columns {
            let (mut ones, mut missing) = (vec![0u64; words], vec![0u64; words]);
            for (at, row) in data.rows().iter().enumerate() {
                let bit = 1 << (at % 64);
                match (row.missing.get(column), row.ones.get(column)) {
                    (true, _) => missing[at / 64] |= bit,
                    (false, true) => ones[at / 64] |= bit,
                    (false, false) => {}
                }
            }
            let weight = marks.weighed(|word| ones[word]);
            marks.columns.push(Column {
                ones,
                missing,
                weight,
            });
        }
        marks
    }

    /// What the rows weigh that `marked` has.
    fn weighed(&self, marked: impl Fn(usize) -> u64) -> f64 {
        let words = 0..self.weights.len().div_ceil(64);
        if let Some(even) = self.even {
            let count: u64 = words.map(|word| u64::from(marked(word).count_ones())).sum();
            return even * count as f64;
        }
        let mut sum = 0.0;
        for word in words {
            let mut left = marked(word);
            while left != 0 {
                sum += self.weights[64 * word + left.trailing_zeros() as usize];
                left &= left - 1;
            }
        }
        sum
    }

    /// Of three columns, by their places: what the rows weigh that know them all, those of them with a one in each, and those
    /// with a one in all three.
    pub(super) fn of_three(&self, places: [usize; 3]) -> (f64, [f64; 3], f64) {
        let [a, b, c] = places.map(|place| &self.columns[place]);
        let missing = |word: usize| a.missing[word] | b.missing[word] | c.missing[word];
        let lost = self.weighed(missing);
        let own = [a, b, c].map(|column| match lost > 0.0 {
            true => column.weight - self.weighed(|word| column.ones[word] & missing(word)),
            false => column.weight,
        });
        // A one is never missing: where all three are one, all are known.
        let all = self.weighed(|word| a.ones[word] & b.ones[word] & c.ones[word]);
        (self.total - lost, own, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Cell;
    use proptest::prelude::*;

    fn cell() -> impl Strategy<Value = Cell> {
        prop_oneof![Just(Cell::Zero), Just(Cell::One), Just(Cell::Missing)]
    }

    proptest! {
        #[test]
        fn marks_are_counted_as_rows_are(
            rows in prop::collection::vec(prop::collection::vec(cell(), 4), 1..200),
            weights in prop::collection::vec(0.5f64..3.0, 200),
            weighted in any::<bool>(),
        ) {
            let names = (0..4).map(|column| format!("y{column}")).collect();
            let count = rows.len();
            let mut data = Dataset::from_cells(names, true, rows).unwrap();
            if weighted {
                data = data.with_row_weights(weights[..count].to_vec()).unwrap();
            }
            let picked = [3, 0, 2];
            let marks = Marks::new(&data, &picked);
            let (known, own, all) = marks.of_three([0, 1, 2]);
            let (mut expected, mut expected_own, mut expected_all) = (0.0, [0.0; 3], 0.0);
            for (row, weight) in data.rows().iter().zip(data.weights()) {
                let cells = picked.map(|column| row.cell(column));
                if cells.contains(&Cell::Missing) {
                    continue;
                }
                expected += weight;
                for (sum, cell) in expected_own.iter_mut().zip(cells) {
                    *sum += weight * f64::from(cell == Cell::One);
                }
                expected_all += weight * f64::from(cells == [Cell::One; 3]);
            }
            prop_assert!((known - expected).abs() < 1e-9);
            prop_assert!((all - expected_all).abs() < 1e-9);
            for (found, expected) in own.iter().zip(expected_own) {
                prop_assert!((found - expected).abs() < 1e-9);
            }
        }
    }
}
