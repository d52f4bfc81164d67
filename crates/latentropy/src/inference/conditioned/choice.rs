//! Which units are worth holding: one after the other the most influential of those that still lie on a loop.

use crate::inference::reduction::Pairwise;
use crate::network::{Network, Role};

/// What a unit's influence is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::inference) enum Influence {
    /// By its weights: |tanh(w/4)| summed over its edges, the correlation that each could make alone.
    Weights,
    /// By the graph alone, hidden units first among equals: the same at all weights, so that log Z has no jumps.
    Structure,
}

impl Influence {
    /// The other one of the two.
    pub(super) fn other(self) -> Self {
        match self {
            Influence::Weights => Influence::Structure,
            Influence::Structure => Influence::Weights,
        }
    }

    /// What a weight counts.
    pub(in crate::inference) fn of_weight(self, weight: f64) -> f64 {
        match self {
            Influence::Weights => (0.25 * weight).tanh().abs(),
            Influence::Structure => 1.0,
        }
    }

    /// What a unit counts beside its edges.
    pub(in crate::inference) fn of_unit(self, network: &Network, unit: usize) -> f64 {
        let is_hidden = network.units()[unit].role == Role::Hidden;
        match self {
            Influence::Structure if is_hidden => 0.5,
            _ => 0.0,
        }
    }
}

/// At most so many units, the strongest first, until no loop is left; by their places among the free units.
pub(in crate::inference) fn strongest(
    network: &Network,
    graph: &Pairwise,
    influence: Influence,
    most: usize,
) -> Vec<usize> {
    let mut is_left = vec![true; graph.units()];
    let mut chosen = Vec::new();
    while chosen.len() < most {
        let core = on_loops(graph, &is_left);
        let strength = |unit: usize| {
            let around = graph.around(unit).iter();
            let edges = around.filter(|edge| core[edge.neighbour]);
            edges.map(|e| influence.of_weight(e.weight)).sum::<f64>()
                + influence.of_unit(network, graph.free()[unit])
        };
        let candidates = (0..graph.units()).filter(|&unit| core[unit]);
        let strengths = candidates.map(|unit| (strength(unit), unit));
        // The first of equals.
        let Some((_, unit)) = strengths.reduce(|a, b| if b.0 > a.0 { b } else { a }) else {
            break;
        };
        is_left[unit] = false;
        chosen.push(unit);
    }
    chosen
}

/// True where no loop is left without these units.
pub(super) fn opens_all_loops(graph: &Pairwise, held: &[usize]) -> bool {
    let mut is_left = vec![true; graph.units()];
    for &unit in held {
        is_left[unit] = false;
    }
    !on_loops(graph, &is_left).contains(&true)
}

/// Units that are left once those with at most one neighbour have been taken away, again and again.
fn on_loops(graph: &Pairwise, is_left: &[bool]) -> Vec<bool> {
    let mut core = is_left.to_vec();
    let neighbours = |unit: usize| {
        let around = graph.around(unit).iter();
        around.filter(|edge| is_left[edge.neighbour]).count()
    };
    let mut degree: Vec<usize> = (0..graph.units()).map(neighbours).collect();
    let leaves = |unit: &usize| core[*unit] && degree[*unit] <= 1;
    let mut queue: Vec<usize> = (0..graph.units()).filter(leaves).collect();
    while let Some(unit) = queue.pop() {
        if !core[unit] {
            continue;
        }
        core[unit] = false;
        for edge in graph.around(unit) {
            let other = edge.neighbour;
            if core[other] {
                degree[other] -= 1;
                if degree[other] <= 1 {
                    queue.push(other);
                }
            }
        }
    }
    core
}
