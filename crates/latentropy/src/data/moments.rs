//! Observed moments: how often columns, and pairs of columns, are one where they are known, by the rows' weights.

use super::dataset::Dataset;

/// How often something was one, of how many rows that say so.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Frequency {
    /// What the rows weigh in which all its cells are known: their number, unless rows have weights.
    pub known: f64,
    /// What the rows weigh in which all its cells are one.
    pub ones: f64,
}

impl Frequency {
    /// The share of ones; `None` where nothing is known.
    pub fn mean(&self) -> Option<f64> {
        (self.known > 0.0).then(|| self.ones / self.known)
    }

    /// The standard error of that share if its true value were `probability`: √(p(1−p)/n).
    ///
    /// With the model's probability it tells how far a sample of this size strays by chance alone,
    /// and stays positive where the observed share is 0 or 1.
    pub fn std_err(&self, probability: f64) -> Option<f64> {
        let spread = (probability * (1.0 - probability)).max(0.0);
        (self.known > 0.0).then(|| (spread / self.known).sqrt())
    }
}

impl Dataset {
    /// The frequency of a one in column `a` and column `b` together (of column `a` alone where they are the same),
    /// over the rows in which both are known.
    pub fn frequency(&self, a: usize, b: usize) -> Frequency {
        let mut found = Frequency::default();
        for (row, &weight) in self.rows().iter().zip(self.weights()) {
            if !row.missing.get(a) && !row.missing.get(b) {
                found.known += weight;
                if row.ones.get(a) && row.ones.get(b) {
                    found.ones += weight;
                }
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
        let of = |known, ones| Frequency { known, ones };
        assert_eq!(data.frequency(0, 0), of(4.0, 3.0));
        assert_eq!(data.frequency(1, 1), of(4.0, 3.0));
        assert_eq!(data.frequency(0, 1), of(3.0, 2.0));
        assert_eq!(data.frequency(0, 1).mean(), Some(2.0 / 3.0));
        assert_eq!(data.frequency(0, 0).std_err(0.5), Some(0.25));
        assert_eq!(Frequency::default().mean(), None);
        // A row of weight 2 counts as two.
        let weighted = data
            .with_row_weights(vec![2.0, 0.5, 0.0, 1.0, 3.0])
            .unwrap();
        assert_eq!(weighted.frequency(0, 0), of(5.5, 2.5));
        assert_eq!(weighted.frequency(0, 1), of(2.5, 2.0));
    }
}
