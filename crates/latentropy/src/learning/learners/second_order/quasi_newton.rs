//! The learner `quasi-newton`: second-order steps alone.

use super::by_samples::{SampledNewton, USUAL_SHARE};
use super::steps::SecondOrder;
use crate::learning::learners::method::{Begin, Method};
use crate::learning::learners::need::Need;
use crate::learning::problem::Problem;
use crate::learning::stepper::Stepper;
use serde::{Deserialize, Serialize};

/// Second-order steps from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuasiNewton {}

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

    fn begin(&self, problem: &Problem, begin: &Begin) -> Box<dyn Stepper> {
        match problem.is_sampled() {
            true => Box::new(SampledNewton::new(problem, USUAL_SHARE, begin)),
            false => Box::new(SecondOrder::new(problem, begin.tolerance)),
        }
    }
}
