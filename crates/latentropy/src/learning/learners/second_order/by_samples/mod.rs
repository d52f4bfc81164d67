//! Second-order steps by samples, for machines beyond exact sums: Newton with E f and Cov f from parallel chains.
//!
//! Every measurement of the chains at some weights gives a gradient with noise and, by one Newton step from there, an
//! estimate of the solution. Where a step was short, earlier measurements still say what there is after it, and are
//! averaged with the new one. While the gradient stands out of its noise, measurements stay as long as they are, or get
//! shorter; where it does not, each is twice as long as the one before. Learning has converged when every constraint is
//! met within a small share of its own standard error in the data, the noise of the measurements counted in: what is left
//! is far below what the rows themselves leave open.
//!
//! Newton's method on Monte-Carlo likelihoods goes back to Geyer and Thompson (1992).

mod curved;
mod judging;
mod measuring;
mod past;
mod rounds;
mod silent;
mod standing;

use crate::error::Result;
use crate::learning::begins_at_rows;
use crate::learning::checkpoint::State;
use crate::learning::exchange::Exchange;
use crate::learning::learners::method::Begin;
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::{InErrors, Stepped, Stepper};
use crate::random::learning_seed;
use curved::{Move, Sampled};
pub(crate) use judging::judge;
use measuring::{Carried, FreeMeasured, Measuring};
use past::Past;
pub(crate) use rounds::{Near, SampledRounds};
use serde::{Deserialize, Serialize};
use silent::{let_go, silent_units, terms_of};
use standing::Standing;

/// Share of a constraint's standard error in the data within which it must be met, unless told otherwise.
pub(crate) const USUAL_SHARE: f64 = 0.1;
/// What the weights may still be away from the solution, in their own standard errors, in the root mean square over all
/// directions: the first while the way there stands out of the noise, and the second where it does not.
const WEIGHTS_WITHIN: f64 = 0.1;
const WEIGHTS_WITHIN_NOISE: f64 = 0.2;
/// Directions that are flatter than so many times the noise of the covariances are judged as if they were not.
const JUDGED: f64 = 4.0;
/// States of the covariances per term. Counting them is most of a step's time, and a step needs no more than a direction: their
/// noise is a quarter of what they are, in a typical direction, while constraints are more than so many errors off …
const STATES_FAR: usize = 16;
const FAR: f64 = 3.0;
/// … less near the end where hidden units take most of them off again, and an eighth where their inverse itself is wanted.
const STATES_NEAR: usize = 32;
const STATES_OF_CURVATURE: usize = 64;
/// Small machines have time for more.
const LEAST_STATES: usize = 16_384;
/// Long measurements have time for more: so many of their states, up to so many per term.
const SHARE_COUNTED: f64 = 1.0 / 64.0;
const MOST_STATES: usize = 128;
/// A step is lost in noise where it gains less than so many times what noise alone would seem to gain, and measurements
/// are made longer where it is less than the second number of times.
const LOST: f64 = 2.0;
const NOISY: f64 = 5.0;
/// So much longer at least, and at most, is the next measurement where it must be longer.
const LONGER: (f64, f64) = (1.0, 4.0);
/// Measurements are enough where the largest of their noise is this share of what is asked; the one after them is a glance, so much
/// shorter.
const ENOUGH: f64 = 0.95;
const GLANCE: f64 = 0.25;
/// A measurement is long enough to go on where a gradient is so many times what the largest of as many would be by chance, and
/// longer than need be where it is more than the second number of times.
const CLEAR: f64 = 1.5;
const TOO_CLEAR: f64 = 4.0;
/// In these units; the usual ridge bends about as much. Directions that bend less hardly change a constraint.
const SMALLEST_DAMPING: f64 = 1e-3;
const LARGEST_DAMPING: f64 = 1e4;
/// The damping that learning begins with, where it begins far from a solution and at the pseudo-likelihood.
const FIRST_DAMPING: f64 = 4.0;
const NEAR_DAMPING: f64 = 0.016;
/// Steps that go too far, or bend far more than what they were made by, are damped more by this factor; the next one begins with as
/// much less, and what is left is cut off.
const MORE_DAMPED: f64 = 4.0;
const MOST_SHORTENED: f64 = 0.25;
/// What is left of a step that went too far: so much at least, and at most.
const TAKEN_BACK: (f64, f64) = (0.1, 0.5);
/// What is left of the drift from step to step.
const DRIFT_KEPT: f64 = 0.8;
/// A step is shortened by what noise alone would seem to gain: that part leads nowhere, and makes earlier measurements worth nothing
/// for what comes after it. So much of it is taken at least.
const LEAST_OF_NOISE: f64 = 0.25;
/// More of it than this is taken as it is.
const HARDLY_NOISE: f64 = 0.9;
/// How far the first step may go.
const FIRST_RADIUS: f64 = 0.5;
/// Measurements at the longest stretch without an end, after which there is none.
const PATIENCE: usize = 4;

/// The learner during one restart.
pub(crate) struct SampledNewton {
    share: f64,
    measuring: Measuring,
    /// What was measured before the last step.
    past: Option<Past>,
    going: Going,
    wants_curvature: bool,
    /// Whether the weights must be near to the solution, and not the constraints alone.
    is_strict: bool,
}

/// What the next step depends on, beside chains and weights.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Going {
    damping: f64,
    was_too_little: bool,
    /// How far a step may go: the root of the variance of Σ d f, for a change d of the weights.
    radius: f64,
    has_settled: bool,
    /// The largest residual of the last measurement, in the data's own errors.
    largest: Option<f64>,
    /// Measurements at the longest stretch.
    at_the_limit: usize,
    /// Whether the last measurement was a glance.
    was_glance: bool,
    /// Whether hidden units that said nothing were made to speak.
    was_made_to_speak: bool,
    /// Hidden units that say nothing and were let go: their weights stay.
    let_go: Vec<usize>,
    last: Option<Step>,
    /// The steps so far, older ones counting less: noise cancels in it, and a way that leads on does not.
    drift: Vec<f64>,
}

/// The last step that was taken.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Step {
    from: Vec<f64>,
    change: Vec<f64>,
    /// The part of it that goes with the square of its length.
    curve: Vec<f64>,
    /// The gradient along it, where it began.
    slope: f64,
    /// The root of the variance of Σ d f along it, and what it would be if noise had not made it shorter.
    length: f64,
    reach: f64,
}

/// What changes all constraints by so little together is never too long. Weights of a hidden unit change together, and what they do
/// in the second order, half the square of the length, is not spread over all constraints: it is to be within so much, too.
fn shortest_radius(problem: &Problem, standing: &Standing) -> f64 {
    let (rows, terms) = (problem.row_count(), standing.free.len() as f64);
    let together = 0.5 * USUAL_SHARE * (terms / rows).sqrt();
    match problem.structure().hidden().is_empty() {
        true => together,
        false => together.min((USUAL_SHARE / rows.sqrt()).sqrt()),
    }
}

/// What a measurement says of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// It went too far, and was taken back.
    TakenBack,
    /// The gradient along it still leads upwards, beyond noise.
    GoesOn,
    /// Nothing, or there was none.
    Open,
}

impl SampledNewton {
    pub(super) fn new(problem: &Problem, share: f64, begin: &Begin) -> Self {
        let seed = learning_seed(begin.seed, begin.index);
        SampledNewton {
            share,
            measuring: Measuring::new(problem, seed, begin.cancel.clone()),
            past: None,
            going: Going {
                damping: match begins_at_rows(problem) {
                    true => NEAR_DAMPING,
                    false => FIRST_DAMPING,
                },
                radius: FIRST_RADIUS,
                ..Going::default()
            },
            wants_curvature: false,
            is_strict: true,
        }
    }

    /// Another objective, to be met within another share; the inverse of the curvature may be wanted there, too.
    fn begin_round(&mut self, near: Near) {
        self.share = near.share;
        self.wants_curvature = near.is_last_look;
        self.is_strict = near.is_strict;
        self.going = Going {
            damping: self.going.damping,
            radius: self.going.radius.max(FIRST_RADIUS),
            largest: self.going.largest,
            ..Going::default()
        };
    }

    /// Both phases and Cov f at the point's weights.
    fn measure(&mut self, problem: &Problem, point: &mut Point) -> Result<(FreeMeasured, Sampled)> {
        let is_near = self.going.largest.is_some_and(|largest| largest <= FAR);
        let per_term = match is_near {
            true if self.wants_curvature => STATES_OF_CURVATURE,
            true if !problem.structure().hidden().is_empty() => STATES_NEAR,
            _ => STATES_FAR,
        };
        let most = (MOST_STATES * problem.terms()) as f64;
        let counted = (self.measuring.samples() * SHARE_COUNTED).min(most) as usize;
        let counted = counted.max(per_term * problem.terms()).max(LEAST_STATES);
        let (measured, curved) = self.measuring.measure(problem, point, counted)?;
        let measured = match self.past.take() {
            Some(past) => past.join(measured, &curved, &point.weights),
            None => measured,
        };
        Ok((measured, curved))
    }

    /// Whether there is no need to go on, or no use: constraints are met, and weights are near to the solution in their own
    /// standard errors. In flat directions the one does not say the other.
    fn is_over(
        &self,
        problem: &Problem,
        point: &Point,
        standing: &Standing,
        curved: &Sampled,
    ) -> bool {
        if self.going.at_the_limit >= PATIENCE {
            return true;
        }
        if !self.is_strict || standing.largest > self.share {
            return standing.largest <= self.share;
        }
        // T gᵀH⁻¹g is the square of the way that is left, in standard errors, over all directions; those of silent units are flat,
        // and lead nowhere.
        let silent = silent_units(problem, &point.weights);
        let standing = &standing.without(&terms_of(problem, &silent));
        let model = curved.model(problem, point, standing);
        let damping = SMALLEST_DAMPING.max(JUDGED * model.noise());
        let left = model.step(damping, &standing.noise);
        left.is_some_and(|left| {
            let gain = problem.row_count() * standing.slope(&left.change);
            let count = standing.free.len() as f64;
            let within = match NOISY * left.noise <= 1.0 {
                true => WEIGHTS_WITHIN,
                false => WEIGHTS_WITHIN_NOISE,
            };
            gain * standing.hidden() <= count * self.share.max(within).powi(2)
        })
    }

    /// To new weights, from a measured point; false where there is no step.
    fn go(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        standing: &Standing,
        (measured, curved): (&FreeMeasured, &Sampled),
    ) -> bool {
        let from = point.weights.clone();
        let has_moved = match self.look_back(standing, curved, point) {
            Way::TakenBack => true,
            way => self.advance(problem, point, standing, curved, way),
        };
        if has_moved {
            self.past = Some(Past::before(measured, curved, from, &point.weights));
        }
        has_moved
    }

    /// Lets units go that say nothing, once; true where there are any. Where the ridge would rather have them speak for pairs, they
    /// are made to, once.
    fn lets_go(&mut self, problem: &Problem, point: &mut Point) -> bool {
        if !self.going.let_go.is_empty() {
            return false;
        }
        let mut silent = silent_units(problem, &point.weights);
        let mut has_changed = let_go(problem, point, &silent);
        if !self.going.was_made_to_speak {
            silent.retain(|&unit| {
                let exchange = Exchange::new(problem, &point.weights);
                let speaks =
                    exchange.is_some_and(|of| of.make_speak(problem, unit, &mut point.weights));
                self.going.was_made_to_speak |= speaks;
                !speaks
            });
            has_changed |= self.going.was_made_to_speak;
        }
        self.going.let_go = silent;
        self.going.last = None;
        self.going.drift.clear();
        has_changed
    }

    /// The same weights are measured again.
    fn stay(&mut self, measured: &FreeMeasured, curved: &Sampled, point: &Point) {
        let weights = &point.weights;
        self.past = Some(Past::before(measured, curved, weights.clone(), weights));
    }

    /// How the last step turned out. One that went too far, so that the gradient along it has turned round by more than noise
    /// explains, is taken back for the most part.
    fn look_back(&mut self, standing: &Standing, curved: &Sampled, point: &mut Point) -> Way {
        let Some(last) = &mut self.going.last else {
            return Way::Open;
        };
        let slope = standing.slope(&last.change);
        let noise = standing.noise_along(&last.change, curved);
        if last.slope > 0.0 && slope < -0.5 * last.slope - 3.0 * noise {
            // Where the slope would be nothing if it went down evenly.
            let back = last.slope / (last.slope - slope);
            let back = back.clamp(TAKEN_BACK.0, TAKEN_BACK.1);
            for (change, curve) in last.change.iter_mut().zip(&mut last.curve) {
                let bent = back * back * *curve;
                (*change, *curve) = (back * (*change - *curve) + bent, bent);
            }
            for (at, weight) in point.weights.iter_mut().enumerate() {
                *weight = last.from[at] + last.change[at];
            }
            self.going.drift.fill(0.0);
            last.slope *= back;
            last.length *= back;
            last.reach = last.length;
            self.going.radius = last.length;
            return Way::TakenBack;
        }
        // At most twice as far as before, and a long way that came to an end is forgotten by and by.
        self.going.radius = match slope > -0.25 * last.slope {
            true => (2.0 * last.reach).max(0.7 * self.going.radius),
            false => last.length,
        };
        let drift = &self.going.drift;
        let leads_on = slope > 3.0 * noise
            || standing.slope(drift) > 3.0 * standing.noise_along(drift, curved);
        match leads_on {
            true => Way::GoesOn,
            false => Way::Open,
        }
    }

    /// The Newton step over the terms that may move; none where no damping makes the curvature definite.
    fn newton(
        &mut self,
        problem: &Problem,
        point: &Point,
        standing: &Standing,
        curved: &Sampled,
    ) -> Option<Move> {
        let model = curved.model(problem, point, standing);
        let radius = self.going.radius.max(shortest_radius(problem, standing));
        // Where less damping was too little the last time, it is tried again only the next but one time.
        let less = if self.going.was_too_little {
            1.0
        } else {
            MORE_DAMPED
        };
        self.going.was_too_little = false;
        let mut damping = (self.going.damping / less).max(SMALLEST_DAMPING);
        while damping <= LARGEST_DAMPING {
            self.going.damping = damping;
            if let Some(mut found) = model.step(damping, &standing.noise) {
                let change = &mut found.change;
                let shorten = radius / curved.variance_along(change).max(0.0).sqrt();
                if shorten.min(found.kept) >= MOST_SHORTENED {
                    change.iter_mut().for_each(|d| *d *= shorten.min(1.0));
                    return Some(found);
                }
            }
            damping *= MORE_DAMPED;
            self.going.was_too_little = true;
        }
        None
    }

    /// The Newton step from so much of the gradient, but all of it along terms where it stands out of noise; none where there are
    /// no such terms.
    fn without_noise(
        &self,
        problem: &Problem,
        point: &Point,
        standing: &Standing,
        curved: &Sampled,
        by: f64,
    ) -> Option<Vec<f64>> {
        if by >= HARDLY_NOISE {
            return None;
        }
        let (shrunk, stands_out) = standing.shrunk(by, CLEAR * standing.most_by_chance());
        if !stands_out {
            return None;
        }
        let model = curved.model(problem, point, &shrunk);
        let mut change = model.change(self.going.damping)?;
        let radius = self.going.radius.max(shortest_radius(problem, standing));
        let shorten = radius / curved.variance_along(&change).max(0.0).sqrt();
        change.iter_mut().for_each(|d| *d *= shorten.min(1.0));
        Some(change)
    }

    /// The next measurement is as long as it takes for all of them together to be quiet enough, but not too much longer than the
    /// last one; true where that is as long as it gets.
    fn lengthen(&mut self, standing: &Standing) -> bool {
        let times = (standing.largest_noise / (ENOUGH * self.share)).powi(2);
        // Of what was measured before, the last step left a part; the next one will leave as much.
        let together = standing.samples / self.measuring.samples();
        let kept = 1.0 - 1.0 / together.max(1.0);
        let wanted = (times - kept) * together;
        let (least, most) = match self.going.was_glance {
            // What was enough was not.
            true => (2.0 / GLANCE, 2.0 / GLANCE),
            false => LONGER,
        };
        self.measuring.lengthen(wanted.clamp(least, most))
    }

    /// New weights from a measured point; false where there is no step from it.
    fn advance(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        standing: &Standing,
        curved: &Sampled,
        way: Way,
    ) -> bool {
        let Some(Move {
            mut change, noise, ..
        }) = self.newton(problem, point, standing, curved)
        else {
            return false;
        };
        // What earlier measurements say was gone by already, and is nothing in the gradient: the noise of the last one alone is there.
        let fresh = (self.measuring.samples() / standing.samples).min(1.0);
        let by = (1.0 - fresh * noise).clamp(LEAST_OF_NOISE, 1.0);
        match self.without_noise(problem, point, standing, curved, by) {
            Some(found) => change = found,
            None => change.iter_mut().for_each(|d| *d *= by),
        }
        let from = point.weights.clone();
        let curve = match curved.exchange() {
            Some(exchange) => exchange.curve(&change),
            None => vec![0.0; change.len()],
        };
        change
            .iter_mut()
            .zip(&curve)
            .for_each(|(d, curve)| *d += curve);
        let prior = problem.prior();
        for (term, (weight, d)) in point.weights.iter_mut().zip(&change).enumerate() {
            *weight = prior.held(term, *weight + d);
        }
        // While the last step's own direction still leads upwards, what is measured is enough to go on.
        let stands_out = standing.most_over_noise / standing.most_by_chance();
        let leads_on = way == Way::GoesOn && noise <= 1.0;
        if leads_on || NOISY * noise <= 1.0 || stands_out > CLEAR {
            self.measuring.shorten((TOO_CLEAR / stands_out).powi(2));
            self.going.was_glance = false;
        } else if standing.largest_noise <= ENOUGH * self.share && !self.going.was_glance {
            // This step leaves nothing but the noise of what is measured, which is little enough: a glance tells.
            self.measuring.shorten(GLANCE);
            self.going.was_glance = true;
        } else {
            let is_longest = self.lengthen(standing);
            self.going.at_the_limit += usize::from(is_longest && LOST * noise > 1.0);
            self.going.was_glance = false;
        }
        let weights = point.weights.iter().zip(&from);
        let change: Vec<f64> = weights.map(|(to, from)| to - from).collect();
        self.going.drift.resize(change.len(), 0.0);
        for (drift, step) in self.going.drift.iter_mut().zip(&change) {
            *drift = DRIFT_KEPT * *drift + step;
        }
        let length = curved.variance_along(&change).max(0.0).sqrt();
        self.going.last = Some(Step {
            from,
            slope: standing.slope(&change),
            length,
            reach: length / by,
            curve,
            change,
        });
        true
    }
}

impl Stepper for SampledNewton {
    fn stride(&self) -> Option<usize> {
        Some(usize::MAX)
    }

    fn has_settled(&self) -> bool {
        self.going.has_settled
    }

    fn in_errors(&self) -> Option<InErrors> {
        Some(InErrors {
            largest: self.going.largest,
            target: self.share,
        })
    }

    fn state(&self) -> Option<Result<State>> {
        Some(State::of(&(
            &self.going,
            &self.past,
            self.measuring.carried(),
        )))
    }

    fn go_on(&mut self, problem: &Problem, state: &State) -> Result<()> {
        let carried: Carried;
        (self.going, self.past, carried) = state.read()?;
        self.measuring.go_on(problem, carried)
    }

    fn step(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        work: &mut Workspace,
    ) -> Result<Stepped> {
        let (measured, curved) = self.measure(problem, point)?;
        work.passes += 2;
        let standing = Standing::new(problem, point, &measured);
        let standing = standing.without(&terms_of(problem, &self.going.let_go));
        point.residual = standing.residual;
        self.going.largest = Some(standing.largest);
        if !self.is_over(problem, point, &standing, &curved) {
            if self.go(problem, point, &standing, (&measured, &curved)) {
                return Ok(Stepped::Moved);
            }
        } else if self.lets_go(problem, point) {
            return Ok(Stepped::Moved);
        }
        self.going.has_settled = true;
        self.measuring
            .complete(problem, point, measured, &standing, self.share)?;
        Ok(Stepped::Evaluated)
    }
}
