//! The learner `quasi-newton`: second-order steps alone.

use super::by_samples::{SampledNewton, USUAL_SHARE};
use super::newton::Care;
use super::steps::SecondOrder;
use crate::error::{Error, Result};
use crate::inference::EngineId;
use crate::learning::learners::method::{Begin, Method};
use crate::learning::learners::need::Need;
use crate::learning::learners::options::{OptionValue, finite_above_zero};
use crate::learning::problem::Problem;
use crate::learning::stepper::Stepper;
use crate::message::{Setting, words};
use serde::{Deserialize, Serialize};

/// Second-order steps from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QuasiNewton {
    /// By samples, the share of its own standard error in the data within which every constraint is met; 0.1 if not given.
    pub within: Option<f64>,
}

impl Method for QuasiNewton {
    fn name(&self) -> &'static str {
        "quasi-newton"
    }

    fn about(&self) -> &'static str {
        "Second-order steps from the start"
    }

    fn need(&self) -> Need {
        Need::ObjectiveOrChains
    }

    fn set(&mut self, option: Setting, value: &OptionValue) -> Result<bool> {
        match option {
            Setting::Within => self.within = Some(value.positive(option)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn options(&self) -> Vec<(Setting, OptionValue)> {
        let within = self.within.map(OptionValue::Number);
        within
            .map(|value| (Setting::Within, value))
            .into_iter()
            .collect()
    }

    fn check(&self) -> Result<()> {
        match self.within {
            Some(within) => finite_above_zero(Setting::Within, within),
            None => Ok(()),
        }
    }

    fn check_with(&self, engine: EngineId) -> Result<()> {
        match self.within {
            Some(_) if !engine.gives().chains => Err(Error::invalid(words![
                Setting::Within,
                " is for learning by samples, with ",
                Setting::Engine.at("gibbs"),
                "; ",
                Setting::Engine.at(engine),
                " has a tolerance instead: ",
                Setting::Tolerance,
            ])),
            _ => Ok(()),
        }
    }

    fn begin(&self, problem: &Problem, begin: &Begin) -> Box<dyn Stepper> {
        match problem.is_sampled() {
            true => Box::new(SampledNewton::new(
                problem,
                self.within.unwrap_or(USUAL_SHARE),
                begin,
            )),
            false => Box::new(SecondOrder::new(problem, begin.tolerance, Care::FULL)),
        }
    }
}
