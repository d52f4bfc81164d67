//! Weighted sums of rows of features, group by group, in a fixed order of additions.

use super::elementary::fused;
use multiversion::multiversion;
use multiversion::target::target_cfg_f;

/// Width that the rows of [`weighted_row_sums`] are padded to.
pub(crate) const ROW_PANEL: usize = 8;

/// For each group g of rows: sums[g] += Σ_{row in group g} weight(row) · features[row].
/// Features are zeros and ones, kept as single floats to stay in the first cache.
///
/// `rows[j]` is the table row of the j-th entry of `features`; `groups` holds the end of each group
/// in `rows`. The width is a multiple of [`ROW_PANEL`].
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn weighted_row_sums(
    weights: &[f64],
    rows: &[u32],
    group_ends: &[u32],
    features: &[f32],
    width: usize,
    sums: &mut [f64],
) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    let mut panel = 0;
    while panel < width {
        // Four vectors of eight at a time keep their sums in registers through a group.
        let step = if width - panel >= 32 { 32 } else { 8 };
        let mut start = 0;
        for (group, &end) in group_ends.iter().enumerate() {
            let end = end as usize;
            let out = &mut sums[group * width + panel..group * width + panel + step];
            if step == 32 {
                row_panel::<32, FMA>(weights, rows, start, end, features, width, panel, out);
            } else {
                row_panel::<8, FMA>(weights, rows, start, end, features, width, panel, out);
            }
            start = end;
        }
        panel += step;
    }
}

#[inline(always)]
fn row_panel<const STEP: usize, const FMA: bool>(
    weights: &[f64],
    rows: &[u32],
    start: usize,
    end: usize,
    features: &[f32],
    width: usize,
    panel: usize,
    out: &mut [f64],
) {
    // Two rows at a time into sums of their own: one alone would wait for its last addition.
    let (mut total, mut odd) = ([0.0; STEP], [0.0; STEP]);
    let row = |at: usize| -> &[f32] { &features[at * width + panel..at * width + panel + STEP] };
    let mut at = start;
    while at + 1 < end {
        let (first, second) = (weights[rows[at] as usize], weights[rows[at + 1] as usize]);
        let (a, b) = (row(at), row(at + 1));
        for lane in 0..STEP {
            total[lane] = fused::<FMA>(first, f64::from(a[lane]), total[lane]);
            odd[lane] = fused::<FMA>(second, f64::from(b[lane]), odd[lane]);
        }
        at += 2;
    }
    if at < end {
        let (weight, a) = (weights[rows[at] as usize], row(at));
        for lane in 0..STEP {
            total[lane] = fused::<FMA>(weight, f64::from(a[lane]), total[lane]);
        }
    }
    for lane in 0..STEP {
        total[lane] += odd[lane];
    }
    for lane in 0..STEP {
        out[lane] += total[lane];
    }
}

/// Sums over pairs of states s, s + 1: for a run (a, b, end) of pairs, sums[a] += Σ weight(s) · off and
/// sums[b] += Σ weight(s + 1) · on, where the rows `on` hold only the leading columns in which the two differ.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn paired_row_sums(
    weights: &[f64],
    pairs: &[u32],
    runs: &[(u32, u32, u32)],
    off: (&[f64], usize),
    on: (&[f64], usize),
    sums: &mut [f64],
) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    let width = off.1;
    let mut start = 0;
    while start < width {
        // Up to four vectors of eight for either state keep their sums in registers through a run.
        let lanes = (width - start).min(32);
        let split = on.1.saturating_sub(start).min(lanes);
        macro_rules! panel {
            ($lanes:literal, $split:literal) => {
                pair_panel::<$lanes, $split, FMA>(weights, pairs, runs, off, on, start, sums)
            };
        }
        match (lanes, split) {
            (8, 0) => panel!(8, 0),
            (8, _) => panel!(8, 8),
            (16, 0) => panel!(16, 0),
            (16, 8) => panel!(16, 8),
            (16, _) => panel!(16, 16),
            (24, 0) => panel!(24, 0),
            (24, 8) => panel!(24, 8),
            (24, 16) => panel!(24, 16),
            (24, _) => panel!(24, 24),
            (_, 0) => panel!(32, 0),
            (_, 8) => panel!(32, 8),
            (_, 16) => panel!(32, 16),
            (_, 24) => panel!(32, 24),
            (_, _) => panel!(32, 32),
        }
        start += lanes;
    }
}

#[inline(always)]
fn pair_panel<const LANES: usize, const SPLIT: usize, const FMA: bool>(
    weights: &[f64],
    pairs: &[u32],
    runs: &[(u32, u32, u32)],
    (off, off_width): (&[f64], usize),
    (on, on_width): (&[f64], usize),
    start: usize,
    sums: &mut [f64],
) {
    let mut at = 0;
    for &(first, second, end) in runs {
        let (mut a, mut b) = ([0.0; LANES], [0.0; LANES]);
        while at < end as usize {
            let state = pairs[at] as usize;
            let (weight, partner) = (weights[state], weights[state + 1]);
            let row = &off[at * off_width + start..at * off_width + start + LANES];
            for lane in 0..LANES {
                a[lane] = fused::<FMA>(weight, row[lane], a[lane]);
            }
            if SPLIT > 0 {
                let own = &on[at * on_width + start..at * on_width + start + SPLIT];
                for lane in 0..SPLIT {
                    b[lane] = fused::<FMA>(partner, own[lane], b[lane]);
                }
            }
            for lane in SPLIT..LANES {
                b[lane] = fused::<FMA>(partner, row[lane], b[lane]);
            }
            at += 1;
        }
        for (row, part) in [(first, &a), (second, &b)] {
            let into = row as usize * off_width + start;
            for (sum, value) in sums[into..into + LANES].iter_mut().zip(part) {
                *sum += value;
            }
        }
    }
}
