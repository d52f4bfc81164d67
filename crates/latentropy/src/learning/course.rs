//! The course of one restart: which learner, whether second-order steps finish its work, and when it stops.

use super::learners::{Learner, Need};
use crate::error::{Error, Result};
use crate::inference::EngineId;
use crate::message::{Setting, words};
use serde::{Deserialize, Serialize};

/// Second-order steps that finish what a learner began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finish {
    /// Iterations of the learner before them.
    pub warm_up: usize,
}

impl Default for Finish {
    fn default() -> Self {
        Finish { warm_up: 60 }
    }
}

/// How one restart learns.
///
/// For an example see [`Problem`](super::Problem).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// The algorithm, with its own options.
    pub learner: Learner,
    /// Second-order steps after it, if any.
    pub finish: Option<Finish>,
    /// Whether a restart is one annealed run in place of a run from random weights.
    pub anneal: bool,
    /// Whether a restart begins at a large ridge, and follows its solution to the ridge of the objective.
    #[serde(default)]
    pub path: bool,
    /// A residual at or below this is a solution.
    pub tolerance: f64,
    /// Iterations after which a restart stops unconverged.
    pub max_iterations: usize,
}

impl Default for Course {
    /// The paper's algorithm, finished by second-order steps.
    fn default() -> Self {
        Course {
            finish: Some(Finish::default()),
            ..Course::new(Learner::default())
        }
    }
}

impl Course {
    /// A learner that goes all the way itself.
    pub fn new(learner: Learner) -> Self {
        Course {
            max_iterations: learner.usual_iterations(),
            learner,
            finish: None,
            anneal: false,
            path: false,
            tolerance: 1e-8,
        }
    }

    /// Whether its restarts need sums by f# of an exact engine.
    pub(crate) fn needs_strata(&self) -> bool {
        self.learner.need() == Need::Strata
    }

    /// The course itself if everything in it makes sense, together and with this engine.
    pub fn checked(self, engine: EngineId) -> Result<Self> {
        self.learner.check()?;
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            return Err(Error::invalid(words![
                Setting::Tolerance,
                format!(" must be a number above 0, not {}", self.tolerance)
            ]));
        }
        if self.max_iterations == 0 {
            return Err(Error::invalid(words![
                Setting::MaxIterations,
                " must be at least 1"
            ]));
        }
        if self.anneal {
            self.check_annealing(engine)?;
        }
        if self.path {
            self.check_path()?;
        }
        if self.finish.is_some() && !self.learner.converges() {
            return Err(Error::invalid(format!(
                "second-order steps after {} would make the result theirs; leave one of them out",
                self.learner.name()
            )));
        }
        if self.finish.is_some() && !engine.gives().objective {
            return Err(Error::invalid(words![
                format!(
                    "second-order steps need {}, which ",
                    Need::Objective.words()
                ),
                Setting::Engine.at(engine),
                " does not give; leave one of them out",
            ]));
        }
        self.learner.check_with(engine)?;
        Ok(self)
    }

    fn check_path(&self) -> Result<()> {
        if self.anneal {
            return Err(Error::invalid(words![
                Setting::Search.at("path"),
                " and ",
                Setting::Anneal,
                " are two ways to begin; leave one of them out",
            ]));
        }
        match self.learner.converges() {
            true => Ok(()),
            false => Err(Error::invalid(words![
                Setting::Search.at("path"),
                format!(
                    " goes from solution to solution, and {} has none; use ",
                    self.learner.name()
                ),
                Setting::Learner.at("em-is"),
            ])),
        }
    }

    fn check_annealing(&self, engine: EngineId) -> Result<()> {
        if !self.learner.converges() {
            return Err(Error::invalid(words![
                Setting::Anneal,
                format!(
                    " tempers the E step, and {} has none; use ",
                    self.learner.name()
                ),
                Setting::Learner.at("em-is"),
            ]));
        }
        if !engine.gives().exact_sums {
            return Err(Error::invalid(words![
                Setting::Anneal,
                " tempers exact posteriors, and ",
                Setting::Engine.at(engine),
                " is not exact; leave one of them out",
            ]));
        }
        Ok(())
    }
}
