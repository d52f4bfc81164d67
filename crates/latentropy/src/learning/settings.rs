//! What a user may set about learning, and the checks that keep bad settings out of the loop.

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
    /// Second-order steps alone: Newton with the exact Hessian, L-BFGS where it is too large.
    QuasiNewton,
}

impl Learner {
    /// All of them, in the order in which messages list them.
    pub const ALL: [Learner; 4] = [
        Learner::EmIs,
        Learner::EmGis,
        Learner::EmGradient,
        Learner::QuasiNewton,
    ];
}

impl fmt::Display for Learner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Learner::EmIs => "em-is",
            Learner::EmGis => "em-gis",
            Learner::EmGradient => "em-gradient",
            Learner::QuasiNewton => "quasi-newton",
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
    /// S, the number of M-step updates for each E step.
    pub inner: usize,
    /// Step rule of `em-gradient`.
    pub step: Step,
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
            inner: 4,
            step: Step::Controlled,
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
        Ok(self)
    }
}
