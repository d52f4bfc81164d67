//! The principles: latent maximum entropy and maximum likelihood choose from one set of feasible candidates (Theorem 1).

use super::candidate::Candidate;
use super::certificate::CertificateKind;
use crate::error::{Error, Result};
use crate::inference::{Kind, Value};
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
            _ => Err(Error::invalid(format!(
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
        let value = |candidate: &Candidate| self.value_of(candidate).value;
        // Values of different kinds are not ranked against each other: the most trustworthy kind there is, alone.
        let kind = |candidate: &Candidate| self.value_of(candidate).kind;
        let contenders: Vec<usize> = (0..candidates.len())
            .filter(|&at| rank(&candidates[at]) == best)
            .collect();
        let trusted = contenders.iter().map(|&at| kind(&candidates[at]));
        let trusted = trusted.min_by_key(|&kind| doubt(kind))?;
        let mut winner: Option<usize> = None;
        for &at in &contenders {
            let candidate = &candidates[at];
            if kind(candidate) == trusted
                && winner.is_none_or(|w| value(candidate) > value(&candidates[w]))
            {
                winner = Some(at);
            }
        }
        let mixed = contenders
            .iter()
            .any(|&at| kind(&candidates[at]) != trusted);
        let mixed = mixed.then(|| {
            format!(
                "the candidates' values are of different kinds, which are not ranked against each other; the one shown \
                 is the best of those whose value is of the kind: {}",
                trusted.words()
            )
        });
        let tie = winner.and_then(|w| self.tie(candidates, &contenders, w));
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
        let warnings: Vec<String> = [warning, mixed, tie].into_iter().flatten().collect();
        let warning = (!warnings.is_empty()).then(|| warnings.join("; "));
        winner.map(|at| (at, warning))
    }

    /// What the principle ranks a candidate by, with its kind.
    fn value_of(self, candidate: &Candidate) -> Value {
        match self {
            // Entropy ranks feasible points only: of unfinished ones it would prefer the least learned.
            Principle::LatentMaximumEntropy if candidate.feasible => candidate.entropy,
            _ => candidate.log_likelihood_value(),
        }
    }

    /// Says which candidates of other solutions the winner's lead over is within twice its Monte-Carlo error.
    fn tie(self, candidates: &[Candidate], among: &[usize], winner: usize) -> Option<String> {
        let first = self.value_of(&candidates[winner]);
        let tied = among.iter().copied().filter(|&at| {
            let other = self.value_of(&candidates[at]);
            let error = match (first.std_err, other.std_err) {
                (Some(a), Some(b)) => a.hypot(b),
                _ => return false,
            };
            at != winner
                && candidates[at].solution != candidates[winner].solution
                && first.value - other.value <= 2.0 * error
        });
        let tied: Vec<String> = tied.map(|at| candidates[at].index.to_string()).collect();
        (!tied.is_empty()).then(|| {
            let names: Vec<&str> = tied.iter().map(String::as_str).collect();
            format!(
                "the chosen candidate ({}) ties with {} within the errors of sampling, so that the choice between them is \
                 not settled",
                candidates[winner].index,
                crate::error::shortened(&names)
            )
        })
    }
}

/// Kinds from the most to the least trustworthy.
fn doubt(kind: Kind) -> usize {
    match kind {
        Kind::Exact => 0,
        Kind::MonteCarlo => 1,
        Kind::LowerBound => 2,
        Kind::Estimate => 3,
        Kind::UpperBound => 4,
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
