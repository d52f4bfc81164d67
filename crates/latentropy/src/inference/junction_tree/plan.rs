//! What a junction tree will do and cost, before any table is made: one bucket per unit, in the order of elimination.

use super::order::{Order, WIDEST, eliminate};
use crate::error::{Error, Result};
use crate::inference::reduction::FreeTerms;
use crate::message::{Setting, words};
use std::collections::BTreeSet;

/// Tables above this many bytes in all are refused.
const MOST_BYTES: f64 = 6.0e9;
/// About how long one table entry takes, both ways, on one core.
const SECONDS_AN_ENTRY: f64 = 2e-8;

/// What a junction tree costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JunctionTreeCost {
    /// The most units that have to be held beside one: the width of the elimination order.
    pub width: usize,
    /// Memory of all messages and of the working tables.
    pub bytes: f64,
    /// A rough estimate of the time on one core.
    pub seconds: f64,
}

/// A unit, the later units it is summed out against, and where its message goes.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    /// Bits of the table: the separator's units, last eliminated first, then the bucket's own unit on top.
    pub(super) bits: Vec<usize>,
    /// The bucket whose unit is the next of the separator; `None` for an empty separator.
    pub(super) parent: Option<usize>,
    /// Buckets that send to this one.
    pub(super) children: Vec<usize>,
    /// Sets of terms that the bucket takes up: mask on the separator's bits, index of the set.
    pub(super) sets: Vec<(usize, usize)>,
}

impl Bucket {
    /// The unit that is summed out here.
    pub(super) fn unit(&self) -> usize {
        self.bits[self.bits.len() - 1]
    }

    /// The bits of this bucket that are in another's separator.
    pub(super) fn kept(&self, child: &Bucket) -> Vec<bool> {
        let separator = &child.bits[..child.bits.len() - 1];
        self.bits.iter().map(|u| separator.contains(u)).collect()
    }
}

/// All buckets in the order of elimination: children before parents.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) buckets: Vec<Bucket>,
    pub(super) cost: JunctionTreeCost,
}

impl Plan {
    /// Finds an order and refuses what would not fit.
    pub(super) fn new(terms: &FreeTerms) -> Result<Self> {
        let mut graph = vec![BTreeSet::new(); terms.free.len()];
        for set in &terms.sets {
            if set.len() > WIDEST {
                return Err(too_large(&format!(
                    "a term on {} units alone makes tables of 2^{} entries",
                    set.len(),
                    set.len()
                )));
            }
            for &a in set {
                graph[a].extend(set.iter().copied().filter(|&b| b != a));
            }
        }
        let order = eliminate(&graph).map_err(|width| {
            too_large(&format!(
                "the elimination order found has a treewidth of at least {width}"
            ))
        })?;
        let cost = cost(&order);
        if cost.bytes > MOST_BYTES {
            return Err(too_large(&format!(
                "the elimination order found has treewidth {}, and its tables would take {:.1} GB (at most {:.0})",
                cost.width,
                cost.bytes / 1e9,
                MOST_BYTES / 1e9
            )));
        }
        Ok(Plan {
            buckets: buckets(&order, terms),
            cost,
        })
    }
}

fn too_large(why: &str) -> Error {
    Error::too_large(
        format!("a junction tree cannot hold this machine: {why}"),
        words![
            "hold units with ",
            Setting::Given,
            ", or take an approximate engine (",
            Setting::Engine.at("bp"),
            " for an estimate, mean-field and trw for bounds on log Z)",
        ],
    )
}

fn cost(order: &Order) -> JunctionTreeCost {
    let messages = order.entries() / 2.0;
    // Two working tables of the largest bucket beside the messages.
    let largest = 2f64.powi(order.width() as i32 + 1);
    JunctionTreeCost {
        width: order.width(),
        bytes: 8.0 * (messages + 2.0 * largest),
        seconds: SECONDS_AN_ENTRY * order.entries(),
    }
}

fn buckets(order: &Order, terms: &FreeTerms) -> Vec<Bucket> {
    let mut step = vec![0; order.units.len()];
    for (at, &unit) in order.units.iter().enumerate() {
        step[unit] = at;
    }
    let mut buckets: Vec<Bucket> = order
        .units
        .iter()
        .zip(&order.neighbours)
        .map(|(&unit, neighbours)| {
            let mut bits = neighbours.clone();
            bits.sort_by_key(|&other| std::cmp::Reverse(step[other]));
            let parent = bits.last().map(|&next| step[next]);
            bits.push(unit);
            Bucket {
                bits,
                parent,
                children: Vec::new(),
                sets: Vec::new(),
            }
        })
        .collect();
    for at in 0..buckets.len() {
        if let Some(parent) = buckets[at].parent {
            buckets[parent].children.push(at);
        }
    }
    for (index, set) in terms.sets.iter().enumerate() {
        // The first unit of the set to go takes the whole set with it.
        let Some(first) = set.iter().map(|&unit| step[unit]).min() else {
            continue;
        };
        let bits = &buckets[first].bits;
        let mask = (0..bits.len() - 1)
            .filter(|&bit| set.contains(&bits[bit]))
            .map(|bit| 1usize << bit)
            .sum();
        buckets[first].sets.push((mask, index));
    }
    buckets
}
