//! Connected components of the units that a row leaves open: given the row they are independent of each other.

use crate::network::Network;

/// Connected components of the latent units under the terms.
pub(super) struct Parts {
    pub(super) sizes: Vec<usize>,
    pub(super) part_of: Vec<usize>,
    pub(super) bit_of: Vec<usize>,
}

pub(super) fn components(network: &Network, latent: &[bool]) -> Parts {
    let units = latent.len();
    let mut leader: Vec<usize> = (0..units).collect();
    fn find(leader: &mut [usize], mut unit: usize) -> usize {
        while leader[unit] != unit {
            leader[unit] = leader[leader[unit]];
            unit = leader[unit];
        }
        unit
    }
    for term in network.terms() {
        let mut inside = term.units().iter().copied().filter(|&u| latent[u]);
        if let Some(first) = inside.next() {
            for other in inside {
                let (a, b) = (find(&mut leader, first), find(&mut leader, other));
                leader[a.max(b)] = a.min(b);
            }
        }
    }
    let mut parts = Parts {
        sizes: Vec::new(),
        part_of: vec![usize::MAX; units],
        bit_of: vec![0; units],
    };
    for unit in (0..units).filter(|&u| latent[u]) {
        let root = find(&mut leader, unit);
        if root == unit {
            parts.part_of[unit] = parts.sizes.len();
            parts.sizes.push(0);
        }
        let part = parts.part_of[root];
        parts.part_of[unit] = part;
        parts.bit_of[unit] = parts.sizes[part];
        parts.sizes[part] += 1;
    }
    parts
}
