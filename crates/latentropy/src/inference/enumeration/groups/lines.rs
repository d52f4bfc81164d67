//! Sums of a joint table of two groups, taken in line by line: enough to give every pair between and within the two.

use super::side::Side;
use crate::inference::kernels;

/// Lines over one group, added up by the state of the other ("row") group and by code.
///
/// A line is added twice, to the sum of its row state's lower half and to that of its upper half; the lines
/// with a given bit on are then a sum of eight halves in place of 128 states.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    halves: [Vec<f64>; 2],
    /// Which (half state, code) have got a line: the others hold leftovers of an earlier evaluation.
    seen: [Vec<bool>; 2],
    /// [row position][code of everything].
    pub(super) totals: Vec<f64>,
    /// The current tile's lines alone, [code][position], and its totals; empty unless tiles are told apart.
    pub(super) tile_all: Vec<f64>,
    pub(super) tile_totals: Vec<f64>,
    low_bits: usize,
    /// Codes a line can be filed under (before its own positions' codes are added).
    codes: usize,
    /// Codes of everything.
    all_codes: usize,
    length: usize,
}

impl Lines {
    /// Empties the sums for a row group of `rows`, lines of `length`, and so many codes.
    pub(super) fn reset(
        &mut self,
        rows: &Side,
        length: usize,
        codes: usize,
        all_codes: usize,
        with_totals: bool,
    ) {
        self.low_bits = rows.low_bits;
        (self.codes, self.all_codes, self.length) = (codes, all_codes, length);
        for (half, bits) in [self.low_bits, rows.bits - self.low_bits]
            .into_iter()
            .enumerate()
        {
            // Emptied when first used, while in cache, and not all at once.
            self.halves[half].resize((1 << bits) * codes * length, 0.0);
            self.seen[half].clear();
            self.seen[half].resize((1 << bits) * codes, false);
        }
        self.tile_all.clear();
        self.tile_totals.clear();
        zeros(
            &mut self.totals,
            if with_totals {
                rows.len() * all_codes
            } else {
                0
            },
        );
    }

    /// Multiplies the lines of a piece of row states by their factors and adds them; with their third group the
    /// piece has the code `code`.
    pub(super) fn add(
        &mut self,
        rows: &Side,
        piece: (usize, usize),
        code: usize,
        lines: &mut [f64],
        factors: &[f64],
        over: &Side,
    ) {
        let (codes, length) = (self.codes, self.length);
        let slot = |key: usize, seen: &mut [bool]| {
            let at = key * codes + code;
            let fresh = !seen[at];
            seen[at] = true;
            (at * length, fresh)
        };
        let [low, high] = &mut self.halves;
        let [seen_low, seen_high] = &mut self.seen;
        let states = &rows.states[piece.0..piece.1];
        let (start, fresh) = slot((states[0] >> self.low_bits) as usize, seen_high);
        let shared = &mut high[start..start + length];
        if fresh {
            shared.fill(0.0);
        }
        // Half a state has at most four bits.
        let mut own = [(0, false); 16];
        for (own, &state) in own.iter_mut().zip(states) {
            *own = slot(state as usize & ((1 << self.low_bits) - 1), seen_low);
        }
        let own = &own[..states.len()];
        if self.totals.is_empty() && self.tile_all.is_empty() {
            kernels::add_products::<false>(lines, factors, shared, low, own);
            return;
        }
        kernels::add_products::<true>(lines, factors, shared, low, own);
        for (position, line) in (piece.0..piece.1).zip(lines.chunks_exact(length)) {
            if !self.tile_all.is_empty() {
                let start = code * length;
                kernels::add_scaled(&mut self.tile_all[start..start + length], line, 1.0);
            }
            if !self.totals.is_empty() {
                let totals = if self.tile_totals.is_empty() {
                    &mut self.totals
                } else {
                    &mut self.tile_totals
                };
                let start = position * self.all_codes + code;
                kernels::add_piece_sums(line, &over.runs, &mut totals[start..]);
            }
        }
    }

    /// From here on the next tile's lines are also summed by themselves.
    pub(super) fn begin_tile(&mut self) {
        zeros(&mut self.tile_all, self.codes * self.length);
        zeros(&mut self.tile_totals, self.totals.len());
    }

    /// Puts the tile's totals with the others.
    pub(super) fn end_tile(&mut self) {
        kernels::add_scaled(&mut self.totals, &self.tile_totals, 1.0);
    }

    /// Adds another run's sums.
    pub(super) fn merge(&mut self, other: &Lines) {
        for half in 0..2 {
            for (at, _) in other.seen[half]
                .iter()
                .enumerate()
                .filter(|(_, seen)| **seen)
            {
                let range = at * self.length..(at + 1) * self.length;
                let mine = &mut self.halves[half][range.clone()];
                if self.seen[half][at] {
                    kernels::add_scaled(mine, &other.halves[half][range], 1.0);
                } else {
                    self.seen[half][at] = true;
                    mine.copy_from_slice(&other.halves[half][range]);
                }
            }
        }
        kernels::add_scaled(&mut self.totals, &other.totals, 1.0);
    }

    /// The sum of all lines, [code][position].
    pub(super) fn all(&self) -> Vec<f64> {
        self.sum_of(0, |_| true)
    }

    /// The sum of the lines whose row state has `bit` on, [code][position].
    pub(super) fn with_bit(&self, bit: usize) -> Vec<f64> {
        if bit < self.low_bits {
            self.sum_of(0, |key| key >> bit & 1 == 1)
        } else {
            self.sum_of(1, |key| key >> (bit - self.low_bits) & 1 == 1)
        }
    }

    fn sum_of(&self, half: usize, keep: impl Fn(usize) -> bool) -> Vec<f64> {
        let mut sum = vec![0.0; self.codes * self.length];
        let lines = self.halves[half].chunks_exact(self.length);
        for (at, line) in lines.enumerate() {
            if self.seen[half][at] && keep(at / self.codes) {
                let start = at % self.codes * self.length;
                kernels::add_scaled(&mut sum[start..start + self.length], line, 1.0);
            }
        }
        sum
    }
}

/// From lines [code][position] to sums [code of everything][bit of the line's group], eight per row.
pub(super) fn by_bits(lines: &[f64], over: &Side, all_codes: usize) -> Vec<f64> {
    let mut out = vec![0.0; all_codes * kernels::ROW_PANEL];
    let mut sums = Vec::new();
    for (code, line) in lines.chunks_exact(over.len()).enumerate() {
        over.bit_sums(line, &mut sums);
        for (&(own, _, _), row) in over.runs.iter().zip(sums.chunks_exact(kernels::ROW_PANEL)) {
            let start = (code + own) * kernels::ROW_PANEL;
            kernels::add_scaled(&mut out[start..start + kernels::ROW_PANEL], row, 1.0);
        }
    }
    out
}

/// From lines [code][position] to totals [position][code of everything].
pub(super) fn by_position(lines: &[f64], over: &Side, all_codes: usize) -> Vec<f64> {
    let mut out = vec![0.0; over.len() * all_codes];
    for (code, line) in lines.chunks_exact(over.len()).enumerate() {
        for (at, value) in line.iter().enumerate() {
            out[at * all_codes + code + over.codes[at]] += value;
        }
    }
    out
}

/// Empties a buffer to so many zeros, keeping its memory.
pub(super) fn zeros(buffer: &mut Vec<f64>, length: usize) {
    buffer.clear();
    buffer.resize(length, 0.0);
}
