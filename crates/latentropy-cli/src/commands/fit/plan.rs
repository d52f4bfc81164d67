//! From the flags of `fit` to a checked plan: data, machine and settings that fit together.

use super::choice::Choices;
use super::{structure, uncertainty};
use crate::args::{EngineChoice, FitArgs, HiddenCount, LearnerChoice, RidgeArg};
use crate::commands::inputs::{self, Purpose};
use crate::failure::{Failure, Outcome};
use latentropy::data::Dataset;
use latentropy::inference::{Clamp, Engine, ExactEngine, choose_engine_to_learn, exact_engine};
use latentropy::learning::{Learner, LearningEngine, LearningSettings, Schedule};
use latentropy::network::{Network, Shape};
use latentropy::selection::{BootstrapSettings, CrossValidation, FitSettings, USUAL_RIDGE};
use std::collections::BTreeMap;
use std::path::Path;

/// What will be done.
pub(super) struct Plan {
    pub(super) data: Dataset,
    /// The machine to fit, or the smallest of several until one is chosen.
    pub(super) structure: Network,
    /// The machines to choose from, by their numbers of hidden units; empty where the number is given.
    pub(super) sizes: BTreeMap<usize, Network>,
    /// How to choose what is not given.
    pub(super) validation: Option<CrossValidation>,
    /// What was chosen so.
    pub(super) choices: Choices,
    pub(super) settings: FitSettings,
    /// Why this engine, where none was named.
    pub(super) engine_reason: Option<String>,
    /// How to bootstrap the chosen machine, if at all.
    pub(super) bootstrap: Option<BootstrapSettings>,
    pub(super) warnings: Vec<String>,
}

impl Plan {
    /// Checks the flags first, then reads the data, then builds the machine.
    pub(super) fn new(args: &FitArgs) -> Outcome<Self> {
        refuse_flags_without_their_partner(args)?;
        let named = args.learning.engine.engine();
        if named.is_some() || args.learning.learner != LearnerChoice::Auto {
            // What is wrong with the flags is said before a file is opened.
            settings(args, named.unwrap_or_default())?;
        }
        let hidden = hidden(args)?;
        let mut warnings = Vec::new();
        let data = inputs::data(&args.data, Purpose::Learning, &mut warnings)?;
        refuse_unknown_columns(&args.data.data, &data)?;
        let mut build = |hidden: usize| -> Outcome<Network> {
            structure::build(args, data.columns(), hidden, &mut warnings)
        };
        let mut sizes = BTreeMap::new();
        let structure = match hidden {
            HiddenCount::One(count) => build(count)?,
            HiddenCount::Several(counts) => {
                for count in counts {
                    sizes.insert(count, build(count)?);
                }
                let smallest = sizes.values().next().cloned();
                smallest.ok_or_else(|| Failure::Request("--hidden names no number".to_string()))?
            }
        };
        warnings.dedup();
        let machines = || sizes.values().chain([&structure]);
        // Numbers are to be compared: one engine for all sizes, that of the largest.
        let largest = machines().max_by_key(|machine| machine.units().len());
        let (engine, engine_reason) = engine(args, largest.unwrap_or(&structure));
        if engine == LearningEngine::Exact {
            for machine in machines() {
                let none = Clamp::none(machine.units().len());
                exact_engine(machine, &none).map_err(|error| beyond_exact(args, error))?;
            }
        }
        let mut settings = settings(args, engine)?;
        if args.learning.learner == LearnerChoice::Auto
            && settings.learning.engine == LearningEngine::Exact
            && machines().any(needs_no_strata)
        {
            settings.learning.learner = Learner::EmGis;
        }
        Ok(Plan {
            bootstrap: uncertainty::settings(args, &data, &settings)?,
            data,
            structure,
            sizes,
            validation: args.cross_validation(),
            choices: Choices::default(),
            settings,
            engine_reason,
            warnings,
        })
    }
}

/// The engine that is named, or the best one for this machine and learner, with the reason.
fn engine(args: &FitArgs, machine: &Network) -> (LearningEngine, Option<String>) {
    if let Some(named) = args.learning.engine.engine() {
        return (named, None);
    }
    let best = choose_engine_to_learn(machine);
    let engine = match (args.learning.learner, best.engine) {
        // These need exact sums, and are refused where there are none.
        (LearnerChoice::Sequential, _) => Engine::Exact,
        _ if args.learning.anneal => Engine::Exact,
        // A junction tree has no sums by f#, and no chains.
        (LearnerChoice::EmIs | LearnerChoice::Cd | LearnerChoice::Pcd, Engine::JunctionTree) => {
            Engine::Gibbs
        }
        // These climb an objective that must not be noisy.
        (LearnerChoice::EmGradient | LearnerChoice::QuasiNewton, Engine::Gibbs) => Engine::Exact,
        (_, best) => best,
    };
    let reason = if engine == best.engine {
        best.reason
    } else {
        "what this learner needs".to_string()
    };
    (LearningEngine::from(engine), Some(reason))
}

/// True of a large machine that is summed by factorisation: em-is would have to enumerate it for its sums by f#.
fn needs_no_strata(structure: &Network) -> bool {
    const WORTH_ENUMERATING: usize = 24;
    let units = structure.units().len();
    let engine = exact_engine(structure, &Clamp::none(units));
    units > WORTH_ENUMERATING && matches!(engine, Ok(ExactEngine::Factorised))
}

/// What message passing reaches; exact sums reach more.
const TOLERANCE_OF_AN_ENGINE: f64 = 1e-6;
/// EM by samples stops by itself where it can; this is for where it cannot.
const ITERATIONS_BY_SAMPLES: usize = 500;
/// An engine takes far longer than an exact sum of a small machine.
const RESTARTS_OF_AN_ENGINE: usize = 10;

/// The refusal of a machine that no exact engine holds, with the engines that do.
fn beyond_exact(args: &FitArgs, error: latentropy::error::Error) -> Failure {
    match (args.learning.engine, error) {
        (EngineChoice::Auto, latentropy::error::Error::TooLarge(text)) => {
            Failure::from(latentropy::error::Error::TooLarge(format!(
                "{text}; or learn through another engine: --engine gibbs (samples, any machine), bp or gbp (estimates), \
                 trw (a bound), junction-tree (sparse graphs)"
            )))
        }
        (_, error) => Failure::from(error),
    }
}

fn refuse_flags_without_their_partner(args: &FitArgs) -> Outcome {
    if args.learning.anneal && args.cross_validation().is_some() {
        return Err(Failure::Request(
            "--anneal cannot be cross-validated; give --ridge and --hidden as numbers".to_string(),
        ));
    }
    if args.search.folds.is_some() && args.cross_validation().is_none() {
        return Err(Failure::Request(
            "--folds is for --ridge auto or a range of --hidden; there is nothing else to \
             cross-validate"
                .to_string(),
        ));
    }
    if args.uncertainty.bootstrap_kind.is_some() && args.uncertainty.bootstrap.is_none() {
        return Err(Failure::Request(
            "--bootstrap-kind is for --bootstrap; add it, such as --bootstrap 200".to_string(),
        ));
    }
    if args.output.resume && args.output.out.is_none() {
        return Err(Failure::Request(
            "--resume goes on with the run in a directory; name it with --out".to_string(),
        ));
    }
    Ok(())
}

fn settings(args: &FitArgs, engine: LearningEngine) -> Outcome<FitSettings> {
    let (learner, finish) = args.learning.learner.learner(engine);
    if args.learning.step.is_some() && learner != Learner::EmGradient {
        return Err(Failure::Request(format!(
            "--step is for --learner em-gradient; {learner} has no step to choose"
        )));
    }
    if args.learning.inner.is_some() && (learner == Learner::QuasiNewton || learner.is_stochastic())
    {
        return Err(Failure::Request(format!(
            "--inner is for the EM learners; {learner} has no M step"
        )));
    }
    if args.learning.rule.is_some() && learner != Learner::Sequential {
        return Err(Failure::Request(format!(
            "--rule is for --learner sequential; {learner} has no rule to choose"
        )));
    }
    let sampling = [
        ("--cd-steps", args.learning.cd_steps.is_some()),
        ("--chains", args.learning.chains.is_some()),
        ("--batch", args.learning.batch.is_some()),
        ("--cd-rate", args.learning.cd_rate.is_some()),
        ("--cd-decay", args.learning.cd_decay.is_some()),
    ];
    if let Some((flag, _)) = sampling.iter().find(|(_, given)| *given)
        && !learner.is_stochastic()
        && (engine != LearningEngine::Gibbs || *flag != "--chains")
    {
        return Err(Failure::Request(format!(
            "{flag} is for --learner cd and pcd; {learner} draws no samples"
        )));
    }
    let mut defaults = LearningSettings::of(learner);
    if engine != LearningEngine::Exact {
        defaults.tolerance = TOLERANCE_OF_AN_ENGINE;
    }
    if engine == LearningEngine::Gibbs && !learner.is_stochastic() {
        defaults.max_iterations = ITERATIONS_BY_SAMPLES;
    }
    if args.learning.batch.is_some() {
        defaults.schedule = Schedule {
            first: 0.1,
            decay: 20.0,
        };
        defaults.max_iterations = 200;
    }
    let learning = LearningSettings {
        learner,
        engine,
        batch: args.learning.batch,
        inner: args.learning.inner.unwrap_or(defaults.inner),
        step: args.learning.step.map_or(defaults.step, |choice| choice.0),
        ridge: match args.learning.ridge {
            RidgeArg::Value(ridge) => ridge,
            // Until one is chosen.
            RidgeArg::Auto | RidgeArg::Evidence => USUAL_RIDGE,
        },
        bound: args.learning.bound,
        tolerance: args.learning.tol.unwrap_or(defaults.tolerance),
        max_iterations: args.learning.max_iter.unwrap_or(defaults.max_iterations),
        finish,
        rule: args.learning.rule.map_or(defaults.rule, Into::into),
        cd_steps: args.learning.cd_steps.unwrap_or(defaults.cd_steps),
        chains: args.learning.chains.unwrap_or(defaults.chains),
        schedule: Schedule {
            first: args.learning.cd_rate.unwrap_or(defaults.schedule.first),
            decay: args.learning.cd_decay.unwrap_or(defaults.schedule.decay),
        },
        anneal: args.learning.anneal,
        ..defaults
    };
    Ok(FitSettings {
        learning: learning.checked()?,
        restarts: args.search.restarts.unwrap_or(match engine {
            _ if args.learning.anneal => 1,
            LearningEngine::Exact => FitSettings::default().restarts,
            LearningEngine::Deterministic(_) => RESTARTS_OF_AN_ENGINE,
            LearningEngine::Gibbs => 1,
        }),
        seed: args.search.seed,
        principle: args.search.select,
        keep_traces: args.output.trace.is_some(),
    })
}

fn hidden(args: &FitArgs) -> Outcome<HiddenCount> {
    match &args.machine.hidden {
        Some(count) => Ok(count.clone()),
        None if args.machine.shape == Shape::Visible.to_string() => Ok(HiddenCount::One(0)),
        None => Err(Failure::Request(
            "the number of hidden units is not given; add --hidden L, such as --hidden 2, \
             or --shape visible for none"
                .to_string(),
        )),
    }
}

/// A column without a single known cell would be one more hidden unit under a visible one's name.
fn refuse_unknown_columns(path: &Path, data: &Dataset) -> Outcome {
    let is_unknown = |&column: &usize| data.rows().iter().all(|row| row.missing.get(column));
    let unknown: Vec<&str> = (0..data.columns().len())
        .filter(is_unknown)
        .map(|column| data.columns()[column].as_str())
        .collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let file = path.display();
    if unknown.len() == data.columns().len() {
        return Err(Failure::Request(format!(
            "{file}: has no known cell at all; give data with cells that are 0 or 1"
        )));
    }
    let flags: Vec<String> = unknown
        .iter()
        .map(|name| format!("--columns '!{}'", name.replace('\'', r"'\''")))
        .collect();
    Err(Failure::Request(format!(
        "{file}, column {}: has no known cell, so nothing can be learned about it; leave it out with {}",
        unknown.join(", "),
        flags.join(" ")
    )))
}
