//! The engine `exact` itself.

use super::prepared::unclamped;
use super::way::exact_way;
use crate::error::Result;
use crate::inference::at_once::AtOnce;
use crate::inference::engine::{Demand, Engine, Gives, Prepared};
use crate::network::{Clamp, Network};

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Exact;

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
            upper_bound: false,
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
            return unclamped(structure, demand.strata);
        }
        let way = exact_way(structure, clamp)?;
        Ok(AtOnce::boxed(way, structure, clamp))
    }
}
