//! Clustering: candidates that are one solution up to a relabelling of hidden units count as one.

use super::candidate::Candidate;
use crate::learning::StopReason;

/// So many standard errors of a difference by Monte Carlo are not by chance: one pair in four hundred is this far apart.
const CERTAIN: f64 = 3.0;

/// Numbers the distinct solutions in order of their first candidate; returns how many there are.
///
/// Two candidates are one solution if their log-likelihood, entropy and log-probabilities of all data rows
/// agree: a relabelling changes none of these. How closely they must agree follows from how closely
/// they converged: near a maximum an error in the gradient of size r moves the point by about √r at worst.
///
/// Proposals that were given up are no solutions: they share the number after the last.
pub(crate) fn cluster(candidates: &mut [Candidate]) -> usize {
    let mut representatives: Vec<usize> = Vec::new();
    for at in 0..candidates.len() {
        if candidates[at].stop == StopReason::GivenUp {
            continue;
        }
        let known = representatives
            .iter()
            .position(|&other| same(&candidates[other], &candidates[at]));
        candidates[at].solution = known.unwrap_or_else(|| {
            representatives.push(at);
            representatives.len() - 1
        });
    }
    let given_up = candidates.iter_mut();
    for candidate in given_up.filter(|candidate| candidate.stop == StopReason::GivenUp) {
        candidate.solution = representatives.len();
    }
    representatives.len()
}

fn same(a: &Candidate, b: &Candidate) -> bool {
    // A concave objective has one maximum, whatever noise makes of it.
    if a.certificate.only_maximum && b.certificate.only_maximum {
        return true;
    }
    // Values by Monte Carlo agree as closely as their errors allow.
    let error = |a: Option<f64>, b: Option<f64>| CERTAIN * a.unwrap_or(0.0).hypot(b.unwrap_or(0.0));
    let by_chance = error(a.worth.log_likelihood_error, b.worth.log_likelihood_error)
        .max(error(a.entropy.std_err, b.entropy.std_err));
    let tolerance = a
        .residual
        .max(b.residual)
        .sqrt()
        .clamp(1e-6, 1e-2)
        .max(by_chance);
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
