//! One parallel update of iterative scaling: for every term the root γ of equation (8), all terms side by side.
//!
//! With a(c) = E_p[f 1{f# = c}], (8) is Σ_c a(c) e^{γc} = η; a penalty adds its slope at λ and d γ on the left
//! (d as large as all weights' moving at once asks for), and a box keeps |λ + γ| within its bound. With the slope taken
//! from η, φ(γ) = log Σ_c a(c) e^{γc} − log(η − d γ) is increasing and convex,
//! so Newton's method converges from either side; a bracket with bisection guards it against rounding.

use super::targets::Targets;
use crate::inference::kernels::{exponential, fused, logarithm};
use multiversion::multiversion;
use multiversion::target::target_cfg_f;

/// Newton needs two to six rounds; bisection alone would need about sixty for all 52 bits.
const MOST_ROUNDS: usize = 80;
/// Newton doubles its digits: a step of this size leaves an error of the order of its square.
const SETTLED: f64 = 3e-6;

/// One entry per term, padded to whole vectors; kept from update to update.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// η minus the penalty's slope.
    eta: Vec<f64>,
    /// d.
    bends: Vec<f64>,
    gamma: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
    reference: Vec<f64>,
    total: Vec<f64>,
    slope: Vec<f64>,
}

/// Puts λ + γ of every term into `new_weights`. `sums` holds rows of `width` entries (a multiple of eight, at
/// least the number of terms), one row per value of f#.
pub(crate) fn scale(
    values: &[f64],
    sums: &[f64],
    width: usize,
    targets: &Targets<'_>,
    scratch: &mut Scratch,
    new_weights: &mut Vec<f64>,
) {
    let terms = targets.weights.len();
    let padded = terms.next_multiple_of(8).min(width);
    let fill = |buffer: &mut Vec<f64>, from: &[f64], pad: f64| {
        buffer.clear();
        buffer.extend_from_slice(from);
        buffer.resize(padded, pad);
    };
    fill(&mut scratch.bends, targets.bends, 0.0);
    scratch.eta.clear();
    let wanted = targets.expectations.iter().zip(&targets.slopes);
    scratch.eta.extend(wanted.map(|(eta, slope)| eta - slope));
    scratch.eta.resize(padded, 0.0);
    for buffer in [
        &mut scratch.gamma,
        &mut scratch.low,
        &mut scratch.high,
        &mut scratch.reference,
        &mut scratch.total,
        &mut scratch.slope,
    ] {
        buffer.clear();
        buffer.resize(padded, 0.0);
    }
    if !values.is_empty() {
        for (term, (weight, bound)) in targets.weights.iter().zip(targets.bounds).enumerate() {
            (scratch.low[term], scratch.high[term]) = (-bound - weight, bound - weight);
        }
        roots(values, sums, width, terms, scratch);
    }
    new_weights.clear();
    // The box holds exactly, whatever the rounding of λ + γ.
    new_weights.extend(
        targets
            .weights
            .iter()
            .zip(&scratch.gamma)
            .zip(targets.bounds)
            .map(|((weight, gamma), bound)| (weight + gamma).clamp(-bound, *bound)),
    );
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
fn roots(values: &[f64], sums: &[f64], width: usize, used: usize, scratch: &mut Scratch) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    newton::<FMA>(values, sums, width, used, scratch);
}

/// Every loop runs over all terms without a branch, so that it becomes vector code; terms that have
/// settled are carried along.
#[inline(always)]
fn newton<const FMA: bool>(
    values: &[f64],
    sums: &[f64],
    width: usize,
    used: usize,
    scratch: &mut Scratch,
) {
    bracket(scratch, used);
    first_guess::<FMA>(values, sums, width, scratch);
    let powers = Powers::of(values);
    for _ in 0..MOST_ROUNDS {
        sums_at_gamma::<FMA>(values, sums, width, &powers, scratch);
        if newton_round::<FMA>(scratch) == 0 {
            break;
        }
    }
}

/// Where the roots lie, and where the search begins.
#[inline(always)]
fn bracket(scratch: &mut Scratch, used: usize) {
    let terms = scratch.eta.len();
    let eta = &scratch.eta[..terms];
    let bends = &scratch.bends[..terms];
    let gamma = &mut scratch.gamma[..terms];
    let low = &mut scratch.low[..terms];
    let high = &mut scratch.high[..terms];
    for i in 0..terms {
        // Beyond the second end the right-hand side is negative.
        let last = if bends[i] > 0.0 {
            eta[i] / bends[i]
        } else if eta[i] > 0.0 {
            f64::INFINITY
        } else {
            // Nothing to match: the root lies at −∞.
            f64::NEG_INFINITY
        };
        high[i] = high[i].min(last).max(low[i]);
        gamma[i] = if high[i] > 0.0 {
            0.0f64.max(low[i])
        } else {
            high[i] - 0.5 * (high[i] - low[i]).min(1.0)
        };
    }
    // Padding has no sums and would be bisected to the last bit: it has settled.
    for i in used..terms {
        (low[i], high[i], gamma[i]) = (0.0, 0.0, 0.0);
    }
}

/// Σ a(c) e^{γc} and Σ c a(c) e^{γc}, each divided by e^{γ reference}.
#[inline(always)]
fn sums_at_gamma<const FMA: bool>(
    values: &[f64],
    sums: &[f64],
    width: usize,
    powers: &Powers,
    scratch: &mut Scratch,
) {
    let terms = scratch.eta.len();
    let (smallest, largest) = (values[0], values[values.len() - 1]);
    let gamma = &scratch.gamma[..terms];
    let reference = &mut scratch.reference[..terms];
    let total = &mut scratch.total[..terms];
    let slope = &mut scratch.slope[..terms];
    let mut lanes = [0.0f64; 8];
    for chunk in gamma.as_chunks::<8>().0 {
        for lane in 0..8 {
            let size = chunk[lane].abs();
            lanes[lane] = if size > lanes[lane] {
                size
            } else {
                lanes[lane]
            };
        }
    }
    let furthest = lanes.iter().fold(0.0f64, |a, &b| a.max(b));
    if powers.regular && furthest * largest <= SAFE_EXPONENT {
        for i in 0..terms {
            reference[i] = exponential::<FMA>(gamma[i]);
        }
        for first in (0..terms).step_by(8) {
            let base = &reference[first..first + 8];
            let (sum, rise) = powers.sums::<FMA>(values, sums, width, first, base);
            total[first..first + 8].copy_from_slice(&sum);
            slope[first..first + 8].copy_from_slice(&rise);
        }
        reference.fill(0.0);
        return;
    }
    for i in 0..terms {
        // Exponents relative to the largest one never overflow.
        reference[i] = if gamma[i] > 0.0 { largest } else { smallest };
        total[i] = 0.0;
        slope[i] = 0.0;
    }
    for (stratum, &value) in values.iter().enumerate() {
        let row = &sums[stratum * width..stratum * width + terms];
        for i in 0..terms {
            let part = row[i] * exponential::<FMA>(gamma[i] * (value - reference[i]));
            total[i] += part;
            slope[i] = fused::<FMA>(part, value, slope[i]);
        }
    }
}

/// One guarded Newton step of every term; returns how many have not settled.
#[inline(always)]
fn newton_round<const FMA: bool>(scratch: &mut Scratch) -> u64 {
    let terms = scratch.eta.len();
    let eta = &scratch.eta[..terms];
    let bends = &scratch.bends[..terms];
    let gamma = &mut scratch.gamma[..terms];
    let low = &mut scratch.low[..terms];
    let high = &mut scratch.high[..terms];
    let reference = &scratch.reference[..terms];
    let total = &scratch.total[..terms];
    let slope = &scratch.slope[..terms];
    // Counted in integers: a sum of floats has an order, which would keep the loop from vectors. Values are
    // loaded before they are chosen between, for the same reason.
    let mut unsettled = 0u64;
    for i in 0..terms {
        let (g, h, l, t) = (gamma[i], high[i], low[i], total[i]);
        let (lead, rise) = (reference[i], slope[i]);
        let ridge = bends[i];
        let right = eta[i] - ridge * g;
        let usable = (t > 0.0) & (right > 0.0);
        let safe_total = if usable { t } else { 1.0 };
        let safe_right = if usable { right } else { 1.0 };
        // The logarithm of a quotient near one keeps the digits that a difference of logarithms would lose.
        let ratio = safe_total / safe_right;
        let phi = fused::<FMA>(g, lead, logarithm::<FMA>(ratio));
        // φ' times the sum: divisions are what a round costs most.
        let scaled_derivative = fused::<FMA>(ridge, ratio, rise);
        // A vanished sum asks for more, a vanished right-hand side for less.
        let too_high = (usable & (phi > 0.0)) | (right <= 0.0);
        let h = if too_high { g } else { h };
        let l = if too_high { l } else { g };
        let newton = g - phi * safe_total / scaled_derivative;
        // At the root itself Newton stays on the bracket's end: that counts as inside.
        let inside = usable & (newton >= l) & (newton <= h);
        let middle = 0.5 * (l + h);
        let next = if inside { newton } else { middle };
        // Near the end where the right-hand side vanishes φ bends like its logarithm: by 1 + r/right.
        let bent = if inside { safe_right + ridge } else { 1.0 };
        let limit = if inside { SETTLED * safe_right } else { 1e-15 };
        let moved = (next - g).abs();
        unsettled += u64::from(moved * bent > limit * (1.0 + next.abs()));
        high[i] = h;
        low[i] = l;
        gamma[i] = next;
    }
    unsettled
}

/// Powers e^{γc} without an exponential per stratum, where the gaps between the values of f# grow slowly, as on
/// complete graphs (1, 3, 6, 10, …): each power is the last one times e^γ to the gap, each such factor the last one
/// times e^γ a few times.
struct Powers {
    regular: bool,
}

/// Exponents up to this can be multiplied up without overflow.
const SAFE_EXPONENT: f64 = 600.0;

impl Powers {
    fn of(values: &[f64]) -> Self {
        let (mut last, mut gap) = (0.0, 0.0);
        let regular = values.iter().all(|&value| {
            let next = value - last;
            let fits = (0.0..=4.0).contains(&(next - gap));
            (last, gap) = (value, next);
            fits
        });
        Powers { regular }
    }

    /// Σ a(c) b^c and Σ c a(c) b^c for eight terms from `first` on, b = e^γ.
    #[inline(always)]
    fn sums<const FMA: bool>(
        &self,
        values: &[f64],
        sums: &[f64],
        width: usize,
        first: usize,
        base: &[f64],
    ) -> ([f64; 8], [f64; 8]) {
        let mut b = [0.0; 8];
        b.copy_from_slice(base);
        let (mut total, mut slope) = ([0.0; 8], [0.0; 8]);
        let (mut factor, mut power) = ([1.0; 8], [1.0; 8]);
        let (mut last, mut gap) = (0.0, 0.0);
        for (stratum, &value) in values.iter().enumerate() {
            let next = value - last;
            for _ in 0..(next - gap) as usize {
                for lane in 0..8 {
                    factor[lane] *= b[lane];
                }
            }
            (last, gap) = (value, next);
            let row = &sums[stratum * width + first..stratum * width + first + 8];
            for lane in 0..8 {
                power[lane] *= factor[lane];
                let part = row[lane] * power[lane];
                total[lane] += part;
                slope[lane] = fused::<FMA>(part, value, slope[lane]);
            }
        }
        (total, slope)
    }
}

/// From γ = 0, where no exponential is needed, Halley's step, which uses the second derivative too.
#[inline(always)]
fn first_guess<const FMA: bool>(values: &[f64], sums: &[f64], width: usize, scratch: &mut Scratch) {
    let terms = scratch.eta.len();
    let eta = &scratch.eta[..terms];
    let bends = &scratch.bends[..terms];
    let gamma = &mut scratch.gamma[..terms];
    let low = &scratch.low[..terms];
    let high = &scratch.high[..terms];
    let total = &mut scratch.total[..terms];
    let slope = &mut scratch.slope[..terms];
    let curve = &mut scratch.reference[..terms];
    // Eight terms at a time keep their sums in registers.
    for first in (0..terms).step_by(8) {
        let (mut zeroth, mut once, mut twice) = ([0.0; 8], [0.0; 8], [0.0; 8]);
        for (stratum, &value) in values.iter().enumerate() {
            let row = &sums[stratum * width + first..stratum * width + first + 8];
            for lane in 0..8 {
                zeroth[lane] += row[lane];
                once[lane] = fused::<FMA>(row[lane], value, once[lane]);
                twice[lane] = fused::<FMA>(row[lane], value * value, twice[lane]);
            }
        }
        total[first..first + 8].copy_from_slice(&zeroth);
        slope[first..first + 8].copy_from_slice(&once);
        curve[first..first + 8].copy_from_slice(&twice);
    }
    for i in 0..terms {
        let (g, h, l, t) = (gamma[i], high[i], low[i], total[i]);
        let (right, ridge) = (eta[i], bends[i]);
        let usable = (t > 0.0) & (right > 0.0) & (g == 0.0);
        let safe_total = if usable { t } else { 1.0 };
        let safe_right = if usable { right } else { 1.0 };
        let ratio = safe_total / safe_right;
        let phi = logarithm::<FMA>(ratio);
        // φ' times the sum and φ'' times its square, so that one division is enough.
        let pull = ridge * ratio;
        let first = slope[i] + pull;
        let second = curve[i] * safe_total - slope[i] * slope[i] + pull * pull;
        let square = first * first;
        let curved = square - 0.5 * phi * second;
        let halley = -phi * safe_total * first / curved;
        // Far from the root the step means nothing: start where the loop would have started. More than twice
        // Newton's step is far.
        let sound = usable & (halley > l) & (halley < h) & (curved >= 0.5 * square);
        gamma[i] = if sound { halley } else { g };
    }
}

#[cfg(test)]
mod tests {
    use super::super::literal::root;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn roots_agree_with_bisection(
            eta in prop::collection::vec(prop_oneof![Just(0.0), 1e-9..1.0f64], 11),
            weights in prop::collection::vec(-6.0..6.0f64, 11),
            parts in prop::collection::vec(1e-6..0.2f64, 11 * 5),
            ridge in prop_oneof![Just(0.0), 1e-4..2.0f64],
        ) {
            let values = [1.0, 2.0, 5.0, 9.0, 14.0];
            let (bound, width) = (8.0, 16);
            let mut sums = vec![0.0; values.len() * width];
            for c in 0..5 {
                sums[c * width..c * width + 11].copy_from_slice(&parts[c * 11..(c + 1) * 11]);
            }
            let (bends, bounds) = ([ridge; 11], [bound; 11]);
            let slopes = weights.iter().map(|w| ridge * w).collect();
            let targets = Targets { expectations: &eta, weights: &weights, slopes, bends: &bends, bounds: &bounds };
            let mut found = Vec::new();
            scale(&values, &sums, width, &targets, &mut Scratch::default(), &mut found);
            for term in 0..11 {
                let a: Vec<f64> = (0..5).map(|c| sums[c * width + term]).collect();
                let exact = weights[term] + root(&values, &a, eta[term], weights[term], ridge, bound);
                prop_assert!((found[term] - exact).abs() < 1e-9, "{} against {exact}", found[term]);
            }
        }
    }
}
