//! The free phase by an engine in place of exact sums: its log Z, and expectations that are the gradient of it.

use super::{Learner, Step};
use crate::error::{Error, Result};
use crate::inference::{Clamp, Engine, Expectations, FeatureExpectations, Gibbs, Kind, Value};
use crate::network::Network;
use serde::{Deserialize, Serialize};

/// Who sums over states while learning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LearningEngine {
    /// Exact sums, by enumeration or factorisation.
    #[default]
    Exact,
    /// An engine whose log Z has a gradient: learning climbs its own estimate or bound of the likelihood.
    Deterministic(Engine),
    /// Gibbs chains; log Z by annealed importance sampling once learning has ended.
    Gibbs,
}

impl From<Engine> for LearningEngine {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::Exact => LearningEngine::Exact,
            Engine::Gibbs => LearningEngine::Gibbs,
            other => LearningEngine::Deterministic(other),
        }
    }
}

impl LearningEngine {
    /// As `--engine` spells it.
    pub fn name(self) -> &'static str {
        match self {
            LearningEngine::Exact => "exact",
            LearningEngine::Deterministic(engine) => engine.name(),
            LearningEngine::Gibbs => "gibbs",
        }
    }

    /// Refuses learners that need what this engine does not give.
    pub(super) fn check(self, learner: Learner, anneal: bool, step: Step) -> Result<()> {
        // However it was written down.
        let engine = match self {
            LearningEngine::Deterministic(engine) => LearningEngine::from(engine),
            other => other,
        };
        let name = self.name();
        let refuse = |text: String| Err(Error::Invalid(text));
        match (engine, learner) {
            (LearningEngine::Exact, _) => Ok(()),
            _ if anneal => refuse(format!(
                "--anneal tempers exact posteriors, and --engine {name} is not exact; leave one of them out"
            )),
            (
                LearningEngine::Gibbs,
                Learner::Cd | Learner::Pcd | Learner::EmIs | Learner::EmGis,
            ) => Ok(()),
            (LearningEngine::Gibbs, Learner::EmGradient) => match step {
                Step::Fixed(_) => Ok(()),
                Step::Controlled => refuse(
                    "the controlled step of --learner em-gradient compares objectives, and --engine gibbs samples; \
                     give a fixed one, such as --step 1"
                        .to_string(),
                ),
            },
            (LearningEngine::Gibbs, _) => refuse(format!(
                "--learner {learner} climbs an objective that must not be noisy, and --engine gibbs samples; use \
                 --learner pcd, em-is or em-gis"
            )),
            (_, Learner::EmIs) => refuse(format!(
                "--learner em-is needs sums by f#, which --engine {name} does not give; use --learner quasi-newton, \
                 em-gis or em-gradient"
            )),
            (_, Learner::Sequential) => refuse(format!(
                "--learner sequential needs exact sums after every weight; with --engine {name} use --learner \
                 quasi-newton, em-gis or em-gradient"
            )),
            _ => Ok(()),
        }
    }
}

/// What log-likelihood, entropy and residual are worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Worth {
    /// The kind of the log-likelihood.
    pub log_likelihood: Kind,
    /// Its standard error, where it is by Monte Carlo: that of log Z.
    pub log_likelihood_error: Option<f64>,
    /// The kind of the entropy.
    pub entropy: Kind,
    /// Its standard error, where it is by Monte Carlo.
    pub entropy_error: Option<f64>,
    /// The residual that Monte-Carlo noise alone would show at a solution; zero for all other engines.
    pub noise: f64,
}

/// The free phase at these weights.
pub(super) struct Answer {
    pub(super) expectations: Expectations,
    pub(super) worth: Worth,
}

/// Asks the engine; `rows_are_exact` where the clamped phase is.
pub(super) fn ask(
    engine: LearningEngine,
    network: &Network,
    seed: u64,
    rows_are_exact: bool,
) -> Result<Answer> {
    let none = Clamp::none(network.units().len());
    let (expectations, errors) = match engine {
        LearningEngine::Exact => {
            let engine = Engine::Exact.instance(network, &none)?;
            (engine.expectations(network, &none)?, None)
        }
        LearningEngine::Deterministic(engine) => {
            let engine = engine.instance(network, &none)?;
            (engine.gradient(network, &none)?, None)
        }
        LearningEngine::Gibbs => {
            let gibbs = Gibbs {
                seed,
                ..Gibbs::default()
            };
            let found = gibbs.remarked(network, &none)?;
            (found.expectations, found.term_errors)
        }
    };
    let worth = worth(&expectations, errors.as_deref(), rows_are_exact);
    Ok(Answer {
        expectations,
        worth,
    })
}

/// What the largest of normal errors with these standard errors comes to: about σ √(2 log 2n), whichever their signs.
pub(super) fn largest_of_errors(errors: &[f64]) -> f64 {
    let largest = errors.iter().fold(0.0f64, |a, &b| a.max(b));
    largest * (2.0 * (2.0 * errors.len() as f64).ln()).sqrt()
}

fn worth(found: &Expectations, errors: Option<&[f64]>, rows_are_exact: bool) -> Worth {
    let Value { kind, std_err, .. } = found.log_partition;
    let noise = errors.map_or(0.0, largest_of_errors);
    Worth {
        // L is the rows' log-sum minus log Z: a bound on log Z bounds it from the other side, if the rest is exact.
        log_likelihood: match kind {
            Kind::MonteCarlo => Kind::MonteCarlo,
            _ if rows_are_exact => kind.negated(),
            _ => Kind::Estimate,
        },
        log_likelihood_error: std_err,
        entropy: found.entropy.kind,
        entropy_error: found.entropy.std_err,
        noise,
    }
}
