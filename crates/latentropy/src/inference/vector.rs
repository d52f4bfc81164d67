//! Vector kernels on tables of 2^k numbers: exponentials, subset and superset transforms, row sums.
//!
//! Each kernel is plain code compiled several times and chosen at run time (AVX-512, AVX2, NEON, baseline).

use multiversion::multiversion;
use multiversion::target::target_cfg_f;

/// Below this the exponential is zero: e^-708 is the last normal double.
const UNDERFLOW: f64 = -708.0;

/// a·b + c, fused where the hardware has it (the fall-back would call a slow library routine).
#[inline(always)]
pub(crate) fn fused<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// e^x for x ≤ 709, without branches so that a loop over it becomes vector code; within 2 ulp.
///
/// x = k ln 2 + r with |r| ≤ ln 2 / 2; e^r by its Taylor polynomial of degree 13 (error below 5e-18),
/// 2^k by the exponent bits.
#[inline(always)]
pub(crate) fn exponential<const FMA: bool>(x: f64) -> f64 {
    // Adding 1.5·2^52 rounds to an integer and leaves it in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    const COEFFICIENTS: [f64; 12] = [
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
    ];
    let clamped = if x < UNDERFLOW { UNDERFLOW } else { x };
    let shifted = fused::<FMA>(clamped, std::f64::consts::LOG2_E, ROUND);
    let k = shifted - ROUND;
    let r = fused::<FMA>(k, -LN2_LOW, fused::<FMA>(k, -LN2_HIGH, clamped));
    let mut polynomial = 1.0 / 6_227_020_800.0;
    for coefficient in COEFFICIENTS {
        polynomial = fused::<FMA>(polynomial, r, coefficient);
    }
    let e = fused::<FMA>(polynomial, r, 1.0);
    let scale = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    if x < UNDERFLOW { 0.0 } else { e * scale }
}

/// log x for normal positive x, without branches; within 2 ulp (1e-16 absolute near one).
///
/// x = 2^k m with m in [√½, √2); log m = 2 artanh z, z = (m − 1)/(m + 1), |z| ≤ 0.172, by its series up to z^21.
#[inline(always)]
pub(crate) fn logarithm<const FMA: bool>(x: f64) -> f64 {
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    const SQRT_HALF_BITS: u64 = 0x3fe6_a09e_667f_3bcd;
    // The exponent as a double, by putting it into the low bits of 2^52.
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    let shifted = x.to_bits().wrapping_add((1023 << 52) - SQRT_HALF_BITS);
    let k = f64::from_bits((shifted >> 52) | TWO_52.to_bits()) - (TWO_52 + 1023.0);
    let m = f64::from_bits((shifted & 0x000f_ffff_ffff_ffff).wrapping_add(SQRT_HALF_BITS));
    let z = (m - 1.0) / (m + 1.0);
    let square = z * z;
    let mut series = 2.0 / 21.0;
    for odd in [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
        series = fused::<FMA>(series, square, 2.0 / odd);
    }
    let tail = series * square * z;
    fused::<FMA>(k, LN2_HIGH, fused::<FMA>(k, LN2_LOW, tail) + 2.0 * z)
}

#[inline(always)]
pub(crate) fn exponentials_inline<const FMA: bool>(values: &mut [f64]) {
    for value in values {
        *value = exponential::<FMA>(*value);
    }
}

/// Replaces every value, at most 709, by its exponential.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn exponentials(values: &mut [f64]) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    exponentials_inline::<FMA>(values);
}

/// Replaces every value by its exponential after taking the largest away; returns the largest.
pub(crate) fn exponentials_below_maximum(values: &mut [f64]) -> f64 {
    let largest = maximum(values);
    for value in values.iter_mut() {
        *value -= largest;
    }
    exponentials(values);
    largest
}

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
    // Two bits a pass: half the loads and stores.
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

#[inline(always)]
fn logistic_row_inline<const FMA: bool>(fields: &mut [f64]) -> f64 {
    // log(1 + e^f) = max(f, 0) + log(1 + e^-|f|); the second parts are multiplied up, since each is at
    // most 2, and one logarithm is taken every 512 of them.
    let mut total = 0.0;
    for part in fields.chunks_mut(512) {
        let (mut products, mut positives) = ([1.0; 8], [0.0; 8]);
        let (chunks, rest) = part.as_chunks_mut::<8>();
        for chunk in chunks {
            for lane in 0..8 {
                let field = chunk[lane];
                let small = exponential::<FMA>(-field.abs());
                let inverse = 1.0 / (1.0 + small);
                products[lane] *= 1.0 + small;
                positives[lane] += if field > 0.0 { field } else { 0.0 };
                chunk[lane] = if field > 0.0 {
                    inverse
                } else {
                    small * inverse
                };
            }
        }
        for (lane, value) in rest.iter_mut().enumerate() {
            let small = exponential::<FMA>(-value.abs());
            let inverse = 1.0 / (1.0 + small);
            products[lane] *= 1.0 + small;
            positives[lane] += value.max(0.0);
            *value = if *value > 0.0 {
                inverse
            } else {
                small * inverse
            };
        }
        total += products.iter().product::<f64>().ln() + positives.iter().sum::<f64>();
    }
    total
}

/// Replaces every field f by 1/(1 + e^-f) and returns Σ log(1 + e^f).
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn logistic_row(fields: &mut [f64]) -> f64 {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    logistic_row_inline::<FMA>(fields)
}

/// line ← line · factors, and the result added to both sums: one pass in place of three.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn multiply_and_add_twice(
    line: &mut [f64],
    factors: &[f64],
    first: &mut [f64],
    second: &mut [f64],
) {
    let length = line.len();
    let (factors, first, second) = (
        &factors[..length],
        &mut first[..length],
        &mut second[..length],
    );
    for at in 0..length {
        let product = line[at] * factors[at];
        line[at] = product;
        first[at] += product;
        second[at] += product;
    }
}

/// line · factors, entry by entry, added to both sums; the line itself stays as it is.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn add_products_twice(
    line: &[f64],
    factors: &[f64],
    first: &mut [f64],
    second: &mut [f64],
) {
    let length = line.len();
    let (factors, first, second) = (
        &factors[..length],
        &mut first[..length],
        &mut second[..length],
    );
    for at in 0..length {
        let product = line[at] * factors[at];
        first[at] += product;
        second[at] += product;
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

/// Replaces every positive normal value by its logarithm. The loop runs over a slice, not over an array of
/// known length: the compiler would unroll that before it could become vector code.
#[inline(always)]
pub(crate) fn logarithms_inline<const FMA: bool>(values: &mut [f64]) {
    for value in values {
        *value = logarithm::<FMA>(*value);
    }
}

/// Width that the rows of [`weighted_row_sums`] are padded to.
pub(crate) const ROW_PANEL: usize = 8;

/// For each group g of rows: sums[g] += Σ_{row in group g} weight(row) · features[row].
/// Features are zeros and ones, kept as single floats to stay in the first cache.
///
/// `rows[j]` is the table row of the j-th entry of `features`; `groups` holds the end of each group
/// in `rows`. The width is a multiple of [`ROW_PANEL`].
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn weighted_row_sums(
    weights: &[f64],
    rows: &[u32],
    group_ends: &[u32],
    features: &[f32],
    width: usize,
    sums: &mut [f64],
) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    let mut panel = 0;
    while panel < width {
        // Four vectors of eight at a time keep their sums in registers through a group.
        let step = if width - panel >= 32 { 32 } else { 8 };
        let mut start = 0;
        for (group, &end) in group_ends.iter().enumerate() {
            let end = end as usize;
            let out = &mut sums[group * width + panel..group * width + panel + step];
            if step == 32 {
                row_panel::<32, FMA>(weights, rows, start, end, features, width, panel, out);
            } else {
                row_panel::<8, FMA>(weights, rows, start, end, features, width, panel, out);
            }
            start = end;
        }
        panel += step;
    }
}

#[inline(always)]
fn row_panel<const STEP: usize, const FMA: bool>(
    weights: &[f64],
    rows: &[u32],
    start: usize,
    end: usize,
    features: &[f32],
    width: usize,
    panel: usize,
    out: &mut [f64],
) {
    // Two rows at a time into sums of their own: one alone would wait for its last addition.
    let (mut total, mut odd) = ([0.0; STEP], [0.0; STEP]);
    let row = |at: usize| -> &[f32] { &features[at * width + panel..at * width + panel + STEP] };
    let mut at = start;
    while at + 1 < end {
        let (first, second) = (weights[rows[at] as usize], weights[rows[at + 1] as usize]);
        let (a, b) = (row(at), row(at + 1));
        for lane in 0..STEP {
            total[lane] = fused::<FMA>(first, f64::from(a[lane]), total[lane]);
            odd[lane] = fused::<FMA>(second, f64::from(b[lane]), odd[lane]);
        }
        at += 2;
    }
    if at < end {
        let (weight, a) = (weights[rows[at] as usize], row(at));
        for lane in 0..STEP {
            total[lane] = fused::<FMA>(weight, f64::from(a[lane]), total[lane]);
        }
    }
    for lane in 0..STEP {
        total[lane] += odd[lane];
    }
    for lane in 0..STEP {
        out[lane] += total[lane];
    }
}

/// Sums over pairs of states s, s + 1: for a run (a, b, end) of pairs, sums[a] += Σ weight(s) · off and
/// sums[b] += Σ weight(s + 1) · on, where the rows `on` hold only the leading columns in which the two differ.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn paired_row_sums(
    weights: &[f64],
    pairs: &[u32],
    runs: &[(u32, u32, u32)],
    off: (&[f64], usize),
    on: (&[f64], usize),
    sums: &mut [f64],
) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    let width = off.1;
    let mut start = 0;
    while start < width {
        // Up to four vectors of eight for either state keep their sums in registers through a run.
        let lanes = (width - start).min(32);
        let split = on.1.saturating_sub(start).min(lanes);
        macro_rules! panel {
            ($lanes:literal, $split:literal) => {
                pair_panel::<$lanes, $split, FMA>(weights, pairs, runs, off, on, start, sums)
            };
        }
        match (lanes, split) {
            (8, 0) => panel!(8, 0),
            (8, _) => panel!(8, 8),
            (16, 0) => panel!(16, 0),
            (16, 8) => panel!(16, 8),
            (16, _) => panel!(16, 16),
            (24, 0) => panel!(24, 0),
            (24, 8) => panel!(24, 8),
            (24, 16) => panel!(24, 16),
            (24, _) => panel!(24, 24),
            (_, 0) => panel!(32, 0),
            (_, 8) => panel!(32, 8),
            (_, 16) => panel!(32, 16),
            (_, 24) => panel!(32, 24),
            (_, _) => panel!(32, 32),
        }
        start += lanes;
    }
}

#[inline(always)]
fn pair_panel<const LANES: usize, const SPLIT: usize, const FMA: bool>(
    weights: &[f64],
    pairs: &[u32],
    runs: &[(u32, u32, u32)],
    (off, off_width): (&[f64], usize),
    (on, on_width): (&[f64], usize),
    start: usize,
    sums: &mut [f64],
) {
    let mut at = 0;
    for &(first, second, end) in runs {
        let (mut a, mut b) = ([0.0; LANES], [0.0; LANES]);
        while at < end as usize {
            let state = pairs[at] as usize;
            let (weight, partner) = (weights[state], weights[state + 1]);
            let row = &off[at * off_width + start..at * off_width + start + LANES];
            for lane in 0..LANES {
                a[lane] = fused::<FMA>(weight, row[lane], a[lane]);
            }
            if SPLIT > 0 {
                let own = &on[at * on_width + start..at * on_width + start + SPLIT];
                for lane in 0..SPLIT {
                    b[lane] = fused::<FMA>(partner, own[lane], b[lane]);
                }
            }
            for lane in SPLIT..LANES {
                b[lane] = fused::<FMA>(partner, row[lane], b[lane]);
            }
            at += 1;
        }
        for (row, part) in [(first, &a), (second, &b)] {
            let into = row as usize * off_width + start;
            for (sum, value) in sums[into..into + LANES].iter_mut().zip(part) {
                *sum += value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exponentials_agree_with_the_library(values in prop::collection::vec(-745.0..709.0f64, 0..40)) {
            let mut ours = values.clone();
            exponentials(&mut ours);
            for (x, y) in values.iter().zip(&ours) {
                let exact = if *x < UNDERFLOW { 0.0 } else { x.exp() };
                // Two units in the last place.
                prop_assert!((y - exact).abs() <= 4.5e-16 * exact, "exp({x}) = {y}, not {exact}");
            }
        }

        #[test]
        fn transforms_agree_with_their_definitions(bits in 0usize..7, seed in prop::collection::vec(0.5..2.0f64, 128)) {
            let table = &seed[..1 << bits];
            let (mut products, mut sums, mut supersets) = (table.to_vec(), table.to_vec(), table.to_vec());
            subset_products(&mut products);
            subset_sums(&mut sums);
            superset_sums(&mut supersets);
            for s in 0..table.len() {
                let inside: Vec<f64> = (0..table.len()).filter(|m| m & s == *m).map(|m| table[m]).collect();
                let product: f64 = inside.iter().product();
                let sum: f64 = inside.iter().sum();
                let above: f64 = (0..table.len()).filter(|m| m & s == s).map(|m| table[m]).sum();
                prop_assert!((products[s] / product - 1.0).abs() < 1e-13);
                prop_assert!((sums[s] / sum - 1.0).abs() < 1e-13);
                prop_assert!((supersets[s] / above - 1.0).abs() < 1e-13);
            }
        }
    }

    proptest! {
        #[test]
        fn logarithms_agree_with_the_library(x in prop_oneof![1e-300..1e-200f64, 0.9..1.1f64, 1e-3..1e3f64, 1e100..1e300f64]) {
            let (ours, exact) = (logarithm::<false>(x), x.ln());
            prop_assert!((ours - exact).abs() <= 5e-16 * exact.abs() + 1e-18, "log({x}) = {ours}, not {exact}");
        }

        #[test]
        fn lane_posteriors_agree_with_single_tables(bits in 0usize..5, seed in prop::collection::vec(-3.0..3.0f64, 256)) {
            let states = 1usize << bits;
            let mut lanes = seed[..states * LANES].to_vec();
            let log_sums = lane_posteriors(&mut lanes);
            for lane in 0..LANES {
                let mut table: Vec<f64> = (0..states).map(|s| seed[s * LANES + lane]).collect();
                subset_sums(&mut table);
                let largest = exponentials_below_maximum(&mut table);
                superset_sums(&mut table);
                prop_assert!((log_sums[lane] - largest - table[0].ln()).abs() < 1e-13);
                for s in 0..states {
                    prop_assert!((lanes[s * LANES + lane] - table[s] / table[0]).abs() < 1e-14);
                }
            }
        }

        #[test]
        fn logistic_rows_agree_with_their_definition(fields in prop::collection::vec(-50.0..50.0f64, 0..600)) {
            let mut ours = fields.clone();
            let total = logistic_row(&mut ours);
            let mut expected = 0.0;
            for (f, y) in fields.iter().zip(&ours) {
                expected += f.max(0.0) + (-f.abs()).exp().ln_1p();
                let exact = 1.0 / (1.0 + (-f).exp());
                prop_assert!((y / exact - 1.0).abs() < 2e-15);
            }
            prop_assert!((total - expected).abs() <= 1e-13 * (1.0 + expected));
        }
    }

    #[test]
    fn sums_and_maxima_of_any_length() {
        for length in 0..40 {
            let values: Vec<f64> = (0..length).map(|i| ((i * 7) % 11) as f64 - 3.0).collect();
            assert_eq!(sum(&values), values.iter().sum::<f64>());
            assert_eq!(
                maximum(&values),
                values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
            );
        }
    }
}
