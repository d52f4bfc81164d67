//! The engine `tap`: mean field corrected for each unit's own influence, an estimate of log Z.

use super::ascent::{Objective, climb, climb_quickly};
use super::naive::{Naive, field};
use super::response::{kind_of_estimate, no_response, pairs};
use crate::error::Result;
use crate::inference::at_once::{AnswersAtOnce, AtOnce};
use crate::inference::engine::{Demand, Engine, Gives, Prepared};
use crate::inference::expectations::Expectations;
use crate::inference::linear_response::{Response, over_all_units};
use crate::inference::reduction::Pairwise;
use crate::inference::value::Value;
use crate::network::{Clamp, Network};

/// The engine `tap`: mean field with Onsager's correction; an estimate of log Z.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tap;

/// The naive bound and ½ Σ w² q(1−q) q(1−q).
pub(super) struct SecondOrder;

impl Objective for SecondOrder {
    /// The root of x = field − ½ A tanh(x/2), A = Σ w² q(1−q): the objective is concave in each mean.
    fn best(&self, graph: &Pairwise, means: &[f64], unit: usize) -> f64 {
        let field = field(graph, means, unit);
        let reaction = reaction(graph, means, unit);
        let (mut low, mut high) = (field - 0.5 * reaction, field + 0.5 * reaction);
        let mut x = field.clamp(low, high);
        for _ in 0..200 {
            let t = (0.5 * x).tanh();
            let excess = x + 0.5 * reaction * t - field;
            if excess > 0.0 {
                high = x;
            } else {
                low = x;
            }
            let newton = x - excess / (1.0 + 0.25 * reaction * (1.0 - t * t));
            let next = if newton > low && newton < high {
                newton
            } else {
                0.5 * (low + high)
            };
            if (next - x).abs() <= f64::EPSILON * x.abs() {
                break;
            }
            x = next;
        }
        x
    }

    fn value(&self, graph: &Pairwise, means: &[f64]) -> f64 {
        let variance = |u: usize| means[u] * (1.0 - means[u]);
        let edges = graph.edges.iter();
        Naive.value(graph, means)
            + edges
                .map(|e| 0.5 * e.weight * e.weight * variance(e.a) * variance(e.b))
                .sum::<f64>()
    }
}

/// Σ_j w_ij² q_j (1 − q_j).
fn reaction(graph: &Pairwise, means: &[f64], unit: usize) -> f64 {
    let around = graph.around(unit).iter();
    around
        .map(|i| i.weight * i.weight * means[i.neighbour] * (1.0 - means[i.neighbour]))
        .sum()
}

/// G'' of the TAP free energy: 1/(q(1−q)) + Σ w² q(1−q) and −w − ½ w² (1−2q)(1−2q).
fn tap_response<'a>(graph: &'a Pairwise, means: &[f64]) -> Response<'a> {
    let mut response = Response::new(graph, means);
    for unit in 0..graph.units() {
        let own = response.scale[unit] * response.scale[unit];
        response.diagonal[unit] += own * reaction(graph, means, unit);
    }
    for (at, edge) in graph.edges.iter().enumerate() {
        let skew = (1.0 - 2.0 * means[edge.a]) * (1.0 - 2.0 * means[edge.b]);
        let curvature = edge.weight + 0.5 * edge.weight * edge.weight * skew;
        response.off_diagonal[at] = -curvature * response.scale[edge.a] * response.scale[edge.b];
    }
    response
}

impl Engine for Tap {
    fn name(&self) -> &'static str {
        "tap"
    }

    fn about(&self) -> &'static str {
        "Mean field with Onsager's correction: an estimate"
    }

    fn gives(&self) -> Gives {
        Gives {
            objective: true,
            ..Gives::default()
        }
    }

    fn method(&self, _: &Network, _: &Clamp) -> Result<&'static str> {
        Ok("second-order mean field, pairs by linear response")
    }

    fn prepare(&self, structure: &Network, clamp: &Clamp, _: &Demand) -> Result<Box<dyn Prepared>> {
        Ok(AtOnce::boxed(*self, structure, clamp))
    }
}

impl AnswersAtOnce for Tap {
    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        let graph = Pairwise::new(network, clamp, self.name())?;
        let means = climb(&graph, &SecondOrder);
        let pairs = pairs(&graph, &means, &tap_response(&graph, &means));
        Ok(tap_answer(&graph, &means, &pairs))
    }

    fn gradient(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        let graph = Pairwise::new(network, clamp, self.name())?;
        let means = climb(&graph, &SecondOrder);
        Ok(tap_answer(&graph, &means, &tap_slopes(&graph, &means)))
    }

    fn best(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        let graph = Pairwise::new(network, clamp, self.name())?;
        let means = climb_quickly(&graph, &SecondOrder);
        let pairs = pairs(&graph, &means, &tap_response(&graph, &means));
        Ok(tap_answer(&graph, &means, &pairs))
    }

    fn unit_covariances(&self, network: &Network, clamp: &Clamp) -> Result<Option<Vec<f64>>> {
        let graph = Pairwise::new(network, clamp, self.name())?;
        let means = climb(&graph, &SecondOrder);
        let all = tap_response(&graph, &means).all().ok_or_else(no_response)?;
        Ok(Some(over_all_units(&graph, &all, clamp.len())))
    }
}

/// The slope of the TAP free energy along each pair: ∂G/∂w = q q + w v v.
fn tap_slopes(graph: &Pairwise, means: &[f64]) -> Vec<f64> {
    let variance = |u: usize| means[u] * (1.0 - means[u]);
    let edges = graph.edges.iter();
    edges
        .map(|e| means[e.a] * means[e.b] + e.weight * variance(e.a) * variance(e.b))
        .collect()
}

fn tap_answer(graph: &Pairwise, means: &[f64], pairs: &[f64]) -> Expectations {
    let kind = kind_of_estimate(graph);
    let log_partition = Value {
        value: SecondOrder.value(graph, means),
        kind,
        std_err: None,
    };
    // log Z = entropy + E[exponent] with the pairs that belong to the free energy.
    let own = graph.mean_exponent(means, &tap_slopes(graph, means));
    let entropy = Value {
        value: log_partition.value - own,
        kind,
        std_err: None,
    };
    graph.assemble(log_partition, entropy, means, pairs)
}
