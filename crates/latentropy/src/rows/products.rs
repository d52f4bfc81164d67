//! The covariance of the features given the rows as an operator: what each row adds to a product with a vector, no matrix made.

use super::batches::{Batch, Component, LANES};
use super::held::HeldProducts;
use super::posteriors::RowPosteriors;
use super::restricted::RestrictedProducts;
use crate::inference::factorisation::FactorisedSums;
use crate::inference::{CovarianceProducts, Demand, EngineId, Way, exact_way, kernels};
use rayon::prelude::*;
use std::sync::Arc;

/// Tables of rows are kept up to this many entries in all; more are made again for every vector.
const MOST_KEPT: usize = 1 << 24;
/// Batches are summed in runs of this many, whatever the number of threads.
const BATCHES_PER_RUN: usize = 16;

/// Σ_y p̃(y) Cov[f | y] at one set of weights.
#[derive(Debug)]
pub(crate) struct RowProducts {
    rows: Arc<RowPosteriors>,
    weights: Vec<f64>,
    /// The moments of every batch's components, one after the other; none where there are too many.
    tables: Vec<Vec<f64>>,
    restricted: Option<RestrictedProducts>,
    /// Rows too large for tables: their share, and the covariances given them.
    large: Vec<(f64, Box<dyn CovarianceProducts>)>,
}

impl RowProducts {
    /// None where some row is not summed exactly.
    pub(crate) fn new(rows: &Arc<RowPosteriors>, weights: &[f64]) -> Option<Self> {
        let split = rows.split.values().map(FactorisedSums::fields);
        let held = rows.held.values().map(|row| row.states());
        let keep = split.chain(held).sum::<usize>() <= MOST_KEPT;
        let large = rows.large_with_a_share().map(|row| {
            let products = rows.products_of_large(row, weights, keep)?;
            Some((rows.shares[row], products))
        });
        let mut products = RowProducts {
            large: large.collect::<Option<Vec<_>>>()?,
            restricted: rows
                .restricted
                .as_ref()
                .map(|restricted| RestrictedProducts::new(restricted, weights)),
            tables: Vec::new(),
            weights: weights.to_vec(),
            rows: Arc::clone(rows),
        };
        if rows.work <= MOST_KEPT {
            let made = rows.batches.par_iter().map(|batch| {
                let (mut all, mut table) = (Vec::new(), Vec::new());
                for component in &batch.components {
                    component.posterior(batch.lanes, weights, &mut table);
                    all.extend_from_slice(&table);
                }
                all
            });
            products.tables = made.collect();
        }
        Some(products)
    }

    fn add_batch(&self, at: usize, v: &[f64], room: &mut Room, out: &mut [f64]) {
        let batch = &self.rows.batches[at];
        let mut start = 0;
        for component in &batch.components {
            let size = LANES << component.bits;
            if let Some(known) = self.tables.get(at) {
                add_component(
                    batch,
                    component,
                    &known[start..start + size],
                    v,
                    &mut room.by_mask,
                    out,
                );
            } else {
                component.posterior(batch.lanes, &self.weights, &mut room.table);
                add_component(batch, component, &room.table, v, &mut room.by_mask, out);
            }
            start += size;
        }
    }
}

/// Scratch space of a run of batches.
#[derive(Default)]
struct Room {
    table: Vec<f64>,
    by_mask: ByMask,
}

/// Entries of v gathered by the mask of what a row leaves open of their terms.
#[derive(Default)]
struct ByMask {
    /// Σ v over the terms of each mask, and the covariance with all; zero elsewhere.
    along: Vec<f64>,
    found: Vec<f64>,
    masks: Vec<u32>,
}

/// Terms with one mask vary together: the masks' moments give all covariances.
fn add_component(
    batch: &Batch,
    component: &Component,
    moments: &[f64],
    v: &[f64],
    by_mask: &mut ByMask,
    out: &mut [f64],
) {
    by_mask.along.resize(1 << component.bits, 0.0);
    by_mask.found.resize(1 << component.bits, 0.0);
    for lane in 0..batch.lanes {
        let share = batch.shares[lane];
        let entries = component.of_lane(lane);
        if share == 0.0 {
            continue;
        }
        by_mask.along.fill(0.0);
        by_mask.found.fill(f64::NAN);
        by_mask.masks.clear();
        for &(mask, term) in entries {
            by_mask.along[mask as usize] += v[term as usize];
            if by_mask.found[mask as usize].is_nan() {
                by_mask.found[mask as usize] = 0.0;
                by_mask.masks.push(mask);
            }
        }
        let moment = |mask: u32| moments[mask as usize * LANES + lane];
        let middle: f64 = by_mask
            .masks
            .iter()
            .map(|&mask| by_mask.along[mask as usize] * moment(mask))
            .sum();
        for &a in &by_mask.masks {
            let both: f64 = by_mask
                .masks
                .iter()
                .map(|&b| by_mask.along[b as usize] * moment(a | b))
                .sum();
            by_mask.found[a as usize] = both - moment(a) * middle;
        }
        for &(mask, term) in entries {
            out[term as usize] += share * by_mask.found[mask as usize];
        }
    }
}

impl CovarianceProducts for RowProducts {
    fn add_times(&self, v: &[f64], scale: f64, out: &mut [f64]) {
        let count = self.rows.batches.len();
        let runs: Vec<usize> = (0..count).step_by(BATCHES_PER_RUN).collect();
        let partial: Vec<Vec<f64>> = runs
            .into_par_iter()
            .map(|start| {
                let (mut sums, mut room) = (vec![0.0; v.len()], Room::default());
                for at in start..(start + BATCHES_PER_RUN).min(count) {
                    self.add_batch(at, v, &mut room, &mut sums);
                }
                sums
            })
            .collect();
        for sums in partial {
            kernels::add_scaled(out, &sums, scale);
        }
        if let Some(restricted) = &self.restricted {
            restricted.add_times(v, scale, out);
        }
        for (share, products) in &self.large {
            products.add_times(v, scale * share, out);
        }
    }

    fn work(&self) -> f64 {
        let components = self.rows.batches.iter().flat_map(|batch| &batch.components);
        let tables: f64 = components
            .map(|component| {
                // At most as many masks as there are, and they meet in pairs.
                let entries = component.entries.len() as f64;
                let masks = (entries / LANES as f64).min(2f64.powi(component.bits as i32));
                2.0 * entries + LANES as f64 * masks * masks
            })
            .sum();
        let restricted = self
            .restricted
            .as_ref()
            .map_or(0.0, RestrictedProducts::work);
        let large: f64 = self.large.iter().map(|(_, products)| products.work()).sum();
        tables + restricted + large
    }
}

impl RowPosteriors {
    /// The covariances given one row whose latent part is too large for lanes; none where it is not summed exactly.
    fn products_of_large(
        &self,
        row: usize,
        weights: &[f64],
        keep: bool,
    ) -> Option<Box<dyn CovarianceProducts>> {
        if let Some(sums) = self.split.get(&row) {
            return Some(Box::new(sums.products(weights, keep)));
        }
        if let Some(held) = self.held.get(&row) {
            return Some(Box::new(held.products(weights, keep)));
        }
        let clamp = &self.clamps[row];
        let engine = self.engine.unwrap_or(EngineId::EXACT);
        if engine != EngineId::EXACT {
            let demand = Demand::default();
            let prepared = engine.engine().prepare(&self.network, clamp, &demand);
            return prepared.ok()?.products(weights).ok()?;
        }
        Some(match exact_way(&self.network, clamp).ok()? {
            Way::Factorisation => {
                let sums = FactorisedSums::held(&self.network, clamp).ok()?;
                Box::new(sums.products(weights, false))
            }
            Way::Enumeration => {
                let latent = Arc::clone(self.latent.get(&row)?);
                Box::new(HeldProducts::new(&self.network, clamp, latent, weights)?)
            }
        })
    }
}
