//! Transforms over all subsets of bits: products and sums over subsets, sums over supersets, posteriors of eight rows at once.

use super::elementary::{exponentials_inline, logarithms_inline};
use multiversion::multiversion;
use multiversion::target::target_cfg_f;

/// Applies `step(lower, upper)` to every pair of entries that differ in one bit, bit by bit.
#[inline(always)]
fn butterflies(table: &mut [f64], step: impl Fn(f64, f64) -> (f64, f64) + Copy) {
    let length = table.len();
    if length <= CACHED {
        cached_butterflies(table, step);
    } else {
        // The low bits piece by piece within the cache, then one pass for each of the others.
        for piece in table.chunks_exact_mut(CACHED) {
            cached_butterflies(piece, step);
        }
        wide_butterflies(table, CACHED, step);
    }
}

/// A table of this many numbers stays in the second cache while all its bits are worked on.
const CACHED: usize = 1 << 15;

#[inline(always)]
fn cached_butterflies(table: &mut [f64], step: impl Fn(f64, f64) -> (f64, f64) + Copy) {
    let length = table.len();
    let mut half = 1;
    if length >= 8 {
        let (chunks, _) = table.as_chunks_mut::<8>();
        for chunk in chunks {
            // Each bit as one operation on whole vectors: partners side by side by a fixed shuffle.
            let c = *chunk;
            let (low, high) = pairs([c[0], c[2], c[4], c[6]], [c[1], c[3], c[5], c[7]], step);
            let c = [
                low[0], high[0], low[1], high[1], low[2], high[2], low[3], high[3],
            ];
            let (low, high) = pairs([c[0], c[1], c[4], c[5]], [c[2], c[3], c[6], c[7]], step);
            let c = [
                low[0], low[1], high[0], high[1], low[2], low[3], high[2], high[3],
            ];
            let (low, high) = pairs([c[0], c[1], c[2], c[3]], [c[4], c[5], c[6], c[7]], step);
            *chunk = [
                low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3],
            ];
        }
        half = 8;
    }
    wide_butterflies(table, half, step);
}

#[inline(always)]
fn pairs(
    low: [f64; 4],
    high: [f64; 4],
    step: impl Fn(f64, f64) -> (f64, f64),
) -> ([f64; 4], [f64; 4]) {
    let (mut new_low, mut new_high) = ([0.0; 4], [0.0; 4]);
    for at in 0..4 {
        (new_low[at], new_high[at]) = step(low[at], high[at]);
    }
    (new_low, new_high)
}

#[inline(always)]
fn wide_butterflies(
    table: &mut [f64],
    mut half: usize,
    step: impl Fn(f64, f64) -> (f64, f64) + Copy,
) {
    // Two bits per pass: half the loads and stores.
    while 2 * half < table.len() {
        for four in table.chunks_exact_mut(4 * half) {
            let (lower, upper) = four.split_at_mut(2 * half);
            let (a, b) = lower.split_at_mut(half);
            let (c, d) = upper.split_at_mut(half);
            for at in 0..half {
                let (a1, b1) = step(a[at], b[at]);
                let (c1, d1) = step(c[at], d[at]);
                (a[at], c[at]) = step(a1, c1);
                (b[at], d[at]) = step(b1, d1);
            }
        }
        half *= 4;
    }
    while half < table.len() {
        for pair in table.chunks_exact_mut(2 * half) {
            let (low, high) = pair.split_at_mut(half);
            for (l, h) in low.iter_mut().zip(high) {
                (*l, *h) = step(*l, *h);
            }
        }
        half *= 2;
    }
}

/// Products over subsets: entry s becomes Π_{m⊆s} of the old entries m.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn subset_products(table: &mut [f64]) {
    butterflies(table, |low, high| (low, high * low));
}

/// Sums over subsets: entry s becomes Σ_{m⊆s} of the old entries m.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn subset_sums(table: &mut [f64]) {
    butterflies(table, |low, high| (low, high + low));
}

/// Sums over supersets: entry m becomes Σ_{s⊇m} of the old entries s.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn superset_sums(table: &mut [f64]) {
    butterflies(table, |low, high| (low + high, high));
}

/// Rows worked on side by side by [`lane_posteriors`].
pub(crate) const LANES: usize = 8;

/// For eight distributions side by side, entry s·8 + lane: from coefficients to E[Π_mask x] for every mask; returns log Σ exp.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn lane_posteriors(table: &mut [f64]) -> [f64; LANES] {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    lane_posteriors_inline::<FMA>(table)
}

#[inline(always)]
fn lane_posteriors_inline<const FMA: bool>(table: &mut [f64]) -> [f64; LANES] {
    wide_butterflies(table, LANES, |low, high| (low, high + low));
    let mut largest = [f64::NEG_INFINITY; LANES];
    for row in table.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            largest[lane] = if row[lane] > largest[lane] {
                row[lane]
            } else {
                largest[lane]
            };
        }
    }
    for row in table.as_chunks_mut::<LANES>().0 {
        for lane in 0..LANES {
            row[lane] -= largest[lane];
        }
    }
    exponentials_inline::<FMA>(table);
    wide_butterflies(table, LANES, |low, high| (low + high, high));
    let rows = table.as_chunks_mut::<LANES>().0;
    let totals = rows[0];
    let mut inverses = [1.0; LANES];
    for lane in 0..LANES {
        inverses[lane] = 1.0 / totals[lane];
    }
    for row in rows {
        for lane in 0..LANES {
            row[lane] *= inverses[lane];
        }
    }
    let mut log_sums = totals;
    logarithms_inline::<FMA>(&mut log_sums);
    for lane in 0..LANES {
        log_sums[lane] += largest[lane];
    }
    log_sums
}
