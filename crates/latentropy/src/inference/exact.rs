//! The engine `exact`: by enumeration or by factorisation, whichever visits less.

use super::factorised::Sides;
use super::{
    Clamp, Enumeration, Expectations, Factorised, FeatureExpectations, MOST_DEPENDENT,
    MOST_ENUMERATED,
};
use crate::error::{Error, Result};
use crate::network::Network;

/// One of the two exact engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExactEngine {
    /// All states of all free units.
    Enumeration,
    /// All states of the dependent side only.
    Factorised,
}

impl ExactEngine {
    /// What it does, for reports.
    pub fn method(self) -> &'static str {
        match self {
            ExactEngine::Enumeration => "enumeration",
            ExactEngine::Factorised => "factorisation",
        }
    }
}

/// A state of the dependent side costs about this many states of an enumeration for each independent unit.
const COST_OF_A_FIELD: f64 = 4.0;

/// Chooses the cheaper exact engine, or says why none can hold the machine.
pub fn exact_engine(network: &Network, clamp: &Clamp) -> Result<ExactEngine> {
    let free = (0..clamp.len()).filter(|&u| clamp.get(u).is_none()).count();
    let sides = Sides::new(network, clamp);
    let cost = |sides: &Sides| {
        2f64.powi(sides.dependent.len() as i32)
            * (1.0 + COST_OF_A_FIELD * sides.independent.len() as f64)
    };
    match sides {
        Ok(sides) if free > MOST_ENUMERATED || cost(&sides) < 2f64.powi(free as i32) => {
            Ok(ExactEngine::Factorised)
        }
        _ if free <= MOST_ENUMERATED => Ok(ExactEngine::Enumeration),
        _ => Err(Error::TooLarge(format!(
            "exact inference cannot hold this machine: {free} free units make 2^{free} states (at most \
             2^{MOST_ENUMERATED}), and no side of at most {MOST_DEPENDENT} units leaves the rest independent; \
             use fewer hidden units, a restricted shape (--shape rbm), or hold units with --given"
        ))),
    }
}

impl FeatureExpectations for ExactEngine {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        match self {
            ExactEngine::Enumeration => Enumeration.expectations(network, clamp),
            ExactEngine::Factorised => Factorised.expectations(network, clamp),
        }
    }
}
