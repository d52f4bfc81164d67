//! The message of one edge, and all messages at once as vector code.

use crate::inference::vector::{exponential, logarithm};
use multiversion::multiversion;
use multiversion::target::target_cfg_f;

/// log (1 + e^{field + weight}) / (1 + e^field): what a unit in `field` says to its neighbour across `weight`.
#[inline(always)]
fn message_inline<const FMA: bool>(field: f64, weight: f64) -> f64 {
    let raised = field + weight;
    let up = 1.0 + exponential::<FMA>(-raised.abs());
    let down = 1.0 + exponential::<FMA>(-field.abs());
    let positive = |x: f64| if x > 0.0 { x } else { 0.0 };
    positive(raised) - positive(field) + logarithm::<FMA>(up / down)
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

/// values ← values + (1 − damping) (news − values); returns the largest |news − values|.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
fn take_over(values: &mut [f64], news: &[f64], damping: f64) -> f64 {
    let step = 1.0 - damping;
    let mut lanes = [0.0f64; 8];
    let (chunks, rest) = values.as_chunks_mut::<8>();
    let (new_chunks, new_rest) = news.as_chunks::<8>();
    for (chunk, new) in chunks.iter_mut().zip(new_chunks) {
        for lane in 0..8 {
            let change = new[lane] - chunk[lane];
            chunk[lane] += step * change;
            let size = change.abs();
            lanes[lane] = if size > lanes[lane] {
                size
            } else {
                lanes[lane]
            };
        }
    }
    for (value, new) in rest.iter_mut().zip(new_rest) {
        let change = new - *value;
        *value += step * change;
        lanes[0] = lanes[0].max(change.abs());
    }
    lanes.iter().fold(0.0, |a, &b| a.max(b))
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
        largest = largest.max(take_over(values, news, damping));
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
