//! One tile of weights, and how the units that flipped move the fields that it acts on.

use crate::inference::kernels::CHAINS;

/// Units in a block, drawn before the fields of others follow.
pub(super) const BLOCK: usize = 64;
/// Units in a panel, whose fields follow together: as many sums as eight vector registers hold.
pub(crate) const PANEL: usize = 128;
/// A row per unit of the block: what it adds to the fields of the panel's units.
pub(super) type Tile = [[i32; PANEL]; BLOCK];
/// Which units of a block flipped, as bits over the chains.
pub(super) struct Flips {
    pub(super) up: [u64; BLOCK],
    pub(super) down: [u64; BLOCK],
}

impl Default for Flips {
    fn default() -> Self {
        Flips {
            up: [0; BLOCK],
            down: [0; BLOCK],
        }
    }
}

impl Flips {
    /// Updates the fields of every panel that the block's units act on.
    #[inline(always)]
    pub(super) fn apply(&mut self, tiles: &[(usize, Box<Tile>)], fields: &mut [[i32; PANEL]]) {
        // From units over chains to chains over units.
        transpose_bits(&mut self.up);
        transpose_bits(&mut self.down);
        let mut lists = [[0u8; BLOCK]; CHAINS];
        let mut counts = [(0, 0); CHAINS];
        for chain in 0..CHAINS {
            let list = &mut lists[chain];
            let mut length = 0;
            let mut gather = |mut bits: u64| {
                while bits != 0 {
                    list[length & 63] = bits.trailing_zeros() as u8;
                    bits &= bits - 1;
                    length += 1;
                }
                length
            };
            counts[chain] = (gather(self.up[chain]), gather(self.down[chain]));
        }
        for (panel, tile) in tiles {
            let rows = &mut fields[panel * CHAINS..(panel + 1) * CHAINS];
            for chain in 0..CHAINS {
                let (ups, all) = counts[chain];
                let mut sums = rows[chain];
                for &unit in &lists[chain][..ups] {
                    let row = &tile[(unit & 63) as usize];
                    for lane in 0..PANEL {
                        sums[lane] = sums[lane].wrapping_add(row[lane]);
                    }
                }
                for &unit in &lists[chain][ups..all] {
                    let row = &tile[(unit & 63) as usize];
                    for lane in 0..PANEL {
                        sums[lane] = sums[lane].wrapping_sub(row[lane]);
                    }
                }
                rows[chain] = sums;
            }
        }
    }
}

/// Rows become columns: bit j of word i becomes bit i of word j.
#[inline(always)]
fn transpose_bits(words: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = 0x0000_0000_ffff_ffffu64;
    while width != 0 {
        let mut at = 0;
        while at < 64 {
            let swapped = (words[at] >> width ^ words[at + width]) & mask;
            words[at] ^= swapped << width;
            words[at + width] ^= swapped;
            at = (at + width + 1) & !width;
        }
        width >>= 1;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_transposed() {
        let mut words: [u64; 64] =
            std::array::from_fn(|i| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i as u64 + 3));
        let before = words;
        transpose_bits(&mut words);
        for i in 0..64 {
            for j in 0..64 {
                assert_eq!(words[j] >> i & 1, before[i] >> j & 1);
            }
        }
    }
}
