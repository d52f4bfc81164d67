//! Gradient-ascent EM (Ackley, Hinton and Sejnowski 1985): steps along ∂Q/∂λ = η − E_p f, equation (11).

use super::{Point, Problem, Step, Stepper, Workspace};
use crate::error::Result;

/// A controlled step is halved at most this often before the point counts as stuck.
const MOST_HALVINGS: usize = 60;

/// S = `inner` gradient steps for each E step.
pub(super) struct EmGradient {
    inner: usize,
    rule: Step,
    /// The controlled step's current length.
    length: f64,
    free: Vec<f64>,
    trial: Vec<f64>,
    trial_free: Vec<f64>,
}

impl EmGradient {
    pub(super) fn new(inner: usize, rule: Step) -> Self {
        EmGradient {
            inner,
            rule,
            length: 1.0,
            free: Vec::new(),
            trial: Vec::new(),
            trial_free: Vec::new(),
        }
    }

    /// `point.weights` plus `length` times the gradient, kept in the box.
    fn move_to_trial(&mut self, problem: &Problem, point: &Point, length: f64) {
        let (ridge, bound) = (problem.ridge_a_row(), problem.penalty().bound);
        self.trial.clear();
        for (term, &weight) in point.weights.iter().enumerate() {
            let gradient = point.clamped.expectations[term] - self.free[term] - ridge * weight;
            self.trial
                .push((weight + length * gradient).clamp(-bound, bound));
        }
    }
}

impl Stepper for EmGradient {
    fn needs_strata(&self) -> bool {
        false
    }

    fn step(&mut self, problem: &Problem, point: &mut Point, work: &mut Workspace) -> Result<()> {
        self.free.clone_from(&point.free);
        let mut log_partition = point.log_partition;
        for update in 0..self.inner {
            match self.rule {
                Step::Fixed(length) => {
                    if update > 0 {
                        problem.free_phase(&point.weights, work, &mut self.free)?;
                    }
                    self.move_to_trial(problem, point, length);
                    std::mem::swap(&mut point.weights, &mut self.trial);
                }
                Step::Controlled => {
                    let eta = &point.clamped.expectations;
                    let before = problem.penalised_q(&point.weights, eta, log_partition);
                    for _ in 0..MOST_HALVINGS {
                        self.move_to_trial(problem, point, self.length);
                        let mut trial_free = std::mem::take(&mut self.trial_free);
                        let trial_log = problem.free_phase(&self.trial, work, &mut trial_free)?;
                        self.trial_free = trial_free;
                        let after = problem.penalised_q(
                            &self.trial,
                            &point.clamped.expectations,
                            trial_log,
                        );
                        if after >= before {
                            log_partition = trial_log;
                            std::mem::swap(&mut point.weights, &mut self.trial);
                            std::mem::swap(&mut self.free, &mut self.trial_free);
                            self.length *= 1.5;
                            break;
                        }
                        self.length *= 0.5;
                    }
                }
            }
        }
        Ok(())
    }
}
