//! Rows of a matrix that a list names: what a matrix times a vector of zeros and ones comes to; and the draws between.

use super::exponential;
use multiversion::multiversion;
use multiversion::target::target_cfg_f;

/// Replaces every field f by 1/(1 + e^-f). Without the logarithms of `logistic_row` the loop becomes vector code.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn logistics(fields: &mut [f64]) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    for value in fields.iter_mut() {
        let small = exponential::<FMA>(-value.abs());
        let inverse = 1.0 / (1.0 + small);
        *value = if *value > 0.0 {
            inverse
        } else {
            small * inverse
        };
    }
}

/// Adds the listed rows of the matrix, each as long as `target`, to `target`.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn add_listed_rows(target: &mut [f64], matrix: &[f64], rows: &[u32]) {
    let width = target.len();
    for &row in rows {
        let from = row as usize * width;
        for (t, value) in target.iter_mut().zip(&matrix[from..from + width]) {
            *t += value;
        }
    }
}

/// Adds `values` to each of the listed rows of the matrix.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn add_to_listed_rows(matrix: &mut [f64], values: &[f64], rows: &[u32]) {
    let width = values.len();
    for &row in rows {
        let from = row as usize * width;
        for (t, value) in matrix[from..from + width].iter_mut().zip(values) {
            *t += value;
        }
    }
}

/// weight ← weight + step · (slope − ridge · weight), kept within ± bound; the slope is zero afterwards.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn step_within(
    weights: &mut [f64],
    slopes: &mut [f64],
    step: f64,
    ridge: f64,
    bound: f64,
) {
    for (weight, slope) in weights.iter_mut().zip(slopes) {
        let moved = *weight + step * (*slope - ridge * *weight);
        *weight = moved.min(bound).max(-bound);
        *slope = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_what_they_say() {
        for width in [1, 7, 8, 33] {
            let wave = |at: usize| 3.0 * (1.3 * at as f64).sin();
            let matrix: Vec<f64> = (0..5 * width).map(wave).collect();
            let rows = [4, 0, 3];
            let mut sum = vec![0.5; width];
            add_listed_rows(&mut sum, &matrix, &rows);
            let mut spread = matrix.clone();
            add_to_listed_rows(&mut spread, &sum, &rows);
            for at in 0..width {
                let expected = 0.5 + matrix[4 * width + at] + matrix[at] + matrix[3 * width + at];
                assert!((sum[at] - expected).abs() < 1e-14);
                for row in 0..5 {
                    let own = matrix[row * width + at];
                    let added = if rows.contains(&(row as u32)) {
                        sum[at]
                    } else {
                        0.0
                    };
                    assert_eq!(spread[row * width + at], own + added);
                }
            }
            let mut fields: Vec<f64> = (0..width).map(|at| 10.0 * wave(at)).collect();
            logistics(&mut fields);
            for (at, found) in fields.iter().enumerate() {
                let expected = 1.0 / (1.0 + (-10.0 * wave(at)).exp());
                assert!((found - expected).abs() < 1e-14, "{found} {expected}");
            }
            let (mut weights, mut slopes) = (matrix.clone(), vec![2.0; matrix.len()]);
            step_within(&mut weights, &mut slopes, 0.5, 0.1, 2.0);
            for (weight, before) in weights.iter().zip(&matrix) {
                let expected: f64 = before + 0.5 * (2.0 - 0.1 * before);
                assert!((weight - expected.clamp(-2.0, 2.0)).abs() < 1e-14);
            }
            assert!(slopes.iter().all(|&slope| slope == 0.0));
        }
    }
}
