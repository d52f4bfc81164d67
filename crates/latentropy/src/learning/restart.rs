//! Which restart is run, and who watches it.

use super::control::LoopControl;
use super::learners::Learner;
use super::problem::Problem;
use super::start::start_of;
use crate::error::Result;

/// Which restart of which seed, and what is wanted of it.
#[derive(Clone, Copy)]
pub(crate) struct Restart<'a> {
    pub(crate) seed: u64,
    pub(crate) index: u64,
    pub(crate) keep_trace: bool,
    pub(crate) control: LoopControl<'a>,
}

impl Restart<'_> {
    /// Its own random start.
    pub(crate) fn start(&self, problem: &Problem, learner: &Learner) -> Result<Vec<f64>> {
        start_of(
            problem,
            learner,
            (self.seed, self.index),
            self.control.cancel,
        )
    }
}

impl Restart<'static> {
    /// Restart 0 of seed 0, unwatched.
    pub(crate) fn first(keep_trace: bool) -> Self {
        Restart {
            seed: 0,
            index: 0,
            keep_trace,
            control: LoopControl::none(),
        }
    }
}
