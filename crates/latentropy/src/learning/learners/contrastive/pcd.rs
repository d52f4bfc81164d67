//! The learner `pcd`: chains that are kept from pass to pass, over all rows or in mini-batches.

use super::all_rows::Contrastive;
use super::form::{Form, USUAL_PASSES, check, options};
use super::mini_batches::{MiniBatches, Rows, check_mini_batches};
use super::schedule::{OF_MINI_BATCHES, Schedule};
use crate::data::Dataset;
use crate::error::Result;
use crate::learning::learners::method::{Begin, Method};
use crate::learning::learners::need::Need;
use crate::learning::learners::options::{OptionValue, at_least_one};
use crate::learning::problem::Problem;
use crate::learning::stepper::Stepper;
use crate::message::Setting;
use crate::network::Network;
use serde::{Deserialize, Serialize};

/// Passes of a restart in mini-batches, unless users say otherwise.
const USUAL_PASSES_OF_MINI_BATCHES: usize = 200;

/// Persistent contrastive divergence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pcd {
    /// k: sweeps of a chain for each pass over the data.
    pub cd_steps: usize,
    /// How many chains.
    pub chains: usize,
    /// The first step length; 1 if not given, 0.05 in mini-batches.
    pub cd_rate: Option<f64>,
    /// Passes after which the step has fallen to half; 500 if not given, 100 in mini-batches.
    pub cd_decay: Option<f64>,
    /// Rows in a mini-batch, on machines without pairs of hidden units; `None`: all of them at once.
    pub batch: Option<usize>,
}

impl Default for Pcd {
    fn default() -> Self {
        Pcd {
            cd_steps: 1,
            chains: 100,
            cd_rate: None,
            cd_decay: None,
            batch: None,
        }
    }
}

impl Pcd {
    /// Step lengths.
    pub fn schedule(&self) -> Schedule {
        let usual = match self.batch {
            Some(_) => OF_MINI_BATCHES,
            None => Schedule::default(),
        };
        Schedule {
            first: self.cd_rate.unwrap_or(usual.first),
            decay: self.cd_decay.unwrap_or(usual.decay),
        }
    }
}

impl Method for Pcd {
    fn name(&self) -> &'static str {
        "pcd"
    }

    fn about(&self) -> &'static str {
        "Persistent contrastive divergence, by sampling"
    }

    fn need(&self) -> Need {
        Need::Evaluation
    }

    fn set(&mut self, option: Setting, value: &OptionValue) -> Result<bool> {
        match option {
            Setting::CdSteps => self.cd_steps = value.count(option)?,
            Setting::Chains => self.chains = value.count(option)?,
            Setting::CdRate => self.cd_rate = Some(value.positive(option)?),
            Setting::CdDecay => self.cd_decay = Some(value.positive(option)?),
            // As records show it where it is not used.
            Setting::Batch if *value == OptionValue::Word("all".to_string()) => self.batch = None,
            Setting::Batch => self.batch = Some(value.count(option)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn options(&self) -> Vec<(Setting, OptionValue)> {
        let mut options = options(self.cd_steps, self.chains, self.schedule());
        // Listed even where it is not used: it is this learner's option.
        let batch = match self.batch {
            Some(rows) => OptionValue::Count(rows),
            None => OptionValue::Word("all".to_string()),
        };
        options.push((Setting::Batch, batch));
        options
    }

    fn check(&self) -> Result<()> {
        if let Some(batch) = self.batch {
            at_least_one(Setting::Batch, batch)?;
        }
        check(self.cd_steps, self.chains, self.schedule())
    }

    fn check_data(&self, structure: &Network, data: &Dataset) -> Result<()> {
        match self.batch {
            Some(_) => check_mini_batches(structure, &Rows::of_data(structure, data)),
            None => Ok(()),
        }
    }

    fn check_problem(&self, problem: &Problem) -> Result<()> {
        match self.batch {
            Some(_) => check_mini_batches(problem.structure(), &Rows::of_problem(problem)),
            None => Ok(()),
        }
    }

    fn usual_iterations(&self) -> usize {
        match self.batch {
            Some(_) => USUAL_PASSES_OF_MINI_BATCHES,
            None => USUAL_PASSES,
        }
    }

    fn converges(&self) -> bool {
        false
    }

    fn begin(&self, problem: &Problem, begin: &Begin) -> Box<dyn Stepper> {
        let form = Form {
            persistent: true,
            sweeps: self.cd_steps,
            chains: self.chains,
            schedule: self.schedule(),
        };
        let in_batches = self
            .batch
            .map(|batch| MiniBatches::new(problem, form, batch, begin));
        match in_batches {
            Some(Ok(in_batches)) => Box::new(in_batches),
            // Problems that batches do not know were refused before.
            Some(Err(_)) | None => Box::new(Contrastive::new(problem, form, begin)),
        }
    }
}
