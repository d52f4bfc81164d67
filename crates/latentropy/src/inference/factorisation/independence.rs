//! A large set of free units of which no two are in one term.

use crate::network::{Clamp, Network, Role};

/// The larger of: the hidden side, the visible side, a greedy independent set; among the free units.
pub(super) fn independent_side(network: &Network, clamp: &Clamp) -> Vec<bool> {
    let units = network.units().len();
    let free: Vec<bool> = (0..units).map(|u| clamp.get(u).is_none()).collect();
    let mut neighbours = vec![Vec::new(); units];
    for term in network.terms() {
        if term.units().iter().any(|&u| clamp.get(u) == Some(false)) {
            continue;
        }
        let left: Vec<usize> = term.units().iter().copied().filter(|&u| free[u]).collect();
        for &a in &left {
            neighbours[a].extend(left.iter().copied().filter(|&b| b != a));
        }
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    let greedy = |mut order: Vec<usize>| {
        let (mut chosen, mut barred) = (vec![false; units], vec![false; units]);
        order.retain(|&u| free[u]);
        for unit in order {
            if !barred[unit] {
                chosen[unit] = true;
                for &n in &neighbours[unit] {
                    barred[n] = true;
                }
            }
        }
        chosen
    };
    let roles = |first: Role| {
        let mut order: Vec<usize> = (0..units).collect();
        order.sort_by_key(|&u| (network.units()[u].role != first, neighbours[u].len(), u));
        order
    };
    let mut by_degree: Vec<usize> = (0..units).collect();
    by_degree.sort_by_key(|&u| (neighbours[u].len(), u));
    // `max_by_key` keeps the last of equals: hidden units independent is the usual reading.
    [by_degree, roles(Role::Visible), roles(Role::Hidden)]
        .into_iter()
        .map(greedy)
        .max_by_key(|side| side.iter().filter(|&&c| c).count())
        .unwrap_or_default()
}
