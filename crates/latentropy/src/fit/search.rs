//! The search over restarts: how many there are, and when the solutions found make another one unlikely.
//!
//! Good and Turing's estimate (Good 1953): after n restarts, the chance that the next one ends in a solution that none
//! has met is about n₁/n, n₁ the number of solutions met exactly once. A search that may stop early looks at this
//! after [`FIRST`] restarts and every [`STRIDE`] from then on, and stops where it is at most [`UNLIKELY`]. It looks
//! once before, after [`UNANIMOUS`] of them, and stops there if all are one solution.

use crate::selection::Candidate;
use serde::{Deserialize, Serialize};

/// So many restarts that all end in one solution are enough: another one has a share of 26 % at most, with 95 %
/// confidence, and in simple landscapes the second half of twenty is time spent on one solution.
const UNANIMOUS: usize = 10;
/// Restarts before the estimate is believed: twenty that end in one solution leave another one a share of 14 % at most, with 95 %
/// confidence.
const FIRST: usize = 20;
const STRIDE: usize = 10;
const UNLIKELY: f64 = 0.05;

/// Whether all restarts are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Search {
    /// As many as are asked for.
    Exactly,
    /// Until another solution is unlikely.
    UntilUnlikely,
    /// One: the objective has one maximum.
    Once,
}

impl Search {
    /// Up to which restart to go on after `done` of at most `most`.
    pub(super) fn next_check(self, done: usize, most: usize) -> usize {
        match self {
            Search::Exactly => most,
            Search::Once => most.min(1),
            Search::UntilUnlikely if done < UNANIMOUS => most.min(UNANIMOUS),
            Search::UntilUnlikely if done < FIRST => most.min(FIRST),
            Search::UntilUnlikely => most.min(done + STRIDE),
        }
    }

    /// True where these candidates, clustered, are enough.
    pub(super) fn is_enough(self, candidates: &[Candidate]) -> bool {
        match self {
            Search::Exactly => false,
            Search::Once => true,
            Search::UntilUnlikely if candidates.len() < FIRST => {
                candidates.len() >= UNANIMOUS && candidates.iter().all(|c| c.solution == 0)
            }
            Search::UntilUnlikely => chance_of_another(candidates) <= UNLIKELY,
        }
    }
}

/// n₁/n: the chance that one more restart ends in a solution that none of these has met. What did not converge is no
/// solution, and counts as one that may end anywhere.
pub(crate) fn chance_of_another(candidates: &[Candidate]) -> f64 {
    let mut hits: Vec<usize> = Vec::new();
    for candidate in candidates {
        hits.resize(hits.len().max(candidate.solution + 1), 0);
        hits[candidate.solution] += 1;
    }
    let once = hits.iter().filter(|&&hits| hits == 1).count();
    once as f64 / candidates.len().max(1) as f64
}
