//! The learner `cd`: chains that start at the rows in every pass.

use super::all_rows::Contrastive;
use super::form::{Form, USUAL_PASSES, check, options};
use super::schedule::Schedule;
use crate::error::Result;
use crate::learning::learners::method::{Begin, Method};
use crate::learning::learners::need::Need;
use crate::learning::learners::options::OptionValue;
use crate::learning::problem::Problem;
use crate::learning::stepper::Stepper;
use crate::message::Setting;
use serde::{Deserialize, Serialize};

/// Contrastive divergence CD-k.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cd {
    /// k: sweeps of a chain for each pass over the data.
    pub cd_steps: usize,
    /// About how many chains start at the rows in each pass (at least one per distinct row).
    pub chains: usize,
    /// Step lengths.
    pub schedule: Schedule,
}

impl Default for Cd {
    fn default() -> Self {
        Cd {
            cd_steps: 1,
            chains: 100,
            schedule: Schedule::default(),
        }
    }
}

impl Method for Cd {
    fn name(&self) -> &'static str {
        "cd"
    }

    fn about(&self) -> &'static str {
        "Contrastive divergence, by sampling"
    }

    fn need(&self) -> Need {
        Need::Evaluation
    }

    fn set(&mut self, option: Setting, value: &OptionValue) -> Result<bool> {
        match option {
            Setting::CdSteps => self.cd_steps = value.count(option)?,
            Setting::Chains => self.chains = value.count(option)?,
            Setting::CdRate => self.schedule.first = value.positive(option)?,
            Setting::CdDecay => self.schedule.decay = value.positive(option)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn options(&self) -> Vec<(Setting, OptionValue)> {
        options(self.cd_steps, self.chains, self.schedule)
    }

    fn check(&self) -> Result<()> {
        check(self.cd_steps, self.chains, self.schedule)
    }

    fn usual_iterations(&self) -> usize {
        USUAL_PASSES
    }

    fn converges(&self) -> bool {
        false
    }

    fn begin(&self, problem: &Problem, begin: &Begin) -> Box<dyn Stepper> {
        let schedule = self.schedule;
        Box::new(Contrastive::new(
            problem,
            Form {
                persistent: false,
                sweeps: self.cd_steps,
                chains: self.chains,
                schedule,
            },
            begin,
        ))
    }
}
