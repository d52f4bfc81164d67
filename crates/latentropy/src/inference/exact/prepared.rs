//! Exact sums of a whole machine, prepared for many sets of weights: what learning spends its time in.

use super::way::{Way, exact_way};
use crate::error::{Error, Result};
use crate::inference::at_once::AnswersAtOnce;
use crate::inference::engine::{
    Answer, CovarianceProducts, Covariances, Prepared, Sampler, Stratified,
};
use crate::inference::enumeration::{Enumerator, MOST_ENUMERATED};
use crate::inference::factorisation::FactorisedSums;
use crate::inference::sums::{StratifiedSums, Sums, SumsWorth};
use crate::network::{Clamp, Network};
use std::sync::OnceLock;

/// Up to this many units every machine is enumerated.
const SMALL: usize = 14;

/// Up to this many units sums by f# are worth enumerating a machine that could be factorised.
const WORTH_STRATA: usize = 20;

/// A whole machine.
#[derive(Debug)]
struct Whole {
    structure: Network,
    masks: Vec<u64>,
    way: Way,
    /// Whether sums by f# were demanded.
    strata: bool,
    /// Made when sums are first asked for: a single answer does not need them.
    sums: OnceLock<WholeSums>,
}

/// How its sums are made.
#[derive(Debug)]
enum WholeSums {
    Enumerated(Enumerator),
    /// With an enumerator beside it where the machine is small enough for a table of all moments.
    Factorised(FactorisedSums, Option<Enumerator>),
}

/// Prepares a machine with no unit held.
pub(super) fn unclamped(structure: &Network, strata: bool) -> Result<Box<dyn Prepared>> {
    let units = structure.units().len();
    let way = exact_way(structure, &Clamp::none(units))?;
    // Only enumeration gives sums by f#: a machine that is factorised does without, unless it is small.
    let strata = strata && (way != Way::Factorisation || units <= WORTH_STRATA);
    // Masks have one bit per unit; machines of more units are summed by factorisation, which needs none.
    let masks = if units <= MOST_ENUMERATED {
        let terms = structure.terms().iter();
        terms
            .map(|term| term.units().iter().map(|u| 1 << u).sum())
            .collect()
    } else {
        Vec::new()
    };
    Ok(Box::new(Whole {
        structure: structure.clone(),
        masks,
        way,
        strata,
        sums: OnceLock::new(),
    }))
}

impl Whole {
    fn made(&self) -> Result<&WholeSums> {
        if let Some(made) = self.sums.get() {
            return Ok(made);
        }
        let units = self.structure.units().len();
        let made = match self.way {
            // A small machine is summed faster by enumeration however it is shaped.
            Way::Factorisation if !self.strata && units > SMALL => {
                let tables = (units <= MOST_ENUMERATED)
                    .then(|| Enumerator::new(units, &self.masks).ok())
                    .flatten();
                WholeSums::Factorised(FactorisedSums::new(&self.structure)?, tables)
            }
            _ => {
                let enumerator = Enumerator::new(units, &self.masks)?;
                WholeSums::Enumerated(if self.strata {
                    enumerator.with_strata(&vec![1; self.masks.len()], 0)
                } else {
                    enumerator
                })
            }
        };
        Ok(self.sums.get_or_init(|| made))
    }

    /// Refuses weights that are not one per term.
    fn check(&self, weights: &[f64]) -> Result<()> {
        let terms = self.structure.terms().len();
        if weights.len() != terms {
            return Err(Error::invalid(format!(
                "{} weights for {terms} terms",
                weights.len()
            )));
        }
        Ok(())
    }

    /// The enumerator, if the machine can be enumerated.
    fn enumerator(&self) -> Option<&Enumerator> {
        match self.made().ok()? {
            WholeSums::Enumerated(enumerator) => Some(enumerator),
            WholeSums::Factorised(_, tables) => tables.as_ref(),
        }
    }
}

impl Prepared for Whole {
    fn answer(&self, weights: &[f64]) -> Result<Answer> {
        let network = self.structure.with_weights(weights.to_vec())?;
        let none = Clamp::none(network.units().len());
        self.way.answer(&network, &none)
    }

    fn sums(&self, weights: &[f64], out: &mut Sums) -> Result<()> {
        self.check(weights)?;
        out.worth = SumsWorth::default();
        match self.made()? {
            WholeSums::Enumerated(enumerator) => enumerator.sums(weights, out),
            WholeSums::Factorised(sums, _) => {
                out.log_partition = sums.evaluate(weights, &mut out.terms);
            }
        }
        out.log_partition += self.structure.constant();
        Ok(())
    }

    fn strata(&self) -> Option<&dyn Stratified> {
        self.strata.then_some(self)
    }

    fn curvature(&self) -> Option<&dyn Covariances> {
        let is_small = match self.made().ok()? {
            WholeSums::Factorised(sums, _) if sums.has_covariances() => true,
            _ => self.enumerator()?.has_moments(),
        };
        is_small.then_some(self)
    }

    fn products(&self, weights: &[f64]) -> Result<Option<Box<dyn CovarianceProducts>>> {
        self.check(weights)?;
        Ok(Some(match self.made()? {
            WholeSums::Enumerated(enumerator) => Box::new(enumerator.products(weights, true)),
            WholeSums::Factorised(sums, _) => Box::new(sums.products(weights, true)),
        }))
    }

    fn sampler(&self, weights: &[f64]) -> Result<Option<Box<dyn Sampler>>> {
        let network = self.structure.with_weights(weights.to_vec())?;
        let none = Clamp::none(network.units().len());
        self.way.sampler(&network, &none)
    }
}

impl Stratified for Whole {
    fn strata(&self, weights: &[f64], out: &mut StratifiedSums) -> Result<()> {
        self.check(weights)?;
        let WholeSums::Enumerated(enumerator) = self.made()? else {
            return Err(Error::failed(
                "sums by f# were asked of a factorised machine",
            ));
        };
        enumerator.stratified(weights, out)?;
        out.log_partition += self.structure.constant();
        Ok(())
    }
}

impl Covariances for Whole {
    fn takes_few_passes(&self) -> bool {
        // Moments of states do; one side's states have every pair of terms to go through.
        !matches!(self.made(), Ok(WholeSums::Factorised(sums, _)) if sums.has_covariances())
    }

    fn covariances(&self, weights: &[f64], out: &mut [f64]) {
        if let Ok(WholeSums::Factorised(sums, _)) = self.made()
            && sums.has_covariances()
        {
            return sums.covariances(weights, out);
        }
        let moments = self.enumerator().and_then(|e| e.moments(weights));
        let Some(moments) = moments else {
            return;
        };
        let terms = self.masks.len();
        for a in 0..terms {
            let mask_a = self.masks[a];
            for b in 0..=a {
                let mask_b = self.masks[b];
                out[a * terms + b] =
                    moments.of(mask_a | mask_b) - moments.of(mask_a) * moments.of(mask_b);
            }
        }
    }
}
