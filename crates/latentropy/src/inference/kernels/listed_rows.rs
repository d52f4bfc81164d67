//! Rows of a matrix that a list names: what a matrix times a vector of zeros and ones comes to; and the draws between.

use super::elementary::{exponential_single, logarithms_inline};
use super::lane_random::{CHAINS, LaneRandom};
use multiversion::multiversion;
use multiversion::target::target_cfg_f;

/// Replaces every field f by 1/(1 + e^-f).
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn logistics(fields: &mut [f32]) {
    for value in fields.iter_mut() {
        let size = value.abs();
        // Beyond this the smaller probability is below 1e-34.
        let size = if size > 80.0 { 80.0 } else { size };
        let rarer = 1.0 / (1.0 + exponential_single(size));
        *value = if *value > 0.0 { 1.0 - rarer } else { rarer };
    }
}

/// Columns that are summed at once: four vector registers, or eight; and as many again for every other row.
const COLUMNS: usize = 64;

/// Adds the listed rows of the matrix, each as long as `target`, to `target`.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn add_listed_rows(target: &mut [f32], matrix: &[f32], rows: &[u32]) {
    let width = target.len();
    let mut first = 0;
    let (pairs, last) = rows.as_chunks::<2>();
    // The sums of some columns stay in registers while the rows go by, two at a time so that no sum waits for itself.
    while let Some(part) = target[first..].first_chunk_mut::<COLUMNS>() {
        let mut even_sums = *part;
        let mut odd_sums = [0.0; COLUMNS];
        for &[even, odd] in pairs {
            let even = matrix[even as usize * width + first..].first_chunk::<COLUMNS>();
            let odd = matrix[odd as usize * width + first..].first_chunk::<COLUMNS>();
            if let (Some(even), Some(odd)) = (even, odd) {
                for column in 0..COLUMNS {
                    even_sums[column] += even[column];
                    odd_sums[column] += odd[column];
                }
            }
        }
        for &row in last {
            let from = row as usize * width + first;
            for (sum, value) in odd_sums.iter_mut().zip(&matrix[from..]) {
                *sum += value;
            }
        }
        for ((t, even), odd) in part.iter_mut().zip(even_sums).zip(odd_sums) {
            *t = even + odd;
        }
        first += COLUMNS;
    }
    let rest = &mut target[first..];
    for &row in rows {
        let from = row as usize * width + first;
        for (t, value) in rest.iter_mut().zip(&matrix[from..]) {
            *t += value;
        }
    }
}

/// The places at which a draw with these probabilities is one, to within 2^-24.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn draw_ones(probabilities: &[f32], random: &mut LaneRandom, on: &mut Vec<u32>) {
    const STEP: f32 = 1.0 / 2_147_483_648.0;
    on.resize(probabilities.len(), 0);
    let (mut count, mut place) = (0, 0);
    let (mut bits, mut ones) = ([0; CHAINS], [0u32; CHAINS]);
    for part in probabilities.chunks(CHAINS) {
        random.next(&mut bits);
        for ((one, bits), probability) in ones.iter_mut().zip(&bits).zip(part) {
            *one = u32::from((*bits as f32 + 0.5) * STEP < *probability);
        }
        for one in &ones[..part.len()] {
            // Written always and kept sometimes: no branch to guess.
            on[count] = place;
            count += *one as usize;
            place += 1;
        }
    }
    on.truncate(count);
}

/// Draws units in turn, each given all others, from their fields at the states `before`; the places that are on go to
/// `after`. The fields of units that are still to come follow every change, by their couplings with the unit that changed.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn draw_in_turn(
    fields: &mut [f32],
    couplings: &[f32],
    random: &mut LaneRandom,
    before: &[u32],
    after: &mut Vec<u32>,
) {
    const STEP: f64 = 1.0 / 2_147_483_648.0;
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    let width = fields.len();
    let mut was_on = before.iter().peekable();
    let (mut bits, mut limits) = ([0; CHAINS], [0.0f64; CHAINS]);
    after.clear();
    for first in (0..width).step_by(CHAINS) {
        random.next(&mut bits);
        // A unit is on where a uniform number is below 1/(1 + e^-field): where its log-odds are below the field.
        for (limit, bits) in limits.iter_mut().zip(&bits) {
            let uniform = (f64::from(*bits) + 0.5) * STEP;
            *limit = uniform / (1.0 - uniform);
        }
        logarithms_inline::<FMA>(&mut limits);
        for unit in first..(first + CHAINS).min(width) {
            let was = was_on.next_if(|&&on| on as usize == unit).is_some();
            let is = f64::from(fields[unit]) > limits[unit - first];
            if is {
                after.push(unit as u32);
            }
            if was != is {
                let sign = if is { 1.0 } else { -1.0 };
                let row = &couplings[unit * width + unit + 1..(unit + 1) * width];
                for (field, coupling) in fields[unit + 1..].iter_mut().zip(row) {
                    *field += sign * coupling;
                }
            }
        }
    }
}

/// target ← target + values, entry by entry.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn add_row(target: &mut [f32], values: &[f32]) {
    for (t, value) in target.iter_mut().zip(values) {
        *t += value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_what_they_say() {
        for width in [1, 7, 8, 33, 64, 70, 131] {
            let wave = |at: usize| 3.0 * (1.3 * at as f32).sin();
            let matrix: Vec<f32> = (0..5 * width).map(wave).collect();
            for rows in [&[4, 0, 3][..], &[2], &[1, 4], &[]] {
                let mut sum = vec![0.5; width];
                add_listed_rows(&mut sum, &matrix, rows);
                for (at, found) in sum.iter().enumerate() {
                    let listed = rows.iter().map(|&row| matrix[row as usize * width + at]);
                    let expected = 0.5 + listed.sum::<f32>();
                    assert!((found - expected).abs() < 2e-6, "{found} {expected}");
                }
                let mut twice = sum.clone();
                add_row(&mut twice, &sum);
                assert!(twice.iter().zip(&sum).all(|(a, b)| *a == b + b));
            }
            let mut fields: Vec<f32> = (0..width).map(|at| 10.0 * wave(at)).collect();
            logistics(&mut fields);
            for (at, found) in fields.iter().enumerate() {
                let expected = 1.0 / (1.0 + (-10.0 * wave(at)).exp());
                assert!((found - expected).abs() < 2e-7, "{found} {expected}");
            }
        }
    }

    /// Units that are not coupled are drawn by their fields; couplings act on those that come later.
    #[test]
    fn units_in_turn_follow_those_before() {
        let mut random = LaneRandom::new(&mut crate::random::stream(
            6,
            crate::random::Purpose::Chains,
            1,
        ));
        let width = 70;
        let mut couplings = vec![0.0; width * width];
        // The last unit is on where the first one is.
        (couplings[width - 1], couplings[(width - 1) * width]) = (100.0, 100.0);
        let mut counts = vec![0u32; width];
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let draws = 20_000;
        for _ in 0..draws {
            let first_was_on = before.first() == Some(&0);
            let mut fields: Vec<f32> = (0..width).map(|at| (at as f32 - 35.0) / 10.0).collect();
            fields[0] = 0.5;
            fields[width - 1] = if first_was_on { 50.0 } else { -50.0 };
            draw_in_turn(&mut fields, &couplings, &mut random, &before, &mut after);
            assert!(after.is_sorted());
            assert_eq!(
                after.first() == Some(&0),
                after.last() == Some(&(width as u32 - 1))
            );
            after.iter().for_each(|&at| counts[at as usize] += 1);
            std::mem::swap(&mut before, &mut after);
        }
        for (at, count) in counts.iter().enumerate().take(width - 1).skip(1) {
            let p = 1.0 / (1.0 + (-(at as f64 - 35.0) / 10.0).exp());
            let error = (p * (1.0 - p) / f64::from(draws)).sqrt();
            let share = f64::from(*count) / f64::from(draws);
            assert!((share - p).abs() <= 4.5 * error, "{at}: {share} {p}");
        }
    }

    #[test]
    fn draws_have_their_probabilities() {
        let mut random = LaneRandom::new(&mut crate::random::stream(
            5,
            crate::random::Purpose::Chains,
            1,
        ));
        let probabilities: Vec<f32> = (0..70).map(|at| at as f32 / 69.0).collect();
        let mut counts = [0u32; 70];
        let mut on = Vec::new();
        let draws = 20_000;
        for _ in 0..draws {
            draw_ones(&probabilities, &mut random, &mut on);
            assert!(on.is_sorted());
            on.iter().for_each(|&at| counts[at as usize] += 1);
        }
        assert_eq!((counts[0], counts[69]), (0, draws));
        for (count, p) in counts.iter().zip(probabilities) {
            let (share, p) = (f64::from(*count) / f64::from(draws), f64::from(p));
            let error = (p * (1.0 - p) / f64::from(draws)).sqrt();
            assert!((share - p).abs() <= 4.5 * error + 1e-12);
        }
    }
}
