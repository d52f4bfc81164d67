//! All states of a network with their probabilities, block by block.

use super::blocks::{Blocks, SINGLE_BLOCK, multiplies_safely};
use super::enumerator::Enumerator;
use crate::error::Result;
use crate::inference::sums::Sums;
use crate::network::Network;

/// All states of a network, units in a chosen order of bits, in blocks on one common scale.
pub(crate) struct Joint {
    blocks: Blocks,
    coefficients: Vec<f64>,
    base: Vec<f64>,
    safe: bool,
    reference: f64,
}

impl Joint {
    /// `order[b]` is the unit of bit b; blocks hold at least the lowest twelve bits, or all.
    pub(crate) fn new(network: &Network, order: &[usize]) -> Result<Self> {
        let mut bit_of = vec![0; order.len()];
        for (bit, &unit) in order.iter().enumerate() {
            bit_of[unit] = bit;
        }
        let masks: Vec<u64> = network
            .terms()
            .iter()
            .map(|term| term.units().iter().map(|&u| 1u64 << bit_of[u]).sum())
            .collect();
        let hidden = network.hidden().len();
        let low_bits = order.len().min(SINGLE_BLOCK.max(hidden));
        let blocks = Blocks::with_low_bits(order.len(), &masks, low_bits);
        let coefficients = network.weights().to_vec();
        let safe = multiplies_safely(&coefficients);
        let mut sums = Sums::default();
        let enumerator = Enumerator::new(order.len(), &masks)?;
        enumerator.sums(&coefficients, &mut sums);
        Ok(Joint {
            base: blocks.low_table(&coefficients, safe),
            blocks,
            coefficients,
            safe,
            reference: sums.log_partition,
        })
    }

    /// Probabilities of the states, block by block.
    pub(crate) fn visit(&self, mut each: impl FnMut(&[f64])) {
        let range = 0..self.blocks.high_states();
        self.blocks.visit(
            range,
            &self.coefficients,
            &self.base,
            self.safe,
            |_, reference, weights| {
                let scale = (reference - self.reference).exp();
                weights.iter_mut().for_each(|w| *w *= scale);
                each(weights);
            },
        );
    }
}
