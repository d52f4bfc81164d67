//! Weights in fixed point, whose sums are exact and half as wide as those of doubles.

use super::lists::Lists;

/// Rounding all weights to the fixed point may move a typical state's exponent by no more than about a seventh of this: the rounded
/// machine is then nearer than 1e-8 nats, which no sampling sees.
const MOST_ROUNDING: f64 = 1e-3;

/// One step of a fixed point of 32 bits that holds every field of a pairwise machine; none where it would be too coarse for the
/// weights, or terms have more than two units.
pub(super) fn fixed_step(lists: &Lists, bias: &[f64]) -> Option<f64> {
    let units = bias.len();
    let size = |unit: usize| {
        let weights = lists.weights[lists.starts[unit]..lists.starts[unit + 1]].iter();
        bias[unit].abs() + weights.map(|w| w.abs()).sum::<f64>()
    };
    let largest = (0..units).map(size).fold(1.0, f64::max);
    // A power of two, so that round weights stay what they are.
    let step = 2f64.powi(largest.log2().ceil() as i32 - 29);
    let terms = units as f64 + 0.5 * lists.weights.len() as f64;
    let is_fine = step * terms.sqrt() <= MOST_ROUNDING;
    (lists.members.is_empty() && is_fine).then_some(step)
}

/// A weight in these steps.
pub(super) fn fixed(weight: f64, step: f64) -> i32 {
    (weight / step).round() as i32
}

/// The weights of all lists in fixed point.
#[derive(Clone, Debug)]
pub(crate) struct FixedWeights {
    pub(super) step: f64,
    pub(super) weights: Vec<i32>,
}

impl FixedWeights {
    /// None where there is no step for them.
    pub(super) fn new(lists: &Lists, bias: &[f64]) -> Option<Self> {
        let step = fixed_step(lists, bias)?;
        let weights = lists.weights.iter().map(|&weight| fixed(weight, step));
        Some(FixedWeights {
            step,
            weights: weights.collect(),
        })
    }
}
