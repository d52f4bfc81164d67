//! The message of one edge, and all messages at once as vector code.

use crate::inference::kernels::{exponential, fused, maximum};
use multiversion::multiversion;
use multiversion::target::target_cfg_f;

/// 2 artanh(z)/z in powers of z², for z² ≤ 1/9 within a rounding error: interpolated at the eleven Chebyshev points.
const ARTANH: [f64; 11] = [
    2.0,
    0.666_666_666_666_661_5,
    0.400_000_000_001_857_5,
    0.285_714_285_454_541_14,
    0.222_222_240_807_476_74,
    0.181_817_408_325_048_06,
    0.153_866_140_423_040_1,
    0.133_003_740_326_746_25,
    0.121_101_687_280_692_18,
    0.083_245_065_118_608_2,
    0.170_441_635_627_813_98,
];

/// log (1 + e^{field + weight}) / (1 + e^field): what a unit in `field` says to its neighbour across `weight`.
///
/// With a = e^−|field + weight| and b = e^−|field| the logarithm is that of (1 + a)/(1 + b), which lies within a factor of
/// two of one: 2 artanh z, z = (a − b)/(2 + a + b), |z| ≤ 1/3, by a polynomial. One division, no exponents to split.
#[inline(always)]
fn message_inline<const FMA: bool>(field: f64, weight: f64) -> f64 {
    let raised = field + weight;
    let a = exponential::<FMA>(-raised.abs());
    let b = exponential::<FMA>(-field.abs());
    let positive = |x: f64| if x > 0.0 { x } else { 0.0 };
    let z = (a - b) / (2.0 + a + b);
    let square = z * z;
    // Two chains side by side: one alone would wait for its last product.
    let fourth = square * square;
    let (mut even, mut odd) = (ARTANH[10], ARTANH[9]);
    for at in [8, 6, 4, 2, 0] {
        even = fused::<FMA>(even, fourth, ARTANH[at]);
    }
    for at in [7, 5, 3, 1] {
        odd = fused::<FMA>(odd, fourth, ARTANH[at]);
    }
    let series = fused::<FMA>(odd, square, even);
    positive(raised) - positive(field) + series * z
}

/// One message.
pub(super) fn message(field: f64, weight: f64) -> f64 {
    message_inline::<false>(field, weight)
}

/// Every field becomes its message.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
fn messages(fields: &mut [f64], weights: &[f64]) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    for (field, weight) in fields.iter_mut().zip(weights) {
        *field = message_inline::<FMA>(*field, *weight);
    }
}

/// values ← values + (1 − damping) (news − values); `news` become the sizes of the changes.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
fn take_over(values: &mut [f64], news: &mut [f64], damping: f64) {
    let step = 1.0 - damping;
    for (value, new) in values.iter_mut().zip(news) {
        let change = *new - *value;
        *value += step * change;
        *new = change.abs();
    }
}

/// Messages worked on at a time: a few arrays of this length stay in the first cache.
const PIECE: usize = 512;

/// All messages at once from the fields of their senders: `values` are damped towards the new ones.
///
/// Messages 2e and 2e + 1 run along edge e both ways; `senders[m]` sends message m. Returns the largest change.
pub(super) fn flood(
    values: &mut [f64],
    fields: &[f64],
    senders: &[u32],
    weights: &[f64],
    damping: f64,
) -> f64 {
    let mut news = [0.0; PIECE];
    let mut largest: f64 = 0.0;
    for ((values, senders), weights) in values
        .chunks_mut(PIECE)
        .zip(senders.chunks(PIECE))
        .zip(weights.chunks(PIECE))
    {
        let news = &mut news[..values.len()];
        for ((new, pair), sender) in news
            .chunks_exact_mut(2)
            .zip(values.chunks_exact(2))
            .zip(senders.chunks_exact(2))
        {
            // What the receiver said is taken back out of the sender's field.
            new[0] = fields[sender[0] as usize] - pair[1];
            new[1] = fields[sender[1] as usize] - pair[0];
        }
        messages(news, weights);
        take_over(values, news, damping);
        largest = largest.max(maximum(news));
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn messages_agree_with_their_definition(field in -30.0..30.0f64, weight in -30.0..30.0f64) {
            let exact = (field + weight).exp().ln_1p() - field.exp().ln_1p();
            prop_assert!((message(field, weight) - exact).abs() < 1e-14 * (1.0 + exact.abs()) + 1e-14);
        }

        #[test]
        fn flooding_agrees_with_single_messages(
            edges in 0usize..700,
            seed in prop::collection::vec(-5.0..5.0f64, 1400),
            damping in 0.0..0.9f64,
        ) {
            let senders: Vec<u32> = (0..2 * edges as u32).map(|m| m * 7 % 13).collect();
            let (fields, weights) = (&seed[20..33], &seed[..2 * edges]);
            let old: Vec<f64> = seed.iter().rev().take(2 * edges).copied().collect();
            let mut values = old.clone();
            let change = flood(&mut values, fields, &senders, weights, damping);
            let mut largest: f64 = 0.0;
            for m in 0..2 * edges {
                let new = message(fields[senders[m] as usize] - old[m ^ 1], weights[m]);
                largest = largest.max((new - old[m]).abs());
                let expected = damping * old[m] + (1.0 - damping) * new;
                prop_assert!((values[m] - expected).abs() < 1e-13);
            }
            prop_assert!((change - largest).abs() < 1e-13);
        }
    }

    #[test]
    fn hard_weights_stay_finite() {
        for (field, weight) in [
            (1e3, 1e3),
            (-1e3, 1e3),
            (0.0, -1e3),
            (1e4, -1e5),
            (-1e5, 10.0),
        ] {
            assert!(message(field, weight).is_finite());
        }
        assert_eq!(message(-2000.0, 1000.0), 0.0);
        assert_eq!(message(2000.0, 1000.0), 1000.0);
    }
}
