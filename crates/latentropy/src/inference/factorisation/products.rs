//! Covariances of the features of a factorised machine as an operator: one pass over the dependent side's states per vector.
//!
//! With g = f·v and u_i(d) the part of v that meets unit i of the independent side, E[g | d] is g's part on d and
//! Σ_i p_i(d) u_i(d), and Cov[f, g] = Σ_d π(d) ((E[g | d] − E g) E[f | d] + Cov[f, g | d]), where only features of one and the same
//! independent unit meet: p_i (1 − p_i) u_i.

use super::prepared::FactorisedSums;
use super::sides::{Place, Sides};
use crate::inference::engine::CovarianceProducts;
use crate::inference::kernels;
use rayon::prelude::*;
use std::ops::Range;

/// Up to this many conditional means are kept; more are made again for every vector.
const MOST_KEPT: usize = 1 << 23;

/// At one set of weights.
#[derive(Debug)]
pub(crate) struct FactorisedProducts {
    sides: Sides,
    reference: f64,
    total: f64,
    means: Vec<f64>,
    /// Block after block, π and p, where they are few.
    kept: Vec<(Vec<f64>, Vec<f64>)>,
}

impl FactorisedSums {
    /// The features' covariances at these weights; `keep` where memory is no matter.
    pub(crate) fn products(&self, weights: &[f64], keep: bool) -> FactorisedProducts {
        let sides = Sides {
            weights: weights.to_vec(),
            constant: 0.0,
            ..self.sides().clone()
        };
        let sums = sides.sums();
        let mut products = FactorisedProducts {
            reference: sums.reference,
            total: sums.total,
            means: sums.terms.iter().map(|sum| sum / sums.total).collect(),
            kept: Vec::new(),
            sides,
        };
        if keep && self.fields() <= MOST_KEPT {
            let sides = &products.sides;
            let blocks: Vec<Range<u64>> = sides.runs();
            let kept = blocks.into_par_iter().flat_map_iter(|run| {
                let mut own = Vec::new();
                products.visit(run, |_, shares, means| {
                    own.push((shares.to_vec(), means.to_vec()));
                });
                own
            });
            products.kept = kept.collect();
        }
        products
    }
}

impl FactorisedProducts {
    /// Calls `each(block, π, p)` for a range of blocks.
    fn visit(&self, blocks: Range<u64>, mut each: impl FnMut(u64, &mut [f64], &mut [f64])) {
        if self.kept.is_empty() {
            self.sides.visit(blocks, |block, reference, shares, means| {
                let scale = (reference - self.reference).exp() / self.total;
                shares.iter_mut().for_each(|share| *share *= scale);
                each(block, shares, means);
            });
            return;
        }
        let (mut shares, mut means) = (Vec::new(), Vec::new());
        for block in blocks {
            shares.clone_from(&self.kept[block as usize].0);
            means.clone_from(&self.kept[block as usize].1);
            each(block, &mut shares, &mut means);
        }
    }

    /// One run of blocks.
    fn run(&self, blocks: Range<u64>, v: &[f64], middle: f64) -> Vec<f64> {
        let sides = &self.sides;
        let width = sides.width;
        let mut sums = vec![0.0; v.len()];
        let (mut own, mut fields) = (Vec::new(), Vec::new());
        self.visit(blocks, |block, shares, means| {
            sides.fill(block, v, &mut own, &mut fields);
            for (state, (share, own)) in shares.iter_mut().zip(&own).enumerate() {
                let row = state * width..(state + 1) * width;
                let (fields, means) = (&fields[row.clone()], &mut means[row]);
                let along = share_of(own + kernels::dot(fields, means) - middle, *share);
                for (mean, field) in means.iter_mut().zip(fields) {
                    *mean *= along + *share * (1.0 - *mean) * field;
                }
                *share = along;
            }
            sides.collect(block, shares, means, &mut sums);
        });
        sums
    }
}

/// π (E[g | d] − E g); nothing where π is nothing, however far off g is.
fn share_of(distance: f64, share: f64) -> f64 {
    if share == 0.0 { 0.0 } else { share * distance }
}

impl CovarianceProducts for FactorisedProducts {
    fn add_times(&self, v: &[f64], scale: f64, out: &mut [f64]) {
        // A term that is settled as one does not vary: it is in g and in its mean alike.
        let middle = kernels::dot(v, &self.means);
        let runs: Vec<Vec<f64>> = self
            .sides
            .runs()
            .into_par_iter()
            .map(|run| self.run(run, v, middle))
            .collect();
        for (at, (place, out)) in self.sides.places.iter().zip(out).enumerate() {
            if !matches!(place, Place::Zero | Place::One) {
                *out += scale * runs.iter().map(|run| run[at]).sum::<f64>();
            }
        }
    }

    fn work(&self) -> f64 {
        let states = 2f64.powi(self.sides.dependent.len() as i32);
        10.0 * states * (self.sides.width + 1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Clamp, Network};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn products_are_those_of_the_matrix(
            weights in prop::collection::vec(-2.0..2.0f64, 60),
            v in prop::collection::vec(-1.0..1.0f64, 60),
            visible in 2usize..9,
            hidden in 1usize..9,
            semi in any::<bool>(),
            held in prop::option::of(any::<bool>()),
        ) {
            let shape = if semi { Network::semi_restricted } else { Network::rbm };
            let structure = shape(visible, hidden);
            let terms = structure.terms().len();
            let of = |from: Vec<f64>| -> Vec<f64> { from.into_iter().cycle().take(terms).collect() };
            let (weights, v) = (of(weights), of(v));
            let mut clamp = Clamp::none(visible + hidden);
            if let Some(value) = held {
                clamp.hold(0, value).unwrap();
            }
            let sums = FactorisedSums::held(&structure, &clamp).unwrap();
            let mut matrix = vec![0.0; terms * terms];
            sums.covariances(&weights, &mut matrix);
            let mut found = vec![0.0; terms];
            let mut products = sums.products(&weights, true);
            products.add_times(&v, 0.5, &mut found);
            products.kept.clear();
            products.add_times(&v, 0.5, &mut found);
            for a in 0..terms {
                let entry = |b: usize| if b <= a { matrix[a * terms + b] } else { matrix[b * terms + a] };
                let expected: f64 = (0..terms).map(|b| entry(b) * v[b]).sum();
                prop_assert!((found[a] - expected).abs() < 1e-12, "{} and {expected}", found[a]);
            }
        }
    }
}
