//! A Hessian that curves downwards in every direction, none of them flat: its inverse and its largest eigenvalue, without
//! taking it apart.

use super::Spread;
use super::lanczos::{Extreme, largest_eigenvalue, random_start};
use faer::linalg::solvers::{DenseSolveCore, Llt};
use faer::{MatRef, Side};
use rayon::prelude::*;

/// The largest eigenvalue of the inverse is found to about rounding.
const ACCURACY: f64 = 1e-12;

/// Shares of the diagonal by which a sampled matrix is damped.
const LEAST_DAMPING: f64 = 1e-3;
const MOST_DAMPING: f64 = 1.0;

/// The inverse of −∇²F.
#[derive(Clone, Debug)]
pub(super) struct Definite {
    size: usize,
    inverse: Vec<f64>,
    largest: f64,
}

impl Definite {
    /// None where some eigenvalue of the Hessian is above −`flat`.
    pub(super) fn new(matrix: &[f64], flat: f64) -> Option<Self> {
        let mut found = Definite::inverse_of(matrix, flat)?;
        let widest = largest_eigenvalue(
            &random_start(found.size),
            |x, y| multiply(&found.inverse, x, y),
            |top| top.error <= ACCURACY * top.value,
        )?;
        found.largest = -1.0 / widest.value;
        Some(found)
    }

    /// Of a sampled matrix, in whose noise flat directions may seem to curve upwards: damped by twice as small a share of its
    /// diagonal as makes it curve downwards, so that none is left that noise alone makes flat. The largest eigenvalue is not
    /// looked for.
    pub(super) fn damped(matrix: &[f64], flat: f64) -> Option<Self> {
        let size = matrix.len().isqrt();
        let of_diagonal = |row: usize| matrix[row * size + row].abs();
        let typical = (0..size).map(of_diagonal).sum::<f64>() / size.max(1) as f64;
        let damped = |damping: f64| {
            let mut damped = matrix.to_vec();
            for row in 0..size {
                // Along weights of a hidden unit next to nothing may be left on the diagonal, but as much noise.
                damped[row * size + row] -= damping * of_diagonal(row).max(typical);
            }
            Definite::inverse_of(&damped, flat)
        };
        if let Some(found) = Definite::inverse_of(matrix, flat) {
            return Some(found);
        }
        let mut damping = LEAST_DAMPING;
        while damping <= MOST_DAMPING {
            if damped(damping).is_some() {
                return damped(2.0 * damping);
            }
            damping *= 4.0;
        }
        None
    }

    /// The same, and the largest eigenvalue of the matrix as it is, which has this error.
    pub(super) fn by_samples(matrix: &[f64], flat: f64, error: f64) -> Option<(Self, Extreme)> {
        let mut found = Definite::damped(matrix, flat)?;
        let highest = largest_eigenvalue(
            &random_start(found.size),
            |x, y| multiply(matrix, x, y),
            |top| top.error <= (0.01 * top.value.abs()).max(0.1 * error),
        )?;
        found.largest = highest.value;
        Some((found, highest))
    }

    fn inverse_of(matrix: &[f64], flat: f64) -> Option<Self> {
        let size = matrix.len().isqrt();
        let mut negative: Vec<f64> = matrix.iter().map(|entry| -entry).collect();
        let shift = |negative: &mut [f64], by: f64| {
            for at in 0..size {
                negative[at * size + at] += by;
            }
        };
        let factor = |negative: &[f64]| {
            Llt::new(
                MatRef::from_row_major_slice(negative, size, size),
                Side::Lower,
            )
            .ok()
        };
        shift(&mut negative, -flat);
        factor(&negative)?;
        shift(&mut negative, flat);
        let found = factor(&negative)?.inverse();
        let mut inverse = vec![0.0; size * size];
        for a in 0..size {
            for b in 0..=a {
                inverse[a * size + b] = found[(a, b)];
                inverse[b * size + a] = found[(a, b)];
            }
        }
        if inverse.iter().any(|entry| !entry.is_finite()) {
            return None;
        }
        Some(Definite {
            size,
            inverse,
            largest: f64::NEG_INFINITY,
        })
    }

    pub(super) fn largest(&self) -> f64 {
        self.largest
    }

    pub(super) fn variance(&self, parts: &[(usize, f64)]) -> f64 {
        let mut sum = 0.0;
        for &(a, by_a) in parts {
            let line = &self.inverse[a * self.size..(a + 1) * self.size];
            sum += by_a * parts.iter().map(|&(b, by_b)| by_b * line[b]).sum::<f64>();
        }
        sum
    }

    pub(super) fn spread(
        &self,
        terms: usize,
        free: &[usize],
        entropy_gradient: &[f64],
        all: &(dyn Fn(&[f64]) -> Vec<f64> + Sync),
    ) -> Spread {
        // The map's matrix M column by column: the diagonal of M C Mᵀ is that of (M C) Mᵀ.
        let lines = self.inverse.par_chunks_exact(self.size);
        let mapped: Vec<Vec<f64>> = lines.map(all).collect();
        let variances = (0..terms).into_par_iter().map(|term| {
            let line: Vec<f64> = mapped.iter().map(|column| column[term]).collect();
            all(&line)[term]
        });
        let mut product = vec![0.0; free.len()];
        multiply(&self.inverse, entropy_gradient, &mut product);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        Spread {
            variances: Some(variances.collect()),
            variance_error: 0.0,
            loadings: vec![0.0; terms],
            entropy_variance: Some(dot(entropy_gradient, &product)),
            entropy_loading: 0.0,
            steepness: dot(entropy_gradient, entropy_gradient),
        }
    }
}

/// y = A x.
fn multiply(matrix: &[f64], x: &[f64], y: &mut [f64]) {
    for (entry, line) in y.iter_mut().zip(matrix.chunks_exact(x.len())) {
        *entry = crate::inference::kernels::dot(line, x);
    }
}

#[cfg(test)]
mod tests {
    use super::super::principal::Principal;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_inverse_says_what_the_principal_directions_say(
            entries in prop::collection::vec(-1.0..1.0f64, 12 * 12),
            gradient in prop::collection::vec(-1.0..1.0f64, 12),
        ) {
            let size = 12;
            let mut matrix = vec![0.0; size * size];
            for a in 0..size {
                for b in 0..size {
                    let gram: f64 = (0..size).map(|k| entries[a * size + k] * entries[b * size + k]).sum();
                    matrix[a * size + b] = -gram - if a == b { 0.01 } else { 0.0 };
                }
            }
            let (whole, parts) = (Definite::new(&matrix, 1e-6).unwrap(), Principal::new(&matrix, size).unwrap());
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
            prop_assert!(near(whole.largest(), parts.largest()));
            let combination = [(0, 1.0), (3, -0.5), (7, 2.0)];
            prop_assert!(near(whole.variance(&combination), parts.variance(&combination, 1e-9)));
            // A map that is not symmetric: each weight takes up half of the next one's.
            let all = |v: &[f64]| (0..size).map(|i| v[i] + 0.5 * v.get(i + 1).unwrap_or(&0.0)).collect::<Vec<f64>>();
            let free: Vec<usize> = (0..size).collect();
            let (a, b) = (whole.spread(size, &free, &gradient, &all), parts.spread(size, 1e-6, &gradient, &all));
            prop_assert!(near(a.entropy_variance.unwrap(), b.entropy_variance.unwrap()) && near(a.steepness, b.steepness));
            for (a, b) in a.variances.unwrap().iter().zip(&b.variances.unwrap()) {
                prop_assert!(near(*a, *b));
            }
            // A matrix with an upward direction is not taken, but where it was sampled and may seem so by its noise.
            let (damped, _) = Definite::by_samples(&matrix, 1e-6, 1e-3).unwrap();
            prop_assert!((damped.largest() / whole.largest() - 1.0).abs() < 0.05);
            prop_assert!(near(damped.variance(&combination), whole.variance(&combination)));
            matrix[0] = 1.0;
            prop_assert!(Definite::new(&matrix, 1e-6).is_none());
            let seen = Definite::by_samples(&matrix, 1e-6, 1e-3).map(|(found, _)| found.largest());
            prop_assert!(seen.is_none_or(|largest| largest > 0.5));
        }
    }
}
