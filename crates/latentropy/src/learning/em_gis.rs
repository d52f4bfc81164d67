//! EM with generalised iterative scaling: γ = log(η / E f) / max f#; needs no sums by f#, so any engine will do.

use super::scaling::{Scratch, Targets, scale};
use super::{Point, Problem, Stepper, Workspace};
use crate::error::Result;

/// S = `inner` updates for each E step.
pub(super) struct EmGis {
    pub(super) inner: usize,
    new_weights: Vec<f64>,
    free: Vec<f64>,
    scratch: Scratch,
}

impl EmGis {
    pub(super) fn new(inner: usize) -> Self {
        EmGis {
            inner,
            new_weights: Vec::new(),
            free: Vec::new(),
            scratch: Scratch::default(),
        }
    }
}

impl Stepper for EmGis {
    fn needs_strata(&self) -> bool {
        false
    }

    fn step(&mut self, problem: &Problem, point: &mut Point, work: &mut Workspace) -> Result<()> {
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
            let targets = Targets {
                expectations: &point.clamped.expectations,
                weights: &point.weights,
                ridge: problem.ridge_a_row(),
                bound: problem.penalty().bound,
            };
            scale(
                &most_on,
                &self.free,
                width,
                &targets,
                &mut self.scratch,
                &mut self.new_weights,
            );
            std::mem::swap(&mut point.weights, &mut self.new_weights);
        }
        Ok(())
    }
}
