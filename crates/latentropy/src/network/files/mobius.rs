//! Terms of a table of factor values, by the Möbius transform of its logarithm.
//!
//! λ_V = Σ_{U⊆V} (−1)^{|V∖U|} log t(U), where t(U) is the entry at which exactly the variables in U
//! are 1. The sum of the λ of all subsets of a state's ones is again the log of that state's entry.

use crate::network::Term;

/// A hard zero is a log value this far below the table's largest: e^−1000 is smaller than any
/// positive double, so no answer changes, unless other tables favour the state by as much.
const ZERO_BELOW_LARGEST: f64 = 1000.0;

/// Weights below this, relative to the table's largest log value, are rounding noise.
const NOISE: f64 = 1e-14;

/// A table's terms.
pub(super) struct TableTerms {
    /// By order and lexicographically, the constant first.
    pub(super) terms: Vec<(Term, f64)>,
    /// How many entries are zero.
    pub(super) zeros: usize,
    /// How far summing the terms may miss the log of an entry that is not zero, by rounding: an ulp
    /// of the sum of their sizes.
    pub(super) largest_error: f64,
}

/// The terms of a table over `scope`, whose last variable changes fastest. Entries are finite and
/// not negative, 2^|scope| of them. `None` when all are zero: no state is possible then.
///
/// A table of ones keeps its scope's term, with weight 0, so that a term without effect survives
/// being written and read.
pub(super) fn terms_of_table(scope: &[usize], entries: &[f64]) -> Option<TableTerms> {
    let largest = entries.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return None;
    }
    let zero = largest.ln() - ZERO_BELOW_LARGEST;
    let log = |&entry: &f64| if entry == 0.0 { zero } else { entry.ln() };
    let logs: Vec<f64> = entries.iter().map(log).collect();
    let scale = logs
        .iter()
        .fold(0.0, |scale: f64, log| scale.max(log.abs()));

    let mut weights = logs.clone();
    over_subsets(&mut weights, |upper, lower| upper - lower);
    let everything = entries.len() - 1;
    let is_kept = |weight: f64, subset: usize| {
        subset == 0 || weight.abs() > NOISE * scale || (scale == 0.0 && subset == everything)
    };
    for (subset, weight) in weights.iter_mut().enumerate() {
        if !is_kept(*weight, subset) {
            *weight = 0.0;
        }
    }

    let mut sizes: Vec<f64> = weights.iter().map(|weight| weight.abs()).collect();
    over_subsets(&mut sizes, |upper, lower| upper + lower);
    let possible = (0..entries.len()).filter(|&at| entries[at] > 0.0);
    let largest_size = possible.map(|at| sizes[at]).fold(0.0, f64::max);

    let mut terms: Vec<(Term, f64)> = (0..entries.len())
        .filter(|&subset| is_kept(weights[subset], subset))
        .map(|subset| (units_in(scope, subset), weights[subset]))
        .collect();
    terms.sort_by(|(a, _), (b, _)| a.order().cmp(&b.order()).then(a.cmp(b)));
    Some(TableTerms {
        terms,
        zeros: entries.iter().filter(|&&entry| entry == 0.0).count(),
        largest_error: f64::EPSILON * largest_size,
    })
}

/// Combines every value with that of the subset without one variable, variable by variable:
/// with minus this is the Möbius transform, with plus its inverse, the sum over subsets.
fn over_subsets(values: &mut [f64], combine: impl Fn(f64, f64) -> f64) {
    let mut bit = 1;
    while bit < values.len() {
        for subset in 0..values.len() {
            if subset & bit != 0 {
                values[subset] = combine(values[subset], values[subset ^ bit]);
            }
        }
        bit <<= 1;
    }
}

/// The units whose bits are set; the last variable of a scope has the lowest bit.
fn units_in(scope: &[usize], subset: usize) -> Term {
    let chosen = scope.iter().rev().enumerate();
    let chosen = chosen.filter(|(bit, _)| subset >> bit & 1 == 1);
    Term::new(chosen.map(|(_, &unit)| unit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_variable_changes_fastest() {
        let table = terms_of_table(&[4, 1], &[1.0, 2.0, 8.0, 16.0]).unwrap();
        let weights: Vec<(&[usize], f64)> = table
            .terms
            .iter()
            .map(|(term, weight)| (term.units(), *weight))
            .collect();
        let log2 = 2f64.ln();
        assert_eq!(weights.len(), 3, "{weights:?}");
        assert_eq!(
            (weights[0], weights[1].0, weights[2].0),
            ((&[][..], 0.0), &[1][..], &[4][..])
        );
        assert!((weights[1].1 - log2).abs() < 1e-15 && (weights[2].1 - 3.0 * log2).abs() < 1e-15);
    }

    #[test]
    fn zeros_are_counted_and_far_below() {
        let table = terms_of_table(&[0], &[0.0, 5.0]).unwrap();
        assert_eq!(table.zeros, 1);
        assert!((table.terms[1].1 - 1000.0).abs() < 1e-9);
        assert!(terms_of_table(&[0], &[0.0, 0.0]).is_none());
    }
}
