//! Sums, maxima, products and scaled sums, entry by entry, in a fixed order of additions.

use multiversion::multiversion;

/// The largest value; −∞ of none.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn maximum(values: &[f64]) -> f64 {
    let mut lanes = [f64::NEG_INFINITY; 8];
    let (chunks, rest) = values.as_chunks::<8>();
    for chunk in chunks {
        for lane in 0..8 {
            lanes[lane] = if chunk[lane] > lanes[lane] {
                chunk[lane]
            } else {
                lanes[lane]
            };
        }
    }
    lanes
        .iter()
        .chain(rest)
        .fold(f64::NEG_INFINITY, |a, &b| a.max(b))
}

/// The sum, over eight lanes so that it becomes vector code; the order of additions is fixed.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn sum(values: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (chunks, rest) = values.as_chunks::<8>();
    for chunk in chunks {
        for lane in 0..8 {
            lanes[lane] += chunk[lane];
        }
    }
    lanes.iter().chain(rest).sum()
}

/// The inner product, over eight lanes; the order of additions is fixed.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (a_chunks, a_rest) = a.as_chunks::<8>();
    let (b_chunks, b_rest) = b.as_chunks::<8>();
    for (x, y) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..8 {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    lanes.iter().sum::<f64>() + rest
}

/// Adds the sum of each piece values[start..end] to the entry of its piece, all pieces in one call.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn add_piece_sums(values: &[f64], pieces: &[(usize, usize, usize)], sums: &mut [f64]) {
    for &(entry, start, end) in pieces {
        let mut lanes = [0.0; 8];
        let (chunks, rest) = values[start..end].as_chunks::<8>();
        for chunk in chunks {
            for lane in 0..8 {
                lanes[lane] += chunk[lane];
            }
        }
        for (lane, value) in lanes.iter_mut().zip(rest) {
            *lane += value;
        }
        let [a, b, c, d, e, f, g, h] = lanes;
        sums[entry] += ((a + e) + (c + g)) + ((b + f) + (d + h));
    }
}

/// values ← values · factors, entry by entry, times `scale`.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn multiply(values: &mut [f64], factors: &[f64], scale: f64) {
    for (value, factor) in values.iter_mut().zip(factors) {
        *value *= factor * scale;
    }
}

/// target ← target + scale · values, entry by entry.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn add_scaled(target: &mut [f64], values: &[f64], scale: f64) {
    for (t, value) in target.iter_mut().zip(values) {
        *t += value * scale;
    }
}

/// target ← target + scale · features, entry by entry.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn add_scaled_features(target: &mut [f64], features: &[f32], scale: f64) {
    for (t, &feature) in target.iter_mut().zip(features) {
        *t += f64::from(feature) * scale;
    }
}
