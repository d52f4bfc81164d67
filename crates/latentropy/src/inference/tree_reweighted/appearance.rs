//! Edge appearance probabilities: how often an edge is in a random spanning tree.

use crate::inference::reduction::Pairwise;
use faer::linalg::solvers::{Llt, Solve};
use faer::{Mat, Side};

/// Which edge appearance probabilities are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Appearance {
    /// All edges alike, (units − 1) / edges. A bound only where a distribution over trees has these: an estimate else.
    Constant,
    /// Every spanning tree equally likely.
    SpanningTrees,
    /// From there on, those that lower the bound most.
    #[default]
    Optimised,
}

/// Up to this many units the uniform distribution over all spanning trees is worked out.
const DENSE: usize = 1500;

/// Probabilities that some distribution over spanning trees has, one per edge, none zero.
pub(super) fn of_spanning_trees(graph: &Pairwise) -> Vec<f64> {
    if graph.units() <= DENSE
        && let Some(appearance) = uniform_over_trees(graph)
    {
        return appearance;
    }
    covering_trees(graph)
}

/// All spanning trees equally likely: an edge appears with its effective resistance (Kirchhoff).
fn uniform_over_trees(graph: &Pairwise) -> Option<Vec<f64>> {
    let n = graph.units();
    let mut laplacian = Mat::<f64>::zeros(n, n);
    for edge in &graph.edges {
        laplacian[(edge.a, edge.a)] += 1.0;
        laplacian[(edge.b, edge.b)] += 1.0;
        laplacian[(edge.a, edge.b)] -= 1.0;
        laplacian[(edge.b, edge.a)] -= 1.0;
    }
    // One unit of each component is grounded; no current of the others flows there.
    for (unit, edge) in graph.breadth_first() {
        if edge.is_none() {
            laplacian[(unit, unit)] += 1.0;
        }
    }
    let factor = Llt::new(laplacian.as_ref(), Side::Lower).ok()?;
    let inverse = factor.solve(Mat::<f64>::identity(n, n));
    let resistance =
        |a: usize, b: usize| inverse[(a, a)] + inverse[(b, b)] - inverse[(a, b)] - inverse[(b, a)];
    // Rounding could lift a bridge a hair above one.
    let edges = graph.edges.iter();
    Some(edges.map(|e| resistance(e.a, e.b).min(1.0)).collect())
}

/// Trees that prefer edges not seen so far, until every edge was seen twice as often as there is need.
fn covering_trees(graph: &Pairwise) -> Vec<f64> {
    let mut seen = vec![0usize; graph.edges.len()];
    let mut trees = 0;
    while trees < 4 || seen.contains(&0) {
        let rarity: Vec<f64> = seen.iter().map(|&count| -(count as f64)).collect();
        for (count, inside) in seen.iter_mut().zip(heaviest_tree(graph, &rarity)) {
            *count += usize::from(inside);
        }
        trees += 1;
    }
    seen.iter().map(|&c| c as f64 / trees as f64).collect()
}

/// The same probability for all: (units − 1) / edges. Not always that of a distribution over trees.
pub(super) fn constant(graph: &Pairwise) -> Vec<f64> {
    let roots = graph
        .breadth_first()
        .iter()
        .filter(|(_, edge)| edge.is_none())
        .count();
    let share = (graph.units() - roots) as f64 / graph.edges.len().max(1) as f64;
    vec![share; graph.edges.len()]
}

/// A spanning forest of largest total weight (Kruskal 1956): whether each edge is in it.
pub(super) fn heaviest_tree(graph: &Pairwise, weights: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..graph.edges.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    let mut leader: Vec<usize> = (0..graph.units()).collect();
    let mut inside = vec![false; graph.edges.len()];
    for edge in order {
        let find = |leader: &mut Vec<usize>, mut unit: usize| {
            while leader[unit] != unit {
                leader[unit] = leader[leader[unit]];
                unit = leader[unit];
            }
            unit
        };
        let a = find(&mut leader, graph.edges[edge].a);
        let b = find(&mut leader, graph.edges[edge].b);
        if a != b {
            leader[a] = b;
            inside[edge] = true;
        }
    }
    inside
}
