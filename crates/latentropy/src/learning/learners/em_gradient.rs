//! Gradient-ascent EM (Ackley, Hinton and Sejnowski 1985): steps along ∂Q/∂λ = η − E_p f, equation (11).

use super::method::{Begin, Method};
use super::need::Need;
use super::options::{OptionValue, at_least_one, em_options, finite_above_zero, refused};
use super::sampled::{Sampled, SampledRule, check_chains};
use crate::error::Result;
use crate::inference::EngineId;
use crate::learning::checkpoint::State;
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::{Stepped, Stepper};
use crate::message::{Message, Setting, words};
use serde::{Deserialize, Serialize};

/// A controlled step is halved at most this often before the point counts as stuck.
const MOST_HALVINGS: usize = 60;

/// How long a gradient step is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Halved until Q rises, then grown again: never lowers Q.
    Controlled,
    /// Always this multiple of the gradient.
    Fixed(f64),
}

/// EM with gradient steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmGradient {
    /// S, the number of M-step updates for each E step.
    pub inner: usize,
    /// How long a step is.
    pub step: Step,
    /// How many chains it keeps where the engine samples; 100 if not given.
    pub chains: Option<usize>,
}

impl Default for EmGradient {
    fn default() -> Self {
        EmGradient {
            inner: 4,
            step: Step::Controlled,
            chains: None,
        }
    }
}

impl Method for EmGradient {
    fn name(&self) -> &'static str {
        "em-gradient"
    }

    fn about(&self) -> &'static str {
        "EM by gradient ascent, with a controlled or a fixed step"
    }

    /// A controlled step compares objectives.
    fn need(&self) -> Need {
        match self.step {
            Step::Controlled => Need::Objective,
            Step::Fixed(_) => Need::Expectations,
        }
    }

    fn advice(&self) -> Option<Message> {
        (self.step == Step::Controlled)
            .then(|| words!["a fixed step, such as ", Setting::Step.at(1)])
    }

    fn set(&mut self, option: Setting, value: &OptionValue) -> Result<bool> {
        match (option, value) {
            (Setting::Inner, _) => self.inner = value.count(option)?,
            (Setting::Chains, _) => self.chains = Some(value.count(option)?),
            (Setting::Step, OptionValue::Word(word)) if word == "controlled" => {
                self.step = Step::Controlled;
            }
            (Setting::Step, OptionValue::Word(_)) => {
                return Err(refused(option, "`controlled` or a number above 0", value));
            }
            (Setting::Step, _) => self.step = Step::Fixed(value.positive(option)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn options(&self) -> Vec<(Setting, OptionValue)> {
        let mut options = em_options(self.inner, self.chains);
        let step = match self.step {
            Step::Controlled => OptionValue::Word("controlled".to_string()),
            Step::Fixed(length) => OptionValue::Number(length),
        };
        options.push((Setting::Step, step));
        options
    }

    fn check(&self) -> Result<()> {
        if let Step::Fixed(length) = self.step {
            finite_above_zero(Setting::Step, length)?;
        }
        at_least_one(Setting::Inner, self.inner)
    }

    fn check_with(&self, engine: EngineId) -> Result<()> {
        check_chains(self.chains, engine)
    }

    fn begin(&self, problem: &Problem, begin: &Begin) -> Box<dyn Stepper> {
        if let (true, Step::Fixed(length)) = (problem.is_sampled(), self.step) {
            let rule = SampledRule::Gradient(length);
            return Box::new(Sampled::new(rule, self.inner, self.chains, begin));
        }
        Box::new(Ascent {
            inner: self.inner,
            rule: self.step,
            length: 1.0,
            free: Vec::new(),
            trial: Vec::new(),
            trial_free: Vec::new(),
        })
    }
}

/// S gradient steps for each E step.
struct Ascent {
    inner: usize,
    rule: Step,
    /// The controlled step's current length.
    length: f64,
    free: Vec<f64>,
    trial: Vec<f64>,
    trial_free: Vec<f64>,
}

impl Ascent {
    /// `point.weights` plus `length` times the gradient, kept in the box.
    fn move_to_trial(&mut self, problem: &Problem, point: &Point, length: f64) {
        let (prior, pulls) = (problem.prior(), problem.prior().slope(&point.weights));
        self.trial.clear();
        for (term, &weight) in point.weights.iter().enumerate() {
            let gradient = point.clamped.expectations[term] - self.free[term] - pulls[term];
            self.trial
                .push(prior.held(term, weight + length * gradient));
        }
    }

    /// One step as long as Q allows; returns log Φ at its end.
    fn controlled(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        work: &mut Workspace,
        log_partition: f64,
    ) -> Result<f64> {
        let before =
            problem.penalised_q(&point.weights, &point.clamped.expectations, log_partition);
        for _ in 0..MOST_HALVINGS {
            self.move_to_trial(problem, point, self.length);
            let mut trial_free = std::mem::take(&mut self.trial_free);
            let trial_log = problem.free_phase(&self.trial, work, &mut trial_free)?;
            self.trial_free = trial_free;
            let after = problem.penalised_q(&self.trial, &point.clamped.expectations, trial_log);
            if after >= before {
                std::mem::swap(&mut point.weights, &mut self.trial);
                std::mem::swap(&mut self.free, &mut self.trial_free);
                self.length *= 1.5;
                return Ok(trial_log);
            }
            self.length *= 0.5;
        }
        Ok(log_partition)
    }
}

impl Stepper for Ascent {
    fn state(&self) -> Option<Result<State>> {
        Some(State::of(&self.length))
    }

    fn go_on(&mut self, _: &Problem, state: &State) -> Result<()> {
        self.length = state.read()?;
        Ok(())
    }

    fn step(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        work: &mut Workspace,
    ) -> Result<Stepped> {
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
                    log_partition = self.controlled(problem, point, work, log_partition)?;
                }
            }
        }
        Ok(Stepped::Moved)
    }
}
