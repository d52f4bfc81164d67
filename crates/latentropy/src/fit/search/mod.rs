//! The search for solutions: where its restarts begin, when it ends, and how complete it is.
//!
//! Every restart has a number and depends on nothing but the request, the data and, in an iterated search, on the restarts
//! of the rounds before its own. So the result does not depend on threads, nor on how the work was cut.

mod completeness;
mod ending;
mod populations;
mod proposals;

pub use completeness::Completeness;
pub use ending::Ending;
pub(super) use populations::{Population, population};
pub(super) use proposals::{PARENTS, proposal};

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Where the restarts of a search begin.
///
/// ```
/// use latentropy::Request;
/// use latentropy::fit::Search;
/// let request = Request { search: Search::Restarts, ..Request::with_hidden(2) };
/// assert_eq!(request.search, "restarts".parse()?);
/// # request.check()?;
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Search {
    /// All at random weights.
    Restarts,
    /// Twenty at random weights; then in rounds of ten, each at one of the four best solutions with some weights redrawn, or
    /// at two of these crossed. Where nothing better is found for long, a new population begins at random weights.
    #[default]
    Iterated,
    /// At a high temperature, cooled (deterministic annealing).
    Anneal,
    /// At a large ridge, where there is hardly more than one solution, followed to the one that is asked for.
    Path,
}

impl Search {
    /// All of them.
    #[doc(hidden)]
    pub const ALL: [Search; 4] = [
        Search::Restarts,
        Search::Iterated,
        Search::Anneal,
        Search::Path,
    ];

    /// The first restart of the round that restart `index` is in, where it is a proposal; none where it begins by itself.
    pub(super) fn round_of(self, index: usize) -> Option<usize> {
        let is_proposal = self == Search::Iterated && index >= ending::FIRST;
        is_proposal.then(|| index - (index - ending::FIRST) % ending::STRIDE)
    }

    /// How many of the first restarts begin by themselves, of `made`.
    pub(super) fn independent(self, made: usize) -> usize {
        match self {
            Search::Iterated => made.min(ending::FIRST),
            _ => made,
        }
    }

    /// Where a run that has all restarts before `from` must look again before it goes on to `to`.
    pub(super) fn stop_before(self, from: usize, to: usize) -> usize {
        let is_next = |&at: &usize| self.round_of(at) == Some(at);
        (from + 1..to).find(is_next).unwrap_or(to)
    }
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Search::Restarts => "restarts",
            Search::Iterated => "iterated",
            Search::Anneal => "anneal",
            Search::Path => "path",
        })
    }
}

impl FromStr for Search {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Search::ALL.into_iter().find(|s| s.to_string() == text);
        found.ok_or_else(|| {
            Error::invalid(format!(
                "there is no search \"{text}\"; there are restarts, iterated, anneal and path"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_begin_at_twenty_and_every_ten() {
        let round = |index| Search::Iterated.round_of(index);
        assert_eq!(
            [19, 20, 29, 30].map(round),
            [None, Some(20), Some(20), Some(30)]
        );
        assert_eq!(Search::Restarts.round_of(50), None);
        assert_eq!(Search::Iterated.stop_before(0, 100), 20);
        assert_eq!(Search::Iterated.stop_before(20, 100), 30);
        assert_eq!(Search::Iterated.stop_before(25, 28), 28);
        assert_eq!(Search::Restarts.stop_before(0, 100), 100);
    }
}
