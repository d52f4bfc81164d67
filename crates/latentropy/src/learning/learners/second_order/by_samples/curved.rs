//! What a measurement says of Cov f: a matrix, or products by states where there are too many terms for one.

use super::super::system::{System, largest};
use super::standing::Standing;
use crate::inference::kernels::dot;
use crate::inference::{SampledCovariances, StateProducts};
use crate::learning::curvature::{ByStates, Curvature, hessian_by_samples, hessian_without_rows};
use crate::learning::exchange::Exchange;
use crate::learning::point::Point;
use crate::learning::problem::Problem;

/// The longest change of a weight in one step.
const LONGEST_CHANGE: f64 = 1.0;
/// Features of a smaller variance than this are as good as constant.
pub(super) const RAREST: f64 = 1e-6;
/// Where hidden units leave directions almost flat, Cov f and Cov[f | y] nearly cancel, and noise of the one makes the
/// difference seem flatter by about terms/states of Cov f than it is. Newton's step takes all of Cov[f | y] off, a step of EM
/// nothing: it is taken off but for the damping's share, which is at least so many times that.
const HIDDEN: f64 = 1.0;
/// The same where covariances are shrunk, which leaves less of their noise than there are terms to a state.
const HIDDEN_BY_STATES: f64 = 0.25;
/// Systems of a step are solved to this share: the next step mends what is left.
const SOLVED: f64 = 0.1;

/// Cov f by samples.
pub(super) enum Sampled {
    Matrix(SampledCovariances),
    States(Box<Products>),
}

/// Products with Cov f.
pub(super) struct Products {
    pub(super) drawn: StateProducts,
    /// Those of E[f | visible units], where there are hidden ones.
    pub(super) marginal: Option<StateProducts>,
    /// Those of states that choose no step, and tell how long one may be.
    pub(super) others: Option<StateProducts>,
    /// What hidden units and pairs of columns say for each other at these weights.
    pub(super) exchange: Option<Exchange>,
}

impl Products {
    /// −∇²F: with hidden units what rows say in the mean, which no noise makes indefinite. What is drawn of them cancels with
    /// what rows take off almost wholly, and noise of the one would be all that is left.
    fn curvature(&self, problem: &Problem, weights: &[f64], free: &[usize]) -> ByStates {
        let drawn = self.drawn.clone();
        let found = match &self.marginal {
            Some(marginal) => {
                let (marginal, exchange) = (marginal.clone(), self.exchange.clone());
                ByStates::marginal(problem, weights, marginal, &drawn, exchange, free)
            }
            None => ByStates::new(problem, weights, drawn, free),
        };
        found.judged_by(self.others.clone())
    }
}

/// The step from one point for any damping.
pub(super) enum Model<'a> {
    Matrix {
        /// ∇²F without Cov[f | y], and that alone.
        without_rows: Vec<f64>,
        of_rows: Vec<f64>,
        gradient: Vec<f64>,
        /// What the noise of the covariances may hide, as a share of them.
        hidden: f64,
        unit: Vec<f64>,
        room: Vec<(f64, f64)>,
        free: &'a [usize],
    },
    States {
        states: Box<ByStates>,
        gradient: &'a [f64],
    },
}

impl Sampled {
    /// The quadratic model at a measured point, over the terms that may move.
    pub(super) fn model<'a>(
        &self,
        problem: &Problem,
        point: &Point,
        standing: &'a Standing,
    ) -> Model<'a> {
        let covariances = match self {
            Sampled::Matrix(covariances) => covariances,
            Sampled::States(states) => {
                let states = states.curvature(problem, &point.weights, &standing.free);
                return Model::States {
                    states: Box::new(states),
                    gradient: &standing.gradient,
                };
            }
        };
        // Weights in units of their features' deviations: damping then means the same for rare and for common features.
        let terms = point.weights.len();
        let deviation = |term: usize| covariances.lower[term * terms + term].max(RAREST).sqrt();
        let unit: Vec<f64> = (0..terms).map(|term| 1.0 / deviation(term)).collect();
        let mut of_rows = vec![0.0; terms * terms];
        problem
            .rows()
            .add_quick_covariance(&point.weights, &mut of_rows);
        let bounds = problem.prior().bounds();
        let room = standing.free.iter().map(|&i| {
            let (low, high) = (-bounds[i] - point.weights[i], bounds[i] - point.weights[i]);
            (low / unit[i], high / unit[i])
        });
        let gradient = standing.gradient.iter().zip(&unit).map(|(g, u)| g * u);
        Model::Matrix {
            room: room.collect(),
            gradient: gradient.collect(),
            without_rows: hessian_without_rows(problem, covariances),
            of_rows,
            hidden: terms as f64 / covariances.samples.max(1) as f64,
            unit,
            free: &standing.free,
        }
    }

    /// The variance of Σ d f over the machine's states, for a change d of the weights.
    pub(super) fn variance_along(&self, change: &[f64]) -> f64 {
        match self {
            _ if change.is_empty() => 0.0,
            Sampled::Matrix(covariances) => {
                let terms = change.len();
                let lines = covariances.lower.chunks_exact(terms.max(1)).enumerate();
                lines
                    .map(|(a, line)| {
                        let before = dot(&line[..a], &change[..a]);
                        change[a] * (2.0 * before + line[a] * change[a])
                    })
                    .sum()
            }
            Sampled::States(states) => match &states.others {
                Some(others) => others.variance_along(change),
                None => states.drawn.variance_along(change),
            },
        }
    }

    /// Cov f d for a change d of the weights: what it does to E f.
    pub(super) fn times(&self, change: &[f64]) -> Vec<f64> {
        match self {
            Sampled::Matrix(covariances) => {
                let terms = change.len();
                let mut product = vec![0.0; terms];
                let lines = covariances.lower.chunks_exact(terms.max(1)).enumerate();
                for (a, line) in lines.take(terms) {
                    let (before, at) = product.split_at_mut(a);
                    for (sum, entry) in before.iter_mut().zip(line) {
                        *sum += entry * change[a];
                    }
                    at[0] += dot(&line[..=a], &change[..=a]);
                }
                product
            }
            Sampled::States(states) => states.drawn.covariances_with(change),
        }
    }

    /// What hidden units and pairs of columns say for each other.
    pub(super) fn exchange(&self) -> Option<&Exchange> {
        match self {
            Sampled::Matrix(_) => None,
            Sampled::States(states) => states.exchange.as_ref(),
        }
    }

    /// How many states it rests on.
    pub(super) fn states(&self) -> usize {
        match self {
            Sampled::Matrix(covariances) => covariances.samples,
            Sampled::States(states) => states.drawn.states(),
        }
    }

    /// The curvature of the objective at these weights, where they are near a solution; without its largest eigenvalue.
    pub(super) fn curvature(
        &self,
        problem: &Problem,
        weights: &[f64],
        free: Vec<usize>,
    ) -> Option<Curvature> {
        match self {
            Sampled::Matrix(covariances) => {
                let matrix = hessian_by_samples(problem, weights, covariances);
                Curvature::damped(problem, &matrix, free)
            }
            Sampled::States(states) => {
                let states = states.curvature(problem, weights, &free);
                Some(Curvature::by_states(states, free))
            }
        }
    }
}

/// A Newton step.
pub(super) struct Move {
    pub(super) change: Vec<f64>,
    /// What noise alone would seem to gain by its own step, as a share of what this one does: shares of the slope along them.
    pub(super) noise: f64,
    /// What is left of it where these rows say that it is too long, as a share.
    pub(super) kept: f64,
}

impl Move {
    /// A step along which the slope gains so much, where noise alone would seem to gain the other.
    fn new(change: Vec<f64>, gain: f64, by_noise: f64) -> Self {
        let noise = if gain > 0.0 { by_noise / gain } else { 0.0 };
        Move {
            change,
            noise,
            kept: 1.0,
        }
    }
}

impl Model<'_> {
    /// What the noise of the covariances may hide, as a share of them.
    pub(super) fn noise(&self) -> f64 {
        match self {
            Model::Matrix { hidden, .. } => *hidden,
            // These are shrunk instead.
            Model::States { .. } => 0.0,
        }
    }

    /// The change of the weights for this damping, as `step` has it.
    pub(super) fn change(&self, damping: f64) -> Option<Vec<f64>> {
        match self {
            Model::Matrix { unit, .. } => {
                let no_noise = vec![0.0; unit.len()];
                self.step(damping, &no_noise).map(|found| found.change)
            }
            Model::States { states, gradient } => {
                let by = shares(states, damping);
                let found =
                    states.step(gradient, by, &states.coarse(by), SOLVED, LONGEST_CHANGE)?;
                Some(found.change)
            }
        }
    }

    /// The step for this damping; none where it does not make the curvature definite. `noise` is a gradient of noise alone, per
    /// term, as large as that in the gradient itself.
    pub(super) fn step(&self, damping: f64, noise: &[f64]) -> Option<Move> {
        match self {
            Model::Matrix {
                without_rows,
                of_rows,
                gradient,
                hidden,
                unit,
                room,
                free,
            } => {
                let by = 1.0 - damping.clamp(HIDDEN * hidden, 1.0);
                let terms = unit.len();
                let mut curvature = Vec::with_capacity(free.len() * free.len());
                for &a in *free {
                    let line = a * terms..(a + 1) * terms;
                    let (rest, rows) = (&without_rows[line.clone()], &of_rows[line]);
                    let entry = |&b: &usize| -(rest[b] + by * rows[b]) * unit[a] * unit[b];
                    curvature.extend(free.iter().map(entry));
                }
                let gradient: Vec<f64> = free.iter().map(|&term| gradient[term]).collect();
                let beside: Vec<f64> = free.iter().map(|&term| noise[term] * unit[term]).collect();
                let system = System::of(curvature, gradient.clone());
                let (step, by_noise) = system.solve_beside(damping, room, &beside)?;
                let gain = dot(&gradient, &step);
                let mut change = vec![0.0; unit.len()];
                for (&term, d) in free.iter().zip(step) {
                    change[term] = unit[term] * d;
                }
                let shorten = (LONGEST_CHANGE / largest(&change)).min(1.0);
                change.iter_mut().for_each(|d| *d *= shorten);
                Some(Move::new(change, gain, by_noise))
            }
            Model::States { states, gradient } => {
                let by = shares(states, damping);
                let coarse = states.coarse(by);
                let found = states.step(gradient, by, &coarse, SOLVED, LONGEST_CHANGE)?;
                let by_noise = states.gain(noise, by, &coarse, SOLVED)?;
                Some(Move {
                    kept: found.kept,
                    ..Move::new(found.change, found.gain, by_noise)
                })
            }
        }
    }
}

/// The damping of a step by states, and how much of what rows take off is taken off. What they say in the mean has no noise that
/// asks for less.
fn shares(states: &ByStates, damping: f64) -> (f64, f64) {
    let least = if states.is_marginal() {
        0.0
    } else {
        HIDDEN_BY_STATES
    };
    (damping, 1.0 - damping.clamp(least, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variance_along_a_change_is_its_quadratic_form() {
        let lower = vec![2.0, 0.0, 0.0, 0.5, 1.0, 0.0, -0.25, 0.125, 3.0];
        let entry = |a: usize, b: usize| lower[a.max(b) * 3 + a.min(b)];
        let change = [1.0, -2.0, 0.5];
        let pairs = (0..3).flat_map(|a| (0..3).map(move |b| (a, b)));
        let literal: f64 = pairs
            .map(|(a, b)| change[a] * change[b] * entry(a, b))
            .sum();
        let sampled = Sampled::Matrix(SampledCovariances {
            lower: lower.clone(),
            samples: 10,
        });
        assert!((sampled.variance_along(&change) - literal).abs() < 1e-14);
        assert_eq!(sampled.variance_along(&[]), 0.0);
        let product = sampled.times(&change);
        for a in 0..3 {
            let literal: f64 = (0..3).map(|b| entry(a, b) * change[b]).sum();
            assert!((product[a] - literal).abs() < 1e-14);
        }
    }
}
