//! A job: data and request, cut into pieces that depend on nothing but these; run anywhere, and put together again.
//!
//! There are three kinds of pieces: folds of the comparison, restarts, and refits of the bootstrap. Each `run` takes a
//! range of pieces and gives a [`Part`]; `decide` and `assemble` put parts together, in whatever order they come and
//! however the work was cut. A local fit takes the same way.

use super::bytes::{from_bytes, to_bytes};
use super::choice::{Choices, PrincipleChoice, choose_ridge};
use super::coding::Coding;
use super::comparison::{self, Tried};
use super::control::{Control, Stage};
use super::evidence::{EvidenceChoice, Known, USUAL_RIDGE, ridge_by_evidence};
use super::held_out::{self, CrossValidation, FoldScores, Piece, Ridges, score_fold};
use super::journal::Identity;
use super::plan::Plan;
use super::request::{Request, Ridge, Select};
use super::result::Fit;
use super::search::Search;
use super::setup::Setup;
use super::uncertainty::{self, Refit};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learning::{
    Checkpoint, Keeping, Objective, Outcome, Problem, Restart, learn_restart_keeping,
};
use crate::network::Network;
use crate::random::Digest;
use crate::remark::Remark;
use crate::selection::{Candidate, Principle, cluster, look_at_hidden_units};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::OnceLock;
use std::time::Instant;

/// What is settled once the choices are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    /// The machine's number among the planned ones.
    pub machine: usize,
    /// What is maximised.
    pub objective: Objective,
    /// Who chooses among the solutions.
    pub principle: Principle,
    /// What was chosen on the way.
    pub choices: Choices,
}

/// A request on data, planned.
///
/// ```
/// use latentropy::fit::{Control, Job, Part};
/// use latentropy::{Dataset, Request, fit};
/// let data = Dataset::from_rows(&[[0, 0], [1, 1], [1, 1], [0, 1]])?;
/// let request = Request { restarts: Some(4), ..Request::with_hidden(1) };
/// let control = Control::default();
/// let mut job = Job::new(&data, &request)?;
/// job.choose(&control)?;
/// // Two halves, as if on two machines, the second one first.
/// let parts: Vec<Part> = vec![job.run(2..4, &control)?, job.run(0..2, &control)?];
/// let found = job.assemble(parts, &control)?;
/// assert_eq!(found.chosen().network, fit(&data, &request)?.chosen().network);
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    pub(super) data: Dataset,
    pub(super) request: Request,
    pub(super) plan: Plan,
    pub(super) decided: Option<Decided>,
    /// The data as the fit codes them; made when they are first needed.
    #[serde(skip)]
    coded: OnceLock<(Coding, Dataset)>,
    /// Prepared when it is first needed.
    #[serde(skip)]
    problem: OnceLock<Problem>,
}

/// The results of some pieces of a job; it belongs to the job of the same digest.
///
/// For an example see [`Job`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    /// The job's digest.
    pub job: u64,
    /// What was done.
    pub done: Done,
}

/// Results of one kind of pieces, each with its number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Done {
    /// Folds of the comparison.
    Folds(Vec<FoldScores>),
    /// Restarts.
    Restarts(Vec<(usize, Outcome)>),
    /// Refits of the bootstrap.
    Refits(Vec<Refit>),
}

impl Part {
    /// In a compact binary form with a version.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        to_bytes(PART, self)
    }

    /// From that form.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        from_bytes(PART, "a part of a fit", bytes)
    }
}

/// The first bytes of a job and of a part: what it is, and the version of its layout.
const JOB: &[u8] = b"latentropy-job/1\n";
const PART: &[u8] = b"latentropy-part/1\n";

impl Job {
    /// Plans a request on data.
    pub fn new(data: &Dataset, request: &Request) -> Result<Self> {
        Ok(Job {
            plan: Plan::new(data, request)?,
            data: data.clone(),
            request: request.clone(),
            decided: None,
            coded: OnceLock::new(),
            problem: OnceLock::new(),
        })
    }

    /// Makes the choices here and now: compares all folds, where something is compared, and decides.
    pub fn choose(&mut self, control: &Control<'_>) -> Result<()> {
        let mut parts = Vec::new();
        while let Some(range) = self.next_comparison(&parts)? {
            control.observer.stage(Stage::Comparing {
                machine: self.machine_of(range.start),
                pieces: range.len(),
            });
            let part = self.compare(range, &parts, control)?;
            parts.push(part);
        }
        self.decide(&parts, control)
    }

    /// Runs all restarts and refits here and now, once the choices are made.
    pub fn fit(&self, control: &Control<'_>) -> Result<Fit> {
        let clock = Instant::now();
        let count = self.restarts();
        control.observer.stage(Stage::Restarts { count });
        let mut parts = Vec::new();
        let mut fit = loop {
            let from = self.restarts_in(&parts);
            parts.push(self.run(from..self.next_check(from), control)?);
            if let Some(fit) = self.assemble_if_enough(&parts, control)? {
                break fit;
            }
        };
        fit.timings.fitting = clock.elapsed();
        let clock = Instant::now();
        if self.refits() > 0 {
            if fit.selected_is_feasible {
                let count = self.refits();
                control.observer.stage(Stage::Refits { count });
                let part = self.refit(&fit, 0..count, control)?;
                self.assemble_refits(&mut fit, &[part])?;
            } else {
                fit.remarks.push(Remark::NoBootstrap);
            }
        }
        fit.timings.resampling = clock.elapsed();
        Ok(fit)
    }

    /// In a compact binary form with a version.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        to_bytes(JOB, self)
    }

    /// From that form; planned anew, so that a plan cannot contradict its request.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let job: Job = from_bytes(JOB, "a fit's job", bytes)?;
        Ok(Job {
            plan: Plan::new(&job.data, &job.request)?,
            ..job
        })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What parts are recognised by: data, request and version.
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::default();
        digest.eat(env!("CARGO_PKG_VERSION").as_bytes());
        digest.eat(&self.data.fingerprint().to_le_bytes());
        digest.eat(&self.request.digest().to_le_bytes());
        digest.value()
    }

    /// What a journal of restarts is recognised by: everything that changes how a restart ends, and not their number.
    pub fn identity(&self, traced: bool) -> Result<Identity> {
        let setup = self.setup()?;
        let everything = (
            env!("CARGO_PKG_VERSION"),
            self.data.fingerprint(),
            setup.structure,
            setup.engine,
            setup.course,
            setup.objective,
            traced,
        );
        let bytes = serde_json::to_vec(&everything)
            .map_err(|error| Error::failed(format!("cannot be written down: {error}")))?;
        let mut digest = Digest::default();
        digest.eat(&bytes);
        Ok(Identity {
            format: "latentropy-fit/2".to_string(),
            digest: format!("{:016x}", digest.value()),
            seed: self.request.seed,
        })
    }

    /// The coding that the fit works in, and the data in it.
    fn coded(&self) -> &(Coding, Dataset) {
        self.coded.get_or_init(|| {
            let machines = self.plan.machines.iter().map(|machine| &machine.network);
            let coding = Coding::new(&self.data, machines);
            let data = coding.of_data(&self.data);
            (coding, data)
        })
    }

    /// The principle that chooses, once it is decided.
    fn principle(&self) -> Principle {
        let decided = self.decided.as_ref().map(|decided| decided.principle);
        decided.unwrap_or(self.request.select.principle())
    }

    /// The setup of one of the machines, its ridge still open.
    fn setup_of<'a>(&'a self, structure: &'a Network) -> Setup<'a> {
        Setup {
            structure,
            data: &self.coded().1,
            engine: self.plan.engine,
            scored_by: self.plan.scored_by,
            course: &self.plan.course,
            objective: self.plan.objective,
            restarts: self.plan.restarts,
            seed: self.request.seed,
            principle: self.principle(),
        }
    }

    /// The setup of the machine that is to be fitted, once that is decided.
    pub(super) fn setup(&self) -> Result<Setup<'_>> {
        let decided = self
            .decided
            .as_ref()
            .ok_or_else(|| Error::failed("the machine and its ridge have not been decided yet"))?;
        Ok(Setup {
            objective: decided.objective,
            ..self.setup_of(&self.plan.machine(decided.machine)?.network)
        })
    }

    /// The problem of the machine that is to be fitted.
    fn problem(&self) -> Result<&Problem> {
        if let Some(problem) = self.problem.get() {
            return Ok(problem);
        }
        let problem = self.setup()?.problem()?;
        Ok(self.problem.get_or_init(|| problem))
    }

    /// How many pieces there are to be compared at most, over all machines: each one's folds, and all rows; none where
    /// nothing is to be chosen by them.
    pub fn comparisons(&self) -> usize {
        self.pieces_per_machine() * self.plan.machines.len()
    }

    fn pieces_per_machine(&self) -> usize {
        let validation = self.plan.validation.as_ref();
        validation.map_or(0, |validation| validation.pieces(&self.data) + 1)
    }

    /// The name of the machine that a piece of the comparison belongs to.
    pub fn machine_of(&self, piece: usize) -> String {
        let number = piece / self.pieces_per_machine().max(1);
        let machine = self.plan.machines.get(number);
        machine.map_or(String::new(), |machine| machine.name())
    }

    /// The pieces to be compared next, given those that are; none where the choice can be made.
    pub fn next_comparison(&self, parts: &[Part]) -> Result<Option<Range<usize>>> {
        if self.plan.validation.is_none() {
            return Ok(None);
        }
        let next = comparison::next(&self.plan.machines, &self.tried(parts)?);
        let pieces = self.pieces_per_machine();
        Ok(next.map(|number| {
            let first = number * pieces;
            // The last piece is all rows, and comes first where the folds begin at its end.
            match self.all_rows(parts, number).is_some() {
                true => first..first + pieces - 1,
                false => first + pieces - 1..first + pieces,
            }
        }))
    }

    /// How many restarts there are.
    pub fn restarts(&self) -> usize {
        self.plan.restarts
    }

    /// How many refits there are.
    pub fn refits(&self) -> usize {
        self.plan
            .bootstrap
            .map_or(0, |bootstrap| bootstrap.resamples)
    }

    fn part(&self, done: Done) -> Part {
        Part {
            job: self.digest(),
            done,
        }
    }

    fn check(&self, part: &Part) -> Result<()> {
        match part.job == self.digest() {
            true => Ok(()),
            false => Err(Error::invalid(
                "a part belongs to another job: other data, request or version",
            )),
        }
    }

    /// Scores some of the pieces. Where ridges are found by evidence, a machine's folds begin where its all-rows piece, in
    /// `parts`, has ended.
    pub fn compare(
        &self,
        range: Range<usize>,
        parts: &[Part],
        control: &Control<'_>,
    ) -> Result<Part> {
        let validation = self.validation()?;
        let (pieces, all) = (self.pieces_per_machine(), self.comparisons());
        if range.end > all {
            return Err(Error::invalid(format!(
                "folds {} to {} were asked for; there are {all}",
                range.start, range.end
            )));
        }
        let ridges = match self.request.ridge {
            Ridge::Evidence => Ridges::Evidence,
            _ => Ridges::Listed(validation.descending()?),
        };
        let scores = range
            .into_par_iter()
            .with_max_len(1)
            .map(|piece| {
                let (machine, fold) = (piece / pieces, piece % pieces);
                let setup = self.setup_of(&self.plan.machine(machine)?.network);
                let piece = Piece {
                    machine,
                    fold,
                    both_principles: self.request.select == Select::HeldOut,
                };
                self.check_order(&ridges, parts, piece)?;
                let known = self.known(parts, machine);
                score_fold(&setup, validation, &ridges, piece, known.as_ref(), control)
            })
            .collect::<Result<Vec<FoldScores>>>()?;
        Ok(self.part(Done::Folds(scores)))
    }

    fn validation(&self) -> Result<&CrossValidation> {
        let validation = self.plan.validation.as_ref();
        validation.ok_or_else(|| Error::failed("there is nothing to cross-validate"))
    }

    /// Makes the choices that the request leaves open: by all folds, where something is compared, and by evidence.
    pub fn decide(&mut self, parts: &[Part], control: &Control<'_>) -> Result<()> {
        let mut choices = Choices::default();
        let mut machine = 0;
        let mut objective = self.plan.objective;
        if self.plan.validation.is_some() {
            if let Some(missing) = self.next_comparison(parts)? {
                return Err(Error::invalid(format!(
                    "{} has not been compared yet: pieces {} to {} are in none of the parts",
                    self.machine_of(missing.start),
                    missing.start,
                    missing.end - 1
                )));
            }
            let tried = self.tried(parts)?;
            let mut ridges = tried.first().and_then(|known| known.ridges.clone());
            objective.ridge = tried.first().map_or(USUAL_RIDGE, |known| known.ridge);
            if self.request.compares() {
                let rows = self.data.known_weight();
                let found = comparison::choose(&self.plan.machines, &tried, rows)?;
                let chosen = &tried[found.chosen];
                (machine, objective.ridge) = (chosen.number, chosen.ridge);
                ridges.clone_from(&found.ridge);
                choices.comparison = Some(found);
            }
            choices.ridge = ridges;
            choices.evidence = self.evidence_of(parts, machine);
            if self.request.select == Select::HeldOut {
                let known = tried.iter().find(|known| known.number == machine);
                choices.principle = known.and_then(|known| {
                    let by_likelihood = known.by_likelihood.as_ref()?;
                    Some(PrincipleChoice::new(&known.held_out, by_likelihood))
                });
            }
        } else if self.request.ridge == Ridge::Evidence {
            objective.ridge = USUAL_RIDGE;
            // The evidence rests on exact curvature.
            if self.plan.engine.gives().curvature {
                control.observer.stage(Stage::Evidence);
                let setup = self.setup_of(&self.plan.machine(machine)?.network);
                let found = ridge_by_evidence(&setup, None, control)?;
                choices.evidence = found.map(|found| found.choice);
            }
            if let Some(evidence) = &choices.evidence {
                objective.ridge = evidence.chosen;
            }
        }
        self.decided = Some(Decided {
            machine,
            objective,
            principle: match &choices.principle {
                Some(choice) => choice.chosen,
                None => self.request.select.principle(),
            },
            choices,
        });
        self.problem = OnceLock::new();
        Ok(())
    }

    fn scores<'a>(&self, parts: &'a [Part]) -> Result<Vec<&'a FoldScores>> {
        let mut scores = Vec::new();
        for part in parts {
            self.check(part)?;
            if let Done::Folds(folds) = &part.done {
                scores.extend(folds);
            }
        }
        Ok(scores)
    }

    /// A machine's piece of all rows.
    fn all_rows<'a>(&self, parts: &'a [Part], machine: usize) -> Option<&'a FoldScores> {
        let all_rows = self.pieces_per_machine() - 1;
        let scores = self.scores(parts).ok()?;
        let mut own = scores.into_iter().filter(|score| score.machine == machine);
        own.find(|score| score.fold == all_rows)
    }

    /// How a machine's ridge was found on all rows, where it was by evidence.
    fn evidence_of(&self, parts: &[Part], machine: usize) -> Option<EvidenceChoice> {
        self.all_rows(parts, machine)?.evidence.clone()
    }

    /// Refuses a fold whose beginning is not known yet.
    fn check_order(&self, ridges: &Ridges, parts: &[Part], piece: Piece) -> Result<()> {
        let all_rows = self.pieces_per_machine() - 1;
        let is_early = *ridges == Ridges::Evidence
            && piece.fold < all_rows
            && self.all_rows(parts, piece.machine).is_none();
        match is_early {
            true => Err(Error::invalid(format!(
                "the folds of a machine begin where its solutions on all rows are: compare piece {} first",
                piece.machine * (all_rows + 1) + all_rows
            ))),
            false => Ok(()),
        }
    }

    /// Where the folds of a machine begin.
    fn known(&self, parts: &[Part], machine: usize) -> Option<Known> {
        let all_rows = self.all_rows(parts, machine)?;
        Some(Known {
            ridge: all_rows.evidence.as_ref()?.chosen,
            solutions: all_rows.solutions.clone(),
        })
    }

    /// What the folds say about each machine all of whose pieces are there.
    fn tried(&self, parts: &[Part]) -> Result<Vec<Tried>> {
        let validation = self.validation()?;
        let scores = self.scores(parts)?;
        let pieces = self.pieces_per_machine();
        let mut tried = Vec::new();
        for number in 0..self.plan.machines.len() {
            let own = scores.iter().filter(|score| score.machine == number);
            let mut own: Vec<FoldScores> = own.map(|score| (*score).clone()).collect();
            own.sort_by_key(|score| score.fold);
            own.dedup_by_key(|score| score.fold);
            let Some(all_rows) = own.last().filter(|_| own.len() == pieces).cloned() else {
                continue;
            };
            let (data, seed) = (&self.data, self.request.seed);
            let held_out = held_out::assemble(data, seed, validation, &own)?;
            let (at, held_out, ridges) = match self.request.ridge {
                Ridge::CrossValidated => {
                    let (choice, score) = choose_ridge(validation, held_out)?;
                    let at = all_rows.ridges.iter().position(|r| *r == choice.chosen);
                    (at.unwrap_or(0), score, Some(choice))
                }
                _ => {
                    let only = held_out.into_iter().next();
                    (
                        0,
                        only.ok_or_else(|| Error::failed("a fold has no score"))?,
                        None,
                    )
                }
            };
            let by_likelihood = match self.request.select {
                Select::HeldOut => held_out::assemble(data, seed, validation, &by_likelihood(own))?,
                Select::By(_) => Vec::new(),
            };
            tried.push(Tried {
                number,
                by_likelihood: by_likelihood.into_iter().nth(at),
                held_out,
                ridge: all_rows.ridges[at],
                log_likelihood: all_rows.log_likelihoods[at],
                ridges,
            });
        }
        Ok(tried)
    }

    /// Learns some of the restarts; those that the journal knows are not learned again.
    pub fn run(&self, range: Range<usize>, control: &Control<'_>) -> Result<Part> {
        let setup = self.setup()?;
        let problem = self.problem()?;
        let keep_trace = self.request.keep_traces || control.observer.wants_traces();
        let outcomes = range
            .into_par_iter()
            .with_max_len(1)
            .map(|index| {
                let piece = format!("restart {index}");
                let known = control.journal.and_then(|journal| journal.known(&piece));
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
                        let outcome = control.with_loop(|control| {
                            let restart = Restart {
                                seed: setup.seed,
                                index: index as u64,
                                keep_trace,
                                control,
                            };
                            learn_restart_keeping(problem, setup.course, restart, &keeping)
                        })?;
                        if let Some(journal) = control.journal
                            && journal.add(&piece, &outcome).is_ok()
                        {
                            journal.forget(&piece);
                        }
                        outcome
                    }
                };
                control.observer.restart_done(index, &outcome);
                Ok((index, outcome))
            })
            .collect::<Result<Vec<(usize, Outcome)>>>()?;
        Ok(self.part(Done::Restarts(outcomes)))
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
        (0..self.plan.restarts)
            .find(|index| !known.contains(index))
            .unwrap_or(self.plan.restarts)
    }

    /// When the search for the decided machine ends: a concave objective has one maximum, and one start finds it.
    fn search(&self) -> Search {
        let machine = self.decided.as_ref().map_or(0, |decided| decided.machine);
        let machine = self.plan.machine(machine);
        let is_concave = machine.is_ok_and(|m| Problem::is_concave(&m.network, &self.data));
        match self.plan.search {
            Search::UntilUnlikely if is_concave => Search::Once,
            search => search,
        }
    }

    /// Up to which restart to go on after `done` of them.
    pub(super) fn next_check(&self, done: usize) -> usize {
        self.search().next_check(done, self.plan.restarts)
    }

    /// Certifies, clusters and chooses; parts may overlap and come in any order.
    ///
    /// Where the search may stop early, restarts beyond the point at which it does are not looked at.
    pub fn assemble(&self, parts: Vec<Part>, control: &Control<'_>) -> Result<Fit> {
        let missing = self.restarts_in(&parts);
        self.assemble_if_enough(&parts, control)?
            .ok_or_else(|| Error::invalid(format!("restart {missing} is in none of the parts")))
    }

    /// The same; none where more restarts are wanted than the parts have.
    pub(super) fn assemble_if_enough(
        &self,
        parts: &[Part],
        control: &Control<'_>,
    ) -> Result<Option<Fit>> {
        let mut outcomes: Vec<Option<&Outcome>> = vec![None; self.plan.restarts];
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
        let mut candidates: Vec<Candidate> = Vec::new();
        loop {
            let range = candidates.len()..self.next_check(candidates.len());
            let Some(block) = outcomes[range.clone()]
                .iter()
                .copied()
                .collect::<Option<Vec<_>>>()
            else {
                return Ok(None);
            };
            candidates.extend(self.certified(range.start, block)?);
            cluster(&mut candidates);
            look_at_hidden_units(&mut candidates, &self.data);
            if candidates.len() >= self.plan.restarts || self.search().is_enough(&candidates) {
                break;
            }
        }
        for candidate in &mut candidates {
            control.observer.candidate_done(candidate);
            if !self.request.keep_traces {
                candidate.trace = Vec::new();
            }
        }
        let choices = self.decided.as_ref().map(|decided| decided.choices.clone());
        // Causes are told in the coding of the data.
        let setup = Setup {
            data: &self.data,
            ..self.setup()?
        };
        let machine = self.decided.as_ref().map_or(0, |decided| decided.machine);
        let machine = self.plan.machine(machine)?;
        Fit::new(
            &setup,
            &self.plan,
            machine,
            choices.unwrap_or_default(),
            candidates,
        )
        .map(Some)
    }

    /// Candidates of some outcomes, the first of which is restart `first`.
    fn certified(&self, first: usize, outcomes: Vec<&Outcome>) -> Result<Vec<Candidate>> {
        let problem = self.problem()?;
        let tolerance = self.plan.course.tolerance;
        let flips = self.coded().0.flips(problem.structure());
        outcomes
            .into_par_iter()
            .with_max_len(1)
            .enumerate()
            .map(|(at, outcome)| {
                let index = first + at;
                if outcome.point.weights.len() != problem.terms() {
                    return Err(Error::invalid(format!(
                        "restart {index} has {} weights for {} terms",
                        outcome.point.weights.len(),
                        problem.terms()
                    )));
                }
                Candidate::recoded(problem, index, outcome.clone(), tolerance, Some(&flips))
            })
            .collect()
    }

    /// Refits the chosen machine of `fit` to some of the resamples.
    pub fn refit(&self, fit: &Fit, range: Range<usize>, control: &Control<'_>) -> Result<Part> {
        let bootstrap = self.plan.bootstrap.as_ref();
        let bootstrap = bootstrap.ok_or_else(|| Error::failed("no bootstrap was planned"))?;
        let setup = self.setup()?;
        let coding = &self.coded().0;
        let chosen = coding.of_network(&fit.chosen().network)?;
        let mut refits = uncertainty::refit(&setup, &chosen, bootstrap, range, control)?;
        for refit in &mut refits {
            let network = chosen.with_weights(std::mem::take(&mut refit.weights))?;
            refit.weights = coding.of_network(&network)?.weights().to_vec();
        }
        Ok(self.part(Done::Refits(refits)))
    }

    /// Adds what all refits say to `fit`.
    pub fn assemble_refits(&self, fit: &mut Fit, parts: &[Part]) -> Result<()> {
        let Some(settings) = self.plan.bootstrap else {
            return Ok(());
        };
        let mut refits: Vec<Option<Refit>> = vec![None; settings.resamples];
        for part in parts {
            self.check(part)?;
            if let Done::Refits(found) = &part.done {
                for refit in found.iter().filter(|r| r.index < settings.resamples) {
                    refits[refit.index] = Some(refit.clone());
                }
            }
        }
        let refits = refits.into_iter().enumerate().map(|(index, refit)| {
            refit.ok_or_else(|| Error::invalid(format!("refit {index} is in none of the parts")))
        });
        let refits = refits.collect::<Result<Vec<Refit>>>()?;
        let lost = refits.iter().filter(|refit| !refit.converged).count();
        let made = uncertainty::assemble(fit.chosen(), settings, &refits);
        if lost > 0 {
            fit.remarks.push(Remark::RefitsLost {
                lost,
                refits: settings.resamples,
            });
        }
        if made.at_the_edge > 0 && fit.chosen().certificate.boundary_terms.is_empty() {
            fit.remarks.push(Remark::RefitsAtTheEdge {
                at_the_edge: made.at_the_edge,
                converged: made.converged,
            });
        }
        fit.bootstrap = Some(made);
        Ok(())
    }
}

/// The same folds, scored by the candidates of highest likelihood.
fn by_likelihood(mut folds: Vec<FoldScores>) -> Vec<FoldScores> {
    for fold in &mut folds {
        fold.by_ridge = std::mem::take(&mut fold.by_likelihood);
    }
    folds
}
