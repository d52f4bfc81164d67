//! Coordinate ascent from several starts: each unit in turn to its best value, the highest objective kept.

use crate::inference::reduction::Pairwise;
use crate::random::{Purpose, stream};
use rand::RngExt;

/// A function of the means that each unit's log-odds can be maximised in alone.
pub(super) trait Objective: Sync {
    /// The best log-odds of one unit, the other means held.
    fn best(&self, graph: &Pairwise, means: &[f64], unit: usize) -> f64;

    /// The objective itself.
    fn value(&self, graph: &Pairwise, means: &[f64]) -> f64;
}

/// Starts: all means one half, then as many drawn at random.
const STARTS: u64 = 12;
const FEW_STARTS: u64 = 4;
/// Sweeps from each start, and from the best of them.
const SWEEPS: usize = 200;
const LAST_SWEEPS: usize = 100_000;
/// Means that move by less have settled.
const SETTLED: f64 = 1e-15;
const NEARLY: f64 = 1e-11;
/// Rough agreement is enough to rank starts.
const ROUGHLY: f64 = 1e-5;

/// Means at the highest maximum found.
pub(super) fn climb(graph: &Pairwise, objective: &impl Objective) -> Vec<f64> {
    climb_from(graph, objective, STARTS, SETTLED)
}

/// The same from fewer starts, and less precisely: while learning, where each step asks many times.
pub(super) fn climb_quickly(graph: &Pairwise, objective: &impl Objective) -> Vec<f64> {
    climb_from(graph, objective, FEW_STARTS, NEARLY)
}

fn climb_from(graph: &Pairwise, objective: &impl Objective, starts: u64, settled: f64) -> Vec<f64> {
    let starts = if graph.edges.is_empty() { 1 } else { starts };
    let mut best: Option<(f64, Vec<f64>)> = None;
    for start in 0..starts {
        let mut means = vec![0.5; graph.units()];
        if start > 0 {
            let mut rng = stream(start, Purpose::Alone, 0);
            means.iter_mut().for_each(|q| *q = rng.random::<f64>());
        }
        sweep(graph, objective, &mut means, ROUGHLY, SWEEPS);
        let value = objective.value(graph, &means);
        // A later start has to win clearly, so that equal maxima do not change places by rounding.
        let needed = best
            .as_ref()
            .map_or(f64::NEG_INFINITY, |(b, _)| b + 1e-9 * (1.0 + b.abs()));
        if value > needed {
            best = Some((value, means));
        }
    }
    let mut means = best.map(|(_, means)| means).unwrap_or_default();
    sweep(graph, objective, &mut means, settled, LAST_SWEEPS);
    means
}

/// Sweeps until no mean moves by more than `tolerance`.
pub(super) fn sweep(
    graph: &Pairwise,
    objective: &impl Objective,
    means: &mut [f64],
    tolerance: f64,
    most: usize,
) {
    for _ in 0..most {
        let mut moved: f64 = 0.0;
        for unit in 0..means.len() {
            let new = logistic(objective.best(graph, means, unit));
            moved = moved.max((new - means[unit]).abs());
            means[unit] = new;
        }
        if moved <= tolerance {
            break;
        }
    }
}

/// 1/(1 + e^−x).
pub(super) fn logistic(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let small = x.exp();
        small / (1.0 + small)
    }
}

/// The entropy of a unit that is on with probability q.
pub(super) fn unit_entropy(q: f64) -> f64 {
    let part = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    part(q) + part(1.0 - q)
}
