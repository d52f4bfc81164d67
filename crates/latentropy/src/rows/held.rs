//! One row with many latent units, made ready to be enumerated with many sets of weights.

use super::clamped::LargeRow;
use crate::inference::reduction::{Image, Reduced};
use crate::inference::{CovarianceProducts, EnumeratedProducts, Enumerator, Sums};
use crate::network::{Clamp, Network};
use std::sync::Arc;

/// What a row leaves open: its units, and the terms with one of them as sets of them. Of all terms these are few.
#[derive(Clone, Debug)]
pub(super) struct HeldRow {
    terms: Arc<[u32]>,
    reduced: Reduced,
    enumerator: Enumerator,
}

/// Entries of these terms alone.
fn of_terms(terms: &[u32], all: &[f64]) -> Vec<f64> {
    terms.iter().map(|&term| all[term as usize]).collect()
}

impl HeldRow {
    /// From the terms with a latent unit; none where there are too many states for a table.
    pub(super) fn new(network: &Network, clamp: &Clamp, terms: Arc<[u32]>) -> Option<Self> {
        let reduced = reduced_of(network, clamp, &terms)?;
        let enumerator = Enumerator::new(reduced.free.len(), &reduced.masks).ok()?;
        enumerator.has_moments().then_some(HeldRow {
            terms,
            reduced,
            enumerator,
        })
    }

    /// log Σ_latent exp(exponent) over the terms with a latent unit, and their expectations.
    pub(super) fn sums(&self, weights: &[f64]) -> LargeRow {
        let (coefficients, _) = self
            .reduced
            .coefficients(&of_terms(&self.terms, weights), 0.0);
        let mut sums = Sums::default();
        self.enumerator.sums(&coefficients, &mut sums);
        let expectations = self.reduced.by_term(&sums.terms);
        LargeRow {
            log_sum: sums.log_partition,
            error: 0.0,
            latent: self.terms.iter().copied().zip(expectations).collect(),
        }
    }

    /// `share` times the covariance of the terms, added to a matrix, row-major; false where it is too large.
    pub(super) fn add_covariance(&self, share: f64, weights: &[f64], matrix: &mut [f64]) -> bool {
        let (coefficients, _) = self
            .reduced
            .coefficients(&of_terms(&self.terms, weights), 0.0);
        let Some(moments) = self.enumerator.moments(&coefficients) else {
            return false;
        };
        let terms = weights.len();
        let images = self.terms.iter().zip(&self.reduced.images);
        let latent: Vec<(usize, u64)> = images
            .filter_map(|(&term, image)| match *image {
                Image::Mask(at) => Some((term as usize, self.reduced.masks[at])),
                Image::Zero | Image::One => None,
            })
            .collect();
        for (at, &(a, mask_a)) in latent.iter().enumerate() {
            for &(b, mask_b) in &latent[..=at] {
                let covariance =
                    moments.of(mask_a | mask_b) - moments.of(mask_a) * moments.of(mask_b);
                matrix[a * terms + b] += share * covariance;
                if a != b {
                    matrix[b * terms + a] += share * covariance;
                }
            }
        }
        true
    }
}

/// These terms over the units that a row leaves open.
fn reduced_of(network: &Network, clamp: &Clamp, terms: &[u32]) -> Option<Reduced> {
    let all = network.terms();
    Reduced::of_terms(terms.iter().map(|&term| &all[term as usize]), clamp).ok()
}

/// The covariance of the terms given such a row, as an operator.
#[derive(Debug)]
pub(super) struct HeldProducts {
    terms: Arc<[u32]>,
    reduced: Reduced,
    products: EnumeratedProducts,
}

impl HeldRow {
    /// How many states there are.
    pub(super) fn states(&self) -> usize {
        1 << self.reduced.free.len()
    }

    pub(super) fn products(&self, weights: &[f64], keep: bool) -> HeldProducts {
        let (reduced, terms) = (self.reduced.clone(), Arc::clone(&self.terms));
        HeldProducts::with(&self.enumerator, reduced, terms, weights, keep)
    }
}

impl HeldProducts {
    /// Of a row that is too large to be made ready; none where it is too large for enumeration, too.
    pub(super) fn new(
        network: &Network,
        clamp: &Clamp,
        terms: Arc<[u32]>,
        weights: &[f64],
    ) -> Option<Self> {
        let reduced = reduced_of(network, clamp, &terms)?;
        let enumerator = Enumerator::new(reduced.free.len(), &reduced.masks).ok()?;
        Some(HeldProducts::with(
            &enumerator,
            reduced,
            terms,
            weights,
            false,
        ))
    }

    fn with(
        enumerator: &Enumerator,
        reduced: Reduced,
        terms: Arc<[u32]>,
        weights: &[f64],
        keep: bool,
    ) -> Self {
        let (coefficients, _) = reduced.coefficients(&of_terms(&terms, weights), 0.0);
        HeldProducts {
            products: enumerator.products(&coefficients, keep),
            terms,
            reduced,
        }
    }
}

impl CovarianceProducts for HeldProducts {
    fn add_times(&self, v: &[f64], scale: f64, out: &mut [f64]) {
        let (v, _) = self.reduced.coefficients(&of_terms(&self.terms, v), 0.0);
        let mut by_mask = vec![0.0; v.len()];
        self.products.add_times(&v, scale, &mut by_mask);
        for (&term, image) in self.terms.iter().zip(&self.reduced.images) {
            if let Image::Mask(at) = *image {
                out[term as usize] += by_mask[at];
            }
        }
    }

    fn work(&self) -> f64 {
        self.products.work()
    }
}
