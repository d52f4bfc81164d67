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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Cell, Dataset};
    use crate::learning::{LearningSettings, Penalty, Problem, learn, random_start};
    use crate::network::{Network, Term, Unit};

    /// Three visible and two hidden units, every pair; rows that one cause alone does not explain.
    fn problem() -> Problem {
        let mut units: Vec<Unit> = (1..=3).map(|u| Unit::visible(format!("y{u}"))).collect();
        units.extend((1..=2).map(|u| Unit::hidden(format!("z{u}"))));
        let pairs = (0..5).flat_map(|a| (0..a).map(move |b| (Term::new(vec![a, b]), 0.0)));
        let network = Network::new(units, pairs).unwrap();
        let kinds = [
            ([1, 1, 0], 9),
            ([0, 1, 1], 5),
            ([1, 0, 1], 2),
            ([0, 0, 0], 4),
            ([1, 1, 1], 1),
        ];
        let rows = kinds.iter().flat_map(|(cells, times)| {
            let cells = cells.map(|c| if c == 1 { Cell::One } else { Cell::Zero });
            std::iter::repeat_n(cells.to_vec(), *times)
        });
        let names = (1..=3).map(|u| format!("y{u}")).collect();
        let data = Dataset::from_cells(names, true, rows).unwrap();
        let penalty = Penalty {
            ridge: 0.01,
            bound: 15.0,
        };
        Problem::new(&network, &data, penalty, true).unwrap()
    }

    fn candidate(problem: &Problem, start: Vec<f64>, finish: bool) -> Candidate {
        let settings = LearningSettings {
            ridge: 0.01,
            finish,
            tolerance: 1e-6,
            max_iterations: 200_000,
            ..LearningSettings::default()
        };
        let outcome = learn(problem, start, &settings, false).unwrap();
        Candidate::new(problem, 0, outcome, settings.tolerance).unwrap()
    }

    #[test]
    fn a_saddle_is_never_selected_silently() {
        let problem = problem();
        // All hidden weights equal: EM keeps the hidden units alike for ever.
        let alike = vec![0.1; problem.terms()];
        let saddle = candidate(&problem, alike.clone(), false);
        assert_eq!(saddle.certificate.kind, CertificateKind::Saddle);
        assert!(!saddle.trivial);
        let maximum = candidate(&problem, random_start(&problem, 1, 0), true);
        assert_ne!(maximum.certificate.kind, CertificateKind::Saddle);
        // The finish, which `fit` runs by default, leaves the saddle from the same start.
        let finished = candidate(&problem, alike, true);
        assert_ne!(finished.certificate.kind, CertificateKind::Saddle);
        for principle in [
            Principle::LatentMaximumEntropy,
            Principle::MaximumLikelihood,
        ] {
            let (at, warning) = principle
                .select(&[saddle.clone(), maximum.clone()])
                .unwrap();
            assert_eq!((at, warning), (1, None));
            let (_, warning) = principle.select(&[saddle.clone(), saddle.clone()]).unwrap();
            assert!(warning.unwrap().contains("saddle"));
        }
    }
}
