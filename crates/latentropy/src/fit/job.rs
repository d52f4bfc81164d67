//! A job: data and request, cut into pieces that depend on nothing but these; run anywhere, and put together again.
//!
//! There are three kinds of pieces: folds of the comparison, restarts, and refits of the bootstrap. Each `run` takes a
//! range of pieces and gives a [`Part`]; `decide` and `assemble` put parts together, in whatever order they come and
//! however the work was cut. A local fit takes the same way. Restarts of an iterated search lean on those of the rounds
//! before; `run` makes anew what it is not given, and an [`Assembly`] hands out round after round, each with what its
//! pieces lean on.

mod assembly;
mod comparing;
mod noted;
mod part;
mod processor;
mod restarts;
mod round;
mod rounds;
mod whole;

pub use assembly::Assembly;
pub use part::{Done, Origin, Part};
pub use processor::kind as processor;
pub use round::{Kind, Round, Worker};

use super::bytes::{VERSION, from_bytes, to_bytes};
use super::choice::Choices;
use super::coding::Coding;
use super::control::{Control, Stage};
use super::journal::Identity;
use super::plan::Plan;
use super::request::Request;
use super::result::Fit;
use super::setup::Setup;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::learning::{Objective, Outcome, Problem};
use crate::random::Digest;
use crate::remark::Remark;
use crate::selection::Principle;
use rounds::Made;
use serde::{Deserialize, Serialize};
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
    #[serde(skip)]
    origin: OnceLock<Origin>,
    /// Whether restarts keep their traces though the request does not ask for them.
    #[serde(skip)]
    traced: bool,
}

/// The first bytes of a job: what it is, and the version of its layout.
const JOB: &[u8] = b"latentropy-job/2\n";

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
            origin: OnceLock::new(),
            traced: false,
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
        let origin = self.origin();
        let mut digest = Digest::default();
        digest.eat(VERSION.as_bytes());
        digest.eat(&origin.data.to_le_bytes());
        digest.eat(&origin.request.to_le_bytes());
        digest.value()
    }

    /// What a journal of restarts is recognised by: everything that changes how a restart ends, and not their number.
    pub fn identity(&self, traced: bool) -> Result<Identity> {
        let setup = self.setup()?;
        let everything = (
            VERSION,
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
            format: "latentropy-fit/3".to_string(),
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
        let most = manner.map_or(0, |manner| manner.restarts);
        self.ending().most(most)
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
}
