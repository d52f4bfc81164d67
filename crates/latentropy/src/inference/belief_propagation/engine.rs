//! The engine `bp` itself, with covariances by linear response.

use super::fixed_point::{FixedPoint, Settled, fixed_point};
use super::messages::Messages;
use crate::error::{Error, Result};
use crate::inference::at_once::{AnswersAtOnce, AtOnce};
use crate::inference::engine::{Demand, Engine, Gives, Prepared};
use crate::inference::expectations::Expectations;
use crate::inference::linear_response::{Response, over_all_units};
use crate::inference::reduction::{Pairwise, possible_pair};
use crate::inference::value::{Kind, Value};
use crate::message::{Setting, words};
use crate::network::{Clamp, Network};

/// The engine `bp`.
#[derive(Clone, Copy, Debug, Default)]
pub struct BeliefPropagation;

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
        settled_beliefs(&Pairwise::new(network, clamp, self.name())?)
    }

    fn best(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        responding_beliefs(&Pairwise::new(network, clamp, self.name())?)
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

/// The expectations of a fixed point.
pub(in crate::inference) fn settled_beliefs(graph: &Pairwise) -> Result<Expectations> {
    Ok(assemble(graph, &fixed_point(graph)?))
}

/// The same with pairs by linear response, within what the means allow; beliefs where there is no response. Where
/// there is no loop the two agree.
pub(in crate::inference) fn responding_beliefs(graph: &Pairwise) -> Result<Expectations> {
    let mut found = fixed_point(graph)?;
    let own = assemble(graph, &found);
    if found.settled == Settled::Forest {
        return Ok(own);
    }
    let Some(covariances) = response(graph, &found).along_edges() else {
        return Ok(own);
    };
    for (at, edge) in graph.edges.iter().enumerate() {
        let (a, b) = (found.means[edge.a], found.means[edge.b]);
        found.pairs[at] = possible_pair(a * b + covariances[at], a, b);
    }
    Ok(Expectations {
        log_partition: own.log_partition,
        entropy: own.entropy,
        ..assemble(graph, &found)
    })
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
