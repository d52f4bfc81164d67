//! A spread: what refits say about one number.

use serde::{Deserialize, Serialize};

/// Mean, standard error and the middle 95 % of a number over refits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of the refits, which is the standard error of the number.
    pub std_err: f64,
    /// The 2.5 % quantile.
    pub low: f64,
    /// The 97.5 % quantile.
    pub high: f64,
}

impl Spread {
    /// Of at least two values.
    pub(super) fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Spread {
            mean,
            std_err: (squares / (count - 1.0)).sqrt(),
            low: quantile(&values, 0.025),
            high: quantile(&values, 0.975),
        }
    }
}

/// The quantile of ascending values, linear between neighbours.
fn quantile(ascending: &[f64], share: f64) -> f64 {
    let place = share * (ascending.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(ascending.len() - 1);
    ascending[below] + (place - below as f64) * (ascending[above] - ascending[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_of_known_numbers() {
        let spread = Spread::of((0..=40).rev().map(f64::from).collect());
        assert_eq!((spread.mean, spread.low, spread.high), (20.0, 1.0, 39.0));
        // The variance of 0, 1, …, n is (n + 1)(n + 2)/12.
        assert!((spread.std_err - (41.0f64 * 42.0 / 12.0).sqrt()).abs() < 1e-12);
        let pair = Spread::of(vec![3.0, 1.0]);
        assert!((pair.low - 1.05).abs() < 1e-12 && (pair.high - 2.95).abs() < 1e-12);
    }
}
