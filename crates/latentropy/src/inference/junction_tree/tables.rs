//! Kernels on tables of logarithms over subsets of units: sums of exponentials, spreading, restriction to bits that are on.

use crate::inference::kernels::{exponential, logarithm};
use multiversion::multiversion;
use multiversion::target::target_cfg_f;
use rayon::prelude::*;

/// Work is cut into pieces of this many entries, whatever the number of threads.
pub(super) const PIECE: usize = 1 << 14;
/// Spreading copies blocks of at most this many entries by one pattern.
const PATTERN: usize = 1 << 8;

/// into[s] ← log(e^into[s] + e^other[s]).
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
fn log_add_piece(into: &mut [f64], other: &[f64]) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    for (a, b) in into.iter_mut().zip(other) {
        let larger = if *a > *b { *a } else { *b };
        let small = exponential::<FMA>(-(*a - *b).abs());
        *a = larger + logarithm::<FMA>(1.0 + small);
    }
}

/// Every entry becomes its exponential; entries are logarithms of probabilities, so none is large.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
fn exponentiate_piece(values: &mut [f64]) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    for value in values {
        *value = exponential::<FMA>(*value);
    }
}

/// Sums out the top unit: the lower half becomes log(e^lower + e^upper).
pub(super) fn sum_out_top(table: &mut [f64]) -> &mut [f64] {
    let (lower, upper) = table.split_at_mut(table.len() / 2);
    lower
        .par_chunks_mut(PIECE)
        .zip(upper.par_chunks(PIECE))
        .for_each(|(a, b)| log_add_piece(a, b));
    lower
}

/// Sums out bit `bit` into the front of the table, keeping the order of the others; returns the new length.
pub(super) fn sum_out(table: &mut [f64], bit: usize) -> usize {
    let half = 1usize << bit;
    if 2 * half == table.len() {
        return sum_out_top(table).len();
    }
    if half >= 64 {
        table.par_chunks_mut(2 * half).for_each(|pair| {
            let (a, b) = pair.split_at_mut(half);
            log_add_piece(a, b);
        });
    } else {
        // Short runs: partners are gathered side by side first, so that the sum is one long run.
        table.par_chunks_mut(PIECE.min(table.len())).for_each_init(
            || vec![0.0; PIECE],
            |scratch, piece| {
                let middle = piece.len() / 2;
                for (at, pair) in piece.chunks_exact(2 * half).enumerate() {
                    let to = at * half;
                    scratch[to..to + half].copy_from_slice(&pair[..half]);
                    scratch[middle + to..middle + to + half].copy_from_slice(&pair[half..]);
                }
                let (a, b) = scratch[..piece.len()].split_at_mut(middle);
                log_add_piece(a, b);
                for (at, pair) in piece.chunks_exact_mut(2 * half).enumerate() {
                    pair[..half].copy_from_slice(&a[at * half..(at + 1) * half]);
                }
            },
        );
    }
    let length = table.len();
    for at in 1..length / (2 * half) {
        table.copy_within(2 * half * at..2 * half * at + half, half * at);
    }
    length / 2
}

/// Adds up entries that differ in bit `bit`, of a table of plain numbers; returns the new length.
pub(super) fn sum_bit(table: &mut [f64], bit: usize) -> usize {
    let (half, length) = (1usize << bit, table.len());
    for at in 0..length / (2 * half) {
        let from = 2 * half * at;
        for place in 0..half {
            table[half * at + place] = table[from + place] + table[from + half + place];
        }
    }
    length / 2
}

/// Replaces every entry by its exponential.
pub(super) fn exponentiate(table: &mut [f64]) {
    table.par_chunks_mut(PIECE).for_each(exponentiate_piece);
}

/// Adds `sign` times a table over a subset of the bits to a table over all; `kept[b]` says whether bit b is in the subset.
pub(super) fn spread(table: &mut [f64], part: &[f64], kept: &[bool], sign: f64) {
    let low = kept.len().min(PATTERN.trailing_zeros() as usize);
    let block = 1usize << low;
    let offset_of = |state: usize, bits: &[bool]| {
        let (mut offset, mut place) = (0usize, 0);
        for (bit, &kept) in bits.iter().enumerate() {
            if kept {
                offset |= (state >> bit & 1) << place;
                place += 1;
            }
        }
        offset
    };
    let pattern: Vec<u32> = (0..block)
        .map(|state| offset_of(state, &kept[..low]) as u32)
        .collect();
    let low_kept = kept[..low].iter().filter(|k| **k).count();
    let width = 1usize << low_kept;
    let plain = low_kept == low;
    table
        .par_chunks_mut(PIECE)
        .enumerate()
        .for_each(|(piece, values)| {
            for (at, run) in values.chunks_exact_mut(block).enumerate() {
                let high = piece * (PIECE / block) + at;
                let from = offset_of(high, &kept[low..]) << low_kept;
                let source = &part[from..from + width];
                if plain {
                    for (value, add) in run.iter_mut().zip(source) {
                        *value += sign * add;
                    }
                } else {
                    for (value, &index) in run.iter_mut().zip(&pattern) {
                        *value += sign * source[index as usize];
                    }
                }
            }
        });
}

/// Calls `run(start, length)` for every run of consecutive states that contain the mask.
fn for_supersets(states: usize, mask: usize, mut run: impl FnMut(usize, usize)) {
    let length = 1usize << mask.trailing_zeros().min(states.trailing_zeros());
    let mut state = mask;
    while state < states {
        run(state, length);
        state = (state + length) | mask;
    }
}

/// Adds `value` to every entry whose state contains the mask.
pub(super) fn add_where(table: &mut [f64], mask: usize, value: f64) {
    for_supersets(table.len(), mask, |start, length| {
        for entry in &mut table[start..start + length] {
            *entry += value;
        }
    });
}

/// The sum of the entries whose state contains the mask.
pub(super) fn sum_where(table: &[f64], mask: usize) -> f64 {
    let mut total = 0.0;
    for_supersets(table.len(), mask, |start, length| {
        total += match length {
            1 => table[start],
            _ => crate::inference::kernels::sum(&table[start..start + length]),
        };
    });
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn kernels_agree_with_their_definitions(
            bits in 0usize..11,
            seed in prop::collection::vec(-900.0..900.0f64, 1 << 10),
            choice in any::<u16>(),
        ) {
            let table = &seed[..1 << bits];
            let kept: Vec<bool> = (0..bits).map(|b| choice >> b & 1 == 1).collect();
            let places: Vec<usize> = (0..bits).filter(|&b| kept[b]).collect();
            let within = |state: usize| -> usize {
                places.iter().enumerate().map(|(at, &b)| (state >> b & 1) << at).sum()
            };
            let part = &seed[..1 << places.len()];
            let mut sum = table.to_vec();
            spread(&mut sum, part, &kept, 1.0);
            for state in 0..table.len() {
                prop_assert_eq!(sum[state], table[state] + part[within(state)]);
            }
            let mask = choice as usize & ((1 << bits) - 1);
            let direct: f64 = (0..table.len()).filter(|s| s & mask == mask).map(|s| table[s]).sum();
            prop_assert!((sum_where(table, mask) - direct).abs() < 1e-9);
            for bit in 0..bits {
                let mut marginal = table.to_vec();
                let length = sum_out(&mut marginal, bit);
                for at in 0..length {
                    let low = at & ((1 << bit) - 1);
                    let state = (at >> bit) << (bit + 1) | low;
                    let (a, b) = (table[state], table[state | 1 << bit]);
                    let exact = a.max(b) + (-(a - b).abs()).exp().ln_1p();
                    prop_assert!((marginal[at] - exact).abs() <= 1e-15 * exact.abs().max(1.0));
                }
            }
        }
    }
}
