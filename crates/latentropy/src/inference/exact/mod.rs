//! The engine `exact`: by enumeration or by factorisation, whichever visits less.

mod prepared;
mod sampler;

pub use sampler::ExactSampler;

use super::engine::{AnswersAtOnce, Demand, Engine, Gives, Prepared, Sampler};
use super::enumeration::{Enumeration, MOST_ENUMERATED};
use super::factorisation::{Factorised, MOST_DEPENDENT, Sides};
use super::{AtOnce, Expectations};
use crate::error::{Error, Result};
use crate::message::{Setting, words};
use crate::network::{Clamp, Network};

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact;

impl Engine for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn about(&self) -> &'static str {
        "Exact: by enumeration or by factorisation, whichever visits less"
    }

    fn gives(&self) -> Gives {
        Gives {
            exact_sums: true,
            objective: true,
            strata: true,
            curvature: true,
            chains: false,
        }
    }

    fn method(&self, structure: &Network, clamp: &Clamp) -> Result<&'static str> {
        Ok(exact_way(structure, clamp)?.method())
    }

    fn prepare(
        &self,
        structure: &Network,
        clamp: &Clamp,
        demand: &Demand,
    ) -> Result<Box<dyn Prepared>> {
        let is_whole = clamp.len() == structure.units().len();
        if is_whole && (0..clamp.len()).all(|unit| clamp.get(unit).is_none()) {
            return prepared::unclamped(structure, demand.strata);
        }
        let way = exact_way(structure, clamp)?;
        Ok(AtOnce::boxed(way, structure, clamp))
    }
}

/// One of the two ways to sum exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// All states of all free units.
    Enumeration,
    /// All states of the dependent side only.
    Factorisation,
}

impl Way {
    /// What it does, for reports.
    pub fn method(self) -> &'static str {
        match self {
            Way::Enumeration => "enumeration",
            Way::Factorisation => "factorisation",
        }
    }
}

impl AnswersAtOnce for Way {
    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        match self {
            Way::Enumeration => Enumeration.expectations(network, clamp),
            Way::Factorisation => Factorised.expectations(network, clamp),
        }
    }

    fn sampler(&self, network: &Network, clamp: &Clamp) -> Result<Option<Box<dyn Sampler>>> {
        Ok(Some(Box::new(ExactSampler::new(network, clamp)?)))
    }
}

/// A state of the dependent side costs about this many states of an enumeration for each independent unit.
const COST_OF_A_FIELD: f64 = 4.0;

/// Chooses the cheaper way, or says why none can hold the machine.
pub fn exact_way(network: &Network, clamp: &Clamp) -> Result<Way> {
    let free = (0..clamp.len()).filter(|&u| clamp.get(u).is_none()).count();
    let sides = Sides::new(network, clamp);
    let cost = |sides: &Sides| {
        2f64.powi(sides.dependent.len() as i32)
            * (1.0 + COST_OF_A_FIELD * sides.independent.len() as f64)
    };
    match sides {
        Ok(sides) if free > MOST_ENUMERATED || cost(&sides) < 2f64.powi(free as i32) => {
            Ok(Way::Factorisation)
        }
        _ if free <= MOST_ENUMERATED => Ok(Way::Enumeration),
        _ => Err(Error::too_large(
            format!(
                "exact inference cannot hold this machine: {free} free units make 2^{free} states (at most \
                 2^{MOST_ENUMERATED}), and no side of at most {MOST_DEPENDENT} units leaves the rest independent"
            ),
            words![
                "use fewer hidden units, a restricted shape (",
                Setting::Shape.at("rbm"),
                "), or hold units with ",
                Setting::Given,
            ],
        )),
    }
}

/// Exact expectations of a network, some units held: what reports, scores and tests ask for most.
pub(crate) fn exact_expectations(network: &Network, clamp: &Clamp) -> Result<Expectations> {
    exact_way(network, clamp)?.expectations(network, clamp)
}
