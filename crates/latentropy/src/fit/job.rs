//! A job: data and request, cut into pieces that depend on nothing but these; run anywhere, and put together again.
//!
//! There are three kinds of pieces: folds of the comparison, restarts, and refits of the bootstrap. Each `run` takes a
//! range of pieces and gives a [`Part`]; `decide` and `assemble` put parts together, in whatever order they come and
//! however the work was cut. A local fit takes the same way.

use super::bytes::{from_bytes, to_bytes};
use super::choice::{Choices, RidgeChoice, SizeChoice, choose_ridge, choose_size};
use super::control::{Control, Stage};
use super::evidence::{USUAL_RIDGE, ridge_by_evidence};
use super::held_out::{self, CrossValidation, FoldScores, score_fold};
use super::journal::Identity;
use super::plan::Plan;
use super::request::{Request, Ridge};
use super::result::Fit;
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
use crate::selection::Candidate;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::OnceLock;
use std::time::Instant;

/// What is settled once the choices are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decided {
    /// The number of hidden units.
    pub hidden: usize,
    /// What is maximised.
    pub objective: Objective,
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
            problem: OnceLock::new(),
        })
    }

    /// Makes the choices here and now: compares all folds, where something is compared, and decides.
    pub fn choose(&mut self, control: &Control<'_>) -> Result<()> {
        let mut parts = Vec::new();
        if let Some(validation) = &self.plan.validation {
            let machines = self.plan.machines.values();
            let restarts = self.plan.restarts;
            let candidates = machines
                .map(|machine| validation.candidates_of(machine, &self.data, restarts))
                .sum::<Result<usize>>()?;
            control.observer.stage(Stage::Comparing {
                candidates,
                ridges: validation.ridges.len(),
                machines: self.plan.machines.len(),
                folds: validation.folds,
            });
            parts.push(self.compare(0..self.comparisons(), control)?);
        }
        self.decide(&parts, control)
    }

    /// Runs all restarts and refits here and now, once the choices are made.
    pub fn fit(&self, control: &Control<'_>) -> Result<Fit> {
        let clock = Instant::now();
        let count = self.restarts();
        control.observer.stage(Stage::Restarts { count });
        let part = self.run(0..count, control)?;
        let mut fit = self.assemble(vec![part], control)?;
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

    /// The setup of one of the machines, its ridge still open.
    fn setup_of<'a>(&'a self, structure: &'a Network) -> Setup<'a> {
        Setup {
            structure,
            data: &self.data,
            engine: self.plan.engine,
            scored_by: self.plan.scored_by,
            course: &self.plan.course,
            objective: self.plan.objective,
            restarts: self.plan.restarts,
            seed: self.request.seed,
            principle: self.request.principle,
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
            ..self.setup_of(self.plan.machine(decided.hidden)?)
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

    /// How many folds there are to be compared, over all machines; none where nothing is to be chosen by them.
    pub fn comparisons(&self) -> usize {
        self.plan.validation.as_ref().map_or(0, |validation| {
            validation.pieces(&self.data) * self.plan.machines.len()
        })
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

    /// Scores some of the folds.
    pub fn compare(&self, range: Range<usize>, control: &Control<'_>) -> Result<Part> {
        let validation = self.validation()?;
        let (folds, all) = (validation.pieces(&self.data).max(1), self.comparisons());
        if range.end > all {
            return Err(Error::invalid(format!(
                "folds {} to {} were asked for; there are {all}",
                range.start, range.end
            )));
        }
        let machines: Vec<&Network> = self.plan.machines.values().collect();
        let scores = range
            .into_par_iter()
            .with_max_len(1)
            .map(|piece| {
                let setup = self.setup_of(machines[piece / folds]);
                score_fold(&setup, validation, piece % folds, control)
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
        let mut hidden = self.plan.machines.keys().next().copied().unwrap_or(0);
        let mut objective = self.plan.objective;
        if self.plan.validation.is_some() {
            let (size, ridge) = self.compared(parts)?;
            objective.ridge = ridge.chosen;
            if let Some(size) = &size {
                hidden = size.chosen;
            }
            choices.size = size;
            choices.ridge = Some(ridge);
        }
        if self.request.ridge == Ridge::Evidence {
            objective.ridge = USUAL_RIDGE;
            // The evidence rests on exact curvature.
            if self.plan.engine.gives().curvature {
                control.observer.stage(Stage::Evidence);
                let setup = self.setup_of(self.plan.machine(hidden)?);
                choices.evidence = ridge_by_evidence(&setup, control)?;
            }
            if let Some(evidence) = &choices.evidence {
                objective.ridge = evidence.chosen;
            }
        }
        if self.request.ridge != Ridge::CrossValidated {
            choices.ridge = None;
        }
        self.decided = Some(Decided {
            hidden,
            objective,
            choices,
        });
        self.problem = OnceLock::new();
        Ok(())
    }

    /// What the folds say about sizes and ridges.
    fn compared(&self, parts: &[Part]) -> Result<(Option<SizeChoice>, RidgeChoice)> {
        let validation = self.validation()?;
        let mut scores: Vec<&FoldScores> = Vec::new();
        for part in parts {
            self.check(part)?;
            if let Done::Folds(folds) = &part.done {
                scores.extend(folds);
            }
        }
        let mut tried = Vec::new();
        for (&hidden, machine) in &self.plan.machines {
            let own = scores.iter().filter(|score| score.hidden == hidden);
            let own: Vec<FoldScores> = own.map(|score| (*score).clone()).collect();
            let scores = held_out::assemble(&self.setup_of(machine), validation, &own)?;
            let (ridge, score) = choose_ridge(validation, scores)?;
            tried.push((hidden, ridge, score));
        }
        if self.request.compares_sizes() {
            let choice = choose_size(tried)?;
            let ridge = choice.ridge.clone();
            return Ok((Some(choice), ridge));
        }
        let only = tried.into_iter().next();
        let (_, ridge, _) = only.ok_or_else(|| Error::failed("no machine was planned"))?;
        Ok((None, ridge))
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

    /// Certifies, clusters and chooses; parts may overlap and come in any order.
    pub fn assemble(&self, parts: Vec<Part>, control: &Control<'_>) -> Result<Fit> {
        let mut outcomes: Vec<Option<Outcome>> = (0..self.plan.restarts).map(|_| None).collect();
        for part in parts {
            self.check(&part)?;
            if let Done::Restarts(restarts) = part.done {
                for (index, outcome) in restarts {
                    if let Some(place) = outcomes.get_mut(index) {
                        *place = Some(outcome);
                    }
                }
            }
        }
        let problem = self.problem()?;
        let tolerance = self.plan.course.tolerance;
        let candidates = outcomes
            .into_par_iter()
            .with_max_len(1)
            .enumerate()
            .map(|(index, outcome)| {
                let outcome = outcome.ok_or_else(|| {
                    Error::invalid(format!("restart {index} is in none of the parts"))
                })?;
                if outcome.point.weights.len() != problem.terms() {
                    return Err(Error::invalid(format!(
                        "restart {index} has {} weights for {} terms",
                        outcome.point.weights.len(),
                        problem.terms()
                    )));
                }
                let mut candidate = Candidate::new(problem, index, outcome, tolerance)?;
                control.observer.candidate_done(&candidate);
                if !self.request.keep_traces {
                    candidate.trace = Vec::new();
                }
                Ok(candidate)
            })
            .collect::<Result<Vec<Candidate>>>()?;
        let choices = self.decided.as_ref().map(|decided| decided.choices.clone());
        Fit::new(
            &self.setup()?,
            &self.plan,
            choices.unwrap_or_default(),
            candidates,
        )
    }

    /// Refits the chosen machine of `fit` to some of the resamples.
    pub fn refit(&self, fit: &Fit, range: Range<usize>, control: &Control<'_>) -> Result<Part> {
        let bootstrap = self.plan.bootstrap.as_ref();
        let bootstrap = bootstrap.ok_or_else(|| Error::failed("no bootstrap was planned"))?;
        let setup = self.setup()?;
        let refits = uncertainty::refit(&setup, fit.chosen(), bootstrap, range, control)?;
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
