//! The learner `quasi-newton`: second-order steps alone.

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
        Need::Objective
    }

    fn begin(&self, problem: &Problem, begin: &Begin) -> Box<dyn Stepper> {
        Box::new(SecondOrder::new(problem, begin.tolerance))
    }
}
