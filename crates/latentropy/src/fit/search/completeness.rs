//! How complete a search is: the share of solutions that it has not met, and what more of it might bring.
//!
//! Good and Turing's estimate (Good 1953): after n random starts, the chance that the next one ends in a solution that none
//! has met is about n₁/n, n₁ the number of solutions met exactly once. What twice the search might bring is what its
//! last doubling brought: of independent restarts, the best of all less the mean best of half of them (every half counted);
//! of an iterated search, whose restarts lean on each other, the best of all less the best of its first half.

use super::Search;
use super::ending::UNLIKELY;
use crate::remark::Remark;
use crate::selection::{Candidate, Principle};

/// Fewer random starts say nothing about others.
const ENOUGH_TO_TELL: usize = 10;

/// What is known of what a search has not met.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Completeness {
    /// How many restarts began by themselves; the others were proposals.
    pub independent: usize,
    /// The share of random starts that would end in a solution that none of these has met.
    pub unseen: f64,
    /// By how much twice the search might raise what the principle ranks by, in nats; none where half of it found nothing to
    /// rank, or where values are by samples.
    pub gain: Option<f64>,
}

impl Completeness {
    /// Of candidates that have been clustered.
    pub(in crate::fit) fn new(
        search: Search,
        principle: Principle,
        candidates: &[Candidate],
    ) -> Self {
        let independent = search.independent(candidates.len());
        Completeness {
            independent,
            unseen: chance_of_another(&candidates[..independent]),
            gain: match independent == candidates.len() {
                true => principle.values(candidates).and_then(last_doubling),
                false => of_second_half(principle, candidates),
            },
        }
    }

    /// What there is to say of a search that is not complete, where there were starts enough to tell.
    pub(in crate::fit) fn remark(&self, principle: Principle, restarts: usize) -> Option<Remark> {
        let is_told = self.independent >= ENOUGH_TO_TELL && self.unseen > UNLIKELY;
        is_told.then_some(Remark::SearchIncomplete {
            unseen: self.unseen,
            gain: self.gain,
            by_entropy: principle == Principle::LatentMaximumEntropy,
            restarts,
        })
    }
}

/// n₁/n: the chance that one more restart ends in a solution that none of these has met. What did not converge is no
/// solution, and counts as one that may end anywhere.
pub(super) fn chance_of_another(candidates: &[Candidate]) -> f64 {
    let mut hits: Vec<usize> = Vec::new();
    for candidate in candidates {
        hits.resize(hits.len().max(candidate.solution + 1), 0);
        hits[candidate.solution] += 1;
    }
    let once = hits.iter().filter(|&&hits| hits == 1).count();
    once as f64 / candidates.len().max(1) as f64
}

/// The best of n values less the mean best of half of them; none of fewer than two.
fn last_doubling(mut values: Vec<f64>) -> Option<f64> {
    let (all, half) = (values.len(), values.len() / 2);
    if half == 0 {
        return None;
    }
    values.sort_by(|a, b| b.total_cmp(a));
    let best = *values.first()?;
    // The chance that a half misses the k best and has the next one: half/(n − k) of what is left.
    let (mut missed, mut gain) = (1.0, 0.0);
    for (k, value) in values.iter().enumerate() {
        let left = all - k;
        let has = (half as f64 / left as f64).min(1.0);
        gain += missed * has * (best - value);
        missed *= 1.0 - has;
        if missed <= 0.0 {
            break;
        }
    }
    Some(gain)
}

/// What the second half of a search that goes on from its best raised.
fn of_second_half(principle: Principle, candidates: &[Candidate]) -> Option<f64> {
    let best = |candidates: &[Candidate]| {
        let values = principle.values(candidates)?;
        values.into_iter().max_by(f64::total_cmp)
    };
    let half = best(candidates.get(..candidates.len() / 2)?)?;
    Some((best(candidates)? - half).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every half, one by one.
    fn literal(values: &[f64]) -> f64 {
        let (n, half) = (values.len(), values.len() / 2);
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let halves = (0u32..1 << n).filter(|chosen| chosen.count_ones() as usize == half);
        let bests = halves.map(|chosen| {
            let of = (0..n)
                .filter(|at| chosen >> at & 1 == 1)
                .map(|at| values[at]);
            of.fold(f64::NEG_INFINITY, f64::max)
        });
        let bests: Vec<f64> = bests.collect();
        best - bests.iter().sum::<f64>() / bests.len() as f64
    }

    proptest! {
        #[test]
        fn the_last_doubling_is_that_of_every_half(values in prop::collection::vec(-3.0..3.0f64, 2..12)) {
            let found = last_doubling(values.clone()).unwrap();
            prop_assert!((found - literal(&values)).abs() < 1e-12);
        }
    }

    #[test]
    fn one_value_has_no_half() {
        assert_eq!(last_doubling(vec![1.0]), None);
        assert_eq!(last_doubling(vec![1.0, 1.0]), Some(0.0));
    }
}
