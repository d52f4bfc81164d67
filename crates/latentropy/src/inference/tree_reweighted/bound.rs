//! The bound at settled messages, and the appearance probabilities that lower it.

use super::appearance::{Appearance, constant, heaviest_tree, of_spanning_trees};
use crate::inference::belief_propagation::Messages;
use crate::inference::reduction::Pairwise;

/// Steps of the conditional gradient, and settled messages they may cost.
const STEPS: usize = 40;
const TRIALS: usize = 60;
/// Steps that could lower the bound by less than this, relative to its size, are not taken.
const WORTHWHILE: f64 = 1e-5;
/// More edges than this keep the uniform probabilities: a step costs as much as the rest.
const MOST_OPTIMISED: usize = 20_000;

/// Settled messages with the appearance probabilities asked for.
pub(super) fn settle(graph: &Pairwise, appearance: Appearance) -> Messages<'_> {
    let start = match appearance {
        Appearance::Constant => constant(graph),
        _ => of_spanning_trees(graph),
    };
    let mut messages = Messages::new(graph, start);
    messages.settle_by_flooding();
    if appearance == Appearance::Optimised && graph.edges.len() <= MOST_OPTIMISED {
        messages = optimise(graph, messages);
    }
    messages
}

/// What beliefs of units and edges disagree by is added, so that it holds at any messages.
pub(super) fn bound(messages: &Messages) -> f64 {
    messages.constant() + messages.inconsistency()
}

/// An upper bound on log Z without its constant, raised by its own rounding.
pub(in crate::inference) fn upper_bound(graph: &Pairwise) -> f64 {
    bound(&settle(graph, Appearance::Optimised)) + graph.rounding()
}

/// Moves towards the tree of largest mutual information as long as that lowers the bound.
fn optimise<'a>(graph: &'a Pairwise, mut messages: Messages<'a>) -> Messages<'a> {
    let mut lowest = bound(&messages);
    let (mut step, mut trials) = (0.5, 0);
    for _ in 0..STEPS {
        let information = mutual_information(graph, &messages);
        let tree = heaviest_tree(graph, &information);
        let gain: f64 = (0..tree.len())
            .map(|e| information[e] * (f64::from(tree[e]) - messages.appearance[e]))
            .sum();
        if gain <= WORTHWHILE * (1.0 + lowest.abs()) {
            break;
        }
        let mut improved = false;
        while trials < TRIALS && step > 1e-3 {
            trials += 1;
            let mixed = messages.appearance.iter().zip(&tree);
            let mut trial = messages.clone();
            trial.reweight(
                mixed
                    .map(|(rho, &inside)| (1.0 - step) * rho + step * f64::from(inside))
                    .collect(),
            );
            trial.continue_flooding();
            let value = bound(&trial);
            if value < lowest {
                (lowest, messages, improved) = (value, trial, true);
                step = (1.5f64 * step).min(0.5);
                break;
            }
            step *= 0.4;
        }
        if !improved {
            break;
        }
    }
    messages
}

/// Mutual information of each edge's belief: how fast the bound falls with its appearance.
fn mutual_information(graph: &Pairwise, messages: &Messages) -> Vec<f64> {
    let (means, pairs) = (messages.means(), messages.pairs());
    let part = |p: f64, product: f64| {
        if p > 0.0 && product > 0.0 {
            p * (p / product).ln()
        } else {
            0.0
        }
    };
    let edges = graph.edges.iter().zip(&pairs);
    edges
        .map(|(edge, &both)| {
            let (a, b) = (means[edge.a], means[edge.b]);
            part(both, a * b)
                + part(a - both, a * (1.0 - b))
                + part(b - both, (1.0 - a) * b)
                + part(1.0 - a - b + both, (1.0 - a) * (1.0 - b))
        })
        .collect()
}
