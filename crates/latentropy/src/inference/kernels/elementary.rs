//! Exponentials, logarithms and logistic functions without branches, so that loops over them become vector code.

use super::sums::maximum;
use multiversion::multiversion;
use multiversion::target::target_cfg_f;

/// Below this the exponential is zero: e^-708 is the last normal double.
pub(super) const UNDERFLOW: f64 = -708.0;

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

/// e^x for 0 ≤ x ≤ 80 in single precision, within 3e-7 of itself.
#[inline(always)]
pub(crate) fn exponential_single(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (x - k * 0.693_359_4) + k * 2.121_944_4e-4;
    let mut polynomial = 1.0 / 720.0;
    for coefficient in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        polynomial = polynomial * r + coefficient;
    }
    polynomial * f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23))
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

/// Replaces every positive normal value by its logarithm. The loop runs over a slice, not over an array of
/// known length: the compiler would unroll that before it could become vector code.
#[inline(always)]
pub(crate) fn logarithms_inline<const FMA: bool>(values: &mut [f64]) {
    for value in values {
        *value = logarithm::<FMA>(*value);
    }
}
