//! Joint moments of all states: every one of them in a table of a small machine, those up to an order of a large one.
//!
//! A large machine is visited block by block. A block's table of weights is folded: the half in which a unit is on gives
//! the moments with that unit, one order lower, and added to the other half those without it; a fold stops where no
//! order is left, so that all moments up to order r take about r + 1 additions per state. Blocks that differ in one
//! high unit are merged in the same way, along a binary tree over the high units.

use super::blocks::{Blocks, multiplies_safely};
use super::pair_blocks::PairBlocks;
use crate::inference::kernels::{self, FoldPlan};
use rayon::prelude::*;

/// Low units of a block.
const LOW_BITS: usize = 12;
/// The high states are cut into at most 2^this runs, whatever the number of threads.
const LOG_RUNS: usize = 6;
/// More moments than this are not kept.
const MOST_MOMENTS: f64 = 4e6;

/// E[Π_mask x] of many masks.
pub(crate) enum Moments {
    /// Of every mask.
    Table(Vec<f64>),
    /// Of those of few units.
    Graded(Graded),
}

impl Moments {
    /// E[Π_mask x].
    pub(crate) fn of(&self, mask: u64) -> f64 {
        match self {
            Moments::Table(table) => table[mask as usize],
            Moments::Graded(graded) => graded.of(mask),
        }
    }
}

/// Sums over all states of the products of up to r units, divided by e^reference.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graded {
    reference: f64,
    /// For each order the masks with so many bits, ascending.
    by_order: Vec<Vec<f64>>,
}

/// n over k.
fn binomial(n: usize, k: usize) -> usize {
    (0..k).fold(1, |product, i| product * (n - i.min(n)) / (i + 1))
}

/// Whether the moments of so many units up to this order are few enough to be kept.
pub(super) fn are_few(units: usize, order: usize) -> bool {
    let count =
        |k: usize| (0..k).fold(1.0, |p, i| p * (units as f64 - i as f64) / (i as f64 + 1.0));
    let orders = 0..=order.min(units);
    order <= LOW_BITS && orders.map(count).sum::<f64>() <= MOST_MOMENTS
}

impl Graded {
    /// E[Π_mask x].
    fn of(&self, mask: u64) -> f64 {
        let (mut rest, mut place, mut order) = (mask, 0, 0);
        while rest != 0 {
            order += 1;
            place += binomial(rest.trailing_zeros() as usize, order);
            rest &= rest - 1;
        }
        self.by_order[order][place]
    }

    fn rescale(&mut self, reference: f64) {
        if self.reference == reference {
            return;
        }
        let factor = (self.reference - reference).exp();
        for sum in self.by_order.iter_mut().flatten() {
            *sum *= factor;
        }
        self.reference = reference;
    }

    /// Takes in the moments of the states in which the next unit is on; `self` has those in which it is off.
    fn merge(&mut self, on: &mut Graded) {
        let reference = self.reference.max(on.reference);
        self.rescale(reference);
        on.rescale(reference);
        for order in 0..self.by_order.len() {
            kernels::add_scaled(&mut self.by_order[order], &on.by_order[order], 1.0);
            if order > 0 {
                // Masks with the new unit come after all without it.
                self.by_order[order].extend_from_slice(&on.by_order[order - 1]);
            }
        }
    }
}

/// What is visited: who makes the tables of weights, and how they are folded.
struct Folding<'a> {
    plan: FoldPlan,
    /// For each order the masks of the low units.
    masks: Vec<Vec<usize>>,
    blocks: &'a Blocks,
    pairs: Option<PairBlocks>,
    coefficients: &'a [f64],
}

/// The moments up to this order, at most [`LOW_BITS`], of a machine of more than [`LOW_BITS`] units.
pub(super) fn graded(units: usize, masks: &[u64], order: usize, coefficients: &[f64]) -> Graded {
    let blocks = Blocks::with_low_bits(units, masks, LOW_BITS);
    let of_order = |order: usize| {
        let all = 0..1usize << LOW_BITS;
        all.filter(|mask| mask.count_ones() as usize == order)
            .collect()
    };
    let safe = multiplies_safely(coefficients);
    let folding = Folding {
        plan: FoldPlan::new(LOW_BITS, order),
        masks: (0..=order).map(of_order).collect(),
        pairs: match safe {
            true => PairBlocks::new(units, LOW_BITS, masks, coefficients),
            false => None,
        },
        blocks: &blocks,
        coefficients,
    };
    let base = match folding.pairs {
        Some(_) => Vec::new(),
        None => blocks.low_table(coefficients, safe),
    };
    let log_runs = LOG_RUNS.min(units - LOW_BITS);
    let each = (1u64 << (units - LOW_BITS)) >> log_runs;
    let runs: Vec<Graded> = (0..1u64 << log_runs)
        .into_par_iter()
        .map(|run| {
            let mut tree = Tree::default();
            let states = run * each..(run + 1) * each;
            let visit = |_: u64, reference: f64, table: &mut [f64]| {
                let block = folding.fold(reference, table, tree.spare.pop());
                tree.add(block);
            };
            match &folding.pairs {
                Some(pairs) => pairs.visit(states, visit),
                None => {
                    folding
                        .blocks
                        .visit(states, folding.coefficients, &base, safe, visit);
                }
            }
            tree.root()
        })
        .collect();
    let mut tree = Tree::default();
    runs.into_iter().for_each(|run| tree.add(run));
    let mut all = tree.root();
    let scale = 1.0 / all.by_order[0][0];
    for moment in all.by_order.iter_mut().flatten() {
        *moment *= scale;
    }
    all
}

impl Folding<'_> {
    /// The moments of one block, in a used-up set of them where there is one.
    fn fold(&self, reference: f64, table: &mut [f64], spare: Option<Graded>) -> Graded {
        self.plan.fold(table);
        let mut block = spare.unwrap_or_default();
        block.reference = reference;
        block.by_order.resize(self.masks.len(), Vec::new());
        for (sums, masks) in block.by_order.iter_mut().zip(&self.masks) {
            sums.clear();
            sums.extend(masks.iter().map(|&mask| table[mask]));
        }
        block
    }
}

/// Blocks in the order of their high states, merged as soon as both halves of a unit are there.
#[derive(Default)]
struct Tree {
    /// Nodes with their heights, falling.
    nodes: Vec<(u32, Graded)>,
    spare: Vec<Graded>,
}

impl Tree {
    fn add(&mut self, mut node: Graded) {
        let mut height = 0;
        while let Some((_, mut off)) = self.nodes.pop_if(|(own, _)| *own == height) {
            off.merge(&mut node);
            self.spare.push(std::mem::replace(&mut node, off));
            height += 1;
        }
        self.nodes.push((height, node));
    }

    /// The last node left: the number of blocks is a power of two.
    fn root(&mut self) -> Graded {
        self.nodes.pop().map(|(_, node)| node).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::Enumerator;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn low_moments_are_those_of_the_table_of_all(
            weights in prop::collection::vec(-1.5..1.5f64, 64),
            units in 13usize..17,
            most in 2u32..4,
            scale in prop::sample::select(vec![1.0, 40.0]),
            thinned in any::<bool>(),
        ) {
            let masks: Vec<u64> = (1u64..1 << units)
                .filter(|m| m.count_ones() <= most && !(thinned && m % 3 == 1))
                .collect();
            let coefficients: Vec<f64> = weights.iter().cycle().take(masks.len()).map(|w| {
                w * scale / if most == 3 { 4.0 } else { 1.0 }
            }).collect();
            let enumerator = Enumerator::new(units, &masks).unwrap();
            let all = enumerator.table_of_moments(&coefficients);
            let order = 2 * most as usize;
            let found = graded(units, &masks, order, &coefficients);
            for mask in (0u64..1 << units).filter(|m| m.count_ones() as usize <= order) {
                let (a, b) = (found.of(mask), all[mask as usize]);
                prop_assert!((a - b).abs() < 1e-12, "{mask:b}: {a} and {b}");
            }
        }
    }
}
