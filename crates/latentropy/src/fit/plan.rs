//! The plan: what a request leaves open, decided for these data; engine with its reason, learner, machines, restarts.

use super::batches::{in_batches, long_run, suits_batches, trial};
use super::cross_validation::CrossValidation;
use super::machines::{Machine, machines};
use super::request::Request;
use super::search::{Ending, Search};
use super::uncertainty::BootstrapSettings;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::inference::{
    EngineChoice, EngineId, Way, choose_engine, choose_engine_to_learn, exact_way,
    is_in_two_layers, is_restricted, strata_work,
};
use crate::learning::{
    Course, EmGis, Finish, Learner, MOST_SAMPLED_TERMS, Objective, Pcd, QuasiNewton,
};
use crate::message::{Message, Setting, words};
use crate::network::{Clamp, Network};
use serde::{Deserialize, Serialize};

/// Machines of more units than this are not enumerated for sums by f# where factorisation does without.
const WORTH_ENUMERATING: usize = 14;

/// Up to this many additions per pass, machines are enumerated for sums by f#: more take longer than what they save.
const WORTH_STRATA: f64 = 3e7;

/// Steps of EM before second-order ones where a pass takes long and no hidden unit has a basin to be led to.
const SHORT_WARM_UP: usize = 2;

/// Terms of a pairwise machine that second-order steps by samples are for: the pairs of 500 columns and a few hidden units.
const MOST_PAIRWISE_TERMS: usize = 130_000;

/// With more terms than this a restart by samples takes minutes, and two must do.
const MOST_TERMS_OF_MANY_RESTARTS: usize = 12_000;

/// With more hidden units than this, machines in two layers are learned faster in mini-batches, and others that no matrix holds take too
/// long.
const MOST_HIDDEN_OF_SECOND_ORDER: usize = 8;

/// What will be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The machines to choose from, in the order in which they are tried; one where there is no choice.
    pub machines: Vec<Machine>,
    /// How each of them is learned.
    manners: Vec<Manner>,
    /// What is maximised; its ridge is a stand-in until one is chosen.
    pub objective: Objective,
    /// Where restarts begin.
    pub search: Search,
    /// Whether all restarts are made.
    pub ending: Ending,
    /// How to choose what is not given: by folds, or on the rows kept for validation where there are any.
    pub validation: Option<CrossValidation>,
    /// Whether rows kept for validation compare, and not folds.
    is_by_kept_rows: bool,
    /// How to bootstrap the chosen machine, if at all.
    pub bootstrap: Option<BootstrapSettings>,
}

/// How one machine is learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manner {
    /// Who sums over states.
    pub engine: EngineId,
    /// Why this engine, where none was named.
    #[serde(skip)]
    pub engine_reason: Option<Message>,
    /// Who sums for log Z where rows held out are scored: exactly, where all machines allow it in reasonable time.
    pub scored_by: EngineId,
    /// How each restart learns.
    pub course: Course,
    /// How it is learned where it is only compared: a shorter way, which tells machines apart.
    pub trial: Option<Course>,
    /// How many restarts, at most.
    pub restarts: usize,
}

impl Manner {
    /// One for all these machines.
    fn of(machines: &[Machine], data: &Dataset, request: &Request) -> Result<Self> {
        let networks = || machines.iter().map(|machine| &machine.network);
        let largest = networks().max_by_key(|network| network.units().len());
        let largest = largest.ok_or_else(|| Error::failed("no machine was planned"))?;
        let (engine, engine_reason) = engine(request, largest);
        if engine == EngineId::EXACT {
            for machine in networks() {
                let none = Clamp::none(machine.units().len());
                exact_way(machine, &none).map_err(|error| beyond_exact(request, error))?;
            }
        }
        let large = engine == EngineId::EXACT && networks().any(needs_no_strata);
        let course = match request.named_learner() {
            None if large => request.course_with(Learner::EmGis(EmGis::default()), engine)?,
            None if request.learner_options.is_empty()
                && engine.gives().chains
                && networks().all(suits_second_order) =>
            {
                request.course_with(Learner::QuasiNewton(QuasiNewton::default()), engine)?
            }
            None if request.learner_options.is_empty()
                && engine.gives().chains
                && networks().all(|machine| suits_batches(machine, data)) =>
            {
                request.course_with(Learner::Pcd(in_batches(data)), engine)?
            }
            _ => request.course(engine)?,
        };
        let mut course = course.checked(engine)?;
        if large && networks().all(|machine| machine.hidden().is_empty()) {
            course.finish = course.finish.map(|_| Finish {
                warm_up: SHORT_WARM_UP,
            });
        }
        for machine in networks() {
            course.learner.check_data(machine, data)?;
        }
        Ok(Manner {
            engine,
            engine_reason,
            scored_by: scored_by(networks(), engine),
            restarts: request.restarts(engine, &course.learner, networks().any(may_differ)),
            course,
            trial: None,
        })
    }

    /// Of one machine of a comparison that is learned in mini-batches: a short run tells whether it is worth a long one.
    fn in_batches(machine: &Machine, data: &Dataset, request: &Request) -> Result<Self> {
        let engine = EngineId::GIBBS;
        let course = |(learner, passes): (Pcd, usize)| -> Result<Course> {
            let mut course = request.course_with(Learner::Pcd(learner), engine)?;
            course.max_iterations = request
                .max_iterations
                .map_or(passes, |most| most.min(passes));
            course.checked(engine)
        };
        let network = &machine.network;
        let long = course(long_run(network, data))?;
        Ok(Manner {
            engine,
            engine_reason: Some(
                "machines of a table this large are compared in mini-batches".into(),
            ),
            scored_by: scored_by(std::iter::once(network), engine),
            restarts: request.restarts(engine, &long.learner, true),
            course: long,
            trial: Some(course(trial(network, data))?),
        })
    }
}

impl Plan {
    /// Decides.
    pub fn new(data: &Dataset, request: &Request) -> Result<Self> {
        request.check()?;
        refuse_unknown_columns(data)?;
        let machines = machines(request, data)?;
        // By folds, one engine for all sizes, that of the largest: its numbers are compared with themselves. Rows kept for
        // validation compare machines of every size, each learned as suits it, and the errors of their log Z count.
        let is_by_kept_rows = request.compares_on_kept_rows();
        let manners: Vec<Manner> = match is_by_kept_rows {
            true => machines
                .iter()
                .map(|machine| match machine.in_batches {
                    true => Manner::in_batches(machine, data, request),
                    false => Manner::of(std::slice::from_ref(machine), data, request),
                })
                .collect::<Result<_>>()?,
            false => vec![Manner::of(&machines, data, request)?; machines.len()],
        };
        let bootstrap = request.bootstrap.map(|wanted| BootstrapSettings {
            resamples: wanted.count,
            kind: wanted.kind,
            seed: request.seed,
        });
        if let Some(bootstrap) = &bootstrap {
            for manner in &manners {
                bootstrap.check(data, &manner.course, manner.engine)?;
            }
        }
        let ending = match request.restarts {
            Some(_) => Ending::Exactly,
            None => Ending::UntilUnlikely,
        };
        Ok(Plan {
            search: request.search(),
            ending,
            machines,
            manners,
            objective: request.objective().checked()?,
            validation: request.validation(),
            is_by_kept_rows,
            bootstrap,
        })
    }

    /// How the machine of this number is learned.
    pub fn manner(&self, number: usize) -> Result<&Manner> {
        self.manners
            .get(number)
            .ok_or_else(|| Error::failed(format!("machine {number} was not planned")))
    }

    /// How many folds compare, if any do.
    pub(crate) fn folds(&self) -> Option<usize> {
        let validation = self.validation.as_ref();
        let folds = validation.map(|validation| validation.folds);
        folds.filter(|_| !self.is_by_kept_rows)
    }

    /// Whether every machine is learned by steps that converge, so that looking at them on their way changes nothing.
    pub fn converges(&self) -> bool {
        let mut manners = self.manners.iter();
        manners.all(|manner| manner.course.learner.converges())
    }

    /// The machine of this number.
    pub(crate) fn machine(&self, number: usize) -> Result<&Machine> {
        self.machines
            .get(number)
            .ok_or_else(|| Error::failed(format!("machine {number} was not planned")))
    }

    /// Why this engine, said of the machine that was chosen.
    pub(crate) fn reason_for(&self, number: usize) -> Option<Message> {
        let manner = self.manners.get(number)?;
        let reason = manner.engine_reason.as_ref()?;
        if self.machines.len() == 1 || manner.trial.is_some() {
            return Some(reason.clone());
        }
        let best = choose_engine_to_learn(&self.machines.get(number)?.network);
        Some(match best.engine == manner.engine {
            true => best.reason,
            false => words!["as for the largest of the machines compared: ", reason],
        })
    }
}

/// The engine that is named, or the best one for this machine and learner, with the reason.
fn engine(request: &Request, machine: &Network) -> (EngineId, Option<Message>) {
    if let Some(named) = request.engine {
        return (named, None);
    }
    let EngineChoice {
        engine: best,
        reason,
    } = choose_engine_to_learn(machine);
    let fits = |engine: EngineId| match request.named_learner() {
        // Tempered posteriors are exact ones.
        _ if request.anneals() => engine.gives().exact_sums,
        None => true,
        // A learner by chains is evaluated by chains where exact sums are too costly.
        Some(learner) if !learner.converges() => engine.gives().exact_sums || engine.gives().chains,
        Some(learner) => learner.goes_with(engine),
    };
    if fits(best) {
        return (best, Some(reason));
    }
    let others = [EngineId::GIBBS, EngineId::EXACT];
    let engine = others.into_iter().find(|&engine| fits(engine));
    let reason = "what this learner needs".into();
    (engine.unwrap_or(EngineId::EXACT), Some(reason))
}

/// Exact sums, where they hold every machine, whoever learned it: what an engine says of held-out rows is its own estimate.
/// One engine for all machines: numbers of different kinds are not compared.
fn scored_by<'a>(mut machines: impl Iterator<Item = &'a Network>, engine: EngineId) -> EngineId {
    let is_exact = |machine: &Network| {
        let none = Clamp::none(machine.units().len());
        choose_engine(machine, &none).is_ok_and(|best| best.engine == EngineId::EXACT)
    };
    match engine.gives().exact_sums || machines.all(is_exact) {
        true => EngineId::EXACT,
        false => engine,
    }
}

/// True of a large machine whose sums by f# take far longer than plain ones: em-is would enumerate what is summed by
/// factorisation, or go through the terms of every state.
fn needs_no_strata(structure: &Network) -> bool {
    let units = structure.units().len();
    match exact_way(structure, &Clamp::none(units)) {
        Ok(Way::Factorisation) => units > WORTH_ENUMERATING,
        Ok(Way::Enumeration) => strata_work(structure) > WORTH_STRATA,
        Err(_) => false,
    }
}

/// True of machines whose restarts may end differently, and are short enough to make more than two of them.
fn may_differ(structure: &Network) -> bool {
    !structure.hidden().is_empty() && structure.terms().len() <= MOST_TERMS_OF_MANY_RESTARTS
}

/// True of machines beyond exact sums that second-order steps by samples suit: with terms of three units none with more than a
/// matrix holds, and not restricted ones, nor others in two layers with many hidden units, which mini-batches learn faster.
fn suits_second_order(structure: &Network) -> bool {
    let hidden = structure.hidden().len();
    let has_many_hidden = hidden > MOST_HIDDEN_OF_SECOND_ORDER;
    let is_for_batches = is_restricted(structure) || has_many_hidden && is_in_two_layers(structure);
    let most = match structure.order() {
        0..=2 if !has_many_hidden => MOST_PAIRWISE_TERMS,
        _ => MOST_SAMPLED_TERMS,
    };
    !is_for_batches && structure.terms().len() <= most
}

/// The refusal of a machine that no exact engine holds, with what does: a fit holds no units.
fn beyond_exact(request: &Request, error: Error) -> Error {
    let Error::TooLarge { problem, .. } = error else {
        return error;
    };
    let mut remedy = words![
        "use fewer hidden units or a restricted shape (",
        Setting::Shape.at("rbm"),
        ")",
    ];
    if request.engine.is_none() {
        remedy.push(words![
            "; or learn through another engine: ",
            Setting::Engine.at("gibbs"),
            " (samples, any machine), bp or gbp (estimates), trw (a bound), junction-tree (sparse graphs)",
        ]);
    }
    Error::TooLarge { problem, remedy }
}

/// A column without a single known cell would be one more hidden unit under a visible one's name.
fn refuse_unknown_columns(data: &Dataset) -> Result<()> {
    let unknown = data.unknown_columns();
    if unknown.is_empty() {
        return Ok(());
    }
    if unknown.len() == data.columns().len() {
        return Err(Error::invalid(
            "the data have no known cell at all; give data with cells that are 0 or 1",
        ));
    }
    let mut message = words![format!(
        "column {}: has no known cell, so nothing can be learned about it; leave it out with ",
        unknown.join(", ")
    )];
    for (at, name) in unknown.iter().enumerate() {
        if at > 0 {
            message.push(" ");
        }
        message.push(Setting::Columns.at(format!("!{name}")));
    }
    Err(Error::invalid(message))
}
