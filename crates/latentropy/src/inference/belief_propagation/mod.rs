//! Belief propagation: messages along the edges until they agree, the Bethe estimate of log Z; exact on forests.
//!
//! Where messages do not settle, the Bethe free energy is minimised directly: its minima are fixed points, too.

mod bethe;
mod kernel;
pub(super) mod messages;
mod ratios;

use super::engine::{AnswersAtOnce, Demand, Engine, Gives, Prepared};
use super::linear_response::{Response, over_all_units};
use super::reduction::Pairwise;
use super::{AtOnce, Expectations, Kind, Value};
use crate::error::{Error, Result};
use crate::message::{Setting, words};
use crate::network::{Clamp, Network};
use messages::Messages;

/// The engine `bp`.
#[derive(Clone, Copy, Debug, Default)]
pub struct BeliefPropagation;

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

struct FixedPoint {
    log_partition: f64,
    means: Vec<f64>,
    pairs: Vec<f64>,
    settled: Settled,
}

/// A fixed point by the first way that reaches one.
fn fixed_point(graph: &Pairwise) -> Result<FixedPoint> {
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

impl BeliefPropagation {
    /// How the fixed point of this network is reached.
    pub fn settles_by(network: &Network, clamp: &Clamp) -> Result<Settled> {
        Ok(fixed_point(&Pairwise::new(network, clamp, "bp")?)?.settled)
    }

    /// A fixed number of rounds of all messages, for measuring: how many messages were sent, and the last change.
    pub fn rounds(network: &Network, rounds: usize, damping: f64) -> Result<(usize, f64)> {
        let graph = Pairwise::new(network, &Clamp::none(network.units().len()), "bp")?;
        let mut messages = Messages::new(&graph, vec![1.0; graph.edges.len()]);
        let change = messages.rounds(rounds, damping);
        Ok((2 * graph.edges.len() * rounds, change))
    }
}

impl Engine for BeliefPropagation {
    fn name(&self) -> &'static str {
        "bp"
    }

    fn about(&self) -> &'static str {
        "Belief propagation: an estimate; exact on trees"
    }

    fn gives(&self) -> Gives {
        Gives {
            objective: true,
            ..Gives::default()
        }
    }

    fn method(&self, _: &Network, _: &Clamp) -> Result<&'static str> {
        Ok("the Bethe free energy")
    }

    fn prepare(&self, structure: &Network, clamp: &Clamp, _: &Demand) -> Result<Box<dyn Prepared>> {
        Ok(AtOnce::boxed(*self, structure, clamp))
    }
}

impl AnswersAtOnce for BeliefPropagation {
    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        let graph = Pairwise::new(network, clamp, self.name())?;
        let found = fixed_point(&graph)?;
        Ok(assemble(&graph, &found))
    }

    /// The inverse of the second derivative of the Bethe free energy (Welling and Teh 2004); exact on forests.
    fn unit_covariances(&self, network: &Network, clamp: &Clamp) -> Result<Option<Vec<f64>>> {
        let graph = Pairwise::new(network, clamp, self.name())?;
        let found = fixed_point(&graph)?;
        let all = response(&graph, &found).all().ok_or_else(|| {
            Error::failed(words![
                "linear response does not exist here: the fixed point is not a strict minimum of the Bethe free \
                 energy, or some pairs are certain; use ",
                Setting::Engine.at("junction-tree"),
            ])
        })?;
        Ok(Some(over_all_units(&graph, &all, clamp.len())))
    }
}

fn assemble(graph: &Pairwise, found: &FixedPoint) -> Expectations {
    let kind = match found.settled {
        Settled::Forest => Kind::Exact,
        _ => Kind::Estimate,
    };
    let value = |value: f64| Value {
        value,
        kind,
        std_err: None,
    };
    let mut entropy = found.log_partition - graph.mean_exponent(&found.means, &found.pairs);
    if kind == Kind::Exact {
        // Rounding can leave a point mass a hair below zero; an estimate may be truly negative.
        entropy = entropy.max(0.0);
    }
    graph.assemble(
        value(found.log_partition),
        value(entropy),
        &found.means,
        &found.pairs,
    )
}

/// Σ over edges of the inverse of the pair's covariance matrix, and (1 − degree)/variance.
fn response<'a>(graph: &'a Pairwise, found: &FixedPoint) -> Response<'a> {
    let mut response = Response::new(graph, &found.means);
    for unit in 0..graph.units() {
        response.diagonal[unit] = 1.0 - graph.around(unit).len() as f64;
    }
    for (at, edge) in graph.edges.iter().enumerate() {
        let (a, b) = (response.scale[edge.a], response.scale[edge.b]);
        let covariance = found.pairs[at] - found.means[edge.a] * found.means[edge.b];
        let correlation = covariance / (a * b).max(f64::MIN_POSITIVE);
        let rest = 1.0 - correlation * correlation;
        response.diagonal[edge.a] += 1.0 / rest;
        response.diagonal[edge.b] += 1.0 / rest;
        response.off_diagonal[at] = -correlation / rest;
    }
    response
}
