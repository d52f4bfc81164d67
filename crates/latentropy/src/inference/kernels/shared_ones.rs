//! How many ones rows of bits have in common: second moments of zero-one features are such counts.

use multiversion::multiversion;
use std::ops::Range;

/// Words that are counted at once, and rows on either side whose counts stay in registers while the words go by.
const WORDS: usize = 8;
const ROWS: usize = 4;

/// counts[i · others + j] += ones that row `first + i` and row `second + j` share, rows of `width` words each.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx512vpopcntdq+avx2+bmi2+popcnt",
    "x86_64+avx2+bmi2+popcnt",
    "aarch64+neon"
))]
pub(crate) fn add_shared_ones(
    rows: &[u64],
    width: usize,
    firsts: Range<usize>,
    seconds: Range<usize>,
    counts: &mut [u64],
) {
    let others = seconds.len();
    let whole = width / WORDS * WORDS;
    for i in firsts.clone().step_by(ROWS) {
        for j in seconds.clone().step_by(ROWS) {
            // Where fewer rows are left, the last one is counted again, and not used.
            let row = |at: usize, last: usize| &rows[at.min(last) * width..][..width];
            let a: [&[u64]; ROWS] = std::array::from_fn(|at| row(i + at, firsts.end - 1));
            let b: [&[u64]; ROWS] = std::array::from_fn(|at| row(j + at, seconds.end - 1));
            let mut ones = [[[0u64; WORDS]; ROWS]; ROWS];
            let mut at = 0;
            while at < whole {
                let mut of_b = [[0u64; WORDS]; ROWS];
                for (to, b) in of_b.iter_mut().zip(&b) {
                    to.copy_from_slice(&b[at..at + WORDS]);
                }
                for (ones, a) in ones.iter_mut().zip(&a) {
                    let mut of_a = [0u64; WORDS];
                    of_a.copy_from_slice(&a[at..at + WORDS]);
                    for (ones, of_b) in ones.iter_mut().zip(&of_b) {
                        for word in 0..WORDS {
                            ones[word] += u64::from((of_a[word] & of_b[word]).count_ones());
                        }
                    }
                }
                at += WORDS;
            }
            for (p, a) in a.iter().enumerate().take(firsts.end - i) {
                for (q, b) in b.iter().enumerate().take(seconds.end - j) {
                    let mut sum = 0;
                    for of_word in ones[p][q] {
                        sum += of_word;
                    }
                    for word in whole..width {
                        sum += u64::from((a[word] & b[word]).count_ones());
                    }
                    let to = (i + p - firsts.start) * others + (j + q - seconds.start);
                    counts[to] += sum;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_in_common_are_counted() {
        for (width, firsts, seconds) in [(7, 0..2, 1..3), (19, 1..10, 0..7), (8, 2..6, 3..11)] {
            let rows: Vec<u64> = (0..11 * width as u64)
                .map(|w| w.wrapping_mul(0x9e37_79b9_7f4a_7c15))
                .collect();
            let mut counts = vec![1; firsts.len() * seconds.len()];
            add_shared_ones(&rows, width, firsts.clone(), seconds.clone(), &mut counts);
            let mut found = counts.iter();
            for a in firsts {
                for b in seconds.clone() {
                    let of = |row: usize, word: usize| rows[row * width + word];
                    let ones = (0..width).map(|w| (of(a, w) & of(b, w)).count_ones());
                    assert_eq!(found.next(), Some(&(1 + u64::from(ones.sum::<u32>()))));
                }
            }
        }
    }
}
