//! Rounds of the evidence by samples: one run of second-order steps, whose objective changes wherever they have come near a
//! solution. Chains, damping and the last measurement stay from round to round.

use super::measuring::FreeMeasured;
use super::standing::Standing;
use super::{Sampled, SampledNewton};
use crate::error::{Error, Result};
use crate::learning::control::{Cancel, LoopControl, Progress};
use crate::learning::curvature::Curvature;
use crate::learning::learners::method::Begin;
use crate::learning::point::Point;
use crate::learning::problem::Problem;

/// How near to a solution a round ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// Every constraint is met within this share of its own error in the data.
    pub(crate) share: f64,
    /// The weights are as near, too.
    pub(crate) is_strict: bool,
    /// The curvature rests on as many states as its inverse wants.
    pub(crate) is_last_look: bool,
}

/// A run whose objective changes on the way.
pub(crate) struct SampledRounds {
    newton: SampledNewton,
    point: Point,
    index: u64,
    steps: usize,
    /// What was measured at the present weights.
    known: Option<(FreeMeasured, Sampled)>,
}

impl SampledRounds {
    pub(crate) fn new(
        problem: &Problem,
        start: Vec<f64>,
        (seed, index): (u64, u64),
        cancel: &Cancel,
    ) -> Self {
        let begin = Begin {
            steps: 0,
            tolerance: 0.0,
            traced: false,
            seed,
            index,
            cancel: cancel.clone(),
        };
        SampledRounds {
            newton: SampledNewton::new(problem, 0.0, &begin),
            point: Point::at(start),
            index,
            steps: 0,
            known: None,
        }
    }

    /// The present weights.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.point.weights
    }

    /// Goes on under this problem's objective until it is near enough, in at most so many steps; gives the curvature there, over
    /// the terms that may move.
    pub(crate) fn approach(
        &mut self,
        problem: &Problem,
        near: Near,
        most_steps: usize,
        control: LoopControl<'_>,
    ) -> Result<Option<Curvature>> {
        self.newton.begin_round(near);
        for step in 0..=most_steps {
            if control.cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
            // E f and Cov f do not depend on the objective: where it has changed, a step is made from what is known.
            let known = self.known.take();
            let is_old = known.is_some();
            let (measured, curved) = match known {
                Some(known) => known,
                None => self.newton.measure(problem, &mut self.point)?,
            };
            let standing = Standing::new(problem, &self.point, &measured);
            self.newton.going.largest = Some(standing.largest);
            (control.watch)(&Progress {
                restart: self.index,
                iterations: self.steps,
                residual: standing.residual,
                residual_in_errors: Some(standing.largest),
                target: Some(near.share),
                steps: None,
                validation: None,
                weights: &self.point.weights,
            });
            let is_over = step == most_steps
                || self
                    .newton
                    .is_over(problem, &self.point, &standing, &curved);
            if is_over && is_old && near.is_last_look {
                // What was measured before had fewer states.
                self.newton.stay(&measured, &curved, &self.point);
                continue;
            }
            let point = &mut self.point;
            if is_over
                || !self
                    .newton
                    .go(problem, point, &standing, (&measured, &curved))
            {
                let found = curved.curvature(problem, &self.point.weights, standing.free.clone());
                self.known = Some((measured, curved));
                return Ok(found);
            }
            self.steps += 1;
        }
        Ok(None)
    }
}
