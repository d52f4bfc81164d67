//! How many ones rows of bits have in common: second moments of zero-one features are such counts.

use multiversion::multiversion;

/// counts[i · others + j] += ones that row `first + i` and row `second + j` share, rows of `width` words each.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx512vpopcntdq+avx2+bmi2+popcnt",
    "x86_64+avx2+bmi2+popcnt",
    "aarch64+neon"
))]
pub(crate) fn add_shared_ones(
    rows: &[u64],
    width: usize,
    firsts: std::ops::Range<usize>,
    seconds: std::ops::Range<usize>,
    counts: &mut [u64],
) {
    let others = seconds.len();
    for (i, a) in firsts.enumerate() {
        let a = &rows[a * width..(a + 1) * width];
        for (j, b) in seconds.clone().enumerate() {
            let b = &rows[b * width..(b + 1) * width];
            let ones = a
                .iter()
                .zip(b)
                .map(|(a, b)| u64::from((a & b).count_ones()));
            counts[i * others + j] += ones.sum::<u64>();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_in_common_are_counted() {
        let rows: Vec<u64> = (0..21u64)
            .map(|w| w.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        let mut counts = vec![1; 4];
        add_shared_ones(&rows, 7, 0..2, 1..3, &mut counts);
        for (i, a) in (0..2).enumerate() {
            for (j, b) in (1..3).enumerate() {
                let ones = (0..7).map(|w| (rows[a * 7 + w] & rows[b * 7 + w]).count_ones());
                assert_eq!(counts[i * 2 + j], 1 + u64::from(ones.sum::<u32>()));
            }
        }
    }
}
