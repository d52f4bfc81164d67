//! Elimination orders: greedy by fill-in, and sweeps with a small frontier; the cheapest of several is kept.
//!
//! Greedy orders are best where graphs are irregular. On grids and tori they start from all corners at once and the
//! fronts meet in the middle; one front that sweeps from a corner stays narrower there (20×20 grid: width 20, not 27).

use crate::random::{Purpose, Random, stream};
use rand::RngExt;
use std::collections::BTreeSet;

type Graph = Vec<BTreeSet<usize>>;

/// One unit per step, with its neighbours at that moment.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    /// The units in the order in which they are eliminated.
    pub(super) units: Vec<usize>,
    /// For each step, the neighbours that are still there.
    pub(super) neighbours: Vec<Vec<usize>>,
}

impl Order {
    /// The largest number of neighbours: the width of this order, an upper bound on the treewidth.
    pub(super) fn width(&self) -> usize {
        self.neighbours.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Entries of all tables, one more bit than neighbours each.
    pub(super) fn entries(&self) -> f64 {
        let tables = self.neighbours.iter();
        tables.map(|n| table_entries(n.len())).sum()
    }

    fn push(&mut self, unit: usize, neighbours: Vec<usize>) {
        self.units.push(unit);
        self.neighbours.push(neighbours);
    }
}

fn table_entries(neighbours: usize) -> f64 {
    2f64.powi(neighbours as i32 + 1)
}

/// Greedy orders tried with random ties, and starts of a sweep.
const GREEDY: u64 = 8;
const SWEEPS: usize = 48;
/// A width that needs no further search: tables of a few thousand entries.
const NARROW: usize = 10;
/// No order is followed beyond this width.
pub(super) const WIDEST: usize = 48;
/// The search stops after about this many steps.
const SEARCH: usize = 3_000_000;

/// The cheapest order found; `Err` with the width at which the search gave up.
pub(super) fn eliminate(graph: &[BTreeSet<usize>]) -> Result<Order, usize> {
    // The fill-in of a dense graph of hundreds of units takes longer than all else that a fit does.
    let least = degeneracy(graph);
    if least > WIDEST {
        return Err(least);
    }
    let mut work = 0;
    // What costs nothing is eliminated once for all: units whose neighbours are all joined, or that have two at most.
    let mut rest = graph.to_vec();
    let prefix = greedy(&mut rest, None, true, &mut work)?;
    let mut best = greedy(&mut rest.clone(), None, false, &mut work);
    let keep = |best: &mut Result<Order, usize>, found: Result<Order, usize>| match (&best, found) {
        (Ok(a), Ok(b)) if b.entries() < a.entries() => *best = Ok(b),
        (Err(_), Ok(b)) => *best = Ok(b),
        _ => {}
    };
    let wide = |best: &Result<Order, usize>| best.as_ref().map_or(WIDEST + 1, Order::width);
    let left: Vec<usize> = {
        let gone: BTreeSet<usize> = prefix.units.iter().copied().collect();
        (0..graph.len()).filter(|u| !gone.contains(u)).collect()
    };
    for start in sweep_starts(&rest, &left) {
        if wide(&best) <= NARROW || work > SEARCH {
            break;
        }
        let limit = best.as_ref().map_or(f64::INFINITY, Order::entries);
        if let Some(found) = sweep(&rest, &left, start, limit, &mut work) {
            keep(&mut best, Ok(found));
        }
    }
    for seed in 1..GREEDY {
        if wide(&best) <= NARROW || work > SEARCH {
            break;
        }
        let mut rng = stream(seed, Purpose::Alone, 0);
        let found = greedy(&mut rest.clone(), Some(&mut rng), false, &mut work);
        keep(&mut best, found);
    }
    let mut order = prefix;
    let best = best?;
    order.units.extend(best.units);
    order.neighbours.extend(best.neighbours);
    Ok(order)
}

/// The largest degree that is left where a unit of the smallest one is taken away again and again: no order is narrower.
fn degeneracy(graph: &[BTreeSet<usize>]) -> usize {
    let mut degrees: Vec<usize> = graph.iter().map(BTreeSet::len).collect();
    let mut queue: BTreeSet<(usize, usize)> = degrees.iter().copied().zip(0..).collect();
    let mut largest = 0;
    while let Some((degree, unit)) = queue.pop_first() {
        largest = largest.max(degree);
        for &other in &graph[unit] {
            if queue.remove(&(degrees[other], other)) {
                degrees[other] -= 1;
                queue.insert((degrees[other], other));
            }
        }
    }
    largest
}

/// Edges missing among the neighbours of a unit.
fn fill(graph: &Graph, unit: usize) -> usize {
    let around: Vec<usize> = graph[unit].iter().copied().collect();
    let mut missing = 0;
    for (at, a) in around.iter().enumerate() {
        missing += around[at + 1..]
            .iter()
            .filter(|b| !graph[*a].contains(b))
            .count();
    }
    missing
}

/// Eliminates by fill-in, then degree, then a random rank; only what is free of cost where `free` is set.
fn greedy(
    graph: &mut Graph,
    mut rng: Option<&mut Random>,
    free: bool,
    work: &mut usize,
) -> Result<Order, usize> {
    let count = graph.len();
    let ranks: Vec<u64> = (0..count)
        .map(|unit| rng.as_mut().map_or(unit as u64, |rng| rng.random::<u64>()))
        .collect();
    let key = |graph: &Graph, unit: usize| {
        let (missing, degree) = (fill(graph, unit), graph[unit].len());
        // Two neighbours at most: joining them never widens a graph that has a loop.
        let missing = if degree <= 2 { 0 } else { missing };
        (missing, degree, ranks[unit], unit)
    };
    let gone = |graph: &Graph, unit: usize| graph[unit].contains(&usize::MAX);
    let left: Vec<usize> = (0..count).filter(|&u| !gone(graph, u)).collect();
    let mut keys = vec![(0, 0, 0, 0); count];
    for &unit in &left {
        keys[unit] = key(graph, unit);
    }
    let mut queue: BTreeSet<_> = left.iter().map(|&unit| keys[unit]).collect();
    let mut order = Order::default();
    while let Some(&(missing, degree, _, unit)) = queue.first() {
        if free && (missing > 0 || degree > WIDEST) {
            break;
        }
        if degree > WIDEST {
            return Err(degree);
        }
        queue.pop_first();
        let around: Vec<usize> = graph[unit].iter().copied().collect();
        let mut touched: BTreeSet<usize> = around.iter().copied().collect();
        for (at, &a) in around.iter().enumerate() {
            graph[a].remove(&unit);
            for &b in &around[at + 1..] {
                if graph[a].insert(b) {
                    graph[b].insert(a);
                    // A new edge lessens the fill-in of all that see both ends.
                    let both = graph[a].intersection(&graph[b]).copied();
                    touched.extend(both.collect::<Vec<_>>());
                }
            }
        }
        graph[unit] = BTreeSet::from([usize::MAX]);
        *work += touched.len();
        for other in touched {
            queue.remove(&keys[other]);
            keys[other] = key(graph, other);
            queue.insert(keys[other]);
        }
        order.push(unit, around);
    }
    Ok(order)
}

/// Units to start sweeps from: those of smallest degree and others evenly spaced.
fn sweep_starts(graph: &Graph, left: &[usize]) -> Vec<usize> {
    let mut by_degree = left.to_vec();
    by_degree.sort_by_key(|&unit| (graph[unit].len(), unit));
    let few = by_degree.iter().copied().take(SWEEPS / 2);
    let step = (left.len() / (SWEEPS / 2)).max(1);
    few.chain(left.iter().copied().step_by(step)).collect()
}

/// Eliminates the unit of the frontier that brings the fewest new ones in, the oldest of equals first.
fn sweep(
    graph: &Graph,
    left: &[usize],
    start: usize,
    limit: f64,
    work: &mut usize,
) -> Option<Order> {
    let mut outside: BTreeSet<usize> = left.iter().copied().collect();
    let mut frontier: Vec<usize> = Vec::new();
    let (mut order, mut entries) = (Order::default(), 0.0);
    let mut next = Some(start);
    while let Some(unit) = next {
        outside.remove(&unit);
        frontier.retain(|&other| other != unit);
        for &other in &graph[unit] {
            if outside.remove(&other) {
                frontier.push(other);
            }
        }
        entries += table_entries(frontier.len());
        if entries >= limit || frontier.len() > WIDEST {
            return None;
        }
        order.push(unit, frontier.clone());
        *work += frontier.len();
        let brings = |unit: usize| graph[unit].iter().filter(|o| outside.contains(o)).count();
        next = frontier
            .iter()
            .copied()
            .min_by_key(|&unit| brings(unit))
            .or_else(|| outside.first().copied());
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(units: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Graph {
        let mut graph = vec![BTreeSet::new(); units];
        for (a, b) in edges {
            graph[a].insert(b);
            graph[b].insert(a);
        }
        graph
    }

    #[test]
    fn no_order_is_narrower_than_the_degeneracy() {
        let complete = |units: usize| (0..units).flat_map(|a| (0..a).map(move |b| (a, b)));
        assert_eq!(degeneracy(&graph(7, complete(7))), 6);
        let ring = (0..9).map(|unit| (unit, (unit + 1) % 9));
        assert_eq!(degeneracy(&graph(9, ring.clone())), 2);
        assert_eq!(degeneracy(&graph(9, ring.take(8))), 1);
        assert_eq!(degeneracy(&graph(3, [])), 0);
        // A dense part among sparse ones counts.
        let joined = complete(5).chain((5..20).map(|unit| (unit, unit - 1)));
        let joined = graph(20, joined);
        assert_eq!(degeneracy(&joined), 4);
        assert!(eliminate(&joined).unwrap().width() >= 4);
        // Beyond every width the search does not begin.
        assert_eq!(eliminate(&graph(400, complete(400))).unwrap_err(), 399);
    }
}
