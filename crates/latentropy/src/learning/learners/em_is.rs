//! EM-IS, the paper's algorithm: for each E step, S parallel updates (7) whose lengths are the roots of (8).

use super::method::{Begin, Method};
use super::need::Need;
use super::options::{OptionValue, at_least_one, em_options};
use super::reweighted::{self, Reweighted};
use super::sampled::{Sampled, SampledRule, check_chains};
use super::shared::SharedUpdates;
use super::watch::Watch;
use crate::error::Result;
use crate::inference::EngineId;
use crate::learning::checkpoint::State;
use crate::learning::iterative_scaling::{Scratch, Targets, scale};
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::{Stepped, Stepper};
use crate::message::Setting;
use serde::{Deserialize, Serialize};

/// EM with improved iterative scaling (EM-IS; with S = 1 Riezler's algorithm of 1999).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmIs {
    /// S, the number of M-step updates for each E step.
    pub inner: usize,
    /// How many chains it keeps where the engine samples; 100 if not given.
    pub chains: Option<usize>,
}

impl Default for EmIs {
    fn default() -> Self {
        EmIs {
            inner: 4,
            chains: None,
        }
    }
}

impl Method for EmIs {
    fn name(&self) -> &'static str {
        "em-is"
    }

    fn about(&self) -> &'static str {
        "EM with improved iterative scaling: no learning rate, never lowers the likelihood; slow"
    }

    fn need(&self) -> Need {
        Need::Strata
    }

    fn set(&mut self, option: Setting, value: &OptionValue) -> Result<bool> {
        match option {
            Setting::Inner => self.inner = value.count(option)?,
            Setting::Chains => self.chains = Some(value.count(option)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn options(&self) -> Vec<(Setting, OptionValue)> {
        em_options(self.inner, self.chains)
    }

    fn check(&self) -> Result<()> {
        at_least_one(Setting::Inner, self.inner)
    }

    fn check_with(&self, engine: EngineId) -> Result<()> {
        check_chains(self.chains, engine)
    }

    fn begin(&self, problem: &Problem, begin: &Begin) -> Box<dyn Stepper> {
        if problem.is_sampled() && reweighted::suits(problem) {
            return Box::new(Reweighted::new(self.inner, self.chains, begin));
        }
        if problem.is_sampled() {
            let rule = SampledRule::ImprovedScaling;
            return Box::new(Sampled::new(rule, self.inner, self.chains, begin));
        }
        if !problem.has_strata() {
            let watch = problem.is_watched().then(|| Watch::new(begin));
            return Box::new(SharedUpdates::new(self.inner, problem.is_exact(), watch));
        }
        Box::new(Updates {
            inner: self.inner,
            new_weights: Vec::new(),
            scratch: Scratch::default(),
        })
    }
}

/// S updates per step.
struct Updates {
    inner: usize,
    new_weights: Vec<f64>,
    scratch: Scratch,
}

impl Stepper for Updates {
    fn needs_strata(&self) -> bool {
        true
    }

    fn state(&self) -> Option<Result<State>> {
        Some(Ok(State::nothing()))
    }

    fn go_on(&mut self, _: &Problem, _: &State) -> Result<()> {
        Ok(())
    }

    fn step(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        work: &mut Workspace,
    ) -> Result<Stepped> {
        for update in 0..self.inner {
            if update > 0 {
                problem.strata(&point.weights, work)?;
            }
            let strata = &work.strata;
            scale(
                &strata.values,
                &strata.sums,
                strata.width,
                &Targets::new(problem, point),
                &mut self.scratch,
                &mut self.new_weights,
            );
            std::mem::swap(&mut point.weights, &mut self.new_weights);
        }
        Ok(Stepped::Moved)
    }
}
