//! What a user may set about learning, and the checks that keep bad settings out of the loop.

use super::contrastive::Schedule;
use super::engine_phase::LearningEngine;
use super::sequential::SequentialRule;
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// The learning algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learner {
    /// EM with improved iterative scaling, the paper's algorithm.
    EmIs,
    /// EM with generalised iterative scaling.
    EmGis,
    /// EM with gradient steps (Ackley, Hinton and Sejnowski 1985).
    EmGradient,
    /// EM with updates of one term at a time (Byrne 1992; Collins, Schapire and Singer 2002).
    Sequential,
    /// Second-order steps alone: Newton with the exact Hessian, L-BFGS where it is too large.
    QuasiNewton,
    /// Contrastive divergence (Hinton 2002).
    Cd,
    /// Persistent contrastive divergence (Tieleman 2008).
    Pcd,
}

impl Learner {
    /// All of them, in the order in which messages list them.
    pub const ALL: [Learner; 7] = [
        Learner::EmIs,
        Learner::EmGis,
        Learner::EmGradient,
        Learner::Sequential,
        Learner::QuasiNewton,
        Learner::Cd,
        Learner::Pcd,
    ];

    /// True for learners by samples, whose residual does not go to zero.
    pub fn is_stochastic(self) -> bool {
        matches!(self, Learner::Cd | Learner::Pcd)
    }
}

impl fmt::Display for Learner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Learner::EmIs => "em-is",
            Learner::EmGis => "em-gis",
            Learner::EmGradient => "em-gradient",
            Learner::Sequential => "sequential",
            Learner::QuasiNewton => "quasi-newton",
            Learner::Cd => "cd",
            Learner::Pcd => "pcd",
        })
    }
}

impl FromStr for Learner {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Learner::ALL
            .into_iter()
            .find(|learner| learner.to_string() == text)
            .ok_or_else(|| {
                let names: Vec<String> = Learner::ALL.iter().map(Learner::to_string).collect();
                Error::Invalid(format!(
                    "there is no learner \"{text}\"; available are {}",
                    names.join(", ")
                ))
            })
    }
}

/// How long a gradient step is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Halved until Q rises, then grown again: never lowers Q.
    Controlled,
    /// Always this multiple of the gradient.
    Fixed(f64),
}

/// Everything that steers one restart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearningSettings {
    /// The algorithm.
    pub learner: Learner,
    /// Who sums over states.
    pub engine: LearningEngine,
    /// Rows in a mini-batch of `pcd` on a restricted machine; `None`: all of them at once.
    pub batch: Option<usize>,
    /// S, the number of M-step updates for each E step.
    pub inner: usize,
    /// Step rule of `em-gradient`.
    pub step: Step,
    /// Update rule of `sequential`.
    pub rule: SequentialRule,
    /// k of `cd` and `pcd`: sweeps of a chain for each pass over the data.
    pub cd_steps: usize,
    /// Chains of `pcd`; for `cd`, about how many start at the rows in each pass (at least one a distinct row).
    pub chains: usize,
    /// Step lengths of `cd` and `pcd`.
    pub schedule: Schedule,
    /// Whether a restart is one annealed run in place of a run from random weights.
    pub anneal: bool,
    /// Ridge α: the objective is L(λ) − α/(2T) Σ λ².
    pub ridge: f64,
    /// Weights stay within ± this.
    pub bound: f64,
    /// A residual at or below this is a solution.
    pub tolerance: f64,
    /// Iterations after which a restart stops unconverged.
    pub max_iterations: usize,
    /// Whether second-order steps finish what the learner began.
    pub finish: bool,
    /// With a finish: iterations of the learner before it.
    pub warm_up: usize,
}

impl Default for LearningSettings {
    fn default() -> Self {
        LearningSettings {
            learner: Learner::EmIs,
            engine: LearningEngine::Exact,
            batch: None,
            inner: 4,
            step: Step::Controlled,
            rule: SequentialRule::Byrne,
            cd_steps: 1,
            chains: 100,
            schedule: Schedule {
                first: 1.0,
                decay: 500.0,
            },
            anneal: false,
            ridge: 0.0,
            bound: 15.0,
            tolerance: 1e-8,
            max_iterations: 20_000,
            finish: true,
            warm_up: 60,
        }
    }
}

impl LearningSettings {
    /// Defaults for a learner: those by samples make 2000 passes and have no finish, since with one the result
    /// would be the finish's.
    pub fn of(learner: Learner) -> Self {
        let defaults = LearningSettings::default();
        LearningSettings {
            learner,
            finish: !learner.is_stochastic(),
            max_iterations: if learner.is_stochastic() {
                2000
            } else {
                defaults.max_iterations
            },
            ..defaults
        }
    }

    /// The settings themselves if each makes sense.
    pub fn checked(self) -> Result<Self> {
        let fail = |text: String| Err(Error::Invalid(text));
        if self.inner == 0 {
            return fail("--inner must be at least 1".to_string());
        }
        if !(self.ridge.is_finite() && self.ridge >= 0.0) {
            return fail(format!(
                "--ridge must be a number of at least 0, not {}",
                self.ridge
            ));
        }
        if !(self.bound > 0.0 && self.bound <= 500.0) {
            return fail(format!(
                "--box must lie above 0 and at most at 500, not {}",
                self.bound
            ));
        }
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            return fail(format!(
                "--tol must be a number above 0, not {}",
                self.tolerance
            ));
        }
        if self.max_iterations == 0 {
            return fail("--max-iter must be at least 1".to_string());
        }
        if let Step::Fixed(step) = self.step
            && !(step.is_finite() && step > 0.0)
        {
            return fail(format!("--step must be a number above 0, not {step}"));
        }
        if self.anneal && self.learner.is_stochastic() {
            return fail(format!(
                "--anneal tempers the E step, and {} has none; use --learner em-is",
                self.learner
            ));
        }
        self.engine.check(self.learner, self.anneal, self.step)?;
        if let Some(batch) = self.batch {
            if self.learner != Learner::Pcd {
                return fail(format!(
                    "--batch is for --learner pcd; {} takes all rows at once",
                    self.learner
                ));
            }
            if batch == 0 {
                return fail("--batch must be at least 1".to_string());
            }
        }
        if self.cd_steps == 0 {
            return fail("--cd-steps must be at least 1".to_string());
        }
        if !(1..=1_000_000).contains(&self.chains) {
            return fail(format!(
                "--chains must lie between 1 and 1000000, not {}",
                self.chains
            ));
        }
        let Schedule { first, decay } = self.schedule;
        if !(first.is_finite() && first > 0.0) {
            return fail(format!("--cd-rate must be a number above 0, not {first}"));
        }
        if decay.is_nan() || decay <= 0.0 {
            return fail(format!("--cd-decay must be a number above 0, not {decay}"));
        }
        Ok(self)
    }
}
