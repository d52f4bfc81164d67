//! The engine `cbp` itself.

use super::choice::{Influence, opens_all_loops, strongest};
use crate::error::Result;
use crate::inference::at_once::{AnswersAtOnce, AtOnce};
use crate::inference::belief_propagation::{responding_beliefs, settled_beliefs};
use crate::inference::engine::{Demand, Engine, Gives, Prepared};
use crate::inference::expectations::Expectations;
use crate::inference::reduction::Pairwise;
use crate::inference::value::{Kind, Value};
use crate::network::{Clamp, Network};
use rayon::prelude::*;

/// Messages of one round over all states of the held units together: what decides how many units are held.
const MOST_MESSAGES: usize = 1 << 12;
/// More units than this are never held.
const MOST_HELD: usize = 12;

/// The engine `cbp`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConditionedBeliefPropagation {
    /// How many units are held; as many as a budget of messages allows where this is not given.
    pub units: Option<usize>,
}

impl Engine for ConditionedBeliefPropagation {
    fn name(&self) -> &'static str {
        "cbp"
    }

    fn about(&self) -> &'static str {
        "Belief propagation conditioned on the most influential units: an estimate; exact where that opens all loops"
    }

    fn gives(&self) -> Gives {
        Gives {
            objective: true,
            ..Gives::default()
        }
    }

    fn method(&self, _: &Network, _: &Clamp) -> Result<&'static str> {
        Ok("Bethe free energies, summed over states of the strongest units")
    }

    fn prepare(&self, structure: &Network, clamp: &Clamp, _: &Demand) -> Result<Box<dyn Prepared>> {
        Ok(AtOnce::boxed(*self, structure, clamp))
    }
}

impl ConditionedBeliefPropagation {
    fn found(
        &self,
        network: &Network,
        clamp: &Clamp,
        influence: Influence,
        pairs: Pairs,
    ) -> Result<Expectations> {
        let graph = Pairwise::new(network, clamp, self.name())?;
        let most = self.units.unwrap_or_else(|| budget(graph.edges.len()));
        let mut held = strongest(network, &graph, influence, most);
        if !opens_all_loops(&graph, &held) {
            // Where the other measure opens all loops the answer is exact, whoever asks.
            let other = strongest(network, &graph, influence.other(), most);
            if opens_all_loops(&graph, &other) {
                held = other;
            }
        }
        let units: Vec<usize> = held.iter().map(|&unit| graph.free()[unit]).collect();
        conditioned_on(network, clamp, &units, pairs, self.name())
    }
}

/// One unit at least; each one more doubles the messages.
fn budget(edges: usize) -> usize {
    let states = MOST_MESSAGES / (2 * edges).max(1);
    (states.max(2).ilog2() as usize).clamp(1, MOST_HELD)
}

impl AnswersAtOnce for ConditionedBeliefPropagation {
    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        self.found(network, clamp, Influence::Weights, Pairs::Beliefs)
    }

    /// Units that were chosen by their weights would change on the way, and log Z with them.
    fn gradient(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        self.found(network, clamp, Influence::Structure, Pairs::Beliefs)
    }

    fn best(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        self.found(network, clamp, Influence::Structure, Pairs::Responses)
    }
}

/// Where expectations of pairs come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::inference) enum Pairs {
    /// Beliefs: the gradient of the estimate of log Z.
    Beliefs,
    /// Linear response: better, and the gradient of nothing.
    Responses,
}

/// log Σ_s Z_Bethe(s) over the states s of these units, and the mixture of the expectations in each.
pub(in crate::inference) fn conditioned_on(
    network: &Network,
    clamp: &Clamp,
    units: &[usize],
    pairs: Pairs,
    engine: &str,
) -> Result<Expectations> {
    let state = |state: usize| -> Result<Expectations> {
        let mut held = clamp.clone();
        for (bit, &unit) in units.iter().enumerate() {
            held.hold(unit, state >> bit & 1 == 1)?;
        }
        let graph = Pairwise::new(network, &held, engine)?;
        match pairs {
            Pairs::Beliefs => settled_beliefs(&graph),
            Pairs::Responses => responding_beliefs(&graph),
        }
    };
    let states: Vec<Result<Expectations>> = (0..1usize << units.len())
        .into_par_iter()
        .map(state)
        .collect();
    let states: Vec<Expectations> = states.into_iter().collect::<Result<_>>()?;
    Ok(mixed(network, &states))
}

/// The mixture of parts, each by its share of Z.
fn mixed(network: &Network, parts: &[Expectations]) -> Expectations {
    let logs = parts.iter().map(|part| part.log_partition.value);
    let largest = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = logs.clone().map(|log| (log - largest).exp()).sum();
    let log_partition = largest + total.ln();
    // By differences from the first part: what all parts agree on stays as it is, to the last bit.
    let first = parts.first();
    let mut means = first.map_or_else(Vec::new, |first| first.means.clone());
    let mut terms = first.map_or_else(Vec::new, |first| first.terms.clone());
    for (part, log) in parts.iter().zip(logs) {
        let share = (log - log_partition).exp();
        let add = |sums: &mut [f64], values: &[f64], first: &[f64]| {
            for ((sum, value), first) in sums.iter_mut().zip(values).zip(first) {
                *sum += share * (value - first);
            }
        };
        add(&mut means, &part.means, &parts[0].means);
        add(&mut terms, &part.terms, &parts[0].terms);
    }
    // Shares add up to one but for rounding.
    for value in means.iter_mut().chain(&mut terms) {
        *value = value.clamp(0.0, 1.0);
    }
    let is_exact = parts
        .iter()
        .all(|part| part.log_partition.kind == Kind::Exact);
    let kind = if is_exact {
        Kind::Exact
    } else {
        Kind::Estimate
    };
    let exponents = network.weights().iter().zip(&terms);
    let exponent: f64 = exponents.map(|(weight, term)| weight * term).sum();
    let mut entropy = log_partition - network.constant() - exponent;
    if is_exact {
        entropy = entropy.max(0.0);
    }
    let value = |value: f64| Value {
        value,
        kind,
        std_err: None,
    };
    Expectations {
        log_partition: value(log_partition),
        entropy: value(entropy),
        means,
        terms,
    }
}
