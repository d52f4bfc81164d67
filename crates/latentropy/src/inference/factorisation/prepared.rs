//! Factorised sums prepared for many sets of weights.

use super::sides::Sides;
use crate::error::Result;
use crate::network::{Clamp, Network};

/// The free phase of a network with an independent side, prepared for many sets of weights.
#[derive(Clone, Debug)]
pub(crate) struct FactorisedSums(Sides);

impl FactorisedSums {
    pub(super) fn sides(&self) -> &Sides {
        &self.0
    }

    /// Splits the network.
    pub(crate) fn new(structure: &Network) -> Result<Self> {
        FactorisedSums::held(structure, &Clamp::none(structure.units().len()))
    }

    /// Splits what a clamp leaves free.
    pub(crate) fn held(structure: &Network, clamp: &Clamp) -> Result<Self> {
        Ok(FactorisedSums(Sides::new(structure, clamp)?))
    }

    /// How many numbers it makes on its way: one per visited state and independent unit.
    pub(crate) fn fields(&self) -> usize {
        (self.0.width + 1) << self.0.dependent.len()
    }

    /// How many units the side has whose states are visited.
    pub(crate) fn dependent(&self) -> usize {
        self.0.dependent.len()
    }

    /// Returns log Σ exp without the constant, and leaves the expectation of every term in `expectations`.
    pub(crate) fn evaluate(&self, weights: &[f64], expectations: &mut Vec<f64>) -> f64 {
        let sides = Sides {
            weights: weights.to_vec(),
            constant: 0.0,
            ..self.0.clone()
        };
        let sums = sides.sums();
        expectations.clear();
        expectations.extend(sums.terms.iter().map(|sum| sum / sums.total));
        sums.reference + sums.total.ln()
    }
}
