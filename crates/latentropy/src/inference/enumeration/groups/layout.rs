//! The three groups of a machine's units: which units they hold, and where each mask lies.

use super::side::Side;
use crate::inference::enumeration::classes::Classes;

/// Units of R, of C and of a tile of A: a 256 × 256 table of doubles fits the second cache.
const GROUP_BITS: usize = 8;
/// From this many units on the products beat blocks: plain sums, and sums by f# (measured; see docs/decisions.md).
const FEWEST_UNITS: usize = 13;
const FEWEST_UNITS_BY_CODE: usize = 11;
/// More codes than this would make the tables by code larger than they are worth.
const MOST_CODES: usize = 512;

/// Where a mask's units lie; bits are counted within their group.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// One or two units of A.
    InA(usize, usize),
    /// A unit of A and one of R.
    Ar(usize, usize),
    /// A unit of A and one of C.
    Ac(usize, usize),
    /// Units of R and C only, as a state of (r, c).
    InRc(u32, u32),
}

impl Place {
    /// C has the lowest `column_bits` units, R the others below `inner_bits`.
    fn of(mask: u64, column_bits: usize, inner_bits: usize) -> Self {
        let first = mask.trailing_zeros() as usize;
        let last = 63 - mask.leading_zeros() as usize;
        if first >= inner_bits {
            Place::InA(first - inner_bits, last - inner_bits)
        } else if last < inner_bits {
            let column_mask = (1 << column_bits) - 1;
            Place::InRc((mask >> column_bits) as u32, (mask & column_mask) as u32)
        } else if first >= column_bits {
            Place::Ar(last - inner_bits, first - column_bits)
        } else {
            Place::Ac(last - inner_bits, first)
        }
    }
}

/// The three groups, prepared for one set of masks; with one code it gives plain sums, with more, sums by code.
#[derive(Clone, Debug)]
pub(in crate::inference::enumeration) struct Groups {
    pub(super) tile: Side,
    pub(super) rows: Side,
    pub(super) columns: Side,
    /// What each unit of A beyond the tile adds to the code.
    pub(super) outer_steps: Vec<usize>,
    /// The codes that states of A can have, ascending.
    pub(super) a_codes: Vec<usize>,
    pub(super) codes: usize,
    pub(super) places: Vec<Place>,
}

impl Groups {
    /// `None` where some mask has more than two units, there are too few units, or too many codes.
    pub(in crate::inference::enumeration) fn new(
        units: usize,
        masks: &[u64],
        classes: Option<&Classes>,
    ) -> Option<Self> {
        let codes = classes.map_or(1, |c| c.codes);
        let fewest = if classes.is_some() {
            FEWEST_UNITS_BY_CODE
        } else {
            FEWEST_UNITS
        };
        let pairwise = masks
            .iter()
            .all(|mask| (1..=2).contains(&mask.count_ones()));
        if units < fewest || codes > MOST_CODES || !pairwise {
            return None;
        }
        let column_bits = (units / 3).min(GROUP_BITS);
        let row_bits = ((units - column_bits) / 2).min(GROUP_BITS);
        let inner_bits = column_bits + row_bits;
        let tile_bits = (units - inner_bits).min(GROUP_BITS);
        let steps: Vec<u32> = classes.map_or_else(|| vec![0; units], |c| c.steps.clone());
        let tile = Side::new(&steps[inner_bits..inner_bits + tile_bits]);
        let outer_steps: Vec<usize> = steps[inner_bits + tile_bits..]
            .iter()
            .map(|&s| s as usize)
            .collect();
        let mut a_codes: Vec<usize> = tile.runs.iter().map(|run| run.0).collect();
        for &step in &outer_steps {
            a_codes.extend(a_codes.clone().iter().map(|code| code + step));
            a_codes.sort_unstable();
            a_codes.dedup();
        }
        Some(Groups {
            columns: Side::new(&steps[..column_bits]),
            rows: Side::new(&steps[column_bits..inner_bits]),
            tile,
            outer_steps,
            a_codes,
            codes,
            places: masks
                .iter()
                .map(|&mask| Place::of(mask, column_bits, inner_bits))
                .collect(),
        })
    }

    /// One more than the largest code of A.
    pub(super) fn a_code_count(&self) -> usize {
        self.a_codes.last().map_or(1, |last| last + 1)
    }
}
