//! Clustering: candidates that are one solution up to a relabelling of hidden units count as one.
//!
//! Two candidates are one solution if their log-likelihood, entropy and log-probabilities of all data rows
//! agree: a relabelling changes none of these. How closely they must agree follows from how closely
//! they converged: near a maximum an error in the gradient of size r moves the point by about √r at worst.

use super::candidate::Candidate;
use crate::learning::StopReason;
use std::collections::BTreeMap;

/// So many standard errors of a difference by Monte Carlo are not by chance: one pair in four hundred is this far apart.
const CERTAIN: f64 = 3.0;

/// Numbers the distinct solutions in order of their first candidate; returns how many there are.
///
/// Proposals that were given up are no solutions: they share the number after the last.
pub(crate) fn cluster(candidates: &mut [Candidate]) -> usize {
    Solutions::default().number(candidates)
}

/// The distinct solutions of a search so far.
///
/// A candidate belongs to the first solution whose first candidate is the same as it, so that what was numbered keeps its
/// number when others follow. Solutions are looked up by their log-likelihood, on one shelf for each size of [`reach`]: a few
/// are compared, not all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solutions {
    /// The first candidate of each.
    firsts: Vec<usize>,
    /// How many candidates are numbered.
    numbered: usize,
    /// The first solution that is the only maximum there is, wherever noise puts it.
    only: Option<usize>,
    /// Log-likelihoods and numbers of the solutions of reach up to 2^key, in order.
    shelves: BTreeMap<i32, Vec<(f64, usize)>>,
}

impl Solutions {
    /// Numbers the candidates that follow those it has numbered; returns how many solutions there are by now.
    pub(crate) fn number(&mut self, candidates: &mut [Candidate]) -> usize {
        let is_given_up = |candidate: &Candidate| candidate.stop == StopReason::GivenUp;
        for at in self.numbered..candidates.len() {
            if is_given_up(&candidates[at]) {
                continue;
            }
            let known = self.known(candidates, at);
            candidates[at].solution = known.unwrap_or_else(|| self.add(&candidates[at], at));
        }
        self.numbered = candidates.len();
        for candidate in candidates.iter_mut().filter(|c| is_given_up(c)) {
            candidate.solution = self.firsts.len();
        }
        self.firsts.len()
    }

    /// The first solution that this candidate is.
    fn known(&self, candidates: &[Candidate], at: usize) -> Option<usize> {
        let candidate = &candidates[at];
        let (middle, own) = (candidate.log_likelihood, reach(candidate));
        let near = self.shelves.iter().flat_map(|(&size, shelf)| {
            // Wider by what rounding may add to a difference.
            let width = (own + 2f64.powi(size)) * (1.0 + 1e-9) + 1e-14 * (1.0 + middle.abs());
            let from = shelf.partition_point(|(value, _)| *value < middle - width);
            shelf[from..]
                .iter()
                .take_while(move |(value, _)| *value <= middle + width)
        });
        let near = near.map(|&(_, solution)| solution);
        near.filter(|&solution| same(&candidates[self.firsts[solution]], candidate))
            .chain(self.only.filter(|_| is_only(candidate)))
            .min()
    }

    /// A solution that was not met before.
    fn add(&mut self, candidate: &Candidate, at: usize) -> usize {
        let solution = self.firsts.len();
        self.firsts.push(at);
        if is_only(candidate) {
            self.only.get_or_insert(solution);
        }
        let value = candidate.log_likelihood;
        // Nothing is the same as what has no log-likelihood.
        if !value.is_nan() {
            let size = reach(candidate).log2().ceil() as i32;
            let shelf = self.shelves.entry(size).or_default();
            let place = shelf.partition_point(|(other, _)| *other <= value);
            shelf.insert(place, (value, solution));
        }
        solution
    }
}

/// Whether the two say the same, as closely as both are known.
fn same(a: &Candidate, b: &Candidate) -> bool {
    // A concave objective has one maximum, whatever noise makes of it.
    if is_only(a) && is_only(b) {
        return true;
    }
    let tolerance = tolerance(a, b);
    // Points of a flat set say the same of every row; how far the entropy was raised along it does not make two solutions.
    let is_one_set = a.is_of_flat_set && b.is_of_flat_set;
    (a.log_likelihood - b.log_likelihood).abs() <= tolerance
        && (is_one_set || (a.entropy.value - b.entropy.value).abs() <= tolerance)
        && a.row_scores
            .iter()
            .zip(&b.row_scores)
            .enumerate()
            .filter(|(row, _)| a.sampled_rows.binary_search(row).is_err())
            .all(|(_, (x, y))| (x - y).abs() <= tolerance * (1.0 + x.abs()))
}

fn is_only(candidate: &Candidate) -> bool {
    candidate.certificate.only_maximum
}

/// How closely the values of the two must agree: by how they converged, and by Monte Carlo as closely as errors allow.
fn tolerance(a: &Candidate, b: &Candidate) -> f64 {
    let error = |a: Option<f64>, b: Option<f64>| CERTAIN * a.unwrap_or(0.0).hypot(b.unwrap_or(0.0));
    let by_chance = error(a.worth.log_likelihood_error, b.worth.log_likelihood_error)
        .max(error(a.entropy.std_err, b.entropy.std_err));
    by_convergence(a.residual.max(b.residual)).max(by_chance)
}

/// No two candidates have a tolerance above the sum of their reaches.
fn reach(candidate: &Candidate) -> f64 {
    let error = |error: Option<f64>| CERTAIN * error.unwrap_or(0.0);
    by_convergence(candidate.residual)
        .max(error(candidate.worth.log_likelihood_error))
        .max(error(candidate.entropy.std_err))
}

fn by_convergence(residual: f64) -> f64 {
    residual.sqrt().clamp(1e-6, 1e-2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;
    use crate::inference::EngineId;
    use crate::learning::{Course, Objective, Problem, learn};
    use crate::network::Network;
    use proptest::prelude::*;

    /// Every candidate against the first candidate of every solution, in order.
    fn literal(candidates: &[Candidate]) -> Vec<usize> {
        let mut firsts: Vec<usize> = Vec::new();
        let mut numbers = vec![usize::MAX; candidates.len()];
        for at in 0..candidates.len() {
            if candidates[at].stop == StopReason::GivenUp {
                continue;
            }
            let is_same = |&first: &usize| same(&candidates[first], &candidates[at]);
            numbers[at] = firsts.iter().position(is_same).unwrap_or_else(|| {
                firsts.push(at);
                firsts.len() - 1
            });
        }
        let given_up = numbers.iter_mut().filter(|number| **number == usize::MAX);
        given_up.for_each(|number| *number = firsts.len());
        numbers
    }

    fn any_candidate() -> Candidate {
        let data = Dataset::from_rows(&[[0, 0], [1, 1], [1, 1], [0, 1]]).unwrap();
        let network = Network::full(2, 1);
        let objective = Objective::default();
        let problem = Problem::new(&network, &data, objective, EngineId::EXACT, true).unwrap();
        let outcome = learn(&problem, vec![0.1; problem.terms()], &Course::default()).unwrap();
        Candidate::new(&problem, 0, outcome, 1e-8).unwrap()
    }

    /// Values on a grid that is fine against some tolerances and coarse against others; what was not found is not a number.
    fn values() -> impl Strategy<Value = (f64, f64, f64, Option<f64>, u8)> {
        let value = prop_oneof![
            8 => (-40i32..40).prop_map(|step| -2.0 + 4e-7 * f64::from(step)),
            8 => (-40i32..40).prop_map(|step| -2.0 + 4e-3 * f64::from(step)),
            1 => Just(f64::NAN),
            1 => Just(f64::NEG_INFINITY),
        ];
        let residual = prop_oneof![
            Just(1e-9),
            Just(1e-10),
            Just(1e-6),
            Just(1e-3),
            Just(f64::NAN)
        ];
        let error = prop::option::weighted(0.2, 0.0..0.05f64);
        (value.clone(), value, residual, error, 0u8..10)
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_comparing_all(
            drawn in prop::collection::vec(values(), 1..60),
            cuts in prop::collection::vec(0usize..60, 0..4),
        ) {
            let one = any_candidate();
            let mut candidates: Vec<Candidate> = drawn
                .into_iter()
                .map(|(log_likelihood, entropy, residual, error, chance)| {
                    let mut next = one.clone();
                    next.log_likelihood = log_likelihood;
                    next.row_scores = vec![log_likelihood; 3];
                    (next.entropy.value, next.entropy.std_err) = (entropy, error);
                    next.residual = residual;
                    next.is_of_flat_set = chance < 3;
                    next.certificate.only_maximum = chance == 4;
                    if chance == 9 {
                        next.stop = StopReason::GivenUp;
                    }
                    next
                })
                .collect();
            let expected = literal(&candidates);
            // In rounds, as a search does it.
            let mut solutions = Solutions::default();
            let mut ends: Vec<usize> = cuts.into_iter().map(|cut| cut.min(candidates.len())).collect();
            ends.push(candidates.len());
            ends.sort_unstable();
            let mut count = 0;
            for end in ends {
                count = solutions.number(&mut candidates[..end]);
            }
            let found: Vec<usize> = candidates.iter().map(|c| c.solution).collect();
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(count, cluster(&mut candidates));
        }
    }

    proptest! {
        #[test]
        fn reaches_bound_every_tolerance(a in values(), b in values()) {
            let mut pair = [any_candidate(), any_candidate()];
            for (candidate, drawn) in pair.iter_mut().zip([a, b]) {
                candidate.residual = drawn.2;
                candidate.entropy.std_err = drawn.3;
            }
            prop_assert!(tolerance(&pair[0], &pair[1]) <= reach(&pair[0]) + reach(&pair[1]));
        }
    }
}
