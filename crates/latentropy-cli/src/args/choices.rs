//! Named choices of the documented interface, those without anything behind them so far included.

use crate::failure::{Failure, Outcome};
use clap::ValueEnum;
use latentropy::learning::Learner;

/// Inference engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineChoice {
    /// The best engine that can hold the machine.
    Auto,
    /// Exact: by enumeration or by factorisation, whichever visits less.
    Exact,
    #[value(hide = true)]
    Gibbs,
    #[value(hide = true)]
    MeanField,
    #[value(hide = true)]
    Bp,
    #[value(hide = true)]
    Gbp,
    #[value(hide = true)]
    Trw,
    #[value(hide = true)]
    All,
}

impl EngineChoice {
    /// Refuses the engines that are not there yet.
    pub(crate) fn check(self) -> Outcome {
        match self {
            EngineChoice::Auto | EngineChoice::Exact => Ok(()),
            other => Err(Failure::not_yet(
                &format!("engine {}", spelled(other)),
                "auto, exact",
            )),
        }
    }
}

/// Learners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LearnerChoice {
    /// em-is for a while, then second-order steps to the end: the recommended learner.
    Auto,
    /// EM with improved iterative scaling: no learning rate, never lowers the likelihood; slow.
    EmIs,
    /// EM with generalised iterative scaling: smaller steps, nothing to stratify.
    EmGis,
    /// EM by gradient ascent; see --step.
    EmGradient,
    /// Second-order steps from the start.
    QuasiNewton,
    #[value(hide = true)]
    Sequential,
    #[value(hide = true)]
    Cd,
    #[value(hide = true)]
    Pcd,
}

impl LearnerChoice {
    /// The library's learner, and whether second-order steps finish what it began; refuses those
    /// that are not there yet.
    pub(crate) fn learner(self) -> Outcome<(Learner, bool)> {
        match self {
            LearnerChoice::Auto => Ok((Learner::EmIs, true)),
            LearnerChoice::EmIs => Ok((Learner::EmIs, false)),
            LearnerChoice::EmGis => Ok((Learner::EmGis, false)),
            LearnerChoice::EmGradient => Ok((Learner::EmGradient, false)),
            LearnerChoice::QuasiNewton => Ok((Learner::QuasiNewton, true)),
            other => Err(Failure::not_yet(
                &format!("learner {}", spelled(other)),
                "auto, em-is, em-gis, em-gradient, quasi-newton",
            )),
        }
    }
}

/// A choice as it is typed.
fn spelled(choice: impl ValueEnum) -> String {
    let value = choice.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_string())
}
