//! The log-odds of a hidden unit over the rows, as far as the columns say them.

use super::prior::centres;
use super::problem::Problem;

/// A hidden unit that is joined to others by pairs alone, each of which has a bias.
pub(super) struct HiddenOdds<'a> {
    problem: &'a Problem,
    /// The columns' means, and one half for hidden units.
    pub(super) means: Vec<f64>,
    /// Its bias, and the weights to every other unit, none where there is no pair.
    pub(super) bias: f64,
    pub(super) beside: Vec<Option<(usize, f64)>>,
}

impl<'a> HiddenOdds<'a> {
    /// None where it, or some unit beside it, has no bias, or terms are of more than two units.
    pub(super) fn new(problem: &'a Problem, weights: &[f64], unit: usize) -> Option<Self> {
        let terms = problem.structure().terms();
        let units = problem.structure().units().len();
        let mut biases = vec![None; units];
        let mut beside = vec![None; units];
        for (at, (term, &weight)) in terms.iter().zip(weights).enumerate() {
            match *term.units() {
                [only] => biases[only] = Some(weight),
                [a, b] if a == unit => beside[b] = Some((at, weight)),
                [a, b] if b == unit => beside[a] = Some((at, weight)),
                _ if term.units().contains(&unit) => return None,
                _ => {}
            }
        }
        let matters = |other: usize| beside[other].is_some_and(|(_, weight)| weight != 0.0);
        if (0..units).any(|other| matters(other) && biases[other].is_none()) {
            return None;
        }
        Some(HiddenOdds {
            problem,
            means: centres(problem.structure(), problem.rows()),
            bias: biases[unit]?,
            beside,
        })
    }

    /// The weight to another unit.
    pub(super) fn weight(&self, other: usize) -> f64 {
        self.beside[other].map_or(0.0, |(_, weight)| weight)
    }

    /// What they are at the columns' means, other hidden units on half of the time.
    pub(super) fn at_the_means(&self) -> f64 {
        let means = self.means.iter().enumerate();
        self.bias
            + means
                .map(|(other, mean)| self.weight(other) * mean)
                .sum::<f64>()
    }

    /// What known cells add to that, and the row's share, row by row.
    fn over_rows(&self) -> impl Iterator<Item = (f64, f64)> {
        let rows = self.problem.rows();
        let pairs: Vec<(usize, f64)> = (0..self.beside.len())
            .filter_map(|other| Some((other, self.beside[other]?.1)))
            .collect();
        rows.clamps()
            .iter()
            .zip(rows.shares())
            .map(move |(clamp, share)| {
                let known = pairs.iter().filter_map(|&(other, weight)| {
                    let on = f64::from(u8::from(clamp.get(other)?));
                    Some(weight * (on - self.means[other]))
                });
                (known.sum(), *share)
            })
    }

    /// Their variance over the rows.
    pub(super) fn variance(&self) -> f64 {
        let (mut sum, mut squares, mut total) = (0.0, 0.0, 0.0);
        for (odds, share) in self.over_rows() {
            sum += share * odds;
            squares += share * odds * odds;
            total += share;
        }
        let mean = sum / total;
        squares / total - mean * mean
    }

    /// p of the unit and its first three derivatives by its log-odds, in the mean over the rows.
    pub(super) fn derivatives(&self) -> [f64; 4] {
        let middle = self.at_the_means();
        let (mut sums, mut total) = ([0.0; 4], 0.0);
        for (odds, share) in self.over_rows() {
            let p = 1.0 / (1.0 + (-(middle + odds)).exp());
            let spread = p * (1.0 - p);
            let (tilt, bend) = (spread * (1.0 - 2.0 * p), spread * (1.0 - 6.0 * spread));
            for (sum, value) in sums.iter_mut().zip([p, spread, tilt, bend]) {
                *sum += share * value;
            }
            total += share;
        }
        sums.map(|sum| sum / total)
    }
}
