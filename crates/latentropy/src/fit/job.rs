//! A job: data and request, cut into pieces that depend on nothing but these; run anywhere, and put together again.
//!
//! There are three kinds of pieces: folds of the comparison, restarts, and refits of the bootstrap. Each `run` takes a
//! range of pieces and gives a [`Part`]; `decide` and `assemble` put parts together, in whatever order they come and
//! however the work was cut. A local fit takes the same way. Restarts of an iterated search lean on those of the rounds
//! before; `run` makes anew what it is not given.

mod comparing;

use super::bytes::{from_bytes, to_bytes};
use super::choice::Choices;
use super::coding::Coding;
use super::control::{Control, Stage};
use super::held_out::FoldScores;
use super::journal::Identity;
use super::plan::Plan;
use super::request::Request;
use super::result::Fit;
use super::search::{Ending, PARENTS, proposal};
use super::setup::Setup;
use super::start;
use super::uncertainty::{self, Refit};
use super::validation::Validated;
use super::wider::dependence_on_box;
use crate::answers::mutual_information;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learning::{
    Checkpoint, Course, Keeping, Objective, Outcome, Problem, Restart, climb_flat_set,
    drive_keeping, learn_restart_keeping, learn_screened,
};
use crate::network::Network;
use crate::random::Digest;
use crate::remark::Remark;
use crate::selection::{Candidate, Principle, Solutions, cluster, look_at_hidden_units};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::OnceLock;
use std::time::Instant;

/// What is settled once the choices are made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Decided {
    /// The machine's number among the planned ones.
    pub machine: usize,
    /// What is maximised.
    pub objective: Objective,
    /// Who chooses among the solutions.
    pub principle: Principle,
    /// What was chosen on the way.
    pub choices: Choices,
    /// Restarts of this machine that were learned where it was compared.
    learned: Vec<(usize, Outcome)>,
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
    /// The rows to learn from.
    pub(super) data: Dataset,
    /// The rows kept for validation.
    kept: Option<Dataset>,
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

/// The first restarts of a search, in order, with the candidates of those that were certified.
#[derive(Default)]
struct Made {
    outcomes: Vec<Outcome>,
    candidates: Vec<Candidate>,
    solutions: Solutions,
}

/// I(Y;Z) below this is next to no dependence.
const LITTLE_INFORMATION: f64 = 1e-3;

/// Whether the hidden units say next to nothing about the visible ones.
fn says_nothing(problem: &Problem, outcome: &Outcome) -> Result<bool> {
    let weights = outcome.point.weights.clone();
    let network = problem.structure().with_weights(weights)?;
    let information = mutual_information(&network)?;
    Ok(information.is_some_and(|nats| nats < LITTLE_INFORMATION))
}

/// What the proposals of a round go on from.
#[derive(Default)]
struct Parents {
    /// The weights of the best solutions, the best first.
    weights: Vec<Vec<f64>>,
    /// Their least entropy, where that is what they are ranked by.
    least_entropy: Option<f64>,
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
        request.check()?;
        let (data, kept) = match &request.validation_rows {
            Some(rows) => {
                let (data, kept) = rows.split(data, request.seed)?;
                (data, Some(kept))
            }
            None => (data.clone(), None),
        };
        Ok(Job {
            plan: Plan::new(&data, request)?,
            data,
            kept,
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
        let mut made = Made::default();
        while !self.is_enough(&made) {
            self.make(&mut made, control)?;
        }
        let mut fit = self.chosen_from(made, control)?;
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

    /// The rows that are learned from: all of the data but those kept for validation.
    pub fn data(&self) -> &Dataset {
        &self.data
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
            self.kept.as_ref().map(Dataset::fingerprint),
            setup.structure,
            setup.engine,
            setup.course,
            setup.objective,
            (self.plan.search, &self.request.start),
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
    fn setup_of(&self, machine: usize) -> Result<Setup<'_>> {
        let manner = self.plan.manner(machine)?;
        Ok(Setup {
            structure: &self.plan.machine(machine)?.network,
            data: &self.coded().1,
            engine: manner.engine,
            scored_by: manner.scored_by,
            course: &manner.course,
            objective: self.plan.objective,
            restarts: manner.restarts,
            seed: self.request.seed,
            principle: self.principle(),
        })
    }

    /// The rows kept for validation, in the coding of the fit.
    fn coded_kept(&self) -> Option<Dataset> {
        let kept = self.kept.as_ref()?;
        Some(self.coded().0.of_data(kept))
    }

    /// The setup of the machine that is to be fitted, once that is decided.
    pub(super) fn setup(&self) -> Result<Setup<'_>> {
        let decided = self
            .decided
            .as_ref()
            .ok_or_else(|| Error::failed("the machine and its ridge have not been decided yet"))?;
        Ok(Setup {
            objective: decided.objective,
            ..self.setup_of(decided.machine)?
        })
    }

    /// The problem of the machine that is to be fitted.
    fn problem(&self) -> Result<&Problem> {
        if let Some(problem) = self.problem.get() {
            return Ok(problem);
        }
        let mut problem = self.setup()?.problem()?;
        if let Some(kept) = self.coded_kept() {
            problem = problem.with_validation(&kept)?;
        }
        Ok(self.problem.get_or_init(|| problem))
    }

    /// How many restarts there are, at most.
    pub fn restarts(&self) -> usize {
        let manner = self.plan.manner(self.machine());
        manner.map_or(0, |manner| manner.restarts)
    }

    /// The number of the machine that is decided on; the first one until then.
    fn machine(&self) -> usize {
        self.decided.as_ref().map_or(0, |decided| decided.machine)
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
    fn learn_some(
        &self,
        range: Range<usize>,
        parents: &Parents,
        control: &Control<'_>,
    ) -> Result<Vec<(usize, Outcome)>> {
        let outcomes = range.into_par_iter().with_max_len(1).map(|index| {
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
                        && journal.add(&piece, &outcome).is_ok()
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
        let given = match &self.request.start {
            _ if is_proposal => {
                let parents: Vec<&[f64]> = parents.weights.iter().map(Vec::as_slice).collect();
                proposal(problem, &parents, setup.seed, index as u64)
            }
            Some(start) if index == 0 => Some(self.given_start(start)?),
            _ => None,
        };
        let least = parents.least_entropy.filter(|_| is_proposal);
        control.with_loop(|loop_control| {
            let restart = Restart {
                seed: setup.seed,
                index: index as u64,
                keep_trace: self.request.keep_traces || control.observer.wants_traces(),
                control: loop_control,
            };
            let outcome = match (given, least) {
                (Some(start), Some(least)) => {
                    learn_screened(problem, start, setup.course, restart, keeping, least)
                }
                (Some(start), None) => {
                    drive_keeping(problem, start, setup.course, restart, keeping)
                }
                (None, _) => learn_restart_keeping(problem, setup.course, restart, keeping),
            }?;
            match self.climbs_flat_sets(setup.course, setup.objective) {
                true => {
                    let mut ended = outcome.clone();
                    let climbed = climb_flat_set(problem, outcome, setup.course, restart)?;
                    // Highest of all may be hidden units that have nothing to do with the rows, which (2) excludes.
                    if climbed.is_of_flat_set && says_nothing(problem, &climbed)? {
                        ended.is_of_flat_set = true;
                        return Ok(ended);
                    }
                    Ok(climbed)
                }
                false => Ok(outcome),
            }
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

    /// The best solutions so far.
    fn parents(&self, made: &Made) -> Parents {
        let principle = self.principle();
        let best = principle.best_solutions(&made.candidates, PARENTS);
        let entropies = best.iter().map(|&at| made.candidates[at].entropy.value);
        let least = entropies.min_by(f64::total_cmp);
        let indices = best.iter().map(|&at| made.candidates[at].index);
        let outcomes = indices.filter_map(|index| made.outcomes.get(index));
        Parents {
            weights: outcomes
                .map(|outcome| outcome.point.weights.clone())
                .collect(),
            least_entropy: least.filter(|_| principle == Principle::LatentMaximumEntropy),
        }
    }

    /// The next block of restarts, certified.
    fn make(&self, made: &mut Made, control: &Control<'_>) -> Result<()> {
        let from = made.outcomes.len();
        let to = self.plan.search.stop_before(from, self.next_check(from));
        let found = self.learn_some(from..to, &self.parents(made), control)?;
        made.outcomes
            .extend(found.into_iter().map(|(_, outcome)| outcome));
        self.certify_all(made)
    }

    /// Goes on to `count` restarts, those that are known taken as they are, and certifies them.
    fn make_up_to(
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
    fn certify_all(&self, made: &mut Made) -> Result<()> {
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
    fn is_enough(&self, made: &Made) -> bool {
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
    fn outcomes_in<'a>(&self, parts: &'a [Part]) -> Result<Vec<Option<&'a Outcome>>> {
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

    /// A restart that was learned where machines were compared; these begin by themselves.
    fn learned(&self, index: usize) -> Option<&Outcome> {
        if self.plan.search.round_of(index).is_some() || self.request.start.is_some() {
            return None;
        }
        let mut learned = self.decided.as_ref()?.learned.iter();
        learned
            .find(|(known, _)| *known == index)
            .map(|(_, outcome)| outcome)
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
    fn ending(&self) -> Ending {
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

    /// Certifies, clusters and chooses; parts may overlap and come in any order.
    ///
    /// Where the search may stop early, restarts beyond the point at which it does are not looked at.
    pub fn assemble(&self, parts: Vec<Part>, control: &Control<'_>) -> Result<Fit> {
        let missing = self.restarts_in(&parts);
        let outcomes = self.outcomes_in(&parts)?;
        let mut made = Made::default();
        while !self.is_enough(&made) {
            let range = made.outcomes.len()..self.next_check(made.outcomes.len());
            let block = outcomes[range].iter().copied().collect::<Option<Vec<_>>>();
            let block = block.ok_or_else(|| {
                Error::invalid(format!("restart {missing} is in none of the parts"))
            })?;
            made.outcomes.extend(block.into_iter().cloned());
            self.certify_all(&mut made)?;
        }
        self.chosen_from(made, control)
    }

    /// The fit that these restarts make.
    fn chosen_from(&self, made: Made, control: &Control<'_>) -> Result<Fit> {
        let Made {
            outcomes,
            mut candidates,
            ..
        } = made;
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
        let mut fit = Fit::new(
            &setup,
            &self.plan,
            self.machine(),
            choices.unwrap_or_default(),
            self.kept.as_ref(),
            candidates,
        )?;
        let remark = dependence_on_box(
            &setup,
            self.problem()?,
            &outcomes,
            &fit.candidates,
            fit.selected,
        )?;
        fit.remarks.extend(remark);
        if fit.chosen().is_of_flat_set {
            fit.remarks.push(Remark::FlatSet);
        }
        if let (Some(kept), Some(outcome)) = (&self.kept, outcomes.get(fit.chosen().index)) {
            fit.validation = Validated::new(self.problem()?, &outcome.point, kept)?;
        }
        Ok(fit)
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
