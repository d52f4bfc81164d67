//! The steps themselves: Newton or quasi-Newton, and away from saddles.

use super::lbfgs::Lbfgs;
use super::newton::{Care, Newton};
use super::newton_cg::NewtonCg;
use crate::error::Result;
use crate::learning::checkpoint::State;
use crate::learning::curvature::{Curvature, steps_by_hessian, steps_by_products};
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::{Stepped, Stepper};
use serde::{Deserialize, Serialize};

/// A saddle is left at most this often.
const MOST_ESCAPES: usize = 8;
/// First trial length along the upward direction, in the largest change of a weight.
const ESCAPE_LENGTH: f64 = 0.5;

/// Newton steps where there is a Hessian, quasi-Newton steps where there is none.
pub(crate) struct SecondOrder {
    way: Way,
    tolerance: f64,
    care: Care,
    escapes: usize,
    /// At the point where it settled.
    curvature: Option<Curvature>,
}

#[derive(Serialize, Deserialize)]
enum Way {
    Newton(Newton),
    NewtonCg(NewtonCg),
    Lbfgs(Lbfgs),
}

impl Way {
    fn new(problem: &Problem, tolerance: f64) -> Self {
        match () {
            () if steps_by_hessian(problem) => Way::Newton(Newton::new(tolerance)),
            () if steps_by_products(problem) => Way::NewtonCg(NewtonCg::new(tolerance)),
            () => Way::Lbfgs(Lbfgs::default()),
        }
    }
}

impl SecondOrder {
    pub(crate) fn new(problem: &Problem, tolerance: f64, care: Care) -> Self {
        SecondOrder {
            way: Way::new(problem, tolerance),
            tolerance,
            care,
            escapes: 0,
            curvature: None,
        }
    }

    /// Where Newton has settled: a saddle is left along its upward direction, anything else is the end.
    fn settle(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        work: &mut Workspace,
    ) -> Result<Stepped> {
        // A point just moved away from a saddle is not settled: the last round ends where it settled.
        if self.escapes == MOST_ESCAPES {
            return Ok(Stepped::Settled);
        }
        work.passes += 2;
        let Some(curvature) = Curvature::at(problem, point) else {
            return Ok(Stepped::Settled);
        };
        let escaped = match curvature.upward() {
            Some(upward) => escape(problem, point, work, &curvature.free, upward)?,
            None => false,
        };
        if !escaped {
            self.curvature = Some(curvature);
            return Ok(Stepped::Settled);
        }
        self.escapes += 1;
        self.way = Way::new(problem, self.tolerance);
        Ok(Stepped::Evaluated)
    }
}

impl Stepper for SecondOrder {
    /// Newton settles where nothing runs off any more, not where the residual is first small.
    fn stops_at_tolerance(&self) -> bool {
        matches!(self.way, Way::Lbfgs(_))
    }

    fn state(&self) -> Option<Result<State>> {
        Some(State::of(&(&self.way, self.escapes)))
    }

    fn go_on(&mut self, _: &Problem, state: &State) -> Result<()> {
        (self.way, self.escapes) = state.read()?;
        Ok(())
    }

    fn step(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        work: &mut Workspace,
    ) -> Result<Stepped> {
        let stepped = match &mut self.way {
            Way::Newton(newton) => newton.step(problem, point, work, self.care)?,
            Way::NewtonCg(newton) => newton.step(problem, point, work)?,
            Way::Lbfgs(lbfgs) => return lbfgs.step(problem, point, work),
        };
        match stepped {
            Stepped::Settled => self.settle(problem, point, work),
            other => Ok(other),
        }
    }

    fn curvature(&mut self) -> Option<Curvature> {
        self.curvature.take()
    }
}

/// Moves along ± the upward direction as far as the objective rises; false if it does not rise at all.
fn escape(
    problem: &Problem,
    point: &mut Point,
    work: &mut Workspace,
    free: &[usize],
    direction: &[f64],
) -> Result<bool> {
    let prior = problem.prior();
    let largest = direction.iter().fold(0.0f64, |a, d| a.max(d.abs()));
    let mut length = ESCAPE_LENGTH / largest.max(f64::MIN_POSITIVE);
    for _ in 0..12 {
        let mut best: Option<Point> = None;
        for sign in [1.0, -1.0] {
            let mut trial = Point::at(point.weights.clone());
            for (&i, d) in free.iter().zip(direction) {
                trial.weights[i] = prior.held(i, point.weights[i] + sign * length * d);
            }
            problem.evaluate(&mut trial, work, false)?;
            let beats = best.as_ref().is_none_or(|b| trial.objective > b.objective);
            if trial.objective > point.objective && beats {
                best = Some(trial);
            }
        }
        if let Some(better) = best {
            *point = better;
            return Ok(true);
        }
        length *= 0.5;
    }
    Ok(false)
}
