//! The weights of annealed chains: the ratio of two distributions on the path, the independent units summed out.

use super::lanes::{Lanes, Row};
use crate::inference::kernels::{CHAINS, exponential, fused};

/// Sums log f_to − log f_from over the independent units.
#[derive(Debug)]
pub(super) struct Weigher {
    from: f64,
    pub(super) to: f64,
    /// The excess before, less the part of the independent units.
    rest: Lanes,
    sums: Lanes,
    /// Π (1 + e^-|x_to|) / (1 + e^-|x_from|) of the last units: one logarithm for many.
    products: Lanes,
    waiting: usize,
}

impl Weigher {
    pub(super) fn new(from: f64, to: f64, excess: Lanes) -> Self {
        Weigher {
            from,
            to,
            rest: excess,
            sums: [0.0; CHAINS],
            products: [1.0; CHAINS],
            waiting: 0,
        }
    }

    #[inline(always)]
    pub(super) fn add<const FMA: bool>(&mut self, fields: &Lanes, base: f64, old: &Row) {
        for chain in 0..CHAINS {
            let change = fields[chain] - base;
            let before = fused::<FMA>(self.from, change, base);
            let after = fused::<FMA>(self.to, change, base);
            let upper = 1.0 + exponential::<FMA>(-after.abs());
            let lower = 1.0 + exponential::<FMA>(-before.abs());
            self.products[chain] *= upper / lower;
            let positive = |x: f64| if x > 0.0 { x } else { 0.0 };
            self.sums[chain] += positive(after) - positive(before);
            self.rest[chain] += f64::from(old[chain]) * change;
        }
        self.waiting += 1;
        // Each factor lies between a half and two.
        if self.waiting == 512 {
            self.fold();
        }
    }

    fn fold(&mut self) {
        for chain in 0..CHAINS {
            self.sums[chain] += self.products[chain].ln();
        }
        self.products = [1.0; CHAINS];
        self.waiting = 0;
    }

    /// Adds log f_to − log f_from of every chain.
    pub(super) fn add_to(mut self, log_weights: &mut Lanes) {
        self.fold();
        for chain in 0..CHAINS {
            log_weights[chain] += (self.to - self.from) * self.rest[chain] + self.sums[chain];
        }
    }
}
