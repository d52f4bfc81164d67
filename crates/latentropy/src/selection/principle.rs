//! The principles: latent maximum entropy and maximum likelihood choose from one set of feasible candidates (Theorem 1).

use super::candidate::Candidate;
use super::certificate::CertificateKind;
use crate::error::{Error, Result};
use crate::inference::{Kind, Value};
use crate::remark::Remark;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

/// How the winner is chosen.
///
/// ```
/// use latentropy::{Principle, Request};
/// let request = Request { select: Principle::MaximumLikelihood.into(), ..Request::with_hidden(2) };
/// assert_eq!(request.select, "mle".parse()?);
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Principle {
    /// The feasible candidate of highest entropy.
    #[default]
    #[serde(rename = "lme")]
    LatentMaximumEntropy,
    /// The feasible candidate of highest likelihood.
    #[serde(rename = "mle")]
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

/// Points of one flat set whose entropies differ by less, in nats, are about the same one.
const APART: f64 = 0.01;

/// How fit a candidate is to be chosen; a better rank always wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    NotConverged,
    Trivial,
    Saddle,
    /// A solution with a unit that says nothing.
    Silent,
    Solution,
}

fn rank(candidate: &Candidate) -> Rank {
    if !candidate.feasible {
        Rank::NotConverged
    } else if candidate.trivial {
        Rank::Trivial
    } else if candidate.certificate.kind == CertificateKind::Saddle {
        Rank::Saddle
    } else if candidate
        .hidden_units
        .as_ref()
        .is_some_and(|units| !units.silent().is_empty())
    {
        Rank::Silent
    } else {
        Rank::Solution
    }
}

/// Who was chosen, and what a user should know about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Selected {
    /// The winner's position.
    pub at: usize,
    /// Where nothing better than a saddle, the trivial solution or an unconverged point was there, and ties.
    pub remarks: Vec<Remark>,
}

impl Principle {
    /// Values of one solution that differ by less are equal: it is the arithmetic that tells them apart.
    pub const EQUAL: f64 = 1e-6;

    /// Both of them.
    pub const ALL: [Principle; 2] = [
        Principle::LatentMaximumEntropy,
        Principle::MaximumLikelihood,
    ];

    /// The chosen candidate alone.
    pub(crate) fn chosen(self, candidates: &[Candidate]) -> Result<&Candidate> {
        let selected = self.select(candidates);
        let selected = selected.ok_or_else(|| Error::failed("no restart gave a candidate"))?;
        Ok(&candidates[selected.at])
    }

    /// Chooses among candidates that have been clustered; none where there is no candidate.
    ///
    /// Candidates of one solution that converged differ in their last digits only: of these the first is taken.
    pub fn select(self, candidates: &[Candidate]) -> Option<Selected> {
        let best = candidates.iter().map(rank).max()?;
        let value = |candidate: &Candidate| self.value_of(candidate).value;
        // Values of different kinds are not ranked against each other: the most trustworthy kind there is, alone.
        let kind = |candidate: &Candidate| self.value_of(candidate).kind;
        let contenders: Vec<usize> = (0..candidates.len())
            .filter(|&at| rank(&candidates[at]) == best)
            .collect();
        let trusted = contenders.iter().map(|&at| kind(&candidates[at]));
        let trusted = trusted.min_by_key(|&kind| doubt(kind))?;
        let ranked: Vec<usize> = contenders
            .iter()
            .copied()
            .filter(|&at| kind(&candidates[at]) == trusted)
            .collect();
        let mut highest = *ranked.first()?;
        for &at in &ranked {
            if value(&candidates[at]) > value(&candidates[highest]) {
                highest = at;
            }
        }
        let (solution, top) = (candidates[highest].solution, value(&candidates[highest]));
        let same = |at: &&usize| {
            let candidate = &candidates[**at];
            candidate.solution == solution && top - value(candidate) <= Principle::EQUAL
        };
        let winner = ranked.iter().find(same).copied().unwrap_or(highest);
        let mut remarks: Vec<Remark> = remark_on_rank(&candidates[winner]).into_iter().collect();
        if ranked.len() < contenders.len() {
            let ranked = trusted.words();
            remarks.push(Remark::MixedKinds { ranked });
        }
        remarks.extend(self.tie(candidates, &contenders, winner));
        remarks.extend(doubted(&candidates[winner]));
        Some(Selected {
            at: winner,
            remarks,
        })
    }

    /// One candidate of each solution that may be chosen, this principle's choice first; candidates have been clustered.
    pub(crate) fn contending_solutions(self, candidates: &[Candidate]) -> Vec<usize> {
        let Some(first) = self.select(candidates).map(|selected| selected.at) else {
            return Vec::new();
        };
        let (best, mut met) = (rank(&candidates[first]), HashSet::new());
        std::iter::once(first)
            .chain(0..candidates.len())
            .filter(|&at| rank(&candidates[at]) == best)
            // What did not converge is no solution: each of them stands for itself.
            .filter(|&at| match best {
                Rank::NotConverged => met.insert((at, 0)),
                _ => met.insert((0, candidates[at].solution)),
            })
            .collect()
    }

    /// The positions of the best solutions, the best first, one candidate of each; candidates have been clustered. What did
    /// not converge is no solution.
    pub(crate) fn best_solutions(self, candidates: &[Candidate], most: usize) -> Vec<usize> {
        let mut order = self.in_order(candidates);
        let mut met = HashSet::new();
        order.retain(|&at| met.insert(candidates[at].solution));
        order.truncate(most);
        order
    }

    /// The same with several points of one flat set, where their entropies are apart: the entropy has many maxima along a large one.
    pub(crate) fn best_points(self, candidates: &[Candidate], most: usize) -> Vec<usize> {
        let is_one = |a: &Candidate, b: &Candidate| {
            let are_apart = (a.entropy.value - b.entropy.value).abs() >= APART;
            a.solution == b.solution && !(b.is_of_flat_set && are_apart)
        };
        let mut kept: Vec<usize> = Vec::new();
        for at in self.in_order(candidates) {
            let mut known = kept.iter();
            if kept.len() < most && !known.any(|&k| is_one(&candidates[k], &candidates[at])) {
                kept.push(at);
            }
        }
        kept
    }

    /// The positions of all that converged, the best first.
    fn in_order(self, candidates: &[Candidate]) -> Vec<usize> {
        let key = |(at, candidate): (usize, &Candidate)| {
            let value = self.value_of(candidate);
            (at, rank(candidate), doubt(value.kind), value.value)
        };
        let of_feasible = candidates.iter().enumerate().filter(|(_, c)| c.feasible);
        let mut keys: Vec<(usize, Rank, usize, f64)> = of_feasible.map(key).collect();
        // A stable order: of equals the first restart comes first.
        keys.sort_by(|(_, rank_a, doubt_a, a), (_, rank_b, doubt_b, b)| {
            let by_rank = rank_b.cmp(rank_a).then(doubt_a.cmp(doubt_b));
            by_rank.then(b.total_cmp(a))
        });
        keys.into_iter().map(|(at, ..)| at).collect()
    }

    /// What the candidates of the best rank are ranked by; none where nothing converged, or values are not exact.
    pub(crate) fn values(self, candidates: &[Candidate]) -> Option<Vec<f64>> {
        let best = candidates.iter().map(rank).max()?;
        let contenders = candidates.iter().filter(|c| rank(c) == best && c.feasible);
        let values = contenders.map(|candidate| self.value_of(candidate));
        let values: Vec<Value> = values.collect();
        let all_exact = values.iter().all(|value| value.kind == Kind::Exact);
        (all_exact && !values.is_empty())
            .then(|| values.into_iter().map(|value| value.value).collect())
    }

    /// What the principle ranks a candidate by, with its kind.
    pub(crate) fn value_of(self, candidate: &Candidate) -> Value {
        match self {
            // Entropy ranks feasible points only: of unfinished ones it would prefer the least learned.
            Principle::LatentMaximumEntropy if candidate.feasible => candidate.entropy,
            _ => candidate.log_likelihood_value(),
        }
    }

    /// Which candidates of other solutions the winner's lead over is within twice its Monte-Carlo error.
    fn tie(self, candidates: &[Candidate], among: &[usize], winner: usize) -> Option<Remark> {
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
        let others: Vec<usize> = tied.map(|at| candidates[at].index).collect();
        (!others.is_empty()).then(|| Remark::Tied {
            chosen: candidates[winner].index,
            others,
        })
    }
}

/// What a user should know of a candidate that others chose, whatever it was chosen for.
pub(crate) fn remarks_on(candidate: &Candidate) -> Vec<Remark> {
    remark_on_rank(candidate)
        .into_iter()
        .chain(doubted(candidate))
        .collect()
}

/// That nothing better than a saddle, the trivial solution or an unfinished point was there.
fn remark_on_rank(candidate: &Candidate) -> Option<Remark> {
    match rank(candidate) {
        Rank::Solution | Rank::Silent => None,
        Rank::Saddle => Some(Remark::OnlySaddles),
        Rank::Trivial => Some(Remark::OnlyTrivial),
        Rank::NotConverged => Some(unfinished(candidate)),
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

/// That the ways to the log Z of a candidate by samples do not agree.
fn doubted(candidate: &Candidate) -> Option<Remark> {
    let interval = candidate.worth.log_likelihood_interval?;
    (!interval.trusted).then_some(Remark::LikelihoodBetween {
        at_least: interval.at_least,
        at_most: interval.at_most,
    })
}

/// How far from a solution the best of unfinished candidates is, as far as that is known.
fn unfinished(candidate: &Candidate) -> Remark {
    match candidate.worth.constraints {
        Some(found) => Remark::NotMetBySamples {
            largest: found.largest,
            share: found.share,
            by_validation: candidate.monitored.is_some(),
        },
        None => Remark::NoneFeasible,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Cell, Dataset};
    use crate::inference::{EngineId, Interval};
    use crate::learning::{Course, Finish, Objective, Problem, learn, random_start};
    use crate::network::{Network, Term, Unit};
    use crate::selection::cluster::cluster;

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
        let objective = Objective {
            ridge: 0.01,
            ..Objective::default()
        };
        Problem::new(&network, &data, objective, EngineId::EXACT, true).unwrap()
    }

    fn candidate(problem: &Problem, start: Vec<f64>, finish: bool) -> Candidate {
        let course = Course {
            finish: finish.then(Finish::default),
            tolerance: 1e-6,
            max_iterations: 200_000,
            ..Course::default()
        };
        let outcome = learn(problem, start, &course).unwrap();
        Candidate::new(problem, 0, outcome, course.tolerance).unwrap()
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
        for principle in Principle::ALL {
            let mut both = [saddle.clone(), maximum.clone()];
            cluster(&mut both);
            let selected = principle.select(&both).unwrap();
            assert_eq!((selected.at, selected.remarks), (1, Vec::new()));
            let selected = principle.select(&[saddle.clone(), saddle.clone()]).unwrap();
            assert_eq!(selected.remarks, [Remark::OnlySaddles]);
        }
    }

    /// Two solutions of these values, as both principles rank them.
    fn two_solutions(values: [Value; 2]) -> [Candidate; 2] {
        let problem = problem();
        let found = candidate(&problem, random_start(&problem, 1, 0), true);
        [0, 1].map(|at| {
            let mut one = found.clone();
            (one.index, one.solution) = (at, at);
            one.entropy = values[at];
            one.log_likelihood = values[at].value;
            one.worth.log_likelihood = values[at].kind;
            one.worth.log_likelihood_error = values[at].std_err;
            one
        })
    }

    #[test]
    fn a_log_likelihood_whose_log_z_is_not_trusted_is_doubted() {
        let exact = Value::exact(-2.0);
        let mut pair = two_solutions([exact, Value::exact(-3.0)]);
        for trusted in [true, false] {
            pair[0].worth.log_likelihood_interval = Some(Interval {
                at_least: -2.5,
                at_most: -1.5,
                trusted,
            });
            let remarks = Principle::MaximumLikelihood.select(&pair).unwrap().remarks;
            let between = Remark::LikelihoodBetween {
                at_least: -2.5,
                at_most: -1.5,
            };
            assert_eq!(remarks.contains(&between), !trusted);
        }
    }

    #[test]
    fn values_of_different_kinds_are_not_ranked_silently() {
        let value = |value: f64, kind: Kind| Value {
            value,
            kind,
            std_err: None,
        };
        let exact = value(-2.0, Kind::Exact);
        for principle in Principle::ALL {
            let mixed = two_solutions([value(-1.0, Kind::Estimate), exact]);
            let selected = principle.select(&mixed).unwrap();
            let ranked = Kind::Exact.words();
            assert_eq!(selected.at, 1);
            assert_eq!(selected.remarks, [Remark::MixedKinds { ranked }]);
            let alike = two_solutions([value(-1.0, Kind::Exact), exact]);
            let selected = principle.select(&alike).unwrap();
            assert_eq!((selected.at, selected.remarks), (0, Vec::new()));
        }
    }

    #[test]
    fn a_lead_within_the_errors_of_sampling_is_no_silent_choice() {
        let value = |value: f64, std_err: f64| Value {
            value,
            kind: Kind::MonteCarlo,
            std_err: Some(std_err),
        };
        for principle in Principle::ALL {
            // Twice the error of the difference is 0.1.
            let told = |behind: f64| {
                let pair = [value(-1.0 - behind, 0.04), value(-1.0, 0.03)];
                principle.select(&two_solutions(pair)).unwrap().remarks
            };
            let (chosen, others) = (1, vec![0]);
            assert_eq!(told(0.099), [Remark::Tied { chosen, others }]);
            assert_eq!(told(0.101), []);
            // Two restarts of one solution do not tie.
            let mut same = two_solutions([value(-1.0, 0.1), value(-1.01, 0.1)]);
            same[1].solution = 0;
            assert_eq!(principle.select(&same).unwrap().remarks, []);
        }
    }

    #[test]
    fn of_equal_candidates_the_first_is_chosen() {
        let problem = problem();
        let found = candidate(&problem, random_start(&problem, 1, 0), true);
        // The same solution again, a last digit higher in everything.
        let mut later = found.clone();
        later.index = 1;
        later.entropy.value += 1e-13;
        later.log_likelihood += 1e-13;
        let mut both = [found, later];
        assert_eq!(cluster(&mut both), 1);
        for principle in Principle::ALL {
            assert_eq!(principle.select(&both).unwrap().at, 0);
        }
    }
}
