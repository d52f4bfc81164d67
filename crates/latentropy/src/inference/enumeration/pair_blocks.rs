//! Tables of weights of a pairwise machine, block by block: a block differs from the first one by one factor per low unit.

use crate::inference::kernels;
use std::ops::Range;

/// A pairwise machine cut into blocks of its low units' states; for coefficients that multiply safely.
pub(super) struct PairBlocks {
    low_bits: usize,
    /// The weights of the low units' states with all high units off.
    base: Vec<f64>,
    /// For each high unit its factor alone.
    own: Vec<f64>,
    /// For each high unit one factor per low unit.
    with_low: Vec<Vec<f64>>,
    /// For each high unit one factor per high unit.
    with_high: Vec<Vec<f64>>,
}

impl PairBlocks {
    /// `None` where a mask has more than two units.
    pub(super) fn new(
        units: usize,
        low_bits: usize,
        masks: &[u64],
        coefficients: &[f64],
    ) -> Option<Self> {
        let high = units - low_bits;
        let mut blocks = PairBlocks {
            low_bits,
            base: vec![1.0; 1 << low_bits],
            own: vec![1.0; high],
            with_low: vec![vec![1.0; low_bits]; high],
            with_high: vec![vec![1.0; high]; high],
        };
        for (&mask, coefficient) in masks.iter().zip(coefficients) {
            let factor = coefficient.exp();
            let first = mask.trailing_zeros() as usize;
            let last = 63 - mask.leading_zeros() as usize;
            match mask.count_ones() {
                1 | 2 if last < low_bits => blocks.base[mask as usize] *= factor,
                1 => blocks.own[last - low_bits] *= factor,
                2 if first < low_bits => blocks.with_low[last - low_bits][first] *= factor,
                2 => {
                    blocks.with_high[last - low_bits][first - low_bits] *= factor;
                    blocks.with_high[first - low_bits][last - low_bits] *= factor;
                }
                _ => return None,
            }
        }
        kernels::subset_products(&mut blocks.base);
        Some(blocks)
    }

    /// Calls `each(high state, 0, weights)` for a range of high states.
    pub(super) fn visit(&self, states: Range<u64>, mut each: impl FnMut(u64, f64, &mut [f64])) {
        let split = self.low_bits / 2;
        let mut table = vec![0.0; 1 << self.low_bits];
        let (mut columns, mut rows) = (
            vec![1.0; 1 << split],
            vec![1.0; 1 << (self.low_bits - split)],
        );
        // Factors of the low units and of the whole block, for the units of the state from each one upwards.
        let high = self.own.len();
        let mut factors = vec![vec![1.0; self.low_bits]; high + 1];
        let mut whole = vec![1.0; high + 1];
        let mut first = true;
        for state in states {
            // Counting upwards changes the lowest unit that is on and those below it; a run begins with all.
            let mut changed: Vec<usize> = match first {
                true => (0..high).filter(|t| state >> t & 1 == 1).collect(),
                false => vec![state.trailing_zeros() as usize],
            };
            first = false;
            changed.reverse();
            for unit in changed {
                let above = state & !((2u64 << unit) - 1);
                let from = match above {
                    0 => high,
                    above => above.trailing_zeros() as usize,
                };
                let (lower, upper) = factors.split_at_mut(from);
                for (factor, (a, b)) in lower[unit]
                    .iter_mut()
                    .zip(upper[0].iter().zip(&self.with_low[unit]))
                {
                    *factor = a * b;
                }
                let mut product = whole[from] * self.own[unit];
                let mut rest = above;
                while rest != 0 {
                    product *= self.with_high[unit][rest.trailing_zeros() as usize];
                    rest &= rest - 1;
                }
                whole[unit] = product;
            }
            let at = match state {
                0 => high,
                state => state.trailing_zeros() as usize,
            };
            double(&mut columns, 1.0, &factors[at][..split]);
            double(&mut rows, whole[at], &factors[at][split..]);
            kernels::outer_products(&mut table, &self.base, &rows, &columns);
            each(state, 0.0, &mut table);
        }
    }
}

/// All products of `first` with some of the factors, one bit per factor.
fn double(products: &mut [f64], first: f64, factors: &[f64]) {
    products[0] = first;
    for (bit, factor) in factors.iter().enumerate() {
        let (known, new) = products[..2 << bit].split_at_mut(1 << bit);
        for (product, known) in new.iter_mut().zip(known) {
            *product = *known * factor;
        }
    }
}
