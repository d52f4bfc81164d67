//! Covariances of a junction tree's terms as an operator: one pass up and one down per vector, without an exponential.
//!
//! With g = f·v split among the buckets, G(x_S) = E[the part of g below | x_S] goes up and A(x_S) = E[the rest of it | x_S] comes
//! down. In a bucket E[g | x] is its own part of g, the G of its children and A; less E g and times p(x) it sums to the
//! covariances of the bucket's sets.

use super::prepared::Tree;
use super::propagate::{self, each_sum, fill};
use super::tables::{exponentiate, sum_bit};
use crate::inference::engine::CovarianceProducts;
use crate::inference::kernels;
use std::sync::Arc;

/// More bytes of messages than this are too many to keep the buckets' probabilities beside them.
const MOST_BYTES: f64 = 5e8;

/// At one set of weights.
#[derive(Debug)]
pub(super) struct TreeProducts {
    tree: Arc<Tree>,
    /// p(x) of every bucket: its separator's units and its own.
    beliefs: Vec<Vec<f64>>,
}

impl TreeProducts {
    /// None where the tables are too large to be kept.
    pub(super) fn new(tree: &Arc<Tree>, weights: &[f64]) -> Option<Self> {
        let Tree { terms, plan } = &**tree;
        if plan.cost.bytes > MOST_BYTES {
            return None;
        }
        let (coefficients, _) = terms.coefficients_of(weights, 0.0);
        let mut up = propagate::upward(plan, &coefficients, |_, _| {}, true);
        let mut beliefs = vec![Vec::new(); plan.buckets.len()];
        propagate::downward_seen(plan, &coefficients, &mut up, |at, logs| {
            beliefs[at] = logs.to_vec();
            exponentiate(&mut beliefs[at]);
        });
        Some(TreeProducts {
            tree: Arc::clone(tree),
            beliefs,
        })
    }

    /// G of every bucket.
    fn upward(&self, v: &[f64]) -> Vec<Vec<f64>> {
        let mut below = vec![Vec::new(); self.beliefs.len()];
        let mut table = Vec::new();
        for (at, beliefs) in self.beliefs.iter().enumerate() {
            fill(&self.tree.plan, at, v, &below, &mut table);
            let (off, on) = beliefs.split_at(beliefs.len() / 2);
            let (if_off, if_on) = table.split_at(off.len());
            let parts = off.iter().zip(on).zip(if_off.iter().zip(if_on));
            below[at] = parts
                .map(|((off, on), (if_off, if_on))| quotient(off * if_off + on * if_on, off + on))
                .collect();
        }
        below
    }

    /// Cov[f, g] of every set.
    fn downward(&self, v: &[f64], below: &[Vec<f64>]) -> Vec<f64> {
        let mut above = vec![Vec::new(); self.beliefs.len()];
        let mut by_set = vec![0.0; v.len()];
        let (mut table, mut marginal) = (Vec::new(), Vec::new());
        for (at, bucket) in self.tree.plan.buckets.iter().enumerate().rev() {
            fill(&self.tree.plan, at, v, below, &mut table);
            if bucket.parent.is_none() {
                // Components are independent of each other: each is seen from its own mean.
                above[at] = vec![-below[at][0]];
            }
            let half = table.len() / 2;
            for part in table.chunks_exact_mut(half) {
                kernels::add_scaled(part, &above[at], 1.0);
            }
            above[at] = Vec::new();
            for (entry, belief) in table.iter_mut().zip(&self.beliefs[at]) {
                *entry *= belief;
            }
            for &child in &bucket.children {
                marginal.clear();
                marginal.extend_from_slice(&table);
                let kept = bucket.kept(&self.tree.plan.buckets[child]);
                let mut length = marginal.len();
                for bit in (0..kept.len()).rev().filter(|&bit| !kept[bit]) {
                    length = sum_bit(&mut marginal[..length], bit);
                }
                let (off, on) = self.beliefs[child].split_at(length);
                let probabilities = off.iter().zip(on).map(|(off, on)| off + on);
                above[child] = marginal[..length]
                    .iter()
                    .zip(probabilities)
                    .zip(&below[child])
                    .map(|((sum, probability), below)| quotient(*sum, probability) - below)
                    .collect();
            }
            each_sum(bucket, &mut table[half..], |set, sum| by_set[set] = sum);
        }
        by_set
    }
}

/// Nothing where a state has no probability left to be looked at.
fn quotient(sum: f64, probability: f64) -> f64 {
    if probability > 0.0 {
        sum / probability
    } else {
        0.0
    }
}

impl CovarianceProducts for TreeProducts {
    fn add_times(&self, v: &[f64], scale: f64, out: &mut [f64]) {
        let (v, _) = self.tree.terms.coefficients_of(v, 0.0);
        let by_set = self.downward(&v, &self.upward(&v));
        let by_term = self.tree.terms.by_term(&by_set, 0.0);
        kernels::add_scaled(out, &by_term, scale);
    }

    fn work(&self) -> f64 {
        let entries: usize = self.beliefs.iter().map(Vec::len).sum();
        10.0 * (entries + self.tree.terms.sets.len()) as f64
    }
}
