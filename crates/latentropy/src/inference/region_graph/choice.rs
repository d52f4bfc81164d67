//! Which regions a graph gets: faces where it is planar, short loops where they can be counted once, stars where it is dense.
//!
//! Counting numbers must sum to one per component, or the free energy counts loops more than once: all triangles of a
//! complete graph of nine units sum to 57. Faces and stars are tree-robust (Gelfand and Welling 2012): on any spanning
//! tree of the graph the free energy is exact.

use super::loops::Graph;
use crate::inference::conditioned::Influence;
use crate::inference::reduction::FreeTerms;
use crate::network::Network;
use std::collections::BTreeSet;

/// Outer regions beside the terms, and the roots of stars among them.
#[derive(Clone, Debug, Default)]
pub(super) struct Chosen {
    pub(super) regions: BTreeSet<Vec<usize>>,
    /// Of each star, by its place among the free units.
    pub(super) roots: Vec<usize>,
    /// Whether all other components are without a loop.
    pub(super) is_rest_open: bool,
    /// How many components there are: what the counting numbers must sum to.
    pub(super) components: usize,
}

/// How often a unit's terms count, by free unit.
pub(super) fn influences(network: &Network, terms: &FreeTerms, influence: Influence) -> Vec<f64> {
    let units = terms.free.iter();
    let mut sums: Vec<f64> = units
        .map(|&unit| influence.of_unit(network, unit))
        .collect();
    for (set, &weight) in terms.sets.iter().zip(&terms.coefficients) {
        if set.len() > 1 {
            for &unit in set {
                sums[unit] += influence.of_weight(weight);
            }
        }
    }
    sums
}

/// Faces or short loops where they are sound and `loops` allows them, else the star through the strongest unit.
pub(super) fn choose(terms: &FreeTerms, influences: &[f64], loops: bool) -> Chosen {
    let graph = Graph::new(terms);
    let components = graph.components();
    let mut chosen = Chosen {
        is_rest_open: true,
        components: components.len(),
        ..Chosen::default()
    };
    for component in components {
        if component.independent_loops() == 0 {
            continue;
        }
        let sound = loops.then(|| graph.sound_loops(&component)).flatten();
        if let Some(sound) = sound {
            chosen.regions.extend(sound);
            chosen.is_rest_open = false;
            continue;
        }
        let units = component.units.iter().copied();
        let stronger = |a: usize, b: usize| match influences[b] > influences[a] {
            true => b,
            false => a,
        };
        let Some(root) = units.reduce(stronger) else {
            continue;
        };
        chosen.roots.push(root);
        let inside: BTreeSet<usize> = component.units.iter().copied().collect();
        let sets = terms.sets.iter().filter(|set| inside.contains(&set[0]));
        for set in sets {
            let mut region: BTreeSet<usize> = set.iter().copied().collect();
            region.insert(root);
            chosen.regions.insert(region.into_iter().collect());
        }
    }
    chosen
}
