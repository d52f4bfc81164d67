//! Observed moments: how often columns, and pairs of columns, are one where they are known.

use super::dataset::Dataset;

/// How often something was one, of how many rows that say so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frequency {
    /// Rows in which all its cells are known.
    pub known: u64,
    /// Rows in which all its cells are one.
    pub ones: u64,
}

impl Frequency {
    /// The share of ones; `None` where nothing is known.
    pub fn mean(&self) -> Option<f64> {
        (self.known > 0).then(|| self.ones as f64 / self.known as f64)
    }

    /// The standard error of that share if its true value were `probability`: √(p(1−p)/n).
    ///
    /// With the model's probability it tells how far a sample of this size strays by chance alone,
    /// and stays positive where the observed share is 0 or 1.
    pub fn std_err(&self, probability: f64) -> Option<f64> {
        let spread = (probability * (1.0 - probability)).max(0.0);
        (self.known > 0).then(|| (spread / self.known as f64).sqrt())
    }
}

impl Dataset {
    /// The frequency of a one in column `a` and column `b` together (of column `a` alone where they are the same),
    /// over the rows in which both are known.
    pub fn frequency(&self, a: usize, b: usize) -> Frequency {
        let mut found = Frequency::default();
        for (row, &count) in self.rows().iter().zip(self.counts()) {
            if !row.missing.get(a) && !row.missing.get(b) {
                found.known += count;
                found.ones += count * u64::from(row.ones.get(a) && row.ones.get(b));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Cell::{Missing, One, Zero};

    #[test]
    fn frequencies_count_rows_where_the_cells_are_known() {
        let rows = [
            vec![One, One],
            vec![One, Zero],
            vec![One, One],
            vec![Missing, One],
            vec![Zero, Missing],
        ];
        let data = Dataset::from_cells(vec!["a".into(), "b".into()], true, rows).unwrap();
        assert_eq!(data.frequency(0, 0), Frequency { known: 4, ones: 3 });
        assert_eq!(data.frequency(1, 1), Frequency { known: 4, ones: 3 });
        assert_eq!(data.frequency(0, 1), Frequency { known: 3, ones: 2 });
        assert_eq!(data.frequency(0, 1).mean(), Some(2.0 / 3.0));
        assert_eq!(data.frequency(0, 0).std_err(0.5), Some(0.25));
        assert_eq!(Frequency::default().mean(), None);
    }
}
