//! The Bethe free energy as a function of the unit means alone, and its direct minimisation (Welling and Teh 2001).
//!
//! Given the means the best pair beliefs have a closed form, so F(q) has a gradient in closed form and every minimum of it
//! is a fixed point of belief propagation. Units are moved in turn, each downhill, so that the descent always settles.

use crate::inference::reduction::Pairwise;

/// The four probabilities of a pair with given means: (1,1), (1,0), (0,1), (0,0).
pub(super) type Pair = [f64; 4];

/// Slopes below this have settled.
const SETTLED: f64 = 1e-11;
const SWEEPS: usize = 20_000;
/// Log-odds are kept within this, so that every probability is a normal double.
const LARGEST: f64 = 650.0;
/// The longest step of a log-odds at once.
const LONGEST: f64 = 4.0;
const TINY: f64 = 1e-300;

/// The pair of means `a`, `b` whose odds ratio is e^weight; no cancellation at any weight.
pub(super) fn pair_belief(a: f64, b: f64, weight: f64) -> Pair {
    // A negative weight is a positive one with the second unit turned over.
    let positive = |a: f64, not_a: f64, b: f64, not_b: f64, weight: f64| -> Pair {
        // Beyond e^650 nothing changes but that products would underflow.
        let ratio = (-weight.min(LARGEST)).exp();
        let gain = 1.0 - ratio;
        let discriminant = {
            let d = a * not_b - b * not_a;
            ratio * ratio + gain * gain * d * d + 2.0 * gain * ratio * (a * not_b + b * not_a)
        };
        let root = discriminant.sqrt();
        // Both on (or both off): ξ = 2ab / (ratio + gain(a + b) + root); apart: the same with one turned over, where
        // the denominator may cancel and the other form of the root is taken.
        let together = |a: f64, b: f64| 2.0 * a * b / (ratio + gain * (a + b) + root);
        let apart = |a: f64, b: f64| {
            let q = ratio + gain * (1.0 - a - b);
            if q >= 0.0 {
                2.0 * ratio * a * b / (q + root)
            } else {
                (root - q) / (2.0 * gain)
            }
        };
        [
            together(a, b),
            apart(a, not_b),
            apart(not_a, b),
            together(not_a, not_b),
        ]
    };
    let (not_a, not_b) = (1.0 - a, 1.0 - b);
    if weight >= 0.0 {
        positive(a, not_a, b, not_b, weight)
    } else {
        let [on_off, both, neither, off_on] = positive(a, not_a, not_b, b, -weight);
        [both, on_off, off_on, neither]
    }
}

fn log(p: f64) -> f64 {
    p.max(TINY).ln()
}

/// ∂F/∂q of one unit and a curvature in its log-odds.
fn slope(graph: &Pairwise, means: &[f64], unit: usize) -> (f64, f64) {
    let q = means[unit];
    let around = graph.around(unit);
    let degree = around.len() as f64;
    let mut slope = -graph.bias[unit] + (1.0 - degree) * (log(q) - log(1.0 - q));
    let variance = q * (1.0 - q);
    let mut curvature = 1.0 - degree;
    for incident in around {
        let other = means[incident.neighbour];
        let pair = pair_belief(q, other, incident.weight);
        slope += log(pair[1]) - log(pair[3]);
        let covariance = pair[0] * pair[3] - pair[1] * pair[2];
        let determinant = variance * other * (1.0 - other) - covariance * covariance;
        curvature += variance * other * (1.0 - other) / determinant.max(TINY);
    }
    (slope, curvature)
}

/// The part of F that a unit's mean changes.
fn local(graph: &Pairwise, means: &[f64], unit: usize) -> f64 {
    let q = means[unit];
    let around = graph.around(unit);
    let own = q * log(q) + (1.0 - q) * log(1.0 - q);
    let mut value = -graph.bias[unit] * q + (1.0 - around.len() as f64) * own;
    for incident in around {
        let pair = pair_belief(q, means[incident.neighbour], incident.weight);
        value += pair.iter().map(|&p| p * log(p)).sum::<f64>() - incident.weight * pair[0];
    }
    value
}

/// Means at a local minimum of F, from these log-odds on; `None` where the descent does not settle.
pub(super) fn minimise(graph: &Pairwise, mut odds: Vec<f64>) -> Option<Vec<f64>> {
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    odds.iter_mut()
        .for_each(|x| *x = x.clamp(-LARGEST, LARGEST));
    let mut means: Vec<f64> = odds.iter().map(|&x| logistic(x)).collect();
    let scale = graph
        .edges
        .iter()
        .fold(1.0f64, |a, e| a.max(e.weight.abs()));
    for _ in 0..SWEEPS {
        let mut steepest: f64 = 0.0;
        for unit in 0..means.len() {
            let (slope, curvature) = slope(graph, &means, unit);
            let weighted = slope * (means[unit] * (1.0 - means[unit])).sqrt();
            steepest = steepest.max(weighted.abs());
            // A Newton step in the log-odds, where curvature is about one.
            let mut step = (-slope / curvature.max(0.5)).clamp(-LONGEST, LONGEST);
            let (old, before) = (means[unit], local(graph, &means, unit));
            for _ in 0..40 {
                let x = (odds[unit] + step).clamp(-LARGEST, LARGEST);
                means[unit] = logistic(x);
                let noise = 1e-15 * scale * (1.0 + before.abs());
                if local(graph, &means, unit) <= before + noise {
                    odds[unit] = x;
                    break;
                }
                means[unit] = old;
                step *= 0.5;
            }
        }
        if steepest <= SETTLED * scale {
            return Some(means);
        }
    }
    None
}

/// −F at these means: log Z of Bethe.
pub(super) fn log_partition(graph: &Pairwise, means: &[f64]) -> f64 {
    let units = (0..means.len()).map(|unit| {
        let q = means[unit];
        let own = q * log(q) + (1.0 - q) * log(1.0 - q);
        graph.bias[unit] * q - (1.0 - graph.around(unit).len() as f64) * own
    });
    let edges = graph.edges.iter().map(|e| {
        let pair = pair_belief(means[e.a], means[e.b], e.weight);
        e.weight * pair[0] - pair.iter().map(|&p| p * log(p)).sum::<f64>()
    });
    units.sum::<f64>() + edges.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pair_beliefs_have_their_means_and_their_odds(
            a in 0.001..0.999f64,
            b in 0.001..0.999f64,
            weight in prop_oneof![-5.0..5.0f64, -300.0..300.0f64],
        ) {
            let [both, on_off, off_on, neither] = pair_belief(a, b, weight);
            prop_assert!((both + on_off - a).abs() < 1e-14);
            prop_assert!((both + off_on - b).abs() < 1e-14);
            prop_assert!((both + on_off + off_on + neither - 1.0).abs() < 1e-14);
            let odds = both.ln() + neither.ln() - on_off.ln() - off_on.ln();
            prop_assert!((odds - weight).abs() < 1e-10 * (1.0 + weight.abs()), "{odds} {weight}");
        }
    }

    #[test]
    fn hard_pairs_are_finite() {
        for weight in [1000.0, -1000.0, 0.0] {
            for (a, b) in [(0.5, 0.5), (0.3, 0.8), (1e-200, 0.5), (1e-280, 1e-280)] {
                assert!(
                    pair_belief(a, b, weight)
                        .iter()
                        .all(|p| p.is_finite() && *p >= 0.0)
                );
            }
        }
    }
}
