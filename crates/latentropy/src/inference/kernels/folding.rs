//! Sums over supersets of few bits only: the folds of a table that end in them.

use multiversion::multiversion;

/// Entries that are folded together at the end.
const PIECE: usize = 8;

/// Which halves of a table are added, in which order, to leave at entry m of few bits the sum of the entries s ⊇ m.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoldPlan {
    /// Where a part begins, and half its length: the upper half is added to the lower one.
    halves: Vec<(u32, u32)>,
    /// Pieces of eight entries whose bits are all wanted.
    pieces: Vec<u32>,
    /// Parts of which only the sum is wanted: begin and length.
    totals: Vec<(u32, u32)>,
}

impl FoldPlan {
    /// For tables of 2^bits entries and masks of at most `order` bits; at least three bits.
    pub(crate) fn new(bits: usize, order: usize) -> Self {
        let mut plan = FoldPlan::default();
        plan.add(0, 1 << bits, order);
        plan
    }

    fn add(&mut self, start: u32, length: u32, order: usize) {
        if order == 0 {
            self.totals.push((start, length));
        } else if length as usize <= PIECE {
            self.pieces.push(start);
        } else {
            let half = length / 2;
            self.halves.push((start, half));
            self.add(start, half, order);
            self.add(start + half, half, order - 1);
        }
    }

    /// Folds a table in place; entries of more bits than the order are of no use afterwards.
    pub(crate) fn fold(&self, table: &mut [f64]) {
        fold(table, &self.halves, &self.pieces, &self.totals);
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
fn fold(table: &mut [f64], halves: &[(u32, u32)], pieces: &[u32], totals: &[(u32, u32)]) {
    for &(start, half) in halves {
        let (start, half) = (start as usize, half as usize);
        let (lower, upper) = table[start..start + 2 * half].split_at_mut(half);
        for (low, high) in lower.iter_mut().zip(upper) {
            *low += *high;
        }
    }
    for &start in pieces {
        let start = start as usize;
        let Some(c) = table[start..].first_chunk_mut::<PIECE>() else {
            continue;
        };
        for at in 0..4 {
            c[at] += c[at + 4];
        }
        for at in [0, 1, 4, 5] {
            c[at] += c[at + 2];
        }
        for at in [0, 2, 4, 6] {
            c[at] += c[at + 1];
        }
    }
    for &(start, length) in totals {
        let (start, length) = (start as usize, length as usize);
        let mut lanes = [0.0; 8];
        let (chunks, rest) = table[start..start + length].as_chunks::<8>();
        for chunk in chunks {
            for lane in 0..8 {
                lanes[lane] += chunk[lane];
            }
        }
        let [a, b, c, d, e, f, g, h] = lanes;
        let rest: f64 = rest.iter().sum();
        table[start] = (((a + e) + (c + g)) + ((b + f) + (d + h))) + rest;
    }
}

/// table[r · columns + c] = base[r · columns + c] · rows[r] · columns[c].
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn outer_products(table: &mut [f64], base: &[f64], rows: &[f64], columns: &[f64]) {
    let width = columns.len();
    let lines = table.chunks_exact_mut(width).zip(base.chunks_exact(width));
    for ((line, base), row) in lines.zip(rows) {
        for ((entry, base), column) in line.iter_mut().zip(base).zip(columns) {
            *entry = base * (row * column);
        }
    }
}
