//! The engine `gbp` itself.

use super::choice::{Chosen, choose, influences};
use super::propagate::Beliefs;
use super::regions::{RegionGraph, Regions};
use crate::error::{Error, Result};
use crate::inference::at_once::{AnswersAtOnce, AtOnce};
use crate::inference::conditioned::{Influence, Pairs, conditioned_on};
use crate::inference::engine::{Demand, Engine, Gives, Prepared};
use crate::inference::expectations::Expectations;
use crate::inference::reduction::FreeTerms;
use crate::inference::value::{Kind, Value};
use crate::message::{Setting, words};
use crate::network::{Clamp, Network};

/// So many stars are summed over the states of their roots.
const MOST_STARS: usize = 6;

/// The engine `gbp`: terms of any order.
#[derive(Clone, Debug, Default)]
pub struct GeneralisedBeliefPropagation {
    /// The outer regions.
    pub regions: Regions,
}

impl Engine for GeneralisedBeliefPropagation {
    fn name(&self) -> &'static str {
        "gbp"
    }

    fn about(&self) -> &'static str {
        "Generalised belief propagation on faces, short loops or stars: a better estimate"
    }

    fn gives(&self) -> Gives {
        Gives {
            objective: true,
            ..Gives::default()
        }
    }

    fn method(&self, _: &Network, _: &Clamp) -> Result<&'static str> {
        Ok("the region free energy on faces, short loops or stars")
    }

    fn prepare(&self, structure: &Network, clamp: &Clamp, _: &Demand) -> Result<Box<dyn Prepared>> {
        Ok(AtOnce::boxed(self.clone(), structure, clamp))
    }
}

impl AnswersAtOnce for GeneralisedBeliefPropagation {
    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        self.found(network, clamp, Influence::Weights, Pairs::Beliefs)
    }

    /// A root that was chosen by its weights would change on the way, and log Z with it.
    fn gradient(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        self.found(network, clamp, Influence::Structure, Pairs::Beliefs)
    }

    /// Stars have responses, being belief propagation; faces and short loops have beliefs alone.
    fn best(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        self.found(network, clamp, Influence::Structure, Pairs::Responses)
    }
}

impl GeneralisedBeliefPropagation {
    fn found(
        &self,
        network: &Network,
        clamp: &Clamp,
        influence: Influence,
        pairs: Pairs,
    ) -> Result<Expectations> {
        let terms = FreeTerms::new(network, clamp)?;
        if let Regions::Given(given) = &self.regions {
            let units = network.units().len();
            if let Some(unit) = given.iter().flatten().find(|&&unit| unit >= units) {
                return Err(Error::invalid(format!(
                    "a region names unit {unit}, but the units are 0 to {}",
                    units - 1
                )));
            }
        }
        let influences = influences(network, &terms, influence);
        let mut chosen = match self.regions {
            Regions::Chosen => choose(&terms, &influences, true),
            Regions::Stars => choose(&terms, &influences, false),
            _ => Chosen::default(),
        };
        if self.regions == Regions::Chosen && are_stars_alone(&chosen, &terms) {
            // The same estimate, by messages that settle far better.
            let roots: Vec<usize> = chosen.roots.iter().map(|&root| terms.free[root]).collect();
            return conditioned_on(network, clamp, &roots, pairs, self.name());
        }
        let mut graph = RegionGraph::new(&terms, &self.regions, &chosen)?;
        if self.regions == Regions::Chosen && graph.counted() != chosen.components as f64 {
            chosen = choose(&terms, &influences, false);
            graph = RegionGraph::new(&terms, &self.regions, &chosen)?;
        }
        self.propagated(&terms, &graph)
    }

    fn propagated(&self, terms: &FreeTerms, graph: &RegionGraph) -> Result<Expectations> {
        let homes = homes(graph, terms)?;
        let mut beliefs = Beliefs::new(graph, terms, &homes);
        if !beliefs.settle() {
            return Err(Error::failed(words![
                "generalised belief propagation did not settle within its steps; use ",
                Setting::Engine.at("trw"),
                " (an upper bound, always found), bp, or junction-tree",
            ]));
        }
        let tables = beliefs.probabilities();
        let expectation = |&(home, mask): &(usize, usize)| -> f64 {
            let table = tables[home].iter().enumerate();
            let on = table.filter(|(state, _)| state & mask == mask);
            on.map(|(_, p)| p).sum::<f64>().min(1.0)
        };
        let by_set: Vec<f64> = homes.iter().map(expectation).collect();
        let mut means = vec![0.0; terms.free.len()];
        for (home, region) in graph.outer.iter().enumerate() {
            for (bit, &unit) in region.iter().enumerate() {
                means[unit] = expectation(&(home, 1 << bit));
            }
        }
        let kind = match graph.is_acyclic() {
            true => Kind::Exact,
            false => Kind::Estimate,
        };
        let value = |value: f64| Value {
            value,
            kind,
            std_err: None,
        };
        let log_partition = beliefs.log_partition();
        let mut entropy = log_partition - terms.mean_exponent(&by_set);
        if kind == Kind::Exact {
            entropy = entropy.max(0.0);
        }
        Ok(terms.assemble(value(log_partition), value(entropy), &means, &by_set))
    }
}

/// True where a few stars are all there is beside trees, and all terms are pairs.
fn are_stars_alone(chosen: &Chosen, terms: &FreeTerms) -> bool {
    let is_pairwise = || terms.sets.iter().all(|set| set.len() <= 2);
    (1..=MOST_STARS).contains(&chosen.roots.len()) && chosen.is_rest_open && is_pairwise()
}

/// For each set of terms an outer region that holds it, and the set as a mask there.
fn homes(graph: &RegionGraph, terms: &FreeTerms) -> Result<Vec<(usize, usize)>> {
    let mut holding = vec![Vec::new(); terms.free.len()];
    for (at, region) in graph.outer.iter().enumerate() {
        for &unit in region {
            holding[unit].push(at);
        }
    }
    let home = |set: &[usize]| {
        let inside = |region: &[usize]| set.iter().all(|unit| region.contains(unit));
        let at = holding[set[0]].iter().find(|&&r| inside(&graph.outer[r]))?;
        let region = graph.outer[*at].iter().enumerate();
        let mask = region
            .filter(|(_, unit)| set.contains(unit))
            .map(|(bit, _)| 1usize << bit)
            .sum();
        Some((*at, mask))
    };
    let sets = terms.sets.iter();
    sets.map(|set| {
        home(set).ok_or_else(|| Error::failed("a term lies in no region of gbp".to_string()))
    })
    .collect()
}
