//! Rounds of a search: the restarts made so far, certified, and what the next ones go on from.

use super::{Done, Job, Part};
use crate::error::{Error, Result};
use crate::fit::control::Control;
use crate::fit::search::{Ending, PARENTS, Population, population};
use crate::learning::{Outcome, Problem};
use crate::selection::{Candidate, Principle, Solutions, cluster, look_at_hidden_units};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The first restarts of a search, in order, with the candidates of those that were certified.
#[derive(Clone, Debug, Default)]
pub(super) struct Made {
    pub(super) outcomes: Vec<Outcome>,
    pub(super) candidates: Vec<Candidate>,
    solutions: Solutions,
}

/// What the proposals of a round go on from.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Parents {
    /// The weights of the best solutions, the best first; none where a new population begins.
    pub(super) weights: Vec<Vec<f64>>,
    /// Their least entropies, where these are what they are ranked by.
    pub(super) least: Option<Least>,
}

/// What a proposal is to come near.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Least {
    /// The least entropy of the parents.
    pub(super) entropy: f64,
    /// The same before climbs along flat sets: entropies are compared with others at the same stage.
    pub(super) before_climbs: f64,
}

impl Least {
    /// Nothing is known yet.
    const NONE: Least = Least {
        entropy: f64::NEG_INFINITY,
        before_climbs: f64::NEG_INFINITY,
    };
}

impl Job {
    /// The best solutions of the population so far.
    pub(super) fn parents(&self, made: &Made) -> Parents {
        let principle = self.principle();
        let value = |c: &Candidate| c.feasible.then(|| principle.value_of(c).value);
        let (weights, least) = match population(made.candidates.iter().map(value)) {
            Population::Begins => (Vec::new(), Least::NONE),
            Population::Since(first) => {
                let best = principle.best_points(&made.candidates[first..], PARENTS);
                let indices = best.iter().map(|&at| made.candidates[first + at].index);
                let outcomes = indices.filter_map(|index| made.outcomes.get(index));
                let outcomes: Vec<&Outcome> = outcomes.collect();
                let weights = outcomes.iter().map(|outcome| outcome.point.weights.clone());
                (weights.collect(), least_of(&outcomes))
            }
        };
        let is_by_entropy = principle == Principle::LatentMaximumEntropy;
        Parents {
            weights,
            least: is_by_entropy.then_some(least),
        }
    }

    /// The next block of restarts, certified.
    pub(super) fn make(&self, made: &mut Made, control: &Control<'_>) -> Result<()> {
        let from = made.outcomes.len();
        let to = self.plan.search.stop_before(from, self.next_check(from));
        let found = self.learn_some(from..to, &self.parents(made), control)?;
        made.outcomes
            .extend(found.into_iter().map(|(_, outcome)| outcome));
        self.certify_all(made)
    }

    /// Goes on to `count` restarts, those that are known taken as they are, and certifies them.
    pub(super) fn make_up_to(
        &self,
        count: usize,
        made: &mut Made,
        known: &[Option<&Outcome>],
        control: &Control<'_>,
    ) -> Result<()> {
        while made.outcomes.len() < count {
            let from = made.outcomes.len();
            let to = self.plan.search.stop_before(from, count);
            let given = known.get(from..to).unwrap_or_default();
            match given.iter().copied().collect::<Option<Vec<_>>>() {
                Some(given) if given.len() == to - from => {
                    made.outcomes.extend(given.into_iter().cloned());
                }
                _ => {
                    self.certify_all(made)?;
                    let found = self.learn_some(from..to, &self.parents(made), control)?;
                    made.outcomes
                        .extend(found.into_iter().map(|(_, outcome)| outcome));
                }
            }
        }
        self.certify_all(made)
    }

    /// Makes candidates of the outcomes that have none yet, and numbers the solutions.
    pub(super) fn certify_all(&self, made: &mut Made) -> Result<()> {
        let from = made.candidates.len();
        if from == made.outcomes.len() {
            return Ok(());
        }
        let found = self.certified(from, made.outcomes[from..].iter().collect())?;
        made.candidates.extend(found);
        made.solutions.number(&mut made.candidates);
        look_at_hidden_units(&mut made.candidates, from, &self.data);
        Ok(())
    }

    /// Whether the search ends with these.
    pub(super) fn is_enough(&self, made: &Made) -> bool {
        let count = made.candidates.len();
        let is_checked = count > 0 && count == self.next_check(self.last_check(count));
        count >= self.restarts() || is_checked && self.ending().is_enough(&made.candidates)
    }

    /// The last look before `count` restarts.
    fn last_check(&self, count: usize) -> usize {
        let mut last = 0;
        while self.next_check(last) < count {
            last = self.next_check(last);
        }
        last
    }

    /// The outcomes of all parts by number.
    pub(super) fn outcomes_in<'a>(&self, parts: &'a [Part]) -> Result<Vec<Option<&'a Outcome>>> {
        let mut outcomes: Vec<Option<&Outcome>> = vec![None; self.restarts()];
        for part in parts {
            self.check(part)?;
            if let Done::Restarts(restarts) = &part.done {
                for (index, outcome) in restarts {
                    if let Some(place) = outcomes.get_mut(*index) {
                        *place = Some(outcome);
                    }
                }
            }
        }
        Ok(outcomes)
    }

    /// How many of the first restarts are in the parts without a gap.
    pub(super) fn restarts_in(&self, parts: &[Part]) -> usize {
        let known: std::collections::HashSet<usize> = parts
            .iter()
            .filter_map(|part| match &part.done {
                Done::Restarts(restarts) => Some(restarts.iter().map(|(index, _)| *index)),
                _ => None,
            })
            .flatten()
            .collect();
        let restarts = self.restarts();
        let missing = (0..restarts).find(|index| !known.contains(index));
        missing.unwrap_or(restarts)
    }

    /// When the search for the decided machine ends: a concave objective has one maximum, and one start finds it.
    pub(super) fn ending(&self) -> Ending {
        let machine = self.plan.machine(self.machine());
        let is_concave = machine.is_ok_and(|m| Problem::is_concave(&m.network, &self.data));
        match self.plan.ending {
            Ending::UntilUnlikely if is_concave => Ending::Once,
            ending => ending,
        }
    }

    /// Up to which restart to go on after `done` of them.
    pub(super) fn next_check(&self, done: usize) -> usize {
        self.ending().next_check(done, self.restarts())
    }

    /// Candidates of some outcomes, the first of which is restart `first`.
    fn certified(&self, first: usize, outcomes: Vec<&Outcome>) -> Result<Vec<Candidate>> {
        let problem = self.problem()?;
        let tolerance = self.setup()?.course.tolerance;
        let flips = self.coded().0.flips(problem.structure());
        outcomes
            .into_par_iter()
            .with_max_len(1)
            .enumerate()
            .map(|(at, outcome)| {
                let index = first + at;
                let (point, terms) = (&outcome.point, problem.terms());
                // Weights, and what is expected of each.
                let sizes = [
                    point.weights.len(),
                    point.free.len(),
                    point.clamped.expectations.len(),
                ];
                if let Some(size) = sizes.into_iter().find(|size| *size != terms) {
                    return Err(Error::invalid(format!(
                        "restart {index} has {size} weights for {terms} terms"
                    )));
                }
                Candidate::recoded(problem, index, outcome.clone(), tolerance, Some(&flips))
            })
            .collect()
    }

    /// Candidates of restarts that ended, each with its number: what there is of a fit that was stopped.
    #[doc(hidden)]
    pub fn candidates_of(&self, ended: &[(usize, Outcome)]) -> Result<Vec<Candidate>> {
        let mut candidates = Vec::with_capacity(ended.len());
        for (index, outcome) in ended {
            candidates.extend(self.certified(*index, vec![outcome])?);
        }
        candidates.sort_by_key(|candidate| candidate.index);
        cluster(&mut candidates);
        Ok(candidates)
    }
}

/// The least entropies of these.
fn least_of(parents: &[&Outcome]) -> Least {
    let least = |values: &mut dyn Iterator<Item = f64>| values.min_by(f64::total_cmp);
    let entropies = || parents.iter().map(|outcome| outcome.point.entropy);
    let before = entropies()
        .zip(parents)
        .map(|(entropy, o)| entropy - o.raised);
    match (least(&mut entropies()), least(&mut before.into_iter())) {
        (Some(entropy), Some(before_climbs)) => Least {
            entropy,
            before_climbs,
        },
        _ => Least::NONE,
    }
}
