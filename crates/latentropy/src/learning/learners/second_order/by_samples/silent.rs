//! Hidden units that say nothing about the rows, and what becomes of them.
//!
//! Whatever the bias of a unit that has next to nothing to do with the others, its constraints hold: its posterior is the same
//! for every row. To measure it in errors that small would take states without end, and noise would decide what is written.
//! Such a unit is judged as if rows showed it, and in the end is let go to the point of highest entropy of its flat set: no
//! weights, on and off equally often.

use crate::learning::hidden_odds::HiddenOdds;
use crate::learning::point::Point;
use crate::learning::problem::Problem;

/// A unit is silent where its log-odds have no more than this variance over the rows: a thousandth of a nat …
const MOST_VARIANCE: f64 = 8e-3;
/// … and no more than this over √T. Without it, T rows together then lose about a hundredth of a nat: as if it bound other units by
/// p(1 − p) w_i w_j.
const MOST_OF_ROWS: f64 = 0.4;

/// The hidden units of a machine with biases that say nothing at these weights.
pub(super) fn silent_units(problem: &Problem, weights: &[f64]) -> Vec<usize> {
    let hidden = problem.structure().hidden();
    let most = MOST_VARIANCE.min(MOST_OF_ROWS / problem.row_count().sqrt());
    let is_silent = |&unit: &usize| variance(problem, weights, unit).is_some_and(|v| v <= most);
    hidden.into_iter().filter(is_silent).collect()
}

/// Which terms have one of these units.
pub(super) fn terms_of(problem: &Problem, units: &[usize]) -> Vec<bool> {
    let terms = problem.structure().terms().iter();
    terms
        .map(|term| term.units().iter().any(|unit| units.contains(unit)))
        .collect()
}

/// The variance over the rows of a hidden unit's log-odds; none where some unit beside it has no bias, or terms are of more
/// than two units. What another hidden unit adds is at most its own.
fn variance(problem: &Problem, weights: &[f64], unit: usize) -> Option<f64> {
    let odds = HiddenOdds::new(problem, weights, unit)?;
    let hidden = problem.structure().hidden();
    let of_hidden = hidden.iter().map(|&h| odds.weight(h).powi(2) / 4.0);
    Some(odds.variance() + of_hidden.sum::<f64>())
}

/// Takes the weights of these units away, which leaves to the units beside them the bias that they had by them; true where
/// anything has changed.
pub(super) fn let_go(problem: &Problem, point: &mut Point, units: &[usize]) -> bool {
    let terms = problem.structure().terms();
    let eta = &point.clamped.expectations;
    let mut biases = vec![0.0; problem.structure().units().len()];
    let on = |unit: usize| {
        let mut known = terms.iter().zip(eta);
        let found = known.find(|(term, _)| *term.units() == [unit]);
        found.map_or(0.5, |(_, eta)| *eta)
    };
    let mut has_changed = false;
    for (term, weight) in terms.iter().zip(&mut point.weights) {
        let Some(&silent) = term.units().iter().find(|unit| units.contains(unit)) else {
            continue;
        };
        for other in term.units().iter().filter(|other| !units.contains(other)) {
            biases[*other] += on(silent) * *weight;
        }
        has_changed |= *weight != 0.0;
        *weight = 0.0;
    }
    for (at, term) in terms.iter().enumerate() {
        if let [unit] = *term.units() {
            let weight = point.weights[at] + biases[unit];
            point.weights[at] = problem.prior().held(at, weight);
        }
    }
    has_changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;
    use crate::inference::EngineId;
    use crate::learning::Objective;
    use crate::network::Network;

    fn problem() -> Problem {
        let rows: Vec<Vec<i8>> = (0..200)
            .map(|row| {
                (0..5)
                    .map(|at| ((row * row + 3 * at * row) / 7 % 2) as i8)
                    .collect()
            })
            .collect();
        let data = Dataset::from_rows(&rows).unwrap();
        let structure = Network::full(5, 2);
        let objective = Objective::with_ridge(1.0);
        Problem::new(&structure, &data, objective, EngineId::EXACT, false).unwrap()
    }

    #[test]
    fn units_that_say_nothing_are_let_go_without_a_loss() {
        let problem = problem();
        let terms = problem.structure().terms();
        let weights: Vec<f64> = terms
            .iter()
            .enumerate()
            .map(|(at, term)| match term.units().contains(&5) {
                // Its bias is far from zero, its pairs are weak.
                true if term.order() == 1 => -1.2,
                true => 0.05 * (at as f64).sin(),
                false => 0.8 * (at as f64).sin(),
            })
            .collect();
        assert_eq!(silent_units(&problem, &weights), [5]);
        let mut work = Default::default();
        let mut point = Point::at(weights);
        problem.evaluate(&mut point, &mut work, false).unwrap();
        let before = point.log_likelihood;
        assert!(let_go(&problem, &mut point, &[5]));
        assert!(!let_go(&problem, &mut point.clone(), &[5]));
        let own = terms_of(&problem, &[5]);
        let mut weighted = point.weights.iter().zip(&own);
        assert!(weighted.all(|(weight, is_own)| !is_own || *weight == 0.0));
        problem.evaluate(&mut point, &mut work, false).unwrap();
        assert!(
            (point.log_likelihood - before).abs() < 1e-3,
            "{before} {}",
            point.log_likelihood
        );
        assert!(silent_units(&problem, &vec![0.7; terms.len()]).is_empty());
    }
}
