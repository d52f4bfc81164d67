//! A positive definite system that is known by its products alone, by conjugate gradients eased with something near its inverse.

use crate::inference::kernels::{add_scaled, dot};

/// What conjugate gradients came to.
pub(crate) struct Solved {
    /// x of A x = b, as far as it went.
    pub(crate) x: Vec<f64>,
    /// False where the rounds were over first.
    pub(crate) is_enough: bool,
}

/// Eased with the inverse of the diagonal.
pub(crate) fn by_diagonal(diagonal: &[f64]) -> impl Fn(&[f64]) -> Vec<f64> {
    move |rest| {
        let parts = rest.iter().zip(diagonal);
        parts.map(|(rest, bend)| rest / bend).collect()
    }
}

/// Solves A x = b from x = 0 until `enough` says so of what is left, b − A x, and of its square in the metric of what the system
/// is eased with; none where some direction does not curve upwards.
pub(crate) fn conjugate_gradients(
    b: &[f64],
    eased: impl Fn(&[f64]) -> Vec<f64>,
    rounds: usize,
    times: impl Fn(&[f64]) -> Vec<f64>,
    enough: impl Fn(&[f64], f64) -> bool,
) -> Option<Solved> {
    let mut x = vec![0.0; b.len()];
    let mut rest = b.to_vec();
    let mut direction = eased(&rest);
    let mut size = dot(&rest, &direction);
    for _ in 0..rounds {
        if enough(&rest, size) {
            return Some(Solved { x, is_enough: true });
        }
        let product = times(&direction);
        let bend = dot(&direction, &product);
        if bend.is_nan() || bend <= 0.0 {
            return None;
        }
        let step = size / bend;
        add_scaled(&mut x, &direction, step);
        add_scaled(&mut rest, &product, -step);
        let next = eased(&rest);
        let grown = dot(&rest, &next);
        for (direction, next) in direction.iter_mut().zip(&next) {
            *direction = next + grown / size * *direction;
        }
        size = grown;
    }
    Some(Solved {
        x,
        is_enough: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_system_is_solved(entries in prop::collection::vec(-1.0..1.0f64, 36), b in prop::collection::vec(-2.0..2.0f64, 6)) {
            // M Mᵀ + 1 is positive definite.
            let entry = |i: usize, j: usize| {
                let product: f64 = (0..6).map(|k| entries[6 * i + k] * entries[6 * j + k]).sum();
                product + f64::from(u8::from(i == j))
            };
            let times = |v: &[f64]| -> Vec<f64> {
                (0..6).map(|i| (0..6).map(|j| entry(i, j) * v[j]).sum()).collect()
            };
            let diagonal: Vec<f64> = (0..6).map(|i| entry(i, i)).collect();
            let small = |rest: &[f64], _: f64| dot(rest, rest) < 1e-22;
            let found = conjugate_gradients(&b, by_diagonal(&diagonal), 40, times, small).unwrap();
            prop_assert!(found.is_enough);
            for (ours, asked) in times(&found.x).iter().zip(&b) {
                prop_assert!((ours - asked).abs() < 1e-9);
            }
            prop_assert!(conjugate_gradients(&[1.0], by_diagonal(&[1.0]), 3, |v| vec![-v[0]], small).is_none());
        }
    }
}
