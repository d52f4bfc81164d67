//! The principles: latent maximum entropy and maximum likelihood choose from one set of feasible candidates (Theorem 1).

use super::candidate::Candidate;
use super::certificate::CertificateKind;
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// How the winner is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Principle {
    /// The feasible candidate of highest entropy.
    LatentMaximumEntropy,
    /// The feasible candidate of highest likelihood.
    MaximumLikelihood,
}

impl fmt::Display for Principle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Principle::LatentMaximumEntropy => "lme",
            Principle::MaximumLikelihood => "mle",
        })
    }
}

impl FromStr for Principle {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "lme" => Ok(Principle::LatentMaximumEntropy),
            "mle" => Ok(Principle::MaximumLikelihood),
            _ => Err(Error::Invalid(format!(
                "there is no principle \"{text}\"; there are lme and mle"
            ))),
        }
    }
}

/// How fit a candidate is to be chosen; a better rank always wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    NotConverged,
    Trivial,
    Saddle,
    Solution,
}

fn rank(candidate: &Candidate) -> Rank {
    if !candidate.feasible {
        Rank::NotConverged
    } else if candidate.trivial {
        Rank::Trivial
    } else if candidate.certificate.kind == CertificateKind::Saddle {
        Rank::Saddle
    } else {
        Rank::Solution
    }
}

impl Principle {
    /// The winner's position, and a warning where nothing better than a saddle, the trivial solution or an unconverged point was there.
    pub fn select(self, candidates: &[Candidate]) -> Option<(usize, Option<String>)> {
        let best = candidates.iter().map(rank).max()?;
        // Entropy ranks feasible points only: of unfinished ones it would prefer the least learned.
        let value = |candidate: &Candidate| match self {
            Principle::LatentMaximumEntropy if candidate.feasible => candidate.entropy.value,
            _ => candidate.log_likelihood,
        };
        let mut winner: Option<usize> = None;
        for (at, candidate) in candidates.iter().enumerate() {
            if rank(candidate) == best
                && winner.is_none_or(|w| value(candidate) > value(&candidates[w]))
            {
                winner = Some(at);
            }
        }
        let warning = match best {
            Rank::Solution => None,
            Rank::Saddle => Some(
                "every feasible candidate is a saddle, not a maximum; the one shown is the best of them: \
                 try more restarts"
                    .to_string(),
            ),
            Rank::Trivial => Some(
                "every feasible candidate is trivial (its hidden units are independent of the visible ones), \
                 which the principle excludes; try more restarts, a smaller ridge, or --hidden 0"
                    .to_string(),
            ),
            Rank::NotConverged => Some(
                "no candidate reached the tolerance, so none is feasible; the one shown is the best of \
                 unfinished ones: raise --max-iter, loosen --tol or add a --ridge"
                    .to_string(),
            ),
        };
        winner.map(|at| (at, warning))
    }
}
