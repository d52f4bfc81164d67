//! The graph that terms make, its components, and short loops that span all others.

use crate::inference::reduction::FreeTerms;
use std::collections::{BTreeMap, BTreeSet};

/// Loops of more units are not taken as regions.
const LONGEST_LOOP: usize = 8;
/// A basis of short loops is looked for where units times edges are at most this.
const MOST_SEARCHED: usize = 100_000;

/// Who is beside whom.
pub(super) struct Graph {
    around: Vec<BTreeSet<usize>>,
}

/// Units that hang together.
pub(super) struct Component {
    pub(super) units: Vec<usize>,
    edges: usize,
}

impl Component {
    /// How many loops span all of its loops.
    pub(super) fn independent_loops(&self) -> usize {
        self.edges + 1 - self.units.len()
    }

    /// No planar graph has more edges.
    fn may_be_planar(&self) -> bool {
        self.edges <= (3 * self.units.len()).saturating_sub(6)
    }
}

impl Graph {
    pub(super) fn new(terms: &FreeTerms) -> Self {
        let mut around = vec![BTreeSet::new(); terms.free.len()];
        for set in &terms.sets {
            for &a in set {
                around[a].extend(set.iter().copied().filter(|&b| b != a));
            }
        }
        Graph { around }
    }

    pub(super) fn components(&self) -> Vec<Component> {
        let mut seen = vec![false; self.around.len()];
        let mut found = Vec::new();
        for root in 0..self.around.len() {
            if seen[root] {
                continue;
            }
            seen[root] = true;
            let (mut units, mut next) = (vec![root], 0);
            while next < units.len() {
                for &other in &self.around[units[next]] {
                    if !seen[other] {
                        seen[other] = true;
                        units.push(other);
                    }
                }
                next += 1;
            }
            let ends: usize = units.iter().map(|&unit| self.around[unit].len()).sum();
            units.sort_unstable();
            found.push(Component {
                units,
                edges: ends / 2,
            });
        }
        found
    }

    /// Loops that can be counted once each without counting anything twice: the faces of a planar graph, or a basis of
    /// short loops of which each, in some order, has an edge of its own. `None` where there is no such set of short loops.
    pub(super) fn sound_loops(&self, component: &Component) -> Option<Vec<Vec<usize>>> {
        let wanted = component.independent_loops();
        if wanted == 0 {
            return Some(Vec::new());
        }
        if let Some(loops) = self.short_loops(component, wanted)
            && loops.len() == wanted
            && self.are_faces(&loops)
        {
            return Some(loops);
        }
        if !component.may_be_planar() || component.units.len() * component.edges > MOST_SEARCHED {
            return None;
        }
        let loops = self.shortest_basis(component, wanted)?;
        self.peels(&loops).then_some(loops)
    }

    /// Triangles, and loops of four without a chord; `None` where there are more than so many.
    fn short_loops(&self, component: &Component, most: usize) -> Option<Vec<Vec<usize>>> {
        let (around, mut found) = (&self.around, Vec::new());
        for &a in &component.units {
            for &b in around[a].range(a + 1..) {
                for &c in around[a].intersection(&around[b]).filter(|&&c| c > b) {
                    found.push(vec![a, b, c]);
                }
            }
            // Opposite corners of a loop of four, the smallest unit of the loop first.
            let opposite: BTreeSet<usize> = around[a]
                .iter()
                .flat_map(|&b| around[b].range(a + 1..).copied())
                .filter(|c| !around[a].contains(c))
                .collect();
            for c in opposite {
                let shared = around[a].intersection(&around[c]).copied();
                let shared: Vec<usize> = shared.filter(|&b| b > a).collect();
                for (at, &b) in shared.iter().enumerate() {
                    for &d in shared[at + 1..].iter().filter(|d| !around[b].contains(d)) {
                        found.push(vec![a, b, c, d]);
                    }
                }
            }
            if found.len() > most {
                return None;
            }
        }
        found.iter_mut().for_each(|units| units.sort_unstable());
        Some(found)
    }

    /// The edges among some units.
    fn edges_within(&self, units: &[usize]) -> Vec<(usize, usize)> {
        let mut edges = Vec::new();
        for (at, &a) in units.iter().enumerate() {
            let later = units[at + 1..].iter();
            edges.extend(
                later
                    .filter(|b| self.around[a].contains(b))
                    .map(|&b| (a, b)),
            );
        }
        edges
    }

    /// The loops at each edge.
    fn loops_by_edge(&self, loops: &[Vec<usize>]) -> BTreeMap<(usize, usize), Vec<usize>> {
        let mut by_edge: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (at, units) in loops.iter().enumerate() {
            for edge in self.edges_within(units) {
                by_edge.entry(edge).or_default().push(at);
            }
        }
        by_edge
    }

    /// True where no edge is in more than two loops and no part of them is closed like a sphere: as many loops as are
    /// independent are then the faces of a planar graph (MacLane 1937).
    fn are_faces(&self, loops: &[Vec<usize>]) -> bool {
        let by_edge = self.loops_by_edge(loops);
        let mut beside = vec![Vec::new(); loops.len()];
        let mut has_rim = vec![false; loops.len()];
        for at in by_edge.values() {
            match at[..] {
                [only] => has_rim[only] = true,
                [a, b] => {
                    beside[a].push(b);
                    beside[b].push(a);
                }
                _ => return false,
            }
        }
        let mut reached: Vec<usize> = (0..loops.len()).filter(|&at| has_rim[at]).collect();
        while let Some(at) = reached.pop() {
            for &other in &beside[at] {
                if !has_rim[other] {
                    has_rim[other] = true;
                    reached.push(other);
                }
            }
        }
        has_rim.iter().all(|&open| open)
    }

    /// True where the loops can be taken away one by one, each with an edge that no other loop left has.
    fn peels(&self, loops: &[Vec<usize>]) -> bool {
        let mut by_edge = self.loops_by_edge(loops);
        let mut queue: Vec<usize> = by_edge
            .values()
            .filter(|at| at.len() == 1)
            .map(|at| at[0])
            .collect();
        let mut is_gone = vec![false; loops.len()];
        while let Some(at) = queue.pop() {
            if std::mem::replace(&mut is_gone[at], true) {
                continue;
            }
            for edge in self.edges_within(&loops[at]) {
                if let Some(left) = by_edge.get_mut(&edge) {
                    left.retain(|&other| other != at);
                    if let [only] = left[..] {
                        queue.push(only);
                    }
                }
            }
        }
        is_gone.iter().all(|&gone| gone)
    }

    /// A basis of the shortest loops (Horton 1987), each of a few units and without a chord; `None` where it needs others.
    fn shortest_basis(&self, component: &Component, wanted: usize) -> Option<Vec<Vec<usize>>> {
        let edges = self.edges_within(&component.units);
        let number: BTreeMap<(usize, usize), usize> = edges
            .iter()
            .enumerate()
            .map(|(at, &edge)| (edge, at))
            .collect();
        let mut candidates = BTreeSet::new();
        for &root in &component.units {
            let before = self.shortest_paths(root);
            for &(a, b) in &edges {
                let (one, other) = (path(&before, a), path(&before, b));
                let units: BTreeSet<usize> = one.iter().chain(&other).copied().collect();
                let is_loop = one.len() + other.len() == units.len() + 1;
                if is_loop && (3..=LONGEST_LOOP).contains(&units.len()) {
                    let units: Vec<usize> = units.into_iter().collect();
                    // A chord would make two shorter loops of it.
                    if self.edges_within(&units).len() == units.len() {
                        candidates.insert((units.len(), units));
                    }
                }
            }
        }
        let mut rows: Vec<(usize, BTreeSet<usize>)> = Vec::new();
        let mut basis = Vec::new();
        for (_, units) in candidates {
            let mut left: BTreeSet<usize> = self
                .edges_within(&units)
                .iter()
                .map(|edge| number[edge])
                .collect();
            for (lead, row) in &rows {
                if left.contains(lead) {
                    left = left.symmetric_difference(row).copied().collect();
                }
            }
            if let Some(&lead) = left.first() {
                rows.push((lead, left));
                basis.push(units);
                if basis.len() == wanted {
                    return Some(basis);
                }
            }
        }
        None
    }

    /// The unit before each on a shortest way from a root; the root is before itself.
    fn shortest_paths(&self, root: usize) -> BTreeMap<usize, usize> {
        let mut before = BTreeMap::from([(root, root)]);
        let (mut order, mut next) = (vec![root], 0);
        while next < order.len() {
            let unit = order[next];
            for &other in &self.around[unit] {
                before.entry(other).or_insert_with(|| {
                    order.push(other);
                    unit
                });
            }
            next += 1;
        }
        before
    }
}

/// From a unit back to the root.
fn path(before: &BTreeMap<usize, usize>, mut unit: usize) -> Vec<usize> {
    let mut units = vec![unit];
    while let Some(&last) = before.get(&unit).filter(|&&last| last != unit) {
        units.push(last);
        unit = last;
    }
    units
}
