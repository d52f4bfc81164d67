//! What learners need of engines: with [`Gives`], the one table of what goes with what.

use crate::inference::Gives;

/// What a learner needs of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Only that points can be evaluated.
    Evaluation,
    /// Expectations of the features, exact, estimated or sampled.
    Expectations,
    /// An objective without noise, and its gradient.
    Objective,
    /// An objective without noise, or chains to measure it by.
    ObjectiveOrChains,
    /// Sums by f#, or log Z and expectations at several weights in their place: any engine.
    Strata,
    /// Exact sums after every change of a weight.
    ExactSums,
}

impl Need {
    /// Whether an engine that gives this meets the need.
    pub fn is_met_by(self, gives: Gives) -> bool {
        match self {
            Need::Evaluation | Need::Expectations | Need::Strata => true,
            Need::Objective => gives.objective,
            Need::ObjectiveOrChains => gives.objective || gives.chains,
            Need::ExactSums => gives.exact_sums,
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Need::Evaluation => "nothing but an evaluation",
            Need::Expectations => "expectations",
            Need::Objective => "an objective that is not noisy",
            Need::ObjectiveOrChains => "an objective that is not noisy, or chains",
            Need::Strata => "sums by f#",
            Need::ExactSums => "exact sums after every weight",
        }
    }
}
