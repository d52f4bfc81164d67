//! What the products of a symmetric matrix with a few vectors say of it (Lanczos 1950): its largest eigenvalue, and the
//! inverse of its square root times a vector.

use crate::inference::kernels::{add_scaled, dot};
use crate::random::{Purpose, named_seed, stream};
use faer::{Mat, Side};
use rand::RngExt;

/// Steps, at most.
const MOST_STEPS: usize = 400;
/// Before this many steps the largest eigenvalue may not have been seen at all.
const FEWEST_STEPS: usize = 32;
/// The small matrix of the steps so far is taken apart after so many of them.
const LOOK_EVERY: usize = 8;
/// A square root has settled where so many more steps change it by less than this share of its length.
const SETTLED: f64 = 1e-3;

/// The largest eigenvalue, as far as the steps show it.
#[derive(Clone, Debug)]
pub(super) struct Extreme {
    /// A Rayleigh quotient: the largest eigenvalue is at least this.
    pub(super) value: f64,
    /// The residual of its vector: some eigenvalue is within this of the value.
    pub(super) residual: f64,
    /// How far the value itself is off, about: the residual squared over the gap to the next one.
    pub(super) error: f64,
    /// A unit vector with that quotient.
    pub(super) vector: Vec<f64>,
}

/// Vectors v, Av, A²v, … made orthogonal, in which the matrix is tridiagonal.
struct Steps {
    basis: Vec<Vec<f64>>,
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    next: Vec<f64>,
    /// Of the vector that comes next.
    length: f64,
}

impl Steps {
    fn new(start: &[f64]) -> Self {
        Steps {
            basis: Vec::new(),
            diagonal: Vec::new(),
            beside: Vec::new(),
            length: dot(start, start).sqrt(),
            next: start.to_vec(),
        }
    }

    fn step(&mut self, multiply: &impl Fn(&[f64], &mut [f64])) {
        if !self.basis.is_empty() {
            self.beside.push(self.length);
        }
        let length = self.length;
        self.next.iter_mut().for_each(|x| *x /= length);
        self.basis.push(self.next.clone());
        let mut product = vec![0.0; self.next.len()];
        multiply(&self.next, &mut product);
        self.diagonal.push(dot(&self.next, &product));
        self.next = product;
        // Twice, so that the basis stays orthogonal to rounding.
        for _ in 0..2 {
            for known in &self.basis {
                let part = dot(known, &self.next);
                add_scaled(&mut self.next, known, -part);
            }
        }
        self.length = dot(&self.next, &self.next).sqrt();
    }

    /// True where there is no further vector.
    fn is_over(&self) -> bool {
        let steps = self.basis.len();
        steps == self.next.len().min(MOST_STEPS) || self.length <= f64::MIN_POSITIVE
    }

    /// Eigenvalues of the tridiagonal matrix, ascending, and their vectors as columns.
    fn taken_apart(&self) -> Option<(Vec<f64>, Mat<f64>)> {
        let size = self.diagonal.len();
        let matrix = Mat::from_fn(size, size, |a, b| match a.abs_diff(b) {
            0 => self.diagonal[a],
            1 => self.beside[a.min(b)],
            _ => 0.0,
        });
        let eigen = matrix.self_adjoint_eigen(Side::Lower).ok()?;
        let values: Vec<f64> = (0..size).map(|at| eigen.S()[at]).collect();
        let is_finite = values.iter().all(|value| value.is_finite());
        is_finite.then(|| (values, eigen.U().to_owned()))
    }

    /// The combination of the basis with these factors.
    fn combined(&self, factors: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut sum = vec![0.0; self.next.len()];
        for (vector, factor) in self.basis.iter().zip(factors) {
            add_scaled(&mut sum, vector, factor);
        }
        sum
    }

    fn top(&self) -> Option<Extreme> {
        let (values, vectors) = self.taken_apart()?;
        let last = values.len() - 1;
        let value = values[last];
        let gap = match last {
            0 => value.abs(),
            _ => value - values[last - 1],
        };
        let is_whole = self.basis.len() == self.next.len() || self.length <= f64::MIN_POSITIVE;
        let residual = match is_whole {
            true => 0.0,
            false => self.length * vectors[(last, last)].abs(),
        };
        Some(Extreme {
            value,
            residual,
            error: residual * residual / gap.max(residual).max(f64::MIN_POSITIVE),
            vector: self.combined((0..=last).map(|at| vectors[(at, last)])),
        })
    }
}

/// The largest eigenvalue after as many steps as it takes, or as there are; `multiply(x, y)` leaves A x in y, and `start` is
/// any vector with a part in every direction. None where the arithmetic fails.
pub(super) fn largest_eigenvalue(
    start: &[f64],
    multiply: impl Fn(&[f64], &mut [f64]),
    is_enough: impl Fn(&Extreme) -> bool,
) -> Option<Extreme> {
    let mut steps = Steps::new(start);
    loop {
        steps.step(&multiply);
        let (count, is_over) = (steps.basis.len(), steps.is_over());
        if count.is_multiple_of(LOOK_EVERY) || is_over {
            let top = steps.top()?;
            if is_over || (count >= FEWEST_STEPS && is_enough(&top)) {
                return Some(top);
            }
        }
    }
}

/// A vector to begin with: a random one has a part in every direction.
pub(super) fn random_start(size: usize) -> Vec<f64> {
    let mut random = stream(named_seed(0, "curvature"), Purpose::Alone, 0);
    (0..size).map(|_| random.random::<f64>() - 0.5).collect()
}

/// A^{−1/2} v, to about a thousandth; none where some eigenvalue is not positive, or it does not settle.
pub(super) fn inverse_root_times(
    v: &[f64],
    multiply: impl Fn(&[f64], &mut [f64]),
) -> Option<Vec<f64>> {
    let length = dot(v, v).sqrt();
    if length == 0.0 {
        return Some(v.to_vec());
    }
    let mut steps = Steps::new(v);
    let mut before: Vec<f64> = Vec::new();
    loop {
        steps.step(&multiply);
        let (count, is_over) = (steps.basis.len(), steps.is_over());
        if !count.is_multiple_of(LOOK_EVERY) && !is_over {
            continue;
        }
        let (values, vectors) = steps.taken_apart()?;
        if values[0] <= 0.0 {
            return None;
        }
        // v is the first vector of the basis: the function of the matrix is that of the small one, first column.
        let factors: Vec<f64> = (0..count)
            .map(|at| {
                let parts =
                    (0..count).map(|e| vectors[(at, e)] * vectors[(0, e)] / values[e].sqrt());
                length * parts.sum::<f64>()
            })
            .collect();
        let change: f64 = factors
            .iter()
            .enumerate()
            .map(|(at, f)| (f - before.get(at).unwrap_or(&0.0)).powi(2))
            .sum();
        let has_settled = change.sqrt() <= SETTLED * dot(&factors, &factors).sqrt();
        let is_whole = count == v.len() || steps.length <= f64::MIN_POSITIVE;
        if (has_settled && !before.is_empty()) || is_whole {
            return Some(steps.combined(factors.into_iter()));
        }
        if is_over {
            return None;
        }
        before = factors;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// B Bᵀ + 0.01, line by line.
    fn positive(entries: &[f64], size: usize) -> Vec<f64> {
        let line = |a: usize| &entries[a * size..(a + 1) * size];
        let entry = |a: usize, b: usize| dot(line(a), line(b)) + if a == b { 0.01 } else { 0.0 };
        (0..size * size)
            .map(|at| entry(at / size, at % size))
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn steps_say_what_the_matrix_says(
            entries in prop::collection::vec(-1.0..1.0f64, 40 * 40),
            start in prop::collection::vec(0.1..1.0f64, 40),
        ) {
            let size = 40;
            let matrix = positive(&entries, size);
            let multiply = |x: &[f64], y: &mut [f64]| {
                for (y, line) in y.iter_mut().zip(matrix.chunks_exact(size)) {
                    *y = dot(line, x);
                }
            };
            let whole = faer::MatRef::from_row_major_slice(&matrix, size, size);
            let largest = whole.self_adjoint_eigen(Side::Lower).unwrap().S()[size - 1];
            let found = largest_eigenvalue(&start, multiply, |top| top.residual <= 1e-6 * top.value).unwrap();
            prop_assert!(found.value <= largest * (1.0 + 1e-12));
            prop_assert!(found.value + found.residual >= largest * (1.0 - 1e-12));
            let mut product = vec![0.0; size];
            multiply(&found.vector, &mut product);
            prop_assert!((dot(&found.vector, &product) / found.value - 1.0).abs() < 1e-9);
            // Twice the inverse root is the inverse.
            let root = inverse_root_times(&start, multiply).unwrap();
            let twice = inverse_root_times(&root, multiply).unwrap();
            multiply(&twice, &mut product);
            let off: f64 = product.iter().zip(&start).map(|(a, b)| (a - b).powi(2)).sum();
            prop_assert!(off.sqrt() < 0.05 * dot(&start, &start).sqrt(), "{off}");
        }
    }
}
