//! Gibbs chains held at the rows: what is known stays, hidden units and missing cells are drawn.

use super::RowPosteriors;
use crate::inference::{GibbsChains, SideBySide};
use crate::network::Network;
use crate::random::Random;

/// Chains held at the known cells of the rows.
pub(crate) struct RowChains {
    pub(crate) chains: GibbsChains,
    /// A distinct row's share in the data, over its number of chains.
    pub(crate) weights: Vec<f64>,
    /// Units that are latent in some chain, and in which (`None`: in all).
    latent: Vec<(usize, Option<Vec<usize>>)>,
    /// No term has two latent units: one sweep is a draw from the posterior.
    pub(crate) independent: bool,
}

impl RowChains {
    /// About `most` chains, spread over the distinct rows by their counts: at least one per row, at most its count.
    pub(crate) fn new(
        structure: &Network,
        rows: &RowPosteriors,
        most: usize,
        rng: &mut Random,
    ) -> Self {
        let mut held = Vec::new();
        let mut weights = Vec::new();
        for (clamp, &share) in rows.clamps().iter().zip(rows.shares()) {
            if share > 0.0 {
                let count = (share * rows.row_count()).round();
                let chains = (share * most as f64).round().min(count).max(1.0);
                for _ in 0..chains as usize {
                    held.push(clamp);
                    weights.push(share / chains);
                }
            }
        }
        let units = structure.units().len();
        let mut chains = GibbsChains::random(units, held.len(), rng);
        let mut latent = Vec::new();
        for unit in 0..units {
            let mut unknown = Vec::new();
            for (chain, clamp) in held.iter().enumerate() {
                match clamp.get(unit) {
                    Some(value) => chains.unit_mut(unit)[chain] = f64::from(value),
                    None => unknown.push(chain),
                }
            }
            if unknown.len() == held.len() {
                latent.push((unit, None));
            } else if !unknown.is_empty() {
                latent.push((unit, Some(unknown)));
            }
        }
        let is_latent = |unit: &usize| latent.iter().any(|(other, _)| other == unit);
        let terms = structure.terms();
        let independent = terms
            .iter()
            .all(|term| term.units().iter().filter(|u| is_latent(u)).count() <= 1);
        RowChains {
            chains,
            weights,
            latent,
            independent,
        }
    }

    /// Draws every latent unit once, hidden units and missing cells alike; what is known stays.
    pub(crate) fn redraw(&mut self, gibbs: &mut SideBySide, weights: &[f64], rng: &mut Random) {
        for (unit, only) in &self.latent {
            gibbs.resample(*unit, weights, &mut self.chains, only.as_deref(), rng);
        }
    }
}
