//! States from warmed-up chains, far enough apart to be nearly independent.

use super::{Chains, Sampling};
use crate::error::Result;
use crate::inference::engine::Sampler;
use crate::network::{Clamp, Network};
use crate::random::Random;
use crate::remark::Remark;

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

    fn remarks(&self) -> &[Remark] {
        &self.remarks
    }
}
