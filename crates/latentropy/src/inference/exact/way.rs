//! The two ways to sum exactly, and which of them is cheaper.

use crate::error::{Error, Result};
use crate::inference::enumeration::{MOST_ENUMERATED, strata_work as enumerated_strata_work};
use crate::inference::factorisation::{MOST_DEPENDENT, Sides};
use crate::message::{Setting, words};
use crate::network::{Clamp, Network};

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

/// A state of the dependent side costs about this many states of an enumeration for each independent unit.
const COST_OF_A_FIELD: f64 = 4.0;

/// About how many additions a pass for sums by f# takes by enumeration.
pub(crate) fn strata_work(network: &Network) -> f64 {
    let units = network.units().len();
    let terms = network.terms().iter();
    let mask = |units: &[usize]| units.iter().fold(0u64, |mask, unit| mask | 1 << unit);
    let masks: Vec<u64> = terms.map(|term| mask(term.units())).collect();
    match units <= MOST_ENUMERATED {
        true => enumerated_strata_work(units, &masks),
        false => f64::INFINITY,
    }
}

/// Chooses the cheaper way, or says why none can hold the machine.
pub fn exact_way(network: &Network, clamp: &Clamp) -> Result<Way> {
    let free = clamp.free().len();
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
