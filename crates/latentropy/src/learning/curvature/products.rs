//! A Hessian of too many terms for a matrix, known by its products with vectors.

use super::conjugate_gradients::{by_diagonal, conjugate_gradients};
use super::lanczos::{Extreme, inverse_root_times, largest_eigenvalue, random_start};
use super::operator::{HessianProducts, bends};
use super::{Determined, Spread, UPWARD};
use crate::inference::kernels::dot;
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::random::{Purpose, Random, named_seed, stream};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

/// A system is solved where its residual has fallen to this share.
const SOLVED: f64 = 1e-6;
const MOST_ROUNDS: usize = 400;
/// Random combinations by which a sum of many variances is estimated: at least and at most so many, until the standard error of
/// what the data determine is this share of it.
const FEWEST_PROBES: usize = 8;
const MOST_PROBES: usize = 64;
const SURE_ENOUGH: f64 = 0.01;
/// The largest eigenvalue is told to this share of itself, or to this much.
const RELATIVE: f64 = 0.01;
const ABSOLUTE: f64 = 2e-9;
/// Draws that the variances of single weights rest on: their roots are then off by a tenth.
const DRAWS: usize = 50;

/// What a change of the free terms makes of all weights.
pub(super) type Map<'a> = &'a dyn Fn(&[f64]) -> Vec<f64>;

/// ∇²F at one point, over the terms that may move.
#[derive(Clone, Debug)]
pub(super) struct Products {
    hessian: HessianProducts,
    weights: Vec<f64>,
    free: Vec<usize>,
    /// About the diagonal of −∇²F: what systems are solved with.
    diagonal: Vec<f64>,
    largest: Option<Extreme>,
}

impl Products {
    /// None where an evaluation fails, or where it stays open whether some direction is upward.
    pub(super) fn new(
        problem: &Problem,
        hessian: HessianProducts,
        weights: &[f64],
        free: &[usize],
    ) -> Option<Self> {
        let mut point = Point::at(weights.to_vec());
        problem
            .evaluate(&mut point, &mut Workspace::default(), false)
            .ok()?;
        let bends = bends(problem, &point.free);
        let mut products = Products {
            hessian,
            weights: weights.to_vec(),
            free: free.to_vec(),
            diagonal: free.iter().map(|&term| bends[term]).collect(),
            largest: None,
        };
        if !free.is_empty() {
            let largest = largest_eigenvalue(
                &random_start(free.len()),
                |x, y| y.copy_from_slice(&products.times(x)),
                |top| {
                    let enough = (RELATIVE * top.value.abs()).max(ABSOLUTE);
                    is_decided(top) && top.error <= enough
                },
            )?;
            if !is_decided(&largest) && !problem.has_concave_objective() {
                return None;
            }
            products.largest = Some(largest);
        }
        Some(products)
    }

    /// −∞ where nothing may move.
    pub(super) fn largest(&self) -> f64 {
        self.largest
            .as_ref()
            .map_or(f64::NEG_INFINITY, |top| top.value)
    }

    /// The direction of the largest.
    pub(super) fn last(&self) -> Option<&[f64]> {
        self.largest.as_ref().map(|top| top.vector.as_slice())
    }

    /// ∇²F v over the free terms.
    fn times(&self, v: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.weights.len()];
        for (&term, v) in self.free.iter().zip(v) {
            all[term] = *v;
        }
        let product = self.hessian.times(&all);
        self.free.iter().map(|&term| product[term]).collect()
    }

    /// (−∇²F)⁻¹ b by conjugate gradients; none where the curvature is upward, or the system is not solved.
    fn solve(&self, b: &[f64]) -> Option<Vec<f64>> {
        let negated = |v: &[f64]| -> Vec<f64> { self.times(v).iter().map(|p| -p).collect() };
        let least = SOLVED * dot(b, b).sqrt();
        let enough = |rest: &[f64], _: f64| dot(rest, rest).sqrt() <= least;
        let found =
            conjugate_gradients(b, by_diagonal(&self.diagonal), MOST_ROUNDS, negated, enough)?;
        found.is_enough.then_some(found.x)
    }

    /// ∂H/∂λ of the entropy H = log Φ − λ · E f, which is −Cov_p[f] λ.
    pub(super) fn entropy_gradient(&self) -> Vec<f64> {
        let product = self.hessian.free_times(&self.weights);
        self.free.iter().map(|&term| -product[term]).collect()
    }

    /// The entropy's variance by one system. Those of weights, where they are wanted, from draws whose covariance is the inverse of
    /// −∇²F, which hold for any map of the weights; a system per weight would be too many. Nothing is said where
    /// some direction may be flat.
    pub(super) fn spread(
        &self,
        terms: usize,
        flat: f64,
        entropy_gradient: &[f64],
        weights: Option<Map<'_>>,
    ) -> Spread {
        let is_steep = self.largest() <= -flat;
        Spread {
            variances: weights
                .filter(|_| is_steep)
                .and_then(|all| self.variances(terms, all)),
            variance_error: (2.0 / DRAWS as f64).sqrt(),
            loadings: vec![0.0; terms],
            entropy_variance: self.variance(entropy_gradient).filter(|_| is_steep),
            entropy_loading: 0.0,
            steepness: dot(entropy_gradient, entropy_gradient),
        }
    }

    /// The mean squares of draws.
    fn variances(&self, terms: usize, all: Map<'_>) -> Option<Vec<f64>> {
        let mut squares = vec![0.0; terms];
        for draw in 0..DRAWS {
            let mut random = stream(named_seed(0, "spread"), Purpose::Start, draw as u64);
            for (square, u) in squares.iter_mut().zip(all(&self.draw(&mut random)?)) {
                *square += u * u / DRAWS as f64;
            }
        }
        Some(squares)
    }

    /// (−∇²F)^{−1/2} u of a random u, in coordinates in which −∇²F is nearly one.
    fn draw(&self, random: &mut Random) -> Option<Vec<f64>> {
        let roots: Vec<f64> = self.diagonal.iter().map(|d| d.sqrt()).collect();
        let u: Vec<f64> = roots
            .iter()
            .map(|_| StandardNormal.sample(random))
            .collect();
        let found = inverse_root_times(&u, |x, y| {
            let eased: Vec<f64> = x.iter().zip(&roots).map(|(x, root)| x / root).collect();
            for ((y, product), root) in y.iter_mut().zip(self.times(&eased)).zip(&roots) {
                *y = -product / root;
            }
        })?;
        Some(found.iter().zip(&roots).map(|(x, root)| x / root).collect())
    }

    /// bᵀ(−∇²F)⁻¹b.
    pub(super) fn variance(&self, b: &[f64]) -> Option<f64> {
        self.solve(b).map(|x| dot(b, &x))
    }

    /// How many of the combinations a the data determine, Σ (1 − precision · aᵀ(−∇²F)⁻¹a), from combinations of them with
    /// random signs (Hutchinson 1989), with its standard error.
    pub(super) fn determined(
        &self,
        combinations: &[Vec<(usize, f64)>],
        precision: f64,
    ) -> Option<Determined> {
        let all = combinations.len() as f64;
        let (mut sum, mut squares, mut probes) = (0.0, 0.0, 0.0);
        loop {
            let mut random = stream(named_seed(0, "probes"), Purpose::Start, probes as u64);
            let mut mixed = vec![0.0; self.free.len()];
            for parts in combinations {
                let sign = if random.random::<bool>() { 1.0 } else { -1.0 };
                for &(at, by) in parts {
                    mixed[at] += sign * by;
                }
            }
            let found = all - precision * self.variance(&mixed)?;
            sum += found;
            squares += found * found;
            probes += 1.0;
            let mean: f64 = sum / probes;
            let variance = (squares / probes - mean * mean).max(0.0) / (probes - 1.0f64).max(1.0);
            let is_sure = variance.sqrt() <= SURE_ENOUGH * mean && probes >= FEWEST_PROBES as f64;
            if is_sure || probes >= MOST_PROBES as f64 {
                return Some(Determined {
                    count: mean.clamp(0.0, all),
                    error: Some(variance.sqrt()),
                });
            }
        }
    }
}

/// Whether it is known that some direction is upward, as a Rayleigh quotient above zero proves, or that none is: then there
/// must be no room for one within the residual.
fn is_decided(top: &Extreme) -> bool {
    top.value > UPWARD || top.value + top.residual <= UPWARD
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
            let hessian = HessianProducts::at(&problem, &weights).unwrap();
            let Some(products) = Products::new(&problem, hessian, &weights, &free) else {
                prop_assert!(whole.is_none());
                return Ok(());
            };
            let v: Vec<f64> = free.iter().map(|&t| v[t]).collect();
            let product = products.times(&v);
            for (at, found) in product.iter().enumerate() {
                let exact = dot(&part[at * 19..(at + 1) * 19], &v);
                prop_assert!((found - exact).abs() < 1e-12, "{found} and {exact}");
            }
            if let Some(whole) = whole {
                prop_assert!((products.largest() / whole.largest() - 1.0).abs() < 0.02);
                let parts: Vec<(usize, f64)> = v.iter().copied().enumerate().collect();
                let (a, b) = (products.variance(&v).unwrap(), whole.variance(&parts));
                prop_assert!((a / b - 1.0).abs() < 1e-6, "{a} and {b}");
                let single: Vec<Vec<(usize, f64)>> = (0..19).map(|at| vec![(at, 1.0)]).collect();
                let exact: Vec<f64> = single.iter().map(|s| whole.variance(s)).collect();
                // Such that a tenth of what the widest direction has is the prior's.
                let precision = 0.1 / exact.iter().copied().fold(0.0, f64::max);
                let count: f64 = exact.iter().map(|variance| 1.0 - precision * variance).sum();
                let found = products.determined(&single, precision).unwrap();
                let error = found.error.unwrap().max(1e-3 * count);
                prop_assert!((found.count - count).abs() < 6.0 * error, "{found:?} and {count}");
                let identity = |x: &[f64]| x.to_vec();
                let drawn = products.variances(19, &identity).unwrap();
                // Each has the error √(2/n) of its own; all of them together are not off by six of them.
                for (drawn, exact) in drawn.iter().zip(&exact) {
                    prop_assert!((drawn / exact - 1.0).abs() < 6.0 * (2.0 / DRAWS as f64).sqrt(), "{drawn} and {exact}");
                }
            }
        }
    }
}
