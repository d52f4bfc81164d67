//! The sums of every mask, read from the lines of the three pairs of groups.

use super::layout::{Groups, Place};
use super::lines::{Lines, by_bits, by_position};
use super::side::Side;
use super::tiles::Run;
use crate::inference::kernels;

/// Writes the sums [code][mask].
pub(super) fn gather(groups: &Groups, run: &Run, joint: &Lines, by_code: &mut [f64]) {
    let tables = Tables::new(groups, run, joint);
    let masks = groups.places.len();
    let mut sums = vec![0.0; groups.codes];
    for (index, &place) in groups.places.iter().enumerate() {
        tables.read(place, &mut sums);
        for (code, &sum) in sums.iter().enumerate() {
            by_code[code * masks + index] = sum;
        }
    }
}

/// Everything that sums of masks are read from.
struct Tables<'a> {
    groups: &'a Groups,
    run: &'a Run,
    /// [unit of A][code][bit] of pairs with R and with C.
    with_rows: Vec<Vec<f64>>,
    with_columns: Vec<Vec<f64>>,
    /// [unit of R][code][bit] of pairs with C.
    row_column: Vec<Vec<f64>>,
    /// [position][code] of R and of C.
    row_totals: Vec<f64>,
    column_totals: Vec<f64>,
}

impl<'a> Tables<'a> {
    fn new(groups: &'a Groups, run: &'a Run, joint: &Lines) -> Self {
        let codes = groups.codes;
        let tile_bits = groups.tile.bits;
        let a_units = tile_bits + groups.outer_steps.len();
        let cross = |lines: &Lines, outer: &[Vec<f64>], over: &Side| -> Vec<Vec<f64>> {
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
        Tables {
            with_rows: cross(&run.rows, &run.outer_rows, &groups.rows),
            with_columns: cross(&run.columns, &run.outer_columns, &groups.columns),
            row_column: (0..groups.rows.bits)
                .map(|bit| by_bits(&joint.with_bit(bit), &groups.columns, codes))
                .collect(),
            row_totals: by_position(&run.rows.all(), &groups.rows, codes),
            column_totals: by_position(&joint.all(), &groups.columns, codes),
            groups,
            run,
        }
    }

    /// The sums of the mask at a place, one per code.
    fn read(&self, place: Place, sums: &mut [f64]) {
        let (groups, run) = (self.groups, self.run);
        let tile_bits = groups.tile.bits;
        match place {
            Place::Ar(unit, bit) => copy(&self.with_rows[unit], bit, sums),
            Place::Ac(unit, bit) => copy(&self.with_columns[unit], bit, sums),
            Place::InRc(row, 0) => within(&self.row_totals, &groups.rows, row, sums),
            Place::InRc(0, column) => within(&self.column_totals, &groups.columns, column, sums),
            Place::InRc(row, column) => copy(
                &self.row_column[row.trailing_zeros() as usize],
                column.trailing_zeros() as usize,
                sums,
            ),
            Place::InA(first, last) if last < tile_bits => {
                let mask = 1 << first | 1 << last;
                within(&run.rows.totals, &groups.tile, mask, sums);
            }
            Place::InA(first, last) if first < tile_bits => {
                let totals = &run.outer_totals[last - tile_bits];
                within(totals, &groups.tile, 1 << first, sums);
            }
            Place::InA(first, last) if first == last => {
                let totals = &run.outer_totals[first - tile_bits];
                within(totals, &groups.tile, 0, sums);
            }
            Place::InA(first, last) => {
                let (low, high) = (first - tile_bits, last - tile_bits);
                sums.copy_from_slice(&run.outer_pairs[high * (high - 1) / 2 + low]);
            }
        }
    }
}

/// One bit's column of a table [code][bit].
fn copy(table: &[f64], bit: usize, sums: &mut [f64]) {
    for (code, sum) in sums.iter_mut().enumerate() {
        *sum = table[code * kernels::ROW_PANEL + bit];
    }
}

/// Sums [position][code] over the states of one side in which all bits of the mask are on.
fn within(totals: &[f64], side: &Side, mask: u32, sums: &mut [f64]) {
    sums.fill(0.0);
    for (line, &state) in totals.chunks_exact(sums.len()).zip(&side.states) {
        if state & mask == mask {
            for (sum, value) in sums.iter_mut().zip(line) {
                *sum += value;
            }
        }
    }
}
