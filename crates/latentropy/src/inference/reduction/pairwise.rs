//! A network of biases and pairs as a graph, some units held: what message passing and mean field work on.

use super::free_terms::FreeTerms;
use crate::error::{Error, Result, shortened};
use crate::inference::expectations::Expectations;
use crate::inference::value::Value;
use crate::message::{Setting, words};
use crate::network::{Clamp, Network};

/// Two free units and the weight of their pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Edge {
    /// The smaller unit, by its place among the free ones.
    pub(crate) a: usize,
    /// The larger unit.
    pub(crate) b: usize,
    /// The weight of x_a x_b.
    pub(crate) weight: f64,
}

/// What an edge means to one of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Incident {
    /// The other end.
    pub(crate) neighbour: usize,
    /// The edge's index.
    pub(crate) edge: usize,
    /// The edge's weight.
    pub(crate) weight: f64,
}

/// exponent(x) = Σ bias_i x_i + Σ_{edges} weight x_a x_b + constant over the free units.
#[derive(Clone, Debug)]
pub(crate) struct Pairwise {
    terms: FreeTerms,
    /// One bias per free unit.
    pub(crate) bias: Vec<f64>,
    /// Every pair that is a term, once.
    pub(crate) edges: Vec<Edge>,
    starts: Vec<usize>,
    incident: Vec<Incident>,
}

impl Pairwise {
    /// Reduces a network; `engine` names itself where terms of three and more units are left.
    pub(crate) fn new(network: &Network, clamp: &Clamp, engine: &str) -> Result<Self> {
        let terms = FreeTerms::new(network, clamp)?;
        let mut bias = vec![0.0; terms.free.len()];
        let mut edges = Vec::new();
        for (set, &weight) in terms.sets.iter().zip(&terms.coefficients) {
            match **set {
                [unit] => bias[unit] = weight,
                [a, b] => edges.push(Edge { a, b, weight }),
                _ => {
                    let names: Vec<&str> = set
                        .iter()
                        .map(|&u| network.units()[terms.free[u]].name.as_str())
                        .collect();
                    return Err(Error::invalid(words![
                        format!(
                            "engine {engine} knows biases and pairs only, and the term {} is on {} units; use ",
                            shortened(&names).replace(", ", "*"),
                            set.len()
                        ),
                        Setting::Engine.at("exact"),
                        ", junction-tree or gbp, which take terms of any order",
                    ]));
                }
            }
        }
        let mut starts = vec![0; bias.len() + 1];
        for edge in &edges {
            starts[edge.a + 1] += 1;
            starts[edge.b + 1] += 1;
        }
        for unit in 0..bias.len() {
            starts[unit + 1] += starts[unit];
        }
        let empty = Incident {
            neighbour: 0,
            edge: 0,
            weight: 0.0,
        };
        let (mut next, mut incident) = (starts.clone(), vec![empty; 2 * edges.len()]);
        for (index, edge) in edges.iter().enumerate() {
            for (unit, neighbour) in [(edge.a, edge.b), (edge.b, edge.a)] {
                incident[next[unit]] = Incident {
                    neighbour,
                    edge: index,
                    weight: edge.weight,
                };
                next[unit] += 1;
            }
        }
        Ok(Pairwise {
            terms,
            bias,
            edges,
            starts,
            incident,
        })
    }

    /// How many units are free.
    pub(crate) fn units(&self) -> usize {
        self.bias.len()
    }

    /// The edges at a unit.
    pub(crate) fn around(&self, unit: usize) -> &[Incident] {
        &self.incident[self.starts[unit]..self.starts[unit + 1]]
    }

    /// Units in an order in which all but the first of each component come after a neighbour, with that neighbour's edge.
    pub(crate) fn breadth_first(&self) -> Vec<(usize, Option<Incident>)> {
        let mut order: Vec<(usize, Option<Incident>)> = Vec::with_capacity(self.units());
        let mut seen = vec![false; self.units()];
        for root in 0..self.units() {
            if seen[root] {
                continue;
            }
            seen[root] = true;
            let mut next = order.len();
            order.push((root, None));
            while next < order.len() {
                let unit = order[next].0;
                next += 1;
                for incident in self.around(unit) {
                    if !seen[incident.neighbour] {
                        seen[incident.neighbour] = true;
                        let back = Incident {
                            neighbour: unit,
                            ..*incident
                        };
                        order.push((incident.neighbour, Some(back)));
                    }
                }
            }
        }
        order
    }

    /// True where no walk along different edges comes back.
    pub(crate) fn is_forest(&self) -> bool {
        let order = self.breadth_first();
        let roots = order.iter().filter(|(_, edge)| edge.is_none()).count();
        self.edges.len() + roots == self.units()
    }

    /// Back to all units and terms; `log_partition` is without the constant.
    pub(crate) fn assemble(
        &self,
        log_partition: Value,
        entropy: Value,
        means: &[f64],
        pairs: &[f64],
    ) -> Expectations {
        self.terms
            .assemble(log_partition, entropy, means, &self.by_set(means, pairs))
    }

    /// Σ coefficient · expectation.
    pub(crate) fn mean_exponent(&self, means: &[f64], pairs: &[f64]) -> f64 {
        self.terms.mean_exponent(&self.by_set(means, pairs))
    }

    fn by_set(&self, means: &[f64], pairs: &[f64]) -> Vec<f64> {
        let mut pairs = pairs.iter();
        let value = |set: &[usize]| match *set {
            [unit] => means[unit],
            _ => pairs.next().copied().unwrap_or(0.0),
        };
        self.terms.sets.iter().map(|s| &**s).map(value).collect()
    }

    /// The places of the free units among all.
    pub(crate) fn free(&self) -> &[usize] {
        &self.terms.free
    }

    /// The size of everything added up, held terms included: what rounding errors are proportional to.
    pub(crate) fn magnitude(&self) -> f64 {
        let sizes = self.terms.coefficients.iter().map(|c| c.abs());
        sizes.sum::<f64>() + self.terms.constant.abs() + self.units() as f64
    }

    /// A bound on the rounding error of a sum over all units and edges.
    pub(crate) fn rounding(&self) -> f64 {
        let additions = (self.units() + self.edges.len() + 8) as f64;
        // Errors of a long sum grow like the root of its length; four times that is never reached in practice.
        4.0 * f64::EPSILON * additions.sqrt() * self.magnitude()
    }
}

/// E[x_a x_b] within what the two means allow.
pub(crate) fn possible_pair(pair: f64, mean_a: f64, mean_b: f64) -> f64 {
    pair.min(mean_a.min(mean_b))
        .max((mean_a + mean_b - 1.0).max(0.0))
}
