//! What a learner is: its name, its needs, its options, and how it begins a restart.

use super::need::Need;
use super::options::OptionValue;
use crate::data::Dataset;
use crate::error::Result;
use crate::inference::EngineId;
use crate::learning::control::Cancel;
use crate::learning::problem::Problem;
use crate::learning::stepper::Stepper;
use crate::message::{Message, Setting};
use crate::network::Network;

/// Where and for how long a learner begins.
pub(crate) struct Begin {
    /// Steps that it will make at most.
    pub(crate) steps: usize,
    /// A residual at or below this is a solution.
    pub(crate) tolerance: f64,
    /// Whether its way will be looked at.
    pub(crate) traced: bool,
    pub(crate) seed: u64,
    pub(crate) index: u64,
    /// Looked at within steps that take long.
    pub(crate) cancel: Cancel,
}

/// What a learner is: its name, what it needs, its options, and the steps that it makes.
pub(crate) trait Method {
    /// As users type it.
    fn name(&self) -> &'static str;

    /// What it is, in a few words for lists of learners.
    fn about(&self) -> &'static str;

    /// What it needs of the engine.
    fn need(&self) -> Need;

    /// Sets one of its options; false where it has no such option.
    fn set(&mut self, _option: Setting, _value: &OptionValue) -> Result<bool> {
        Ok(false)
    }

    /// Its options and their values, as records show them.
    fn options(&self) -> Vec<(Setting, OptionValue)> {
        Vec::new()
    }

    /// Refuses options that make no sense.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Refuses options that would be ignored with this engine.
    fn check_with(&self, _engine: EngineId) -> Result<()> {
        Ok(())
    }

    /// What to change about it where an engine does not give what it needs.
    fn advice(&self) -> Option<Message> {
        None
    }

    /// Refuses machines and data that it does not know.
    fn check_data(&self, _structure: &Network, _data: &Dataset) -> Result<()> {
        Ok(())
    }

    /// The same of a problem that is prepared already.
    fn check_problem(&self, _problem: &Problem) -> Result<()> {
        Ok(())
    }

    /// Iterations after which a restart stops, unless users say otherwise.
    fn usual_iterations(&self) -> usize {
        20_000
    }

    /// False of learners by samples, whose residual does not go to zero.
    fn converges(&self) -> bool {
        true
    }

    /// Begins a restart.
    fn begin(&self, problem: &Problem, begin: &Begin) -> Box<dyn Stepper>;
}
