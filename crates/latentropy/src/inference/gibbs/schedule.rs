//! How long chains run: until they agree, tempered where they do not, within limits.

use super::run::{MOST_R_HAT, Run, better};
use crate::error::Result;
use crate::inference::annealed_importance::Path;
use crate::inference::markov_chains::{Chains, Machine};
use crate::inference::reduction::FreeTerms;
use crate::inference::sampling::{Sampling, Tempering};
use crate::network::{Clamp, Network};

/// Sweeps at first, and how often they may be doubled.
const FIRST_SWEEPS: usize = 512;
const DOUBLINGS: u32 = 4;
/// The work of all chains together is kept below this: about a second per 1e8 on one core.
const MOST_WORK: f64 = 6e8;
/// A ladder's temperatures lie this far apart, in standard deviations of the exponent's change, and are at most so many.
const LADDER_STEP: f64 = 1.3;
const MOST_TEMPERATURES: usize = 32;
/// Kinds of work have streams of their own: chains, tempered chains, the path's pilot, the two ways of annealing.
const TEMPERED_SEED: u64 = 0x74656d70;

impl Sampling {
    /// Chains from fair coins.
    pub(super) fn run(&self, network: &Network, clamp: &Clamp) -> Result<Run> {
        self.run_from(network, clamp, None)
    }

    /// Chains until they agree, tempered where they do not, within limits; from independent units of these means,
    /// one per unit.
    pub(crate) fn run_from(
        &self,
        network: &Network,
        clamp: &Clamp,
        means: Option<&[f64]>,
    ) -> Result<Run> {
        let terms = FreeTerms::new(network, clamp)?;
        let mut machine = Machine::new(&terms);
        if let Some(means) = means {
            let free: Vec<f64> = terms.free.iter().map(|&unit| means[unit]).collect();
            machine.set_base(&free);
        }
        let limit = self.limit(&machine, 1);
        let mut sweeps = self.sweeps.unwrap_or(FIRST_SWEEPS).min(limit).max(1);
        let fresh = |sweeps| {
            let count = self.chains;
            let chains = Chains::of(
                terms.clone(),
                machine.clone(),
                clamp,
                count,
                self.seed,
                vec![1.0],
            );
            Run::new(chains, sweeps)
        };
        let mut run = match self.tempering {
            Tempering::Always => self.temper(&fresh(64.min(limit)), clamp, sweeps),
            _ => fresh(sweeps),
        };
        if self.sweeps.is_some() {
            let bad = run.worst.r_hat > MOST_R_HAT;
            if bad && self.tempering == Tempering::Auto {
                let tempered = self.temper(&run, clamp, sweeps);
                return Ok(better(run, tempered));
            }
            return Ok(run);
        }
        for _ in 0..DOUBLINGS {
            let good = run.worst.r_hat <= 1.0 + 0.2 * (MOST_R_HAT - 1.0);
            let lost = run.worst.r_hat > 1.3 && self.tempering == Tempering::Auto;
            let more = 2 * sweeps;
            if good || lost || more > limit || self.tempering == Tempering::Always {
                break;
            }
            sweeps = more;
            run = run.further(sweeps);
        }
        if run.worst.r_hat > MOST_R_HAT && self.tempering == Tempering::Auto {
            let tempered = self.temper(&run, clamp, sweeps);
            run = better(run, tempered);
        }
        Ok(run)
    }

    /// How many sweeps of all chains the work allows.
    fn limit(&self, machine: &Machine, temperatures: usize) -> usize {
        if let Some(sweeps) = self.sweeps {
            return sweeps;
        }
        let work = machine.work() * self.chains as f64 * temperatures as f64;
        ((MOST_WORK / work) as usize).clamp(64, FIRST_SWEEPS << DOUBLINGS)
    }

    /// The same with replicas on the path from independent units of the means found so far.
    fn temper(&self, run: &Run, clamp: &Clamp, sweeps: usize) -> Run {
        let mut machine = run.chains.machine.clone();
        machine.set_base(&run.free_means());
        let path = Path::measure(&machine, self.seed);
        let count = (path.length() / LADDER_STEP).ceil() as usize + 1;
        let betas = path.spaced(count.clamp(2, MOST_TEMPERATURES));
        let limit = self.limit(&machine, betas.len());
        let terms = run.chains.terms.clone();
        let seed = self.seed ^ TEMPERED_SEED;
        let chains = Chains::of(terms, machine, clamp, self.chains, seed, betas);
        let mut sweeps = sweeps.min(limit);
        let mut found = Run::new(chains, sweeps);
        while self.sweeps.is_none() && found.worst.r_hat > MOST_R_HAT && 2 * sweeps <= limit {
            sweeps *= 2;
            found = found.further(sweeps);
        }
        found
    }
}
