//! A run of chains: warm up, measure, and what the measurements are worth.

use crate::inference::markov_chains::{Chains, Moments, Records};
use crate::network::Network;
use crate::remark::Remark;
use rayon::prelude::*;

/// Above this R̂ the chains are said to disagree.
pub const MOST_R_HAT: f64 = 1.05;
/// Below this many effective samples an expectation is said to be poor.
const LEAST_EFFECTIVE: f64 = 100.0;
/// States that are kept of each chain.
const TIMES: usize = 512;

/// Chains at the end of their run, with what they went through.
pub(crate) struct Run {
    pub(crate) chains: Chains,
    pub(super) records: Records,
    pub(super) sweeps: usize,
    /// One per set.
    pub(super) by_set: Vec<Moments>,
    /// One per free unit.
    pub(super) by_unit: Vec<Moments>,
    pub(super) worst: Worst,
}

/// Where chains disagree most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worst {
    pub(super) r_hat: f64,
    /// A free unit, or a set.
    unit: Option<usize>,
    set: Option<usize>,
}

/// The run whose chains agree better.
pub(super) fn better(plain: Run, tempered: Run) -> Run {
    match tempered.worst.r_hat <= plain.worst.r_hat {
        true => tempered,
        false => plain,
    }
}

impl Run {
    pub(super) fn new(mut chains: Chains, sweeps: usize) -> Self {
        chains.sweep(sweeps.div_ceil(2));
        Run::measure(chains, sweeps)
    }

    /// All that was measured so far counts as warming up.
    pub(super) fn further(self, sweeps: usize) -> Self {
        Run::measure(self.chains, sweeps)
    }

    fn measure(mut chains: Chains, sweeps: usize) -> Self {
        let apart = sweeps.div_ceil(TIMES);
        let records = chains.record(sweeps.div_ceil(apart), apart);
        let sets = chains.machine.sets.par_iter();
        let by_set: Vec<Moments> = sets.map(|set| records.moments(set)).collect();
        let places = chains.machine.place.par_iter();
        let by_unit = places.map(|&place| records.moments(&[place as u32]));
        let by_unit: Vec<Moments> = by_unit.collect();
        let mut worst = Worst {
            r_hat: 1.0,
            unit: None,
            set: None,
        };
        for (unit, moments) in by_unit.iter().enumerate() {
            if moments.r_hat() > worst.r_hat {
                worst = Worst {
                    r_hat: moments.r_hat(),
                    unit: Some(unit),
                    set: None,
                };
            }
        }
        for (set, moments) in by_set.iter().enumerate() {
            if moments.r_hat() > worst.r_hat {
                worst = Worst {
                    r_hat: moments.r_hat(),
                    unit: None,
                    set: Some(set),
                };
            }
        }
        Run {
            sweeps: records.times() * apart,
            chains,
            records,
            by_set,
            by_unit,
            worst,
        }
    }

    /// The mean of each free unit.
    pub(crate) fn free_means(&self) -> Vec<f64> {
        self.by_unit.iter().map(Moments::mean).collect()
    }

    /// How many independent samples the chains are worth for a typical unit.
    pub(super) fn typical(&self) -> f64 {
        let effective = self.by_unit.iter().filter_map(Moments::effective_samples);
        let mut effective: Vec<f64> = effective.collect();
        effective.sort_by(f64::total_cmp);
        let chains = self.chains.count() as f64;
        effective
            .get(effective.len() / 2)
            .copied()
            .unwrap_or(chains)
    }

    /// What is to be doubted about the chains.
    pub(crate) fn remarks(&self, network: &Network) -> Vec<Remark> {
        let mut remarks = Vec::new();
        let name = |unit: usize| network.units()[self.chains.terms.free[unit]].name.clone();
        let set = |set: usize| {
            let units = self.chains.terms.sets[set].iter();
            units.map(|&unit| name(unit)).collect::<Vec<_>>().join("*")
        };
        if self.worst.r_hat > MOST_R_HAT {
            let what = self
                .worst
                .unit
                .map(name)
                .or_else(|| self.worst.set.map(set));
            remarks.push(Remark::ChainsDisagree {
                r_hat: self.worst.r_hat,
                limit: MOST_R_HAT,
                at: what.unwrap_or_default(),
            });
        }
        let effective = self.by_unit.iter().chain(&self.by_set);
        let effective = effective.filter_map(Moments::effective_samples);
        let count = effective.fold(f64::INFINITY, f64::min);
        if count < LEAST_EFFECTIVE {
            remarks.push(Remark::FewSamples { count });
        }
        remarks
    }
}
