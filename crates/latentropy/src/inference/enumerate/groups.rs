//! Enumeration of pairwise machines as matrix products, at the speed of the hardware's fused multiply-adds.
//!
//! With the units in three groups A, R, C every pair of units lies in at most two of them, so
//! exp(exponent) = K_AR[h,r] · K_AC[h,c] · T[r,c] (group-internal factors put into one of the three), and
//! the joint marginal of two groups is a matrix product: P(h,r) ∝ K_AR[h,r] Σ_c K_AC[h,c] T[r,c], and so on.
//! Three products of 2^M multiply-adds in all give every single and pair sum. R and C are small enough for T
//! to stay in cache; A is visited in tiles. Rows and columns are sorted by the code of their state (how many
//! units of each class are on), so that sums by f# are the same products cut into runs of equal code.

use super::super::vector;
use super::blocks::multiplies_safely;
use super::classes::Classes;
use super::{StratifiedSums, Sums};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Units of R, of C and of a tile of A: a 256 × 256 table of doubles fits the second cache.
const GROUP_BITS: usize = 8;
/// From this many units on the products beat blocks (measured; see docs/decisions.md).
pub(super) const FEWEST_UNITS: usize = 11;
/// Tiles are cut into at most this many runs, whatever the number of threads, so that sums do not depend on it.
const RUNS: usize = 16;
/// More codes than this would make the tables by code larger than they are worth.
const MOST_CODES: usize = 512;

/// A group's states sorted by code.
#[derive(Clone, Debug)]
struct Side {
    bits: usize,
    /// Position → state.
    states: Vec<u32>,
    /// Runs of equal code: (code, first position, past the last).
    runs: Vec<(usize, usize, usize)>,
    /// Position → code.
    codes: Vec<usize>,
}

impl Side {
    fn new(steps: &[u32]) -> Self {
        let bits = steps.len();
        let code = |s: u32| -> usize {
            (0..bits)
                .filter(|b| s >> b & 1 == 1)
                .map(|b| steps[b] as usize)
                .sum()
        };
        let mut states: Vec<u32> = (0..1u32 << bits).collect();
        states.sort_by_key(|&s| (code(s), s));
        let codes: Vec<usize> = states.iter().map(|&s| code(s)).collect();
        let mut runs: Vec<(usize, usize, usize)> = Vec::new();
        for (at, &c) in codes.iter().enumerate() {
            match runs.last_mut() {
                Some(run) if run.0 == c => run.2 = at + 1,
                _ => runs.push((c, at, at + 1)),
            }
        }
        Side {
            bits,
            states,
            runs,
            codes,
        }
    }

    fn len(&self) -> usize {
        self.states.len()
    }
}

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
    /// Units of A beyond the tile, and what each adds to the code.
    outer_steps: Vec<usize>,
    codes: usize,
    places: Vec<Place>,
}

/// Sums of one run of tiles.
struct Run {
    /// P(h,r) summed over h with a half of the tile's bits fixed: [upper or lower half state][code of (h, c)][r].
    row_halves: [Vec<f64>; 2],
    /// The same for P(h,c).
    column_halves: [Vec<f64>; 2],
    /// P(h,r) of tiles with an outer unit on: [outer unit][code of (h, c)][r]; the same for c.
    outer_rows: Vec<f64>,
    outer_columns: Vec<f64>,
    /// Σ_h K_AR[h,r] K_AC[h,c] by code of h.
    products: Vec<f64>,
    /// Total by (tile state h, code of all): [h][code]; and for each pair of outer units.
    totals: Vec<f64>,
    outer_totals: Vec<f64>,
    outer_pairs: Vec<f64>,
}

/// Tables used while a tile is worked on.
struct Scratch {
    row_factors: Vec<f64>,
    column_factors: Vec<f64>,
    product: Vec<f64>,
    line: Vec<f64>,
}

impl Groups {
    /// `None` where some mask has more than two units, there are too few units, or too many codes.
    pub(super) fn new(units: usize, masks: &[u64], classes: Option<&Classes>) -> Option<Self> {
        let codes = classes.map_or(1, |c| c.codes);
        if units < FEWEST_UNITS
            || codes > MOST_CODES
            || masks
                .iter()
                .any(|mask| !(1..=2).contains(&mask.count_ones()))
        {
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
        Some(Groups {
            columns: Side::new(&steps[..column_bits]),
            rows: Side::new(&steps[column_bits..inner_bits]),
            tile: Side::new(&steps[inner_bits..inner_bits + tile_bits]),
            outer_steps: steps[inner_bits + tile_bits..]
                .iter()
                .map(|&s| s as usize)
                .collect(),
            codes,
            places: masks.iter().map(|&mask| place(mask)).collect(),
        })
    }

    /// True if these coefficients can be multiplied up; otherwise blocks have to do it.
    pub(super) fn can(&self, coefficients: &[f64]) -> bool {
        multiplies_safely(coefficients)
    }

    /// Log Σ exp and the expectation of every mask (one code).
    pub(super) fn evaluate(&self, coefficients: &[f64], out: &mut Sums) {
        let mut by_code = vec![0.0; self.places.len()];
        let total = self.sums_by_code(coefficients, &mut by_code);
        out.log_total = total.ln();
        for (value, sum) in out.by_mask.iter_mut().zip(by_code) {
            *value = sum / total;
        }
    }

    /// The same by f#; `value_of_code[code]` is the f# of states with that code.
    pub(super) fn evaluate_strata(
        &self,
        coefficients: &[f64],
        value_of_code: &[u32],
        out: &mut StratifiedSums,
    ) {
        let masks = self.places.len();
        let mut by_code = vec![0.0; self.codes * masks];
        let total = self.sums_by_code(coefficients, &mut by_code);
        out.log_total = total.ln();
        out.width = masks.next_multiple_of(vector::ROW_PANEL);
        let mut values: Vec<u32> = value_of_code.iter().copied().filter(|&v| v > 0).collect();
        values.sort_unstable();
        values.dedup();
        out.sums.clear();
        out.sums.resize(values.len() * out.width, 0.0);
        for (code, &value) in value_of_code.iter().enumerate() {
            if let Ok(stratum) = values.binary_search(&value) {
                vector::add_scaled(
                    &mut out.sums[stratum * out.width..stratum * out.width + masks],
                    &by_code[code * masks..(code + 1) * masks],
                    1.0 / total,
                );
            }
        }
        out.values.clear();
        out.values.extend(values.into_iter().map(f64::from));
    }

    /// Unnormalised sums [code][mask]; returns the total of all weights.
    fn sums_by_code(&self, coefficients: &[f64], by_code: &mut [f64]) -> f64 {
        let inner = Factors::new(self, coefficients);
        let tiles = 1usize << self.outer_steps.len();
        let runs = tiles.min(RUNS);
        let work = |run: usize| {
            let mut sums = Run::new(self);
            let mut scratch = Scratch {
                row_factors: vec![0.0; self.tile.len() * self.rows.len()],
                column_factors: vec![0.0; self.tile.len() * self.columns.len()],
                product: vec![0.0; self.tile.len() * self.rows.len().max(self.columns.len())],
                line: vec![0.0; self.rows.len().max(self.columns.len())],
            };
            for tile in tiles * run / runs..tiles * (run + 1) / runs {
                self.visit_tile(tile, &inner, &mut scratch, &mut sums);
            }
            sums
        };
        let mut partial: Vec<Run> = if runs == 1 {
            vec![work(0)]
        } else {
            (0..runs).into_par_iter().map(work).collect()
        };
        let mut sums = partial.remove(0);
        for other in partial {
            sums.add(&other);
        }
        self.finish(&inner, &sums, by_code)
    }

    fn visit_tile(&self, tile: usize, inner: &Factors, scratch: &mut Scratch, sums: &mut Run) {
        inner.fill(self, tile, scratch);
        let (h, r, c) = (self.tile.len(), self.rows.len(), self.columns.len());
        let outer_code: usize = (0..self.outer_steps.len())
            .filter(|b| tile >> b & 1 == 1)
            .map(|b| self.outer_steps[b])
            .sum();
        let k_ar = MatRef::from_row_major_slice(&scratch.row_factors, h, r);
        let k_ac = MatRef::from_row_major_slice(&scratch.column_factors, h, c);
        let table = MatRef::from_row_major_slice(&inner.table, r, c);
        let mut tile_totals = vec![0.0; h * self.codes];

        // P(h,r) by the code of c.
        let mut tile_rows = (!self.outer_steps.is_empty()).then(|| vec![0.0; self.codes * r]);
        for &(code, start, end) in &self.columns.runs {
            matmul(
                MatMut::from_row_major_slice_mut(&mut scratch.product[..h * r], h, r),
                Accum::Replace,
                k_ac.subcols(start, end - start),
                table.subcols(start, end - start).transpose(),
                1.0,
                Par::Seq,
            );
            for at in 0..h {
                let line = &mut scratch.product[at * r..(at + 1) * r];
                vector::multiply(line, &scratch.row_factors[at * r..(at + 1) * r], 1.0);
                let here = outer_code + self.tile.codes[at] + code;
                self.add_halves(&mut sums.row_halves, at, here, line);
                if let Some(rows) = &mut tile_rows {
                    vector::add_scaled(&mut rows[here * r..(here + 1) * r], line, 1.0);
                }
                for &(row_code, from, to) in &self.rows.runs {
                    tile_totals[at * self.codes + here + row_code] += vector::sum(&line[from..to]);
                }
            }
        }
        // P(h,c) by the code of r.
        let mut tile_columns = (!self.outer_steps.is_empty()).then(|| vec![0.0; self.codes * c]);
        for &(code, start, end) in &self.rows.runs {
            matmul(
                MatMut::from_row_major_slice_mut(&mut scratch.product[..h * c], h, c),
                Accum::Replace,
                k_ar.subcols(start, end - start),
                table.subrows(start, end - start),
                1.0,
                Par::Seq,
            );
            for at in 0..h {
                let line = &mut scratch.product[at * c..(at + 1) * c];
                vector::multiply(line, &scratch.column_factors[at * c..(at + 1) * c], 1.0);
                let here = outer_code + self.tile.codes[at] + code;
                self.add_halves(&mut sums.column_halves, at, here, line);
                if let Some(columns) = &mut tile_columns {
                    vector::add_scaled(&mut columns[here * c..(here + 1) * c], line, 1.0);
                }
            }
        }
        // Σ_h K_AR K_AC by the code of h; T is multiplied in at the end.
        for &(code, start, end) in &self.tile.runs {
            let at = (outer_code + code) * r * c;
            matmul(
                MatMut::from_row_major_slice_mut(&mut sums.products[at..at + r * c], r, c),
                Accum::Add,
                k_ar.subrows(start, end - start).transpose(),
                k_ac.subrows(start, end - start),
                1.0,
                Par::Seq,
            );
        }
        vector::add_scaled(&mut sums.totals, &tile_totals, 1.0);
        let outer = self.outer_steps.len();
        let mut pair = 0;
        for a in 0..outer {
            let on = tile >> a & 1 == 1;
            if on {
                let block = h * self.codes;
                vector::add_scaled(
                    &mut sums.outer_totals[a * block..(a + 1) * block],
                    &tile_totals,
                    1.0,
                );
                if let (Some(rows), Some(columns)) = (&tile_rows, &tile_columns) {
                    let (wide, tall) = (rows.len(), columns.len());
                    vector::add_scaled(&mut sums.outer_rows[a * wide..(a + 1) * wide], rows, 1.0);
                    vector::add_scaled(
                        &mut sums.outer_columns[a * tall..(a + 1) * tall],
                        columns,
                        1.0,
                    );
                }
            }
            for b in 0..a {
                if on && tile >> b & 1 == 1 {
                    for line in tile_totals.chunks_exact(self.codes) {
                        vector::add_scaled(
                            &mut sums.outer_pairs[pair * self.codes..(pair + 1) * self.codes],
                            line,
                            1.0,
                        );
                    }
                }
                pair += 1;
            }
        }
    }

    /// Adds a line to the sums of its tile state's upper and lower half: two additions in place of one a bit.
    fn add_halves(&self, halves: &mut [Vec<f64>; 2], at: usize, code: usize, line: &[f64]) {
        let low_bits = self.tile.bits / 2;
        let state = self.tile.states[at] as usize;
        for (half, key) in [state & ((1 << low_bits) - 1), state >> low_bits]
            .into_iter()
            .enumerate()
        {
            let start = (key * self.codes + code) * line.len();
            vector::add_scaled(&mut halves[half][start..start + line.len()], line, 1.0);
        }
    }

    /// The sums of (unit of A on, code, position) from the halves or the outer tables.
    fn with_unit<'a>(
        &self,
        unit: usize,
        halves: &'a [Vec<f64>; 2],
        outer: &'a [f64],
        length: usize,
    ) -> Vec<&'a [f64]> {
        let size = self.codes * length;
        let low_bits = self.tile.bits / 2;
        if unit >= self.tile.bits {
            let at = unit - self.tile.bits;
            return vec![&outer[at * size..(at + 1) * size]];
        }
        let (half, bit) = if unit < low_bits {
            (0, unit)
        } else {
            (1, unit - low_bits)
        };
        halves[half]
            .chunks_exact(size)
            .enumerate()
            .filter(|(key, _)| key >> bit & 1 == 1)
            .map(|(_, chunk)| chunk)
            .collect()
    }

    fn finish(&self, inner: &Factors, sums: &Run, by_code: &mut [f64]) -> f64 {
        let masks = self.places.len();
        let (r, c, codes) = (self.rows.len(), self.columns.len(), self.codes);
        // P(r,c) by the code of all, folded into sums over supersets of (r,c).
        let mut joint = vec![0.0; codes * r * c];
        let mut total = 0.0;
        for a_code in 0..codes {
            let product = &sums.products[a_code * r * c..(a_code + 1) * r * c];
            for row in 0..r {
                for column in 0..c {
                    let value = product[row * c + column] * inner.table[row * c + column];
                    if value != 0.0 {
                        let code = a_code + self.rows.codes[row] + self.columns.codes[column];
                        let state = (self.rows.states[row] as usize) << self.columns.bits
                            | self.columns.states[column] as usize;
                        joint[code * r * c + state] += value;
                        total += value;
                    }
                }
            }
        }
        for table in joint.chunks_exact_mut(r * c) {
            vector::superset_sums(table);
        }
        let tile_total = |at: usize, unit: usize| self.tile.states[at] as usize >> unit & 1 == 1;
        let tile_bits = self.tile.bits;
        for (mask, &place) in self.places.iter().enumerate() {
            match place {
                Place::InRc(row, column) => {
                    let state = (row as usize) << self.columns.bits | column as usize;
                    for code in 0..codes {
                        by_code[code * masks + mask] = joint[code * r * c + state];
                    }
                }
                Place::InA(first, last) if first < tile_bits => {
                    let block = self.tile.len() * codes;
                    let table = if last < tile_bits {
                        &sums.totals[..]
                    } else {
                        let at = last - tile_bits;
                        &sums.outer_totals[at * block..(at + 1) * block]
                    };
                    for (at, line) in table.chunks_exact(codes).enumerate() {
                        if tile_total(at, first) && (last >= tile_bits || tile_total(at, last)) {
                            for code in 0..codes {
                                by_code[code * masks + mask] += line[code];
                            }
                        }
                    }
                }
                Place::InA(first, last) => {
                    let (low, high) = (first - tile_bits, last - tile_bits);
                    let lines: Vec<&[f64]> = if low == high {
                        let block = self.tile.len() * codes;
                        sums.outer_totals[low * block..(low + 1) * block]
                            .chunks_exact(codes)
                            .collect()
                    } else {
                        let pair = high * (high - 1) / 2 + low;
                        vec![&sums.outer_pairs[pair * codes..(pair + 1) * codes]]
                    };
                    for line in lines {
                        for code in 0..codes {
                            by_code[code * masks + mask] += line[code];
                        }
                    }
                }
                Place::Ar(unit, bit) => {
                    let chunks = self.with_unit(unit, &sums.row_halves, &sums.outer_rows, r);
                    self.cross(mask, bit, &self.rows, &chunks, by_code);
                }
                Place::Ac(unit, bit) => {
                    let chunks = self.with_unit(unit, &sums.column_halves, &sums.outer_columns, c);
                    self.cross(mask, bit, &self.columns, &chunks, by_code);
                }
            }
        }
        total
    }

    /// Sums over positions with `bit` on, by the code of all.
    fn cross(&self, mask: usize, bit: usize, side: &Side, chunks: &[&[f64]], by_code: &mut [f64]) {
        let masks = self.places.len();
        let length = side.len();
        for chunk in chunks {
            for (code, line) in chunk.chunks_exact(length).enumerate() {
                for (at, &value) in line.iter().enumerate() {
                    if value != 0.0 && side.states[at] >> bit & 1 == 1 {
                        by_code[(code + side.codes[at]) * masks + mask] += value;
                    }
                }
            }
        }
    }
}

impl Run {
    fn new(groups: &Groups) -> Self {
        let (h, r, c) = (groups.tile.len(), groups.rows.len(), groups.columns.len());
        let codes = groups.codes;
        let low_bits = groups.tile.bits / 2;
        let (low, high) = (1 << low_bits, 1 << (groups.tile.bits - low_bits));
        let outer = groups.outer_steps.len();
        let halves =
            |length: usize| [vec![0.0; low * codes * length], vec![0.0; high * codes * length]];
        Run {
            row_halves: halves(r),
            column_halves: halves(c),
            outer_rows: vec![0.0; outer * codes * r],
            outer_columns: vec![0.0; outer * codes * c],
            products: vec![0.0; codes * r * c],
            totals: vec![0.0; h * codes],
            outer_totals: vec![0.0; outer * h * codes],
            outer_pairs: vec![0.0; outer * outer.saturating_sub(1) / 2 * codes],
        }
    }

    fn tables(&mut self) -> [&mut Vec<f64>; 10] {
        let [row_low, row_high] = &mut self.row_halves;
        let [column_low, column_high] = &mut self.column_halves;
        [
            row_low,
            row_high,
            column_low,
            column_high,
            &mut self.outer_rows,
            &mut self.outer_columns,
            &mut self.products,
            &mut self.totals,
            &mut self.outer_totals,
            &mut self.outer_pairs,
        ]
    }

    fn add(&mut self, other: &Run) {
        let others = [
            &other.row_halves[0],
            &other.row_halves[1],
            &other.column_halves[0],
            &other.column_halves[1],
            &other.outer_rows,
            &other.outer_columns,
            &other.products,
            &other.totals,
            &other.outer_totals,
            &other.outer_pairs,
        ];
        for (mine, theirs) in self.tables().into_iter().zip(others) {
            vector::add_scaled(mine, theirs, 1.0);
        }
    }
}

/// The exponentiated coefficients, laid out by group.
struct Factors {
    /// T[r,c], rows and columns in the order of their codes.
    table: Vec<f64>,
    /// Weight of every state of A by itself, tile bits lowest.
    own: Vec<f64>,
    /// e^coefficient of (unit of A, unit of R), and of (unit of A, unit of C); singles are in `table` and `own`.
    row_pairs: Vec<f64>,
    column_pairs: Vec<f64>,
}

impl Factors {
    fn new(groups: &Groups, coefficients: &[f64]) -> Self {
        let (rows, columns) = (&groups.rows, &groups.columns);
        let a_bits = groups.tile.bits + groups.outer_steps.len();
        let mut natural = vec![1.0; rows.len() * columns.len()];
        let mut own = vec![1.0; 1 << a_bits];
        let mut row_pairs = vec![1.0; a_bits * rows.bits];
        let mut column_pairs = vec![1.0; a_bits * columns.bits];
        for (place, coefficient) in groups.places.iter().zip(coefficients) {
            let factor = coefficient.exp();
            match *place {
                Place::InA(first, last) => own[1 << first | 1 << last] = factor,
                Place::InRc(row, column) => {
                    natural[(row as usize) << columns.bits | column as usize] = factor
                }
                Place::Ar(unit, bit) => row_pairs[unit * rows.bits + bit] = factor,
                Place::Ac(unit, bit) => column_pairs[unit * columns.bits + bit] = factor,
            }
        }
        vector::subset_products(&mut natural);
        vector::subset_products(&mut own);
        let mut table = Vec::with_capacity(natural.len());
        for &row in &rows.states {
            for &column in &columns.states {
                table.push(natural[(row as usize) << columns.bits | column as usize]);
            }
        }
        Factors {
            table,
            own,
            row_pairs,
            column_pairs,
        }
    }

    /// K_AR and K_AC of a tile; the weight of A's own state goes into K_AC.
    fn fill(&self, groups: &Groups, tile: usize, scratch: &mut Scratch) {
        let tile_bits = groups.tile.bits;
        for (at, &state) in groups.tile.states.iter().enumerate() {
            let a_state = tile << tile_bits | state as usize;
            for (side, pairs, lines, first) in [
                (&groups.rows, &self.row_pairs, &mut scratch.row_factors, 1.0),
                (
                    &groups.columns,
                    &self.column_pairs,
                    &mut scratch.column_factors,
                    self.own[a_state],
                ),
            ] {
                let natural = &mut scratch.line[..side.len()];
                natural[0] = first;
                for bit in 0..side.bits {
                    let mut factor = 1.0;
                    let mut rest = a_state;
                    while rest != 0 {
                        factor *= pairs[rest.trailing_zeros() as usize * side.bits + bit];
                        rest &= rest - 1;
                    }
                    let (done, next) = natural.split_at_mut(1 << bit);
                    for (n, d) in next.iter_mut().zip(done.iter()) {
                        *n = d * factor;
                    }
                }
                let line = &mut lines[at * side.len()..(at + 1) * side.len()];
                for (value, &s) in line.iter_mut().zip(&side.states) {
                    *value = natural[s as usize];
                }
            }
        }
    }
}
