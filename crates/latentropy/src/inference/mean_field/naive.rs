//! The engine `mean-field`: every unit in the average field of its neighbours, a bound on log Z.

use super::ascent::{Objective, climb, climb_quickly, unit_entropy};
use super::response::{kind_of_estimate, no_response, pairs};
use crate::error::Result;
use crate::inference::at_once::{AnswersAtOnce, AtOnce};
use crate::inference::engine::{Demand, Engine, Gives, Prepared};
use crate::inference::expectations::Expectations;
use crate::inference::linear_response::{Response, over_all_units};
use crate::inference::reduction::Pairwise;
use crate::inference::value::{Kind, Value};
use crate::network::{Clamp, Network};

/// The engine `mean-field`: a lower bound on log Z; pairs by linear response.
#[derive(Clone, Copy, Debug, Default)]
pub struct MeanField;

/// Σ b q + Σ w q q + Σ H(q).
pub(super) struct Naive;

impl Objective for Naive {
    fn best(&self, graph: &Pairwise, means: &[f64], unit: usize) -> f64 {
        field(graph, means, unit)
    }

    fn value(&self, graph: &Pairwise, means: &[f64]) -> f64 {
        let units = (0..means.len()).map(|u| graph.bias[u] * means[u] + unit_entropy(means[u]));
        let edges = graph.edges.iter();
        units.sum::<f64>()
            + edges
                .map(|e| e.weight * means[e.a] * means[e.b])
                .sum::<f64>()
    }
}

/// A lower bound on log Z without its constant, lowered by its own rounding.
pub(in crate::inference) fn lower_bound(graph: &Pairwise) -> f64 {
    Naive.value(graph, &climb(graph, &Naive)) - graph.rounding()
}

/// b_i + Σ_j w_ij q_j.
pub(super) fn field(graph: &Pairwise, means: &[f64], unit: usize) -> f64 {
    let around = graph.around(unit).iter();
    graph.bias[unit] + around.map(|i| i.weight * means[i.neighbour]).sum::<f64>()
}

/// G'' of the naive bound: 1/(q(1−q)) and −w.
fn naive_response<'a>(graph: &'a Pairwise, means: &[f64]) -> Response<'a> {
    let mut response = Response::new(graph, means);
    for (at, edge) in graph.edges.iter().enumerate() {
        response.off_diagonal[at] = -edge.weight * response.scale[edge.a] * response.scale[edge.b];
    }
    response
}

impl Engine for MeanField {
    fn name(&self) -> &'static str {
        "mean-field"
    }

    fn about(&self) -> &'static str {
        "Mean field: a lower bound on log Z"
    }

    fn gives(&self) -> Gives {
        Gives {
            objective: true,
            ..Gives::default()
        }
    }

    fn method(&self, _: &Network, _: &Clamp) -> Result<&'static str> {
        Ok("naive mean field, pairs by linear response")
    }

    fn prepare(&self, structure: &Network, clamp: &Clamp, _: &Demand) -> Result<Box<dyn Prepared>> {
        Ok(AtOnce::boxed(*self, structure, clamp))
    }
}

impl AnswersAtOnce for MeanField {
    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        let graph = Pairwise::new(network, clamp, self.name())?;
        let means = climb(&graph, &Naive);
        let pairs = pairs(&graph, &means, &naive_response(&graph, &means));
        Ok(naive_answer(&graph, &means, &pairs))
    }

    /// By the envelope theorem the bound's slope along a pair is q q, without linear response.
    fn gradient(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        let graph = Pairwise::new(network, clamp, self.name())?;
        let means = climb(&graph, &Naive);
        let edges = graph.edges.iter();
        let pairs: Vec<f64> = edges.map(|e| means[e.a] * means[e.b]).collect();
        Ok(naive_answer(&graph, &means, &pairs))
    }

    fn best(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        let graph = Pairwise::new(network, clamp, self.name())?;
        let means = climb_quickly(&graph, &Naive);
        let pairs = pairs(&graph, &means, &naive_response(&graph, &means));
        Ok(naive_answer(&graph, &means, &pairs))
    }

    fn unit_covariances(&self, network: &Network, clamp: &Clamp) -> Result<Option<Vec<f64>>> {
        let graph = Pairwise::new(network, clamp, self.name())?;
        let means = climb(&graph, &Naive);
        let all = naive_response(&graph, &means)
            .all()
            .ok_or_else(no_response)?;
        Ok(Some(over_all_units(&graph, &all, clamp.len())))
    }
}

fn naive_answer(graph: &Pairwise, means: &[f64], pairs: &[f64]) -> Expectations {
    let value = Naive.value(graph, means);
    // Without pairs units are independent, and the bound is the truth.
    let (kind, guard) = match graph.edges.is_empty() {
        true => (Kind::Exact, 0.0),
        false => (Kind::LowerBound, graph.rounding()),
    };
    let log_partition = Value {
        value: value - guard,
        kind,
        std_err: None,
    };
    let entropy = Value {
        value: means.iter().map(|&q| unit_entropy(q)).sum(),
        kind: kind_of_estimate(graph),
        std_err: None,
    };
    graph.assemble(log_partition, entropy, means, pairs)
}
