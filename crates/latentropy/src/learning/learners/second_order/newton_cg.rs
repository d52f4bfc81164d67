//! Truncated Newton steps, for machines whose Hessian is too large or too dear to be made: the quadratic model is climbed by
//! conjugate gradients, one product ∇²F v an iteration, inside a trust region and the box (Steihaug 1983).
//!
//! In the scaled coordinates y = √b λ, b the bends of the free phase and of the prior, the trust region is a ball and the
//! system nearly a multiple of one. A direction of upward curvature is followed to the edge of the ball. An accepted step
//! never lowers the objective, and a long one is not taken across a dip.

use super::ascent::{Ascent, SURE_STEP};
use super::system::largest;
use crate::error::Result;
use crate::inference::kernels::{add_scaled, dot};
use crate::learning::curvature::{HessianProducts, bends};
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::Stepped;
use serde::{Deserialize, Serialize};

/// The first radius, in weights of a bend of one quarter.
const FIRST_RADIUS: f64 = 4.0;
/// Products of one step, at most.
const MOST_PRODUCTS: usize = 150;
/// The model is solved to this share of the gradient, or to its square root where that is less.
const LOOSEST: f64 = 0.1;
/// Nothing is gained by solving it further than this share of the tolerance.
const TIGHTEST: f64 = 0.3;
/// Entries that leave the box are put on its edge, and the rest is solved again: so often at most.
const MOST_ROUNDS: usize = 6;
/// A step that gains nothing is cut by half, so often at most before the model is climbed anew.
const MOST_HALVINGS: usize = 40;
/// Longest change of one weight in one step.
const LONGEST_STEP: f64 = 2.0;

/// What is carried from step to step.
#[derive(Serialize, Deserialize)]
pub(super) struct NewtonCg {
    tolerance: f64,
    radius: f64,
    #[serde(skip)]
    trial: Point,
}

/// The quadratic model over the free terms.
struct Model<'a> {
    hessian: HessianProducts,
    free: &'a [usize],
    terms: usize,
    gradient: Vec<f64>,
    /// √b of each free term.
    scales: Vec<f64>,
    products: usize,
}

/// A step over the free terms, and −∇²F times it.
struct Step {
    step: Vec<f64>,
    bend: Vec<f64>,
}

impl NewtonCg {
    pub(super) fn new(tolerance: f64) -> Self {
        NewtonCg {
            tolerance,
            radius: FIRST_RADIUS,
            trial: Point::default(),
        }
    }

    /// One accepted step from `point` (evaluated), or why there is none.
    pub(super) fn step(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        work: &mut Workspace,
    ) -> Result<Stepped> {
        if point.residual <= self.tolerance {
            return Ok(Stepped::Settled);
        }
        let slope = problem.gradient(point);
        let free = problem.prior().movable(&point.weights, &slope);
        let Some(hessian) = HessianProducts::at(problem, &point.weights) else {
            return Ok(Stepped::Stuck);
        };
        let bends = bends(problem, &point.free);
        let mut model = Model {
            hessian,
            free: &free,
            terms: slope.len(),
            gradient: free.iter().map(|&term| slope[term]).collect(),
            scales: free.iter().map(|&term| bends[term].sqrt()).collect(),
            products: 0,
        };
        let ascent = Ascent::new(problem, point, &free, &slope);
        let Step { mut step, mut bend } =
            model.climb(self.radius, TIGHTEST * self.tolerance, &ascent.room);
        work.passes += 2 * (1 + model.products as u64);
        let shorten = |step: &mut Vec<f64>, bend: &mut Vec<f64>, by: f64| {
            step.iter_mut().chain(bend).for_each(|entry| *entry *= by);
        };
        let longest = largest(&step);
        if longest > LONGEST_STEP {
            shorten(&mut step, &mut bend, LONGEST_STEP / longest);
        }
        let longest = largest(&step);
        if longest > SURE_STEP && ascent.dips_halfway(&step, &mut self.trial, work)? {
            shorten(&mut step, &mut bend, SURE_STEP / longest);
        }
        for _ in 0..MOST_HALVINGS {
            let predicted = dot(&step, &model.gradient) - 0.5 * dot(&step, &bend);
            ascent.evaluate(step.iter().copied(), &mut self.trial, work)?;
            let gain = ascent.gain(&self.trial);
            let length = model.length(&step);
            if gain > 0.0 && gain >= 1e-4 * predicted {
                if gain > 0.75 * predicted && length >= 0.8 * self.radius {
                    self.radius *= 2.5;
                } else if gain < 0.25 * predicted {
                    self.radius = 0.5 * length;
                }
                std::mem::swap(point, &mut self.trial);
                return Ok(Stepped::Evaluated);
            }
            shorten(&mut step, &mut bend, 0.5);
            self.radius = 0.5 * length;
        }
        Ok(Stepped::Stuck)
    }
}

impl Model<'_> {
    /// −∇²F v over the free terms.
    fn bend(&mut self, v: &[f64]) -> Vec<f64> {
        self.products += 1;
        let mut all = vec![0.0; self.terms];
        for (&term, v) in self.free.iter().zip(v) {
            all[term] = *v;
        }
        let product = self.hessian.times(&all);
        self.free.iter().map(|&term| -product[term]).collect()
    }

    /// The length of a step in the scaled coordinates, in weights of a bend of one quarter.
    fn length(&self, step: &[f64]) -> f64 {
        let parts = step.iter().zip(&self.scales);
        2.0 * parts
            .map(|(s, scale)| (s * scale).powi(2))
            .sum::<f64>()
            .sqrt()
    }

    /// The step that climbs the model within the ball and the box.
    fn climb(&mut self, radius: f64, enough: f64, room: &[(f64, f64)]) -> Step {
        let size = self.free.len();
        let mut step = Step {
            step: vec![0.0; size],
            bend: vec![0.0; size],
        };
        let mut inside = vec![true; size];
        for _ in 0..MOST_ROUNDS {
            let is_done = self.conjugate(&mut step, &inside, radius, enough);
            let mut moved = vec![0.0; size];
            let mut has_left = false;
            for (at, (low, high)) in room.iter().enumerate() {
                let held = step.step[at].clamp(*low, *high);
                if held != step.step[at] {
                    moved[at] = held - step.step[at];
                    step.step[at] = held;
                    inside[at] = false;
                    has_left = true;
                }
            }
            if !has_left {
                break;
            }
            let change = self.bend(&moved);
            add_scaled(&mut step.bend, &change, 1.0);
            if is_done {
                break;
            }
        }
        step
    }

    /// Conjugate gradients over the entries that are inside, from where the step is; true at the edge of the ball.
    fn conjugate(&mut self, at: &mut Step, inside: &[bool], radius: f64, enough: f64) -> bool {
        let rest = |at: &Step| -> Vec<f64> {
            let parts = self.gradient.iter().zip(&at.bend).zip(inside);
            parts
                .map(|((g, b), inside)| if *inside { g - b } else { 0.0 })
                .collect()
        };
        let mut left = rest(at);
        let share = largest(&self.gradient).sqrt().min(LOOSEST);
        let enough = (share * largest(&self.gradient)).max(enough);
        let eased = |left: &[f64], scales: &[f64]| -> Vec<f64> {
            let parts = left.iter().zip(scales);
            parts.map(|(l, scale)| l / (scale * scale)).collect()
        };
        let mut direction = eased(&left, &self.scales);
        let mut size = dot(&left, &direction);
        while self.products < MOST_PRODUCTS && largest(&left) > enough {
            let bend = self.bend(&direction);
            let upward = dot(&direction, &bend);
            let by = match upward > 0.0 {
                true => size / upward,
                false => f64::INFINITY,
            };
            let most = self.to_the_edge(&at.step, &direction, radius);
            let length = by.min(most);
            if !length.is_finite() {
                return true;
            }
            add_scaled(&mut at.step, &direction, length);
            add_scaled(&mut at.bend, &bend, length);
            if by >= most {
                return true;
            }
            for ((left, bend), inside) in left.iter_mut().zip(&bend).zip(inside) {
                *left -= if *inside { length * bend } else { 0.0 };
            }
            let next = eased(&left, &self.scales);
            let grown = dot(&left, &next);
            for (direction, next) in direction.iter_mut().zip(&next) {
                *direction = next + grown / size * *direction;
            }
            size = grown;
        }
        false
    }

    /// How far along a direction the ball ends.
    fn to_the_edge(&self, step: &[f64], direction: &[f64], radius: f64) -> f64 {
        let (mut a, mut b, mut c) = (0.0, 0.0, -radius * radius / 4.0);
        for ((s, d), scale) in step.iter().zip(direction).zip(&self.scales) {
            let (s, d) = (s * scale, d * scale);
            a += d * d;
            b += s * d;
            c += s * s;
        }
        if c >= 0.0 {
            return 0.0;
        }
        ((b * b - a * c).sqrt() - b) / a
    }
}
