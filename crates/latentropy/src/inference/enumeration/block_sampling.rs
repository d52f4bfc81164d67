//! The blocks of an enumeration as samples need them: one by one, with the weights of their states.

use super::blocks::{Blocks, multiplies_safely};
use crate::error::Result;
use crate::inference::reduction::Reduced;
use crate::network::{Clamp, Network};

/// The blocks of an enumeration, one by one, for drawing samples.
#[derive(Clone, Debug)]
pub(crate) struct BlockSampling {
    free: Vec<usize>,
    blocks: Blocks,
    coefficients: Vec<f64>,
    base: Vec<f64>,
    safe: bool,
}

impl BlockSampling {
    pub(crate) fn new(network: &Network, clamp: &Clamp) -> Result<Self> {
        let reduced = Reduced::new(network, clamp)?;
        let (coefficients, _) = reduced.coefficients(network.weights(), 0.0);
        let blocks = Blocks::new(reduced.free.len(), &reduced.masks);
        let safe = multiplies_safely(&coefficients);
        Ok(BlockSampling {
            free: reduced.free,
            base: blocks.low_table(&coefficients, safe),
            blocks,
            coefficients,
            safe,
        })
    }

    /// How many blocks there are.
    pub(crate) fn count(&self) -> u64 {
        self.blocks.high_states()
    }

    /// `each(block, reference, weights)` for a range of blocks.
    pub(crate) fn visit(
        &self,
        range: std::ops::Range<u64>,
        each: impl FnMut(u64, f64, &mut [f64]),
    ) {
        self.blocks
            .visit(range, &self.coefficients, &self.base, self.safe, each);
    }

    /// Units within a block.
    pub(crate) fn low_bits(&self) -> usize {
        self.blocks.low_bits()
    }

    /// The unit of each bit of a state.
    pub(crate) fn free(&self) -> &[usize] {
        &self.free
    }
}
