//! When a search ends: after so many restarts, or where the solutions found make another one unlikely.
//!
//! A search that may stop early looks at Good and Turing's chance of another solution after [`FIRST`] restarts and every
//! [`STRIDE`] from then on, and stops where it is at most [`UNLIKELY`]. It looks once before, after [`UNANIMOUS`] of them,
//! and stops there if all are one solution.

use super::completeness::chance_of_another;
use crate::selection::Candidate;
use serde::{Deserialize, Serialize};

/// So many restarts that all end in one solution are enough: another one has a share of 26 % at most, with 95 %
/// confidence, and in simple landscapes the second half of twenty is time spent on one solution.
const UNANIMOUS: usize = 10;
/// Restarts before the estimate is believed: twenty that end in one solution leave another one a share of 14 % at most, with 95 %
/// confidence. An iterated search makes so many random starts before it proposes any.
pub(super) const FIRST: usize = 20;
/// Restarts between two looks, and proposals in a round.
pub(super) const STRIDE: usize = 10;
/// A chance of another solution up to this is small.
pub(super) const UNLIKELY: f64 = 0.05;

/// Whether all restarts are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// As many as are asked for.
    Exactly,
    /// Until another solution is unlikely.
    UntilUnlikely,
    /// One: the objective has one maximum.
    Once,
}

impl Ending {
    /// How many restarts there are, where so many are allowed.
    pub(in crate::fit) fn most(self, allowed: usize) -> usize {
        match self {
            Ending::Once => allowed.min(1),
            _ => allowed,
        }
    }

    /// Up to which restart to go on after `done` of at most `most`.
    ///
    /// The looks do not depend on `most`, so that a search can be made longer later.
    pub(in crate::fit) fn next_check(self, done: usize, most: usize) -> usize {
        match self {
            Ending::Exactly | Ending::Once => self.most(most),
            Ending::UntilUnlikely if done < UNANIMOUS => most.min(UNANIMOUS),
            Ending::UntilUnlikely if done < FIRST => most.min(FIRST),
            Ending::UntilUnlikely => most.min(done + STRIDE),
        }
    }

    /// True where these candidates, clustered, are enough.
    pub(in crate::fit) fn is_enough(self, candidates: &[Candidate]) -> bool {
        match self {
            Ending::Exactly => false,
            Ending::Once => true,
            Ending::UntilUnlikely if candidates.len() < FIRST => {
                candidates.len() >= UNANIMOUS && candidates.iter().all(|c| c.solution == 0)
            }
            Ending::UntilUnlikely => chance_of_another(candidates) <= UNLIKELY,
        }
    }
}
