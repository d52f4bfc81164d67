//! Enumeration of pairwise machines as matrix products, at the speed of the hardware's fused multiply-adds.
//!
//! With the units in three groups A, R, C every pair of units lies in at most two of them, so
//! exp(exponent) = K_AR[h,r] · K_AC[h,c] · T[r,c] (group-internal factors put into one of the three), and
//! the joint marginal of two groups is a matrix product: P(h,r) ∝ K_AR[h,r] Σ_c K_AC[h,c] T[r,c], and so on.
//! Three products of 2^M multiply-adds in all give every single and pair sum. R and C are small enough for T
//! to stay in cache; A is visited in tiles. Rows and columns are sorted by the code of their state (how many
//! units of each class are on), so that sums by f# are the same products cut into runs of equal code.

mod factors;
mod lines;
mod side;
mod tiles;

use super::super::kernels;
use super::blocks::multiplies_safely;
use super::classes::Classes;
use super::{StratifiedSums, Sums};
use lines::{by_bits, by_position};
use side::Side;
pub(super) use tiles::GroupScratch;
use tiles::Run;

/// Units of R, of C and of a tile of A: a 256 × 256 table of doubles fits the second cache.
const GROUP_BITS: usize = 8;
/// From this many units on the products beat blocks: plain sums, and sums by f# (measured; see docs/decisions.md).
const FEWEST_UNITS: usize = 13;
const FEWEST_UNITS_BY_CODE: usize = 11;
/// More codes than this would make the tables by code larger than they are worth.
const MOST_CODES: usize = 512;

/// Where a mask's units lie; bits are counted within their group.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// One or two units of A.
    InA(usize, usize),
    /// A unit of A and one of R.
    Ar(usize, usize),
    /// A unit of A and one of C.
    Ac(usize, usize),
    /// Units of R and C only, as a state of (r, c).
    InRc(u32, u32),
}

/// The three groups, prepared for one set of masks; with one code it gives plain sums, with more, sums by code.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    tile: Side,
    rows: Side,
    columns: Side,
    /// What each unit of A beyond the tile adds to the code.
    outer_steps: Vec<usize>,
    /// The codes that states of A can have, ascending.
    a_codes: Vec<usize>,
    codes: usize,
    places: Vec<Place>,
}

impl Groups {
    /// `None` where some mask has more than two units, there are too few units, or too many codes.
    pub(super) fn new(units: usize, masks: &[u64], classes: Option<&Classes>) -> Option<Self> {
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
        let place = |mask: u64| {
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
        };
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
            places: masks.iter().map(|&mask| place(mask)).collect(),
        })
    }

    /// One more than the largest code of A.
    fn a_code_count(&self) -> usize {
        self.a_codes.last().map_or(1, |last| last + 1)
    }

    /// True if these coefficients can be multiplied up; otherwise blocks have to do it.
    pub(super) fn can(&self, coefficients: &[f64]) -> bool {
        multiplies_safely(coefficients)
    }

    /// Log Σ exp and the expectation of every mask (one code).
    pub(super) fn evaluate(&self, coefficients: &[f64], out: &mut Sums) {
        let Sums { groups, terms, .. } = out;
        terms.fill(0.0);
        let total = self.sums_by_code(coefficients, groups, terms);
        out.log_partition = total.ln();
        let scale = 1.0 / total;
        out.terms.iter_mut().for_each(|value| *value *= scale);
    }

    /// The same by f#; `value_of_code[code]` is the f# of states with that code.
    pub(super) fn evaluate_strata(
        &self,
        coefficients: &[f64],
        value_of_code: &[u32],
        scratch: &mut Sums,
        out: &mut StratifiedSums,
    ) {
        let masks = self.places.len();
        let mut by_code = vec![0.0; self.codes * masks];
        let total = self.sums_by_code(coefficients, &mut scratch.groups, &mut by_code);
        out.log_partition = total.ln();
        out.width = masks.next_multiple_of(kernels::ROW_PANEL);
        let mut values: Vec<u32> = value_of_code.iter().copied().filter(|&v| v > 0).collect();
        values.sort_unstable();
        values.dedup();
        out.sums.clear();
        out.sums.resize(values.len() * out.width, 0.0);
        for (code, &value) in value_of_code.iter().enumerate() {
            if let Ok(stratum) = values.binary_search(&value) {
                kernels::add_scaled(
                    &mut out.sums[stratum * out.width..stratum * out.width + masks],
                    &by_code[code * masks..(code + 1) * masks],
                    1.0 / total,
                );
            }
        }
        out.values.clear();
        out.values.extend(values.into_iter().map(f64::from));
    }

    /// Unnormalised sums [code][mask], into zeros; returns the total of all weights.
    fn sums_by_code(
        &self,
        coefficients: &[f64],
        scratch: &mut GroupScratch,
        by_code: &mut [f64],
    ) -> f64 {
        scratch.sum_tiles(self, coefficients);
        self.gather(scratch.run(), &scratch.joint, by_code);
        scratch.run().rows.totals.iter().sum()
    }

    /// The sums of every mask from the lines of the three pairs of groups.
    fn gather(&self, run: &Run, joint: &lines::Lines, by_code: &mut [f64]) {
        let masks = self.places.len();
        let codes = self.codes;
        let tile_bits = self.tile.bits;
        let a_units = tile_bits + self.outer_steps.len();
        // [unit of A][code][bit] of pairs with R and with C.
        let cross = |lines: &lines::Lines, outer: &[Vec<f64>], over: &Side| -> Vec<Vec<f64>> {
            (0..a_units)
                .map(|unit| {
                    if unit < tile_bits {
                        by_bits(&lines.with_bit(unit), over, codes)
                    } else {
                        by_bits(&outer[unit - tile_bits], over, codes)
                    }
                })
                .collect()
        };
        let with_rows = cross(&run.rows, &run.outer_rows, &self.rows);
        let with_columns = cross(&run.columns, &run.outer_columns, &self.columns);
        let row_column: Vec<Vec<f64>> = (0..self.rows.bits)
            .map(|bit| by_bits(&joint.with_bit(bit), &self.columns, codes))
            .collect();
        let row_totals = by_position(&run.rows.all(), &self.rows, codes);
        let column_totals = by_position(&joint.all(), &self.columns, codes);
        let mut sums = vec![0.0; codes];
        let mut within = |totals: &[f64], side: &Side, mask: u32, index: usize, out: &mut [f64]| {
            sums.fill(0.0);
            for (line, &state) in totals.chunks_exact(codes).zip(&side.states) {
                if state & mask == mask {
                    for (sum, value) in sums.iter_mut().zip(line) {
                        *sum += value;
                    }
                }
            }
            for (code, &sum) in sums.iter().enumerate() {
                out[code * masks + index] = sum;
            }
        };
        for (index, &place) in self.places.iter().enumerate() {
            let mut copy = |table: &[f64], bit: usize| {
                for code in 0..codes {
                    by_code[code * masks + index] = table[code * kernels::ROW_PANEL + bit];
                }
            };
            match place {
                Place::Ar(unit, bit) => copy(&with_rows[unit], bit),
                Place::Ac(unit, bit) => copy(&with_columns[unit], bit),
                Place::InRc(row, 0) => {
                    within(&row_totals, &self.rows, row, index, by_code);
                }
                Place::InRc(0, column) => {
                    within(&column_totals, &self.columns, column, index, by_code);
                }
                Place::InRc(row, column) => copy(
                    &row_column[row.trailing_zeros() as usize],
                    column.trailing_zeros() as usize,
                ),
                Place::InA(first, last) if last < tile_bits => {
                    let mask = 1 << first | 1 << last;
                    within(&run.rows.totals, &self.tile, mask, index, by_code);
                }
                Place::InA(first, last) if first < tile_bits => {
                    let totals = &run.outer_totals[last - tile_bits];
                    within(totals, &self.tile, 1 << first, index, by_code);
                }
                Place::InA(first, last) if first == last => {
                    let totals = &run.outer_totals[first - tile_bits];
                    within(totals, &self.tile, 0, index, by_code);
                }
                Place::InA(first, last) => {
                    let (low, high) = (first - tile_bits, last - tile_bits);
                    let pair = &run.outer_pairs[high * (high - 1) / 2 + low];
                    for (code, value) in pair.iter().enumerate() {
                        by_code[code * masks + index] = *value;
                    }
                }
            }
        }
    }
}
