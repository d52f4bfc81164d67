//! What a measurement says of Cov f: a matrix, or products by states where there are too many terms for one.

use super::super::system::{System, largest};
use super::standing::Standing;
use crate::inference::{SampledCovariances, StateProducts};
use crate::learning::curvature::{ByStates, Curvature, hessian_by_samples};
use crate::learning::point::Point;
use crate::learning::problem::Problem;

/// The longest change of a weight in one step.
const LONGEST_CHANGE: f64 = 1.0;
/// Features of a smaller variance than this are as good as constant.
const RAREST: f64 = 1e-6;
/// Systems of a step are solved to this share: the next step mends what is left.
const SOLVED: f64 = 0.1;

/// Cov f by samples.
pub(super) enum Sampled {
    Matrix(SampledCovariances),
    States(Box<StateProducts>),
}

/// The step from one point for any damping.
pub(super) enum Model<'a> {
    Matrix {
        system: System,
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
                let states = StateProducts::clone(states);
                let states = ByStates::new(problem, &point.weights, states, &standing.free);
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
        let mut matrix = hessian_by_samples(problem, &point.weights, covariances);
        for (row, &of_row) in matrix.chunks_exact_mut(terms.max(1)).zip(&unit) {
            for (entry, of_column) in row.iter_mut().zip(&unit) {
                *entry *= of_row * of_column;
            }
        }
        let gradient = standing.gradient.iter().zip(&unit).map(|(g, u)| g * u);
        let system = System::new(&matrix, &gradient.collect::<Vec<f64>>(), &standing.free);
        let bounds = problem.prior().bounds();
        let room = standing.free.iter().map(|&i| {
            let (low, high) = (-bounds[i] - point.weights[i], bounds[i] - point.weights[i]);
            (low / unit[i], high / unit[i])
        });
        Model::Matrix {
            system,
            room: room.collect(),
            unit,
            free: &standing.free,
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
                let states = StateProducts::clone(states);
                let states = ByStates::new(problem, weights, states, &free);
                Some(Curvature::by_states(states, free, 0.0))
            }
        }
    }
}

impl Model<'_> {
    /// The change of all weights for this damping; none where it does not make the curvature definite.
    pub(super) fn step(&self, damping: f64) -> Option<Vec<f64>> {
        match self {
            Model::Matrix {
                system,
                unit,
                room,
                free,
            } => {
                let step = system.solve(damping, room)?;
                let mut change = vec![0.0; unit.len()];
                for (&term, d) in free.iter().zip(step) {
                    change[term] = unit[term] * d;
                }
                let shorten = (LONGEST_CHANGE / largest(&change)).min(1.0);
                change.iter_mut().for_each(|d| *d *= shorten);
                Some(change)
            }
            Model::States { states, gradient } => {
                states.step(gradient, damping, SOLVED, LONGEST_CHANGE)
            }
        }
    }
}
