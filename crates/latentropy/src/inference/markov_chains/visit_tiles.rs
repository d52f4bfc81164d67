//! Dense machines: fields in fixed point, updated by tiles of 64 × 128 weights for the units that flipped.
//!
//! Sums of integers are exact, so fields that are updated for ever never drift. A block of 64 units is drawn unit by
//! unit with only its own fields kept up to date; the fields of all other units follow afterwards, tile by tile.

use super::direction::Direction;
use super::draw::{Temperatures, step};
use super::group::Group;
use super::lanes::packed;
use super::machine::Machine;
use super::tile::{BLOCK, Flips, PANEL};
use super::weigher::Weigher;
use crate::inference::kernels::CHAINS;
use multiversion::multiversion;
use multiversion::target::target_cfg_f;
use std::ops::Range;

/// Fields of a block, a row per unit.
type Local = [[i32; CHAINS]; BLOCK];

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

/// One block of units, drawn unit by unit; its flips reach all other fields at the end.
///
/// One long loop on purpose: fields, flips and the block's own tile stay in registers and in the first cache from unit to
/// unit, and every part must be compiled for the instruction set of its caller.
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
pub(super) fn visit_tiles(
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
pub(super) fn visit_tiles_weighted(machine: &Machine, group: &mut Group, weigher: &mut Weigher) {
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
    fn columns_become_rows() {
        let row = |i| std::array::from_fn(|j| 1000 * i + j as i32);
        let from: Vec<[i32; PANEL]> = (0..64).map(row).collect();
        let mut to = [[0; 64]; 64];
        transpose(&from, 64, &mut to);
        assert!((0..64).all(|i| (0..64).all(|j| to[j][i] == from[i][64 + j])));
    }
}
