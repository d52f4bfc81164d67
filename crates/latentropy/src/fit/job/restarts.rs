//! Restarts as pieces: each depends on nothing but the job, its number and, where it is a proposal, on the rounds before.

use super::rounds::{Made, Parents};
use super::{Done, Job, Part};
use crate::answers::mutual_information;
use crate::error::Result;
use crate::fit::control::Control;
use crate::fit::search::proposal;
use crate::fit::start;
use crate::learning::{
    Checkpoint, Course, Keeping, Objective, Outcome, Problem, Restart, climb_flat_set,
    climb_quickly, drive_keeping, learn_restart_keeping, learn_screened, random_start,
};
use crate::network::Network;
use crate::selection::Principle;
use rayon::prelude::*;
use std::ops::Range;

/// I(Y;Z) below this is next to no dependence.
const LITTLE_INFORMATION: f64 = 1e-3;

/// Whether the hidden units say next to nothing about the visible ones.
fn says_nothing(problem: &Problem, outcome: &Outcome) -> Result<bool> {
    let weights = outcome.point.weights.clone();
    let network = problem.structure().with_weights(weights)?;
    let information = mutual_information(&network)?;
    Ok(information.is_some_and(|nats| nats < LITTLE_INFORMATION))
}

impl Job {
    /// Learns some of the restarts; those that the journal knows are not learned again.
    ///
    /// In an iterated search these are proposals from the twentieth on, which lean on all restarts of earlier rounds: these
    /// are made anew here. [`Job::run_after`] takes them from parts.
    pub fn run(&self, range: Range<usize>, control: &Control<'_>) -> Result<Part> {
        self.run_after(range, &[], control)
    }

    /// The same, with what was made before.
    pub fn run_after(
        &self,
        range: Range<usize>,
        before: &[Part],
        control: &Control<'_>,
    ) -> Result<Part> {
        let search = self.plan.search;
        let known = self.outcomes_in(before)?;
        let mut outcomes = Vec::new();
        let mut from = range.start;
        let mut made = Made::default();
        while from < range.end {
            let to = search.stop_before(from, range.end);
            if let Some(round) = search.round_of(from) {
                self.make_up_to(round, &mut made, &known, control)?;
            }
            let parents = self.parents(&made);
            let found = self.learn_some(from..to, &parents, control)?;
            if made.outcomes.len() == from {
                made.outcomes
                    .extend(found.iter().map(|(_, outcome)| outcome.clone()));
            }
            outcomes.extend(found);
            from = to;
        }
        Ok(self.part(Done::Restarts(outcomes)))
    }

    /// Learns restarts of one round, or such that begin by themselves, from the best solutions of the rounds before.
    pub(super) fn learn_some(
        &self,
        numbers: impl IntoParallelIterator<Item = usize, Iter: IndexedParallelIterator>,
        parents: &Parents,
        control: &Control<'_>,
    ) -> Result<Vec<(usize, Outcome)>> {
        let outcomes = numbers.into_par_iter().with_max_len(1).map(|index| {
            let piece = format!("restart {index}");
            let known = control.journal.and_then(|journal| journal.known(&piece));
            let known = known.or_else(|| self.learned(index));
            let outcome = match known {
                Some(outcome) => outcome.clone(),
                None => {
                    // A full disk must not end a run whose results may still fit.
                    let keep = |checkpoint: &Checkpoint| {
                        if let Some(journal) = control.journal {
                            let _ = journal.keep(&piece, checkpoint);
                        }
                    };
                    let keeping = match control.journal {
                        Some(journal) => {
                            let from = journal.kept(&piece);
                            Keeping::new(control.checkpoint_interval, &keep, from)
                        }
                        None => Keeping::nothing(),
                    };
                    let outcome = self.learn_one(index, parents, &keeping, control)?;
                    if let Some(journal) = control.journal
                        && self.note(journal, &piece, &outcome).is_ok()
                    {
                        journal.forget(&piece);
                    }
                    outcome
                }
            };
            control.observer.restart_done(index, &outcome);
            Ok((index, outcome))
        });
        outcomes.collect()
    }

    /// One restart: at given weights, as a proposal, or as the course begins.
    fn learn_one(
        &self,
        index: usize,
        parents: &Parents,
        keeping: &Keeping<'_>,
        control: &Control<'_>,
    ) -> Result<Outcome> {
        let (setup, problem) = (self.setup()?, self.problem()?);
        let is_proposal = self.plan.search.round_of(index).is_some();
        let least = parents.least.filter(|_| is_proposal);
        let given = match &self.request.start {
            // The first of a new population.
            _ if least.is_some() && parents.weights.is_empty() && !problem.is_sampled() => {
                Some(random_start(problem, setup.seed, index as u64))
            }
            _ if is_proposal => {
                let parents: Vec<&[f64]> = parents.weights.iter().map(Vec::as_slice).collect();
                proposal(problem, &parents, setup.seed, index as u64)
            }
            Some(start) if index == 0 => Some(self.given_start(start)?),
            _ => None,
        };
        control.with_loop(|loop_control| {
            let restart = Restart {
                seed: setup.seed,
                index: index as u64,
                keep_trace: self.request.keep_traces
                    || self.traced
                    || control.observer.wants_traces(),
                control: loop_control,
            };
            let outcome = match (given, least) {
                (Some(start), Some(least)) => {
                    let least = least.before_climbs;
                    learn_screened(problem, start, setup.course, restart, keeping, least)
                }
                (Some(start), None) => {
                    drive_keeping(problem, start, setup.course, restart, keeping)
                }
                (None, _) => learn_restart_keeping(problem, setup.course, restart, keeping),
            }?;
            if !self.climbs_flat_sets(setup.course, setup.objective) {
                return Ok(outcome);
            }
            let mut ended = outcome.clone();
            let climbed = match least {
                Some(least) => {
                    climb_quickly(problem, outcome, setup.course, restart, least.entropy)
                }
                None => climb_flat_set(problem, outcome, setup.course, restart),
            }?;
            // Highest of all may be hidden units that have nothing to do with the rows, which (2) excludes.
            if climbed.is_of_flat_set && says_nothing(problem, &climbed)? {
                ended.is_of_flat_set = true;
                ended.passes = climbed.passes;
                return Ok(ended);
            }
            Ok(climbed)
        })
    }

    /// Without a ridge there may be continua of solutions, and highest entropy chooses among them; where second-order steps finish
    /// the work, they are told from points on their way.
    fn climbs_flat_sets(&self, course: &Course, objective: Objective) -> bool {
        self.principle() == Principle::LatentMaximumEntropy
            && objective.ridge == 0.0
            && course.finish.is_some()
    }

    /// The weights that the first restart begins at, in the coding of the fit.
    fn given_start(&self, start: &Network) -> Result<Vec<f64>> {
        let structure = self.problem()?.structure();
        let matched = start::matched(structure, start)?;
        Ok(self.coded().0.of_network(&matched)?.weights().to_vec())
    }

    /// A restart that was learned where machines were compared; these begin by themselves.
    pub(super) fn learned(&self, index: usize) -> Option<&Outcome> {
        if self.plan.search.round_of(index).is_some() || self.request.start.is_some() {
            return None;
        }
        let mut learned = self.decided.as_ref()?.learned.iter();
        learned
            .find(|(known, _)| *known == index)
            .map(|(_, outcome)| outcome)
    }
}
