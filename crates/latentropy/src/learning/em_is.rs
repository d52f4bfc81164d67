//! EM-IS: for each E step, S parallel updates (7) whose lengths are the roots of (8).

use super::scaling::{Scratch, Targets, scale};
use super::{Point, Problem, Stepper, Workspace};
use crate::error::Result;

/// The paper's algorithm with S = `inner`.
pub(super) struct EmIs {
    pub(super) inner: usize,
    new_weights: Vec<f64>,
    scratch: Scratch,
}

impl EmIs {
    pub(super) fn new(inner: usize) -> Self {
        EmIs {
            inner,
            new_weights: Vec::new(),
            scratch: Scratch::default(),
        }
    }
}

impl Stepper for EmIs {
    fn needs_strata(&self) -> bool {
        true
    }

    fn step(&mut self, problem: &Problem, point: &mut Point, work: &mut Workspace) -> Result<()> {
        for update in 0..self.inner {
            if update > 0 {
                problem.strata(&point.weights, work)?;
            }
            let targets = Targets {
                expectations: &point.clamped.expectations,
                weights: &point.weights,
                ridge: problem.ridge_a_row(),
                bound: problem.penalty().bound,
            };
            let strata = &work.strata;
            scale(
                &strata.values,
                &strata.sums,
                strata.width,
                &targets,
                &mut self.scratch,
                &mut self.new_weights,
            );
            std::mem::swap(&mut point.weights, &mut self.new_weights);
        }
        Ok(())
    }
}
