//! A Hessian of too many terms for a matrix, known by its products with vectors.
//!
//! ∇²F v is the derivative of the gradient along v, by differences over four points: (8 (g₁ − g₋₁) − (g₂ − g₋₂)) / 12h,
//! whose error is of the order h⁴ beside rounding over h, about 1e-12 in all for unit vectors.

use super::Spread;
use super::lanczos::{Accuracy, largest_eigenvalue};
use crate::inference::kernels::{add_scaled, dot};
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::random::{Purpose, named_seed, stream};
use rand::RngExt;
use rayon::prelude::*;

/// The step for a vector of length one.
const STEP: f64 = 1e-3;
/// A system is solved where its residual has fallen to this share.
const SOLVED: f64 = 1e-6;
const MOST_ROUNDS: usize = 400;
/// Random combinations by which a sum of many variances is estimated.
const PROBES: usize = 12;
/// The largest eigenvalue is found to this share of itself, or to this much.
const ACCURACY: Accuracy = Accuracy {
    relative: 0.01,
    absolute: 2e-9,
};

/// ∇²F at one point, over the terms that may move.
#[derive(Clone, Debug)]
pub(super) struct Products {
    problem: Problem,
    weights: Vec<f64>,
    free: Vec<usize>,
    /// About the diagonal of −∇²F: what systems are solved with.
    diagonal: Vec<f64>,
    largest: f64,
}

impl Products {
    /// None where an evaluation fails, or the largest eigenvalue does not settle.
    pub(super) fn new(problem: &Problem, weights: &[f64], free: &[usize]) -> Option<Self> {
        let mut point = Point::at(weights.to_vec());
        problem
            .evaluate(&mut point, &mut Workspace::default(), false)
            .ok()?;
        let bend = |&term: &usize| {
            let mean = point.free[term];
            mean * (1.0 - mean) + problem.prior().bend_of(term) + 1e-12
        };
        let mut products = Products {
            problem: problem.clone(),
            weights: weights.to_vec(),
            free: free.to_vec(),
            diagonal: free.iter().map(bend).collect(),
            largest: f64::NEG_INFINITY,
        };
        if !free.is_empty() {
            products.largest = largest_eigenvalue(
                free.len(),
                |x, y| match products.times(x) {
                    Some(product) => y.copy_from_slice(&product),
                    None => y.fill(f64::NAN),
                },
                ACCURACY,
            )?;
        }
        Some(products)
    }

    pub(super) fn largest(&self) -> f64 {
        self.largest
    }

    /// ∇²F v over the free terms.
    fn times(&self, v: &[f64]) -> Option<Vec<f64>> {
        let length = dot(v, v).sqrt();
        if length == 0.0 {
            return Some(vec![0.0; v.len()]);
        }
        let step = STEP / length;
        let gradients: Option<Vec<Vec<f64>>> = [1.0, -1.0, 2.0, -2.0]
            .into_par_iter()
            .map(|steps| {
                let mut point = Point::at(self.weights.clone());
                for (&term, v) in self.free.iter().zip(v) {
                    point.weights[term] += steps * step * v;
                }
                let mut work = Workspace::default();
                self.problem.evaluate(&mut point, &mut work, false).ok()?;
                Some(self.problem.gradient(&point))
            })
            .collect();
        let gradients = gradients?;
        let [a, b, c, d] = gradients.as_slice() else {
            return None;
        };
        let free = self.free.iter();
        let product = free.map(|&i| (8.0 * (a[i] - b[i]) - (c[i] - d[i])) / (12.0 * step));
        Some(product.collect())
    }

    /// (−∇²F)⁻¹ b by conjugate gradients; none where the curvature is upward, or the system is not solved.
    fn solve(&self, b: &[f64]) -> Option<Vec<f64>> {
        let mut x = vec![0.0; b.len()];
        let mut rest = b.to_vec();
        let eased = |rest: &[f64]| -> Vec<f64> {
            rest.iter()
                .zip(&self.diagonal)
                .map(|(r, d)| r / d)
                .collect()
        };
        let mut z = eased(&rest);
        let mut direction = z.clone();
        let mut size = dot(&rest, &z);
        let enough = SOLVED * dot(b, b).sqrt();
        for _ in 0..MOST_ROUNDS {
            if dot(&rest, &rest).sqrt() <= enough {
                return Some(x);
            }
            let product: Vec<f64> = self.times(&direction)?.iter().map(|p| -p).collect();
            let bend = dot(&direction, &product);
            if bend.is_nan() || bend <= 0.0 {
                return None;
            }
            let step = size / bend;
            add_scaled(&mut x, &direction, step);
            add_scaled(&mut rest, &product, -step);
            z = eased(&rest);
            let next = dot(&rest, &z);
            let by = next / size;
            for (d, z) in direction.iter_mut().zip(&z) {
                *d = z + by * *d;
            }
            size = next;
        }
        None
    }

    /// ∂H/∂λ of the entropy H = log Φ − λ · E f, which is −Cov_p[f] λ: by differences of the free phase.
    pub(super) fn entropy_gradient(&self) -> Option<Vec<f64>> {
        let length = dot(&self.weights, &self.weights).sqrt();
        if length == 0.0 {
            return Some(vec![0.0; self.free.len()]);
        }
        let step = STEP / length;
        let mut means = Vec::new();
        for steps in [1.0, -1.0, 2.0, -2.0] {
            let moved: Vec<f64> = self
                .weights
                .iter()
                .map(|w| w * (1.0 + steps * step))
                .collect();
            let mut free = Vec::new();
            let mut work = Workspace::default();
            self.problem.free_phase(&moved, &mut work, &mut free).ok()?;
            means.push(free);
        }
        let [a, b, c, d] = means.as_slice() else {
            return None;
        };
        let free = self.free.iter();
        let slope = free.map(|&i| -(8.0 * (a[i] - b[i]) - (c[i] - d[i])) / (12.0 * step));
        Some(slope.collect())
    }

    /// The entropy's variance by one system; a system per weight would be too many.
    pub(super) fn spread(&self, terms: usize, entropy_gradient: &[f64]) -> Spread {
        Spread {
            variances: None,
            loadings: vec![0.0; terms],
            entropy_variance: self.variance(entropy_gradient),
            entropy_loading: 0.0,
            steepness: dot(entropy_gradient, entropy_gradient),
        }
    }

    /// bᵀ(−∇²F)⁻¹b.
    pub(super) fn variance(&self, b: &[f64]) -> Option<f64> {
        self.solve(b).map(|x| dot(b, &x))
    }

    /// Σ aᵀ(−∇²F)⁻¹a over many combinations, from combinations of them with random signs (Hutchinson 1989).
    pub(super) fn sum_of_variances(&self, combinations: &[Vec<(usize, f64)>]) -> Option<f64> {
        let mut sum = 0.0;
        for probe in 0..PROBES {
            let mut random = stream(named_seed(0, "probes"), Purpose::Start, probe as u64);
            let mut mixed = vec![0.0; self.free.len()];
            for parts in combinations {
                let sign = if random.random::<bool>() { 1.0 } else { -1.0 };
                for &(at, by) in parts {
                    mixed[at] += sign * by;
                }
            }
            sum += self.variance(&mixed)?;
        }
        Some(sum / PROBES as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::definite::Definite;
    use super::super::hessian;
    use super::*;
    use crate::data::Dataset;
    use crate::inference::EngineId;
    use crate::learning::Objective;
    use crate::network::Network;
    use proptest::prelude::*;

    fn problem(cells: &[u8], ridge: f64) -> Problem {
        let cell = |&c: &u8| if c > 8 { -1 } else { (c % 2) as i8 };
        let rows: Vec<Vec<i8>> = cells
            .chunks_exact(6)
            .map(|row| row.iter().map(cell).collect())
            .collect();
        let data = Dataset::from_rows(&rows).unwrap();
        let structure = Network::rbm(6, 2);
        let objective = Objective::with_ridge(ridge);
        Problem::new(&structure, &data, objective, EngineId::EXACT, false).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn products_say_what_the_matrix_says(
            cells in prop::collection::vec(0u8..10, 60),
            weights in prop::collection::vec(-0.5..0.5f64, 20),
            v in prop::collection::vec(-1.0..1.0f64, 20),
        ) {
            // A ridge that makes it a maximum's curvature wherever one looks.
            let problem = problem(&cells, 60.0);
            let free: Vec<usize> = (0..20).filter(|t| *t != 3).collect();
            let matrix = hessian(&problem, &weights).unwrap();
            let part: Vec<f64> = free.iter().flat_map(|&a| free.iter().map(move |&b| (a, b)))
                .map(|(a, b)| matrix[a * 20 + b])
                .collect();
            let whole = Definite::new(&part, 1e-9);
            let Some(products) = Products::new(&problem, &weights, &free) else {
                prop_assert!(whole.is_none());
                return Ok(());
            };
            let v: Vec<f64> = free.iter().map(|&t| v[t]).collect();
            let product = products.times(&v).unwrap();
            for (at, found) in product.iter().enumerate() {
                let exact = dot(&part[at * 19..(at + 1) * 19], &v);
                prop_assert!((found - exact).abs() < 1e-10, "{found} and {exact}");
            }
            if let Some(whole) = whole {
                prop_assert!((products.largest() / whole.largest() - 1.0).abs() < 0.02);
                let parts: Vec<(usize, f64)> = v.iter().copied().enumerate().collect();
                let (a, b) = (products.variance(&v).unwrap(), whole.variance(&parts));
                prop_assert!((a / b - 1.0).abs() < 1e-6, "{a} and {b}");
                // Random signs: where one direction outweighs all others, the error of a dozen probes is 0.41 of the sum.
                let single: Vec<Vec<(usize, f64)>> = (0..19).map(|at| vec![(at, 1.0)]).collect();
                let exact: f64 = single.iter().map(|s| whole.variance(s)).sum();
                let found = products.sum_of_variances(&single).unwrap();
                prop_assert!(found > 0.0 && (found / exact - 1.0).abs() < 2.1, "{found} and {exact}");
            }
        }
    }
}
