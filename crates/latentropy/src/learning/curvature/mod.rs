//! The curvature of the objective at a point: what certificates, standard errors and the evidence ask of it.

mod by_states;
mod conjugate_gradients;
mod definite;
mod hessian;
mod judged;
mod lanczos;
mod operator;
mod principal;
mod products;

use super::point::Point;
use super::problem::Problem;
use crate::rows::Summed;
pub(crate) use by_states::ByStates;
use by_states::has_states;
pub(crate) use conjugate_gradients::{by_diagonal, conjugate_gradients};
use definite::Definite;
pub(crate) use hessian::{
    MOST_SAMPLED_TERMS, has_curvature, hessian, hessian_by_samples, hessian_without_rows,
    sampled_steps_by_matrix, step_hessian, steps_by_hessian, steps_by_products,
};
use hessian::{has_products, has_sampled_hessian, hessian_and_entropy_gradient, sampled_hessian};
use judged::{Judged, judged};
pub(crate) use operator::{HessianProducts, bends};
use principal::Principal;
use products::{Map, Products};

/// An eigenvalue above this is an upward direction; below it lie rounding and the flat directions of dead or
/// duplicate hidden units. Covariances of 0/1 features are at most 1/4.
pub(crate) const UPWARD: f64 = 1e-8;

/// A direction of less curvature than this is flat enough to look along it.
const FLAT: f64 = 1e-7;

/// Up to this many terms the matrix is taken apart into all its principal directions: that is quick enough.
const SMALL: usize = 64;

/// More than this are not: all principal directions of so many terms take minutes.
const MOST_PRINCIPAL: usize = 3000;

/// The curvature of the objective over the terms that may move.
#[derive(Clone, Debug)]
pub(crate) struct Curvature {
    /// The terms that may move.
    pub(crate) free: Vec<usize>,
    /// ∂H/∂λ of the entropy H, over these terms.
    entropy_gradient: Vec<f64>,
    /// The largest eigenvalue, where the matrix was sampled and it was looked for.
    sampled: Option<Judged>,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    Principal(Principal),
    /// Where no direction is upward or flat.
    Definite(Definite),
    /// Where there are too many terms for a matrix.
    Products(Box<Products>),
    /// The same by samples.
    States(Box<ByStates>),
}

/// How many combinations of weights the data determine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Determined {
    pub(crate) count: f64,
    /// The standard error of an estimate by random combinations; none where all were looked at.
    pub(crate) error: Option<f64>,
}

/// Variances and flat directions of weights and entropy: what standard errors are made of.
#[derive(Debug)]
pub(crate) struct Spread {
    /// Of each term's weight, the part of the inverse of −∇²F in the directions that are not flat; none where there are
    /// too many terms for it.
    pub(crate) variances: Option<Vec<f64>>,
    /// The relative standard error of each of these, where they are from random draws; else zero.
    pub(crate) variance_error: f64,
    /// How much each weight takes part in flat directions: the squared length of its unit vector's part there.
    pub(crate) loadings: Vec<f64>,
    /// The same of the entropy, by the delta method, and the squared length of its gradient.
    pub(crate) entropy_variance: Option<f64>,
    pub(crate) entropy_loading: f64,
    pub(crate) steepness: f64,
}

impl Curvature {
    /// At an evaluated point, over the terms that may move there.
    pub(crate) fn at(problem: &Problem, point: &Point) -> Option<Self> {
        let gradient = problem.gradient(point);
        let free = problem.prior().movable(&point.weights, &gradient);
        Curvature::new(problem, &point.weights, free)
    }

    /// At these weights, over the terms `free`; `None` where the machine is too large.
    pub(crate) fn new(problem: &Problem, weights: &[f64], free: Vec<usize>) -> Option<Self> {
        if let Some((matrix, entropy_gradient)) = hessian_and_entropy_gradient(problem, weights) {
            return Curvature::by_matrix(problem, weights, free, &matrix, &entropy_gradient);
        }
        if has_sampled_hessian(problem) {
            return Curvature::by_sampled_matrix(problem, weights, free);
        }
        if has_states(problem) {
            let (states, highest) = ByStates::certified(problem, weights, &free)?;
            return Some(Curvature {
                sampled: Some(highest),
                ..Curvature::by_states(states, free)
            });
        }
        let hessian = HessianProducts::at(problem, weights)?;
        Curvature::by_products(problem, hessian, weights, free)
    }

    fn by_matrix(
        problem: &Problem,
        weights: &[f64],
        free: Vec<usize>,
        matrix: &[f64],
        entropy_gradient: &[f64],
    ) -> Option<Self> {
        let part = part_of(matrix, weights.len(), &free);
        let definite = match free.len() > SMALL {
            true => Definite::new(&part, flat(problem)),
            false => None,
        };
        let form = match definite {
            Some(definite) => Form::Definite(definite),
            None if free.len() > MOST_PRINCIPAL => {
                let hessian = HessianProducts::at(problem, weights)?;
                return Curvature::by_products(problem, hessian, weights, free);
            }
            None => Form::Principal(Principal::new(&part, free.len())?),
        };
        Some(Curvature {
            entropy_gradient: free.iter().map(|&term| entropy_gradient[term]).collect(),
            free,
            sampled: None,
            form,
        })
    }

    fn by_sampled_matrix(problem: &Problem, weights: &[f64], free: Vec<usize>) -> Option<Self> {
        let (matrix, entropy_gradient, error) = sampled_hessian(problem, weights)?;
        let part = part_of(&matrix, weights.len(), &free);
        let definite = match free.len() > SMALL {
            true => Definite::by_samples(&part, flat(problem), error),
            false => None,
        };
        let (form, value, along) = match definite {
            Some((definite, highest)) => (Form::Definite(definite), highest.value, highest.vector),
            None => {
                let principal = Principal::new(&part, free.len())?;
                let along = principal.last().unwrap_or_default().to_vec();
                let value = principal.largest();
                // Where the rows say nothing the prior alone bends.
                let least = problem.objective().ridge / problem.row_count();
                (Form::Principal(principal.bent(least)), value, along)
            }
        };
        let mut direction = vec![0.0; weights.len()];
        for (&term, u) in free.iter().zip(along) {
            direction[term] = u;
        }
        let sought = Judged { value, error };
        let said = problem.rows().said_shares(Summed::Ready);
        let roots = said.into_iter().map(f64::sqrt);
        let said: Vec<f64> = direction
            .iter()
            .zip(roots)
            .map(|(u, root)| u * root)
            .collect();
        Some(Curvature {
            entropy_gradient: free.iter().map(|&term| entropy_gradient[term]).collect(),
            free,
            sampled: Some(judged(
                problem,
                weights,
                sought,
                &direction,
                (&said, Summed::Ready),
                None,
                1.0,
            )?),
            form,
        })
    }

    /// By samples, for very many terms, where the largest eigenvalue is not wanted.
    pub(crate) fn by_states(states: ByStates, free: Vec<usize>) -> Self {
        Curvature {
            entropy_gradient: Vec::new(),
            form: Form::States(Box::new(states)),
            sampled: None,
            free,
        }
    }

    /// Of a sampled matrix over all terms, row-major, where only its inverse is wanted.
    pub(crate) fn damped(problem: &Problem, matrix: &[f64], free: Vec<usize>) -> Option<Self> {
        let part = part_of(matrix, problem.terms(), &free);
        Some(Curvature {
            entropy_gradient: vec![0.0; free.len()],
            form: Form::Definite(Definite::damped(&part, flat(problem))?),
            sampled: None,
            free,
        })
    }

    /// Without a matrix.
    fn by_products(
        problem: &Problem,
        hessian: HessianProducts,
        weights: &[f64],
        free: Vec<usize>,
    ) -> Option<Self> {
        if !has_products(problem) {
            return None;
        }
        let products = Products::new(problem, hessian, weights, &free)?;
        Some(Curvature {
            entropy_gradient: products.entropy_gradient(),
            form: Form::Products(Box::new(products)),
            sampled: None,
            free,
        })
    }

    /// The largest eigenvalue; −∞ where nothing may move.
    pub(crate) fn largest(&self) -> f64 {
        match (&self.sampled, &self.form) {
            (Some(judged), _) => judged.value,
            (None, Form::Principal(principal)) => principal.largest(),
            (None, Form::Definite(definite)) => definite.largest(),
            (None, Form::Products(products)) => products.largest(),
            (None, Form::States(_)) => f64::NEG_INFINITY,
        }
    }

    /// The standard error of that, where it is by samples; else zero.
    pub(crate) fn error(&self) -> f64 {
        self.sampled.map_or(0.0, |judged| judged.error)
    }

    /// The direction of the largest eigenvalue, where it is an upward one, over the free terms.
    pub(crate) fn upward(&self) -> Option<&[f64]> {
        match &self.form {
            Form::Principal(principal) if principal.largest() > UPWARD => principal.last(),
            Form::Products(products) if products.largest() > UPWARD => products.last(),
            _ => None,
        }
    }

    /// The part of the entropy's gradient in flat directions, over all `terms`; none where these were not looked at.
    pub(crate) fn flat_entropy_gradient(&self, problem: &Problem) -> Option<Vec<f64>> {
        let Form::Principal(principal) = &self.form else {
            return None;
        };
        let part = principal.flat_part(&self.entropy_gradient, FLAT);
        Some(self.among_all(part, problem.terms()))
    }

    /// The part of a vector over all terms in flat directions; none where these were not looked at.
    pub(crate) fn flat_part(&self, vector: &[f64]) -> Option<Vec<f64>> {
        let Form::Principal(principal) = &self.form else {
            return None;
        };
        let part = principal.flat_part(&self.of_free(vector), FLAT);
        Some(self.among_all(part, vector.len()))
    }

    /// The change of weights that brings this gradient to zero in all directions that are not flat, `damping` added to their
    /// curvature; none where they were not looked at.
    pub(crate) fn correction(&self, gradient: &[f64], damping: f64) -> Option<Vec<f64>> {
        let Form::Principal(principal) = &self.form else {
            return None;
        };
        let part = principal.solved(&self.of_free(gradient), FLAT, damping);
        Some(self.among_all(part, gradient.len()))
    }

    /// What a vector over all terms has of the free ones.
    fn of_free(&self, vector: &[f64]) -> Vec<f64> {
        self.free.iter().map(|&term| vector[term]).collect()
    }

    /// A vector over the free terms as one over all `terms`, zero elsewhere.
    fn among_all(&self, part: Vec<f64>, terms: usize) -> Vec<f64> {
        let mut all = vec![0.0; terms];
        for (&term, u) in self.free.iter().zip(part) {
            all[term] = u;
        }
        all
    }

    /// Σ (1 − precision · aᵀ(−∇²F)⁻¹a) over combinations of terms that may move, each with its factor, where the prior alone
    /// bends by `precision`: how many of them the data determine. Estimated where there is no matrix.
    pub(crate) fn determined(
        &self,
        combinations: &[Vec<(usize, f64)>],
        precision: f64,
    ) -> Option<Determined> {
        // Rounding may leave a flat direction a hair below zero: the prior alone is what bends there.
        let flattest = precision * 1e-9;
        let share = |variance: f64| (1.0 - precision * variance).clamp(0.0, 1.0);
        let combined = combinations.iter();
        let count = match &self.form {
            Form::Principal(principal) => combined
                .map(|parts| share(principal.variance(parts, flattest)))
                .sum(),
            Form::Definite(definite) => combined.map(|parts| share(definite.variance(parts))).sum(),
            Form::Products(products) => return products.determined(combinations, precision),
            Form::States(states) => {
                let count = combinations.len() as f64;
                let sum = states.sum_of_variances(&self.in_all(combinations))?;
                (count - precision * sum).clamp(0.0, count)
            }
        };
        Some(Determined { count, error: None })
    }

    /// Combinations of free terms as such of all terms.
    fn in_all(&self, combinations: &[Vec<(usize, f64)>]) -> Vec<Vec<(usize, f64)>> {
        let of_all = |parts: &Vec<(usize, f64)>| {
            let parts = parts.iter();
            parts.map(|&(at, by)| (self.free[at], by)).collect()
        };
        combinations.iter().map(of_all).collect()
    }

    /// Variances of the weights that a linear map makes of all `terms` weights, those of terms that do not move being known;
    /// without those of weights, where that would take long and they are not wanted.
    pub(crate) fn spread(
        &self,
        problem: &Problem,
        map: &(dyn Fn(Vec<f64>) -> Vec<f64> + Sync),
        wants_weights: bool,
    ) -> Spread {
        let terms = problem.terms();
        let all = |direction: &[f64]| {
            let mut all = vec![0.0; terms];
            for (&term, u) in self.free.iter().zip(direction) {
                all[term] = *u;
            }
            map(all)
        };
        match &self.form {
            Form::Principal(principal) => {
                principal.spread(terms, flat(problem), &self.entropy_gradient, &all)
            }
            Form::Definite(definite) => {
                definite.spread(terms, &self.free, &self.entropy_gradient, &all)
            }
            Form::Products(products) => {
                let all: Map<'_> = &all;
                let weights = wants_weights.then_some(all);
                products.spread(terms, flat(problem), &self.entropy_gradient, weights)
            }
            Form::States(states) => states.spread(&|weights| map(weights.to_vec())),
        }
    }
}

/// Rows and columns of some terms.
fn part_of(matrix: &[f64], terms: usize, free: &[usize]) -> Vec<f64> {
    let mut part = Vec::with_capacity(free.len() * free.len());
    for &a in free {
        part.extend(free.iter().map(|&b| matrix[a * terms + b]));
    }
    part
}

/// A direction in which one standard error is wider than the box is flat: the data do not determine the weights along
/// it, and no quadratic describes the objective so far out. What is left has standard errors of at most the box.
fn flat(problem: &Problem) -> f64 {
    let (rows, bound) = (problem.row_count(), problem.objective().bound);
    UPWARD.max(1.0 / (rows * bound * bound))
}
