//! One weight at a time: the change γ that gains most, exactly or by a lower bound, within the box and with a ridge.

/// A bracket of width 1000 is halved to the last bit in about sixty rounds; Newton needs fewer than ten.
const MOST_ROUNDS: usize = 100;
/// e^±this stays within the doubles.
const LARGEST_EXPONENT: f64 = 700.0;

/// Everything that ΔQ depends on.
pub(super) struct Coordinate {
    /// η.
    pub(super) eta: f64,
    /// m and 1 − m.
    pub(super) on: f64,
    pub(super) off: f64,
    /// The penalty's slope at λ, and how it bends.
    pub(super) slope: f64,
    pub(super) bend: f64,
    /// The box, as changes of the weight.
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Coordinate {
    /// The maximum of ΔQ: E f moves to the logistic function of logit(m) + γ, which is to meet η − s − dγ, s the penalty's slope and d its bend.
    pub(super) fn maximum(&self) -> f64 {
        let here = logit(self.on, self.off);
        if self.bend == 0.0 {
            return (logit(self.eta, 1.0 - self.eta) - here).clamp(self.low, self.high);
        }
        self.root(|gamma| {
            let moved = 1.0 / (1.0 + (-(here + gamma)).exp());
            (moved, moved * (1.0 - moved))
        })
    }

    /// The maximum of A: m e^γ is to meet η − s − dγ, s the penalty's slope and d its bend.
    pub(super) fn maximum_of_bound(&self) -> f64 {
        if self.bend == 0.0 {
            let ratio = self.eta / self.on;
            // Zero over zero: a feature that is never on, in the data nor in the model, asks for nothing.
            return if ratio.is_nan() {
                0.0
            } else {
                ratio.ln().clamp(self.low, self.high)
            };
        }
        self.root(|gamma| {
            let moved = self.on * gamma.min(LARGEST_EXPONENT).exp();
            (moved, moved)
        })
    }

    /// The root within the box of η − s − dγ, s the penalty's slope and d its bend − expectation(γ), an increasing function given with its
    /// derivative; or the edge of the box beyond which the root lies.
    fn root(&self, expectation: impl Fn(f64) -> (f64, f64)) -> f64 {
        let wanted = |gamma: f64| {
            let (value, rise) = expectation(gamma);
            let rest = self.eta - self.slope - self.bend * gamma - value;
            (rest, rise + self.bend)
        };
        let (mut low, mut high) = (self.low, self.high);
        if wanted(low).0 <= 0.0 {
            return low;
        }
        if wanted(high).0 >= 0.0 {
            return high;
        }
        let mut gamma = 0.0f64.clamp(low, high);
        for _ in 0..MOST_ROUNDS {
            let (rest, rise) = wanted(gamma);
            if rest > 0.0 {
                low = gamma;
            } else {
                high = gamma;
            }
            let newton = gamma + rest / rise;
            // A comparison with no number is false, so that it ends in bisection, too.
            let inside = newton >= low && newton <= high;
            let next = if inside { newton } else { 0.5 * (low + high) };
            let moved = (next - gamma).abs();
            gamma = next;
            if moved <= 1e-15 * (1.0 + gamma.abs()) {
                break;
            }
        }
        gamma
    }
}

/// log(on / off), within the exponents of the doubles.
fn logit(on: f64, off: f64) -> f64 {
    (on.max(0.0) / off.max(0.0))
        .ln()
        .clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// ΔQ with the ridge's part, or its lower bound.
    fn gain(c: &Coordinate, gamma: f64, bound: bool) -> f64 {
        let change = c.on * (gamma.exp() - 1.0);
        let penalty = gamma * c.slope + 0.5 * c.bend * gamma * gamma;
        gamma * c.eta - penalty - if bound { change } else { change.ln_1p() }
    }

    proptest! {
        #[test]
        fn no_other_change_in_the_box_gains_more(
            eta in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64],
            on in 1e-6..1.0f64,
            weight in -8.0..8.0f64,
            ridge in prop_oneof![Just(0.0), 1e-6..3.0f64],
            place in 0.0..1.0f64,
        ) {
            let bound = 8.0;
            let c = Coordinate { eta, on, off: 1.0 - on, slope: ridge * weight, bend: ridge, low: -bound - weight, high: bound - weight };
            let other = c.low + place * (c.high - c.low);
            for (best, is_bound) in [(c.maximum(), false), (c.maximum_of_bound(), true)] {
                prop_assert!(best >= c.low && best <= c.high);
                let (here, there) = (gain(&c, best, is_bound), gain(&c, other, is_bound));
                // e^16 is the largest part of a sum.
                prop_assert!(here >= there - 1e-9, "{here} at {best}, {there} at {other}");
                prop_assert!(gain(&c, best, false) >= -1e-9);
            }
        }
    }
}
