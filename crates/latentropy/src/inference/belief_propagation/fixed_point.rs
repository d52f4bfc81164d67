//! A fixed point of belief propagation, by the first of several ways that reaches one.

use super::bethe;
use super::messages::Messages;
use crate::error::{Error, Result};
use crate::inference::reduction::Pairwise;
use crate::message::{Setting, words};

/// How a fixed point was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// There is no loop: one pass to the roots and one back.
    Forest,
    /// All messages at once, with damping where needed.
    Flooding,
    /// The message of largest change first.
    Residuals,
    /// Messages kept changing; the Bethe free energy was minimised directly.
    Minimisation,
}

/// Beliefs that agree with each other, and log Z of Bethe at them.
pub(super) struct FixedPoint {
    pub(super) log_partition: f64,
    pub(super) means: Vec<f64>,
    pub(super) pairs: Vec<f64>,
    pub(super) settled: Settled,
}

/// A fixed point by the first way that reaches one.
pub(super) fn fixed_point(graph: &Pairwise) -> Result<FixedPoint> {
    let mut messages = Messages::new(graph, vec![1.0; graph.edges.len()]);
    let settled = if graph.is_forest() {
        messages.pass_through_forest();
        Settled::Forest
    } else if messages.settle_by_flooding() {
        Settled::Flooding
    } else if messages.settle_by_residuals() {
        Settled::Residuals
    } else {
        return minimum(graph);
    };
    Ok(FixedPoint {
        log_partition: messages.constant(),
        means: messages.means(),
        pairs: messages.pairs(),
        settled,
    })
}

/// A minimum of the Bethe free energy, from means of one half.
fn minimum(graph: &Pairwise) -> Result<FixedPoint> {
    let means = bethe::minimise(graph, vec![0.0; graph.units()]).ok_or_else(|| {
        Error::failed(words![
            "belief propagation did not settle, and neither did the descent of the Bethe free energy; use ",
            Setting::Engine.at("trw"),
            " (an upper bound, always found), gbp, or junction-tree",
        ])
    })?;
    let edges = graph.edges.iter();
    Ok(FixedPoint {
        log_partition: bethe::log_partition(graph, &means),
        pairs: edges
            .map(|e| bethe::pair_belief(means[e.a], means[e.b], e.weight)[0])
            .collect(),
        means,
        settled: Settled::Minimisation,
    })
}
