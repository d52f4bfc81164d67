//! Tree-reweighted message passing: an upper bound on log Z from a mixture of trees (Wainwright, Jaakkola and Willsky 2003).
//!
//! The bound holds at any messages, since what beliefs of units and edges disagree by is added to it; it is tight for the
//! appearance probabilities used once messages settle. The probabilities themselves are improved by conditional gradient.

mod appearance;

use super::belief_propagation::messages::Messages;
use super::engine::{AnswersAtOnce, Demand, Engine, Gives, Prepared};
use super::reduction::Pairwise;
use super::{AtOnce, Expectations, Kind, Value};
use crate::error::Result;
use crate::network::{Clamp, Network};

/// Which edge appearance probabilities are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Appearance {
    /// All edges alike, (units − 1) / edges. A bound only where a distribution over trees has these: an estimate else.
    Constant,
    /// Every spanning tree equally likely.
    SpanningTrees,
    /// From there on, those that lower the bound most.
    #[default]
    Optimised,
}

/// The engine `trw`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TreeReweighted {
    /// Edge appearance probabilities.
    pub appearance: Appearance,
}

/// Steps of the conditional gradient, and settled messages they may cost.
const STEPS: usize = 40;
const TRIALS: usize = 60;
/// Steps that could lower the bound by less than this, relative to its size, are not taken.
const WORTHWHILE: f64 = 1e-5;
/// More edges than this keep the uniform probabilities: a step costs as much as the rest.
const MOST_OPTIMISED: usize = 20_000;

impl TreeReweighted {
    fn settle<'a>(&self, graph: &'a Pairwise) -> Messages<'a> {
        let appearance = match self.appearance {
            Appearance::Constant => appearance::constant(graph),
            _ => appearance::of_spanning_trees(graph),
        };
        let mut messages = Messages::new(graph, appearance);
        messages.settle_by_flooding();
        if self.appearance == Appearance::Optimised && graph.edges.len() <= MOST_OPTIMISED {
            messages = optimise(graph, messages);
        }
        messages
    }
}

fn bound(messages: &Messages) -> f64 {
    messages.constant() + messages.inconsistency()
}

/// Moves towards the tree of largest mutual information as long as that lowers the bound.
fn optimise<'a>(graph: &'a Pairwise, mut messages: Messages<'a>) -> Messages<'a> {
    let mut lowest = bound(&messages);
    let (mut step, mut trials) = (0.5, 0);
    for _ in 0..STEPS {
        let information = mutual_information(graph, &messages);
        let tree = appearance::heaviest_tree(graph, &information);
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

impl Engine for TreeReweighted {
    fn name(&self) -> &'static str {
        "trw"
    }

    fn about(&self) -> &'static str {
        "Tree-reweighted: an upper bound on log Z"
    }

    fn gives(&self) -> Gives {
        Gives {
            objective: true,
            ..Gives::default()
        }
    }

    fn method(&self, _: &Network, _: &Clamp) -> Result<&'static str> {
        Ok("a mixture of spanning trees")
    }

    fn prepare(&self, structure: &Network, clamp: &Clamp, _: &Demand) -> Result<Box<dyn Prepared>> {
        Ok(AtOnce::boxed(*self, structure, clamp))
    }
}

impl AnswersAtOnce for TreeReweighted {
    /// With optimised appearances the bound jumps where the optimum is found by another way; those of uniform spanning
    /// trees depend on the graph alone, and the bound is smooth and convex in the weights.
    fn gradient(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        let appearance = match self.appearance {
            Appearance::Optimised => Appearance::SpanningTrees,
            other => other,
        };
        TreeReweighted { appearance }.expectations(network, clamp)
    }

    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        let graph = Pairwise::new(network, clamp, self.name())?;
        let forest = graph.is_forest();
        let messages = if forest {
            let mut messages = Messages::new(&graph, vec![1.0; graph.edges.len()]);
            messages.pass_through_forest();
            messages
        } else {
            self.settle(&graph)
        };
        let (means, pairs) = (messages.means(), messages.pairs());
        let (kind, guard, estimate) = match (forest, self.appearance) {
            (true, _) => (Kind::Exact, 0.0, Kind::Exact),
            (_, Appearance::Constant) => (Kind::Estimate, 0.0, Kind::Estimate),
            _ => {
                let guard = messages.inconsistency() + graph.rounding();
                (Kind::UpperBound, guard, Kind::Estimate)
            }
        };
        let value = |value: f64, kind: Kind| Value {
            value,
            kind,
            std_err: None,
        };
        let log_partition = messages.constant();
        let entropy = log_partition - graph.mean_exponent(&means, &pairs);
        Ok(graph.assemble(
            value(log_partition + guard, kind),
            value(entropy.max(0.0), estimate),
            &means,
            &pairs,
        ))
    }
}

#[cfg(test)]
mod tests;
