//! States from warmed-up chains, far enough apart to be nearly independent.

use crate::error::Result;
use crate::inference::engine::Sampler;
use crate::inference::markov_chains::{Chains, Moments};
use crate::inference::sampling::Sampling;
use crate::network::{Clamp, Network};
use crate::random::Random;
use crate::remark::Remark;

/// The work of draws that are hurried: some five seconds of one core.
const MOST_WORK: f64 = 5e8;

/// Chains, and the sweeps between two draws of their states.
#[derive(Debug)]
pub(super) struct ChainSampler {
    chains: Chains,
    apart: usize,
    remarks: Vec<Remark>,
}

impl ChainSampler {
    pub(super) fn new(sampling: &Sampling, network: &Network, clamp: &Clamp) -> Result<Self> {
        let (chains, apart, found) = sampling.warm_chains(network, clamp)?;
        let mut remarks = vec![Remark::NearlyIndependent {
            chains: chains.count(),
            apart,
        }];
        remarks.extend(found);
        Ok(ChainSampler {
            chains,
            apart,
            remarks,
        })
    }
}

impl Sampler for ChainSampler {
    fn draw(&mut self, most: usize, _: &mut Random) -> Vec<Vec<bool>> {
        let mut states = self.chains.states();
        self.chains.sweep(self.apart);
        states.truncate(most);
        states
    }

    fn hurry(&mut self, count: usize) -> f64 {
        let rounds = count.div_ceil(self.chains.count()).max(1) as f64;
        let replicas = (self.chains.count() * self.chains.temperatures()) as f64;
        let work = self.chains.machine.work() * replicas * rounds;
        let apart = ((MOST_WORK / work) as usize).clamp(1, self.apart);
        // The chains are independent of one another; their later states are so by the sweeps between them.
        let again = apart as f64 / self.apart as f64;
        self.apart = apart;
        (1.0 + (rounds - 1.0) * again) / rounds
    }

    fn remarks(&self) -> &[Remark] {
        &self.remarks
    }
}

impl Sampling {
    /// Chains that have warmed up, to draw states from; how many sweeps make them forget; what is to be doubted.
    pub fn warm_chains(
        &self,
        network: &Network,
        clamp: &Clamp,
    ) -> Result<(Chains, usize, Vec<Remark>)> {
        let run = self.run(network, clamp)?;
        let remarks = run.remarks(network);
        let effective = run.by_unit.iter().filter_map(Moments::effective_samples);
        let least = effective.fold(run.records.samples() as f64, f64::min);
        // Twice the autocorrelation time of the slowest unit.
        let sweeps = (run.sweeps * run.chains.count()) as f64;
        let apart = (2.0 * sweeps / least).ceil() as usize;
        Ok((run.chains, apart.clamp(1, 4 * run.sweeps), remarks))
    }
}
