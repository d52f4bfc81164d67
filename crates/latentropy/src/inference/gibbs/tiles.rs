//! Dense machines: fields in fixed point, updated by tiles of 64 × 128 weights for the units that flipped.
//!
//! Sums of integers are exact, so fields that are updated for ever never drift. A block of 64 units is drawn unit by
//! unit with only its own fields kept up to date; the fields of all other units follow afterwards, tile by tile.

use super::draw::{Row, Temperatures, packed};
use super::group::{Direction, Group, Weigher, step};
use super::machine::{Lists, Machine};
use super::random::CHAINS;
use multiversion::multiversion;
use multiversion::target::target_cfg_f;
use std::ops::Range;

/// Units in a block, drawn before the fields of others follow.
const BLOCK: usize = 64;
/// Units in a panel, whose fields follow together: as many sums as eight vector registers hold.
pub(crate) const PANEL: usize = 128;
/// Rounding all weights to the fixed point may move a typical state's exponent by no more than this.
const MOST_ROUNDING: f64 = 1e-4;

/// A row a unit of the block: what it adds to the fields of the panel's units.
type Tile = [[i32; PANEL]; BLOCK];
/// Fields of a block, a row a unit.
type Local = [[i32; CHAINS]; BLOCK];

/// All tiles that are not zero.
#[derive(Clone, Debug)]
pub(crate) struct Tiles {
    /// One step of the fixed point.
    step: f64,
    /// Fields of the state zero, padded to whole blocks.
    bias: Vec<i32>,
    /// For each block: its panels and their tiles.
    blocks: Vec<Vec<(usize, Box<Tile>)>>,
}

impl Tiles {
    /// None where fixed point of 32 bits would be too coarse for the weights.
    pub(super) fn new(lists: &Lists, bias: &[f64]) -> Option<Self> {
        let units = bias.len();
        let around = |unit: usize| lists.starts[unit]..lists.starts[unit + 1];
        let size = |unit: usize| {
            let weights = lists.weights[around(unit)].iter();
            bias[unit].abs() + weights.map(|w| w.abs()).sum::<f64>()
        };
        let largest = (0..units).map(size).fold(1.0, f64::max);
        // A power of two, so that round weights stay what they are.
        let step = 2f64.powi(largest.log2().ceil() as i32 - 29);
        let terms = units as f64 + 0.5 * lists.weights.len() as f64;
        if step * terms.sqrt() > MOST_ROUNDING {
            return None;
        }
        let fixed = |weight: f64| (weight / step).round() as i32;
        let count = units.div_ceil(BLOCK);
        let mut padded = vec![0; units.next_multiple_of(PANEL)];
        let mut blocks: Vec<Vec<(usize, Box<Tile>)>> = vec![Vec::new(); count];
        for unit in 0..units {
            padded[unit] = fixed(bias[unit]);
            let block = &mut blocks[unit / BLOCK];
            for at in around(unit) {
                let other = lists.neighbours[at] as usize;
                let panel = other / PANEL;
                let tile = match block.iter().position(|(p, _)| *p == panel) {
                    Some(tile) => tile,
                    None => {
                        block.push((panel, Box::new([[0; PANEL]; BLOCK])));
                        block.len() - 1
                    }
                };
                block[tile].1[unit % BLOCK][other % PANEL] = fixed(lists.weights[at]);
            }
        }
        Some(Tiles {
            step,
            bias: padded,
            blocks,
        })
    }

    /// How much of the tiles is filled by pairs.
    pub(super) fn fill(&self, lists: &Lists) -> f64 {
        let tiles: usize = self.blocks.iter().map(Vec::len).sum();
        lists.weights.len() as f64 / (tiles * BLOCK * PANEL) as f64
    }

    /// The fields of these states from scratch.
    pub(super) fn fields(&self, states: &[Row]) -> Vec<[i32; PANEL]> {
        let mut fields = Vec::with_capacity(self.bias.len() / PANEL * CHAINS);
        for panel in self.bias.as_chunks::<PANEL>().0 {
            fields.extend([*panel; CHAINS]);
        }
        for (block, rows) in states.chunks(BLOCK).enumerate() {
            let mut flips = Flips::default();
            for (at, row) in rows.iter().enumerate() {
                flips.up[at] = packed(row);
            }
            flips.apply(&self.blocks[block], &mut fields);
        }
        fields
    }
}

/// Which units of a block flipped, as bits over the chains.
struct Flips {
    up: [u64; BLOCK],
    down: [u64; BLOCK],
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
    fn apply(&mut self, tiles: &[(usize, Box<Tile>)], fields: &mut [[i32; PANEL]]) {
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

/// Columns `start` and on of the rows become rows, in small squares that stay in registers.
#[inline(always)]
fn transpose(from: &[[i32; PANEL]], start: usize, to: &mut Local) {
    const SIDE: usize = 8;
    for row in (0..CHAINS).step_by(SIDE) {
        for column in (0..BLOCK).step_by(SIDE) {
            for i in 0..SIDE {
                for j in 0..SIDE {
                    to[column + i][row + j] = from[row + j][start + column + i];
                }
            }
        }
    }
}

#[inline(always)]
fn visit_block<const FMA: bool>(
    machine: &Machine,
    group: &mut Group,
    block: usize,
    places: Range<usize>,
    direction: Direction,
    temperatures: &Temperatures,
    mut weigher: Option<&mut Weigher>,
) {
    let Some(tiles) = &machine.tiles else { return };
    let mut local: Local = [[0; CHAINS]; BLOCK];
    let (panel, column) = (block * BLOCK / PANEL, block * BLOCK % PANEL);
    let rows = &group.fields[panel * CHAINS..(panel + 1) * CHAINS];
    transpose(rows, column, &mut local);
    let mut own = tiles.blocks[block].iter();
    let own = own.find(|(other, _)| *other == panel);
    let mut flips = Flips::default();
    let (start, end) = (places.start, places.end);
    for at in places {
        let place = match direction {
            Direction::Onward => at,
            Direction::Backward => start + end - 1 - at,
        };
        let unit = block * BLOCK + place;
        let mut fields = [0.0; CHAINS];
        for chain in 0..CHAINS {
            fields[chain] = f64::from(local[place][chain]) * tiles.step;
        }
        let base = machine.base[unit];
        let state = &mut group.states[unit];
        let old = step::<FMA>(
            &fields,
            base,
            temperatures,
            &mut group.random,
            state,
            &mut group.excess,
        );
        if let Some(weigher) = &mut weigher {
            weigher.add::<FMA>(&fields, base, &old);
        }
        let (mut up, mut down) = ([0; CHAINS], [0; CHAINS]);
        for chain in 0..CHAINS {
            up[chain] = state[chain] & !old[chain];
            down[chain] = old[chain] & !state[chain];
        }
        (flips.up[place], flips.down[place]) = (packed(&up), packed(&down));
        if let Some((_, tile)) = own {
            let later = match direction {
                Direction::Onward => place + 1..end,
                Direction::Backward => start..place,
            };
            for other in later {
                let weight = tile[place][column + other];
                let row = &mut local[other];
                for chain in 0..CHAINS {
                    let change = (weight & up[chain]).wrapping_sub(weight & down[chain]);
                    row[chain] = row[chain].wrapping_add(change);
                }
            }
        }
    }
    flips.apply(&tiles.blocks[block], &mut group.fields);
}

/// Cuts a range of units into blocks: (block, places within it).
fn blocks(range: Range<usize>) -> impl DoubleEndedIterator<Item = (usize, Range<usize>)> {
    (range.start / BLOCK..range.end.div_ceil(BLOCK)).map(move |block| {
        let (first, last) = (block * BLOCK, (block + 1) * BLOCK);
        (
            block,
            range.start.max(first) - first..range.end.min(last) - first,
        )
    })
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(super) fn visit(
    machine: &Machine,
    group: &mut Group,
    range: Range<usize>,
    direction: Direction,
    temperatures: &Temperatures,
) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    let count = blocks(range.clone()).count();
    for at in 0..count {
        let cut = match direction {
            Direction::Onward => blocks(range.clone()).nth(at),
            Direction::Backward => blocks(range.clone()).nth(count - 1 - at),
        };
        if let Some((block, places)) = cut {
            visit_block::<FMA>(machine, group, block, places, direction, temperatures, None);
        }
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(super) fn visit_weighted(machine: &Machine, group: &mut Group, weigher: &mut Weigher) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    let temperatures = Temperatures::all(weigher.to);
    for (block, places) in blocks(0..machine.independent) {
        let direction = Direction::Onward;
        let weigher = Some(&mut *weigher);
        visit_block::<FMA>(
            machine,
            group,
            block,
            places,
            direction,
            &temperatures,
            weigher,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposes_are_transposes() {
        let mut words: [u64; 64] =
            std::array::from_fn(|i| 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i as u64 + 3));
        let before = words;
        transpose_bits(&mut words);
        for i in 0..64 {
            for j in 0..64 {
                assert_eq!(words[j] >> i & 1, before[i] >> j & 1);
            }
        }
        let row = |i| std::array::from_fn(|j| 1000 * i + j as i32);
        let from: Vec<[i32; PANEL]> = (0..64).map(row).collect();
        let mut to = [[0; 64]; 64];
        transpose(&from, 64, &mut to);
        assert!((0..64).all(|i| (0..64).all(|j| to[j][i] == from[i][64 + j])));
    }
}
