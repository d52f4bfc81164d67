//! EM with generalised iterative scaling: γ = log(η / E f) / max f#; needs no sums by f#, so any engine will do.

use super::method::{Begin, Method};
use super::need::Need;
use super::options::{OptionValue, at_least_one, em_options};
use super::sampled::{Sampled, SampledRule, check_chains};
use crate::error::Result;
use crate::inference::EngineId;
use crate::learning::checkpoint::State;
use crate::learning::iterative_scaling::{Scratch, Targets, scale};
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::{Stepped, Stepper};
use crate::message::Setting;
use serde::{Deserialize, Serialize};

/// EM with generalised iterative scaling.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmGis {
    /// S, the number of M-step updates for each E step.
    pub inner: usize,
    /// How many chains it keeps where the engine samples; 100 if not given.
    pub chains: Option<usize>,
}

impl Default for EmGis {
    fn default() -> Self {
        EmGis {
            inner: 4,
            chains: None,
        }
    }
}

impl Method for EmGis {
    fn name(&self) -> &'static str {
        "em-gis"
    }

    fn about(&self) -> &'static str {
        "EM with generalised iterative scaling: smaller steps, nothing to stratify"
    }

    fn need(&self) -> Need {
        Need::Expectations
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
        if problem.is_sampled() {
            let rule = SampledRule::GeneralisedScaling;
            return Box::new(Sampled::new(rule, self.inner, self.chains, begin));
        }
        Box::new(Updates {
            inner: self.inner,
            new_weights: Vec::new(),
            free: Vec::new(),
            scratch: Scratch::default(),
        })
    }
}

/// S updates per step.
struct Updates {
    inner: usize,
    new_weights: Vec<f64>,
    free: Vec<f64>,
    scratch: Scratch,
}

impl Stepper for Updates {
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
        // All terms are on when all units are: max f# is the number of terms. With one stratum that
        // holds everything, (8) is E f · e^{γ max f#} = η, with the ridge as in EM-IS.
        let most_on = [problem.terms() as f64];
        let width = problem.terms().next_multiple_of(8);
        for update in 0..self.inner {
            if update == 0 {
                self.free.clone_from(&point.free);
            } else {
                problem.free_phase(&point.weights, work, &mut self.free)?;
            }
            self.free.resize(width, 0.0);
            scale(
                &most_on,
                &self.free,
                width,
                &Targets::new(problem, point),
                &mut self.scratch,
                &mut self.new_weights,
            );
            std::mem::swap(&mut point.weights, &mut self.new_weights);
        }
        Ok(Stepped::Moved)
    }
}
