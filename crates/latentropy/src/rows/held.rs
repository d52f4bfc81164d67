//! One row with many latent units, made ready to be enumerated with many sets of weights.

use crate::inference::reduction::{Image, Reduced};
use crate::inference::{CovarianceProducts, EnumeratedProducts, Enumerator, Sums};
use crate::network::{Clamp, Network};

/// What a row leaves open: its units, and the terms as sets of them.
#[derive(Clone, Debug)]
pub(super) struct HeldRow {
    reduced: Reduced,
    enumerator: Enumerator,
}

impl HeldRow {
    /// None where there are too many states for a table.
    pub(super) fn new(network: &Network, clamp: &Clamp) -> Option<Self> {
        let reduced = Reduced::new(network, clamp).ok()?;
        let enumerator = Enumerator::new(reduced.free.len(), &reduced.masks).ok()?;
        if !enumerator.has_moments() {
            return None;
        }
        Some(HeldRow {
            reduced,
            enumerator,
        })
    }

    /// log Σ_latent exp(exponent), `constant` included, and the expectation of every term.
    pub(super) fn sums(&self, weights: &[f64], constant: f64) -> (f64, Vec<f64>) {
        let (coefficients, constant) = self.reduced.coefficients(weights, constant);
        let mut sums = Sums::default();
        self.enumerator.sums(&coefficients, &mut sums);
        (
            sums.log_partition + constant,
            self.reduced.by_term(&sums.terms),
        )
    }

    /// `share` times the covariance of the terms, added to a matrix, row-major; false where it is too large.
    pub(super) fn add_covariance(&self, share: f64, weights: &[f64], matrix: &mut [f64]) -> bool {
        let (coefficients, _) = self.reduced.coefficients(weights, 0.0);
        let Some(moments) = self.enumerator.moments(&coefficients) else {
            return false;
        };
        let terms = weights.len();
        let images = self.reduced.images.iter().enumerate();
        let latent: Vec<(usize, u64)> = images
            .filter_map(|(term, image)| match *image {
                Image::Mask(at) => Some((term, self.reduced.masks[at])),
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

/// The covariance of the terms given such a row, as an operator.
#[derive(Debug)]
pub(super) struct HeldProducts {
    reduced: Reduced,
    products: EnumeratedProducts,
}

impl HeldRow {
    /// How many states there are.
    pub(super) fn states(&self) -> usize {
        1 << self.reduced.free.len()
    }

    pub(super) fn products(&self, weights: &[f64], keep: bool) -> HeldProducts {
        HeldProducts::with(&self.enumerator, self.reduced.clone(), weights, keep)
    }
}

impl HeldProducts {
    /// Of a row that is too large to be made ready; none where it is too large for enumeration, too.
    pub(super) fn new(network: &Network, clamp: &Clamp, weights: &[f64]) -> Option<Self> {
        let reduced = Reduced::new(network, clamp).ok()?;
        let enumerator = Enumerator::new(reduced.free.len(), &reduced.masks).ok()?;
        Some(HeldProducts::with(&enumerator, reduced, weights, false))
    }

    fn with(enumerator: &Enumerator, reduced: Reduced, weights: &[f64], keep: bool) -> Self {
        let (coefficients, _) = reduced.coefficients(weights, 0.0);
        HeldProducts {
            products: enumerator.products(&coefficients, keep),
            reduced,
        }
    }
}

impl CovarianceProducts for HeldProducts {
    fn add_times(&self, v: &[f64], scale: f64, out: &mut [f64]) {
        let (v, _) = self.reduced.coefficients(v, 0.0);
        let mut by_mask = vec![0.0; v.len()];
        self.products.add_times(&v, scale, &mut by_mask);
        for (image, out) in self.reduced.images.iter().zip(out) {
            if let Image::Mask(at) = *image {
                *out += by_mask[at];
            }
        }
    }

    fn work(&self) -> f64 {
        self.products.work()
    }
}
