//! Weighted sums of rows of features over fours of states: the innermost loop of iterative scaling on small machines.

use super::elementary::fused;
use super::row_sums::ROW_PANEL;
use multiversion::multiversion;
use multiversion::target::target_cfg_f;

/// What is summed into where; see `enumerate/fours.rs`.
#[derive(Clone, Debug)]
pub(crate) struct FoursPlan {
    /// The first state of every four.
    pub(crate) states: Vec<u32>,
    /// Runs of fours: the rows of f# with none, one and both of the two units on, and where the run ends.
    pub(crate) runs: Vec<([u32; 3], u32)>,
    /// Features of the terms without the two units, a row of `without_width` per four.
    pub(crate) without: Vec<f64>,
    pub(crate) without_width: usize,
    /// Features of the rests of the terms with one of the two units or both.
    pub(crate) with: Vec<f64>,
    pub(crate) with_width: usize,
    /// Where each term stands in a row of [`sums_by_fours`].
    pub(crate) columns: Vec<u32>,
}

impl FoursPlan {
    /// The length of a row of [`sums_by_fours`]: terms without the two units, then the rests that come with the
    /// first, with the second, and with both.
    pub(crate) fn row_width(&self) -> usize {
        self.without_width + 3 * self.with_width
    }
}

/// Adds `weights` times features to the rows of f#. Rows are laid out so that no two additions overlap in part,
/// which would stall every load on the last store; [`spread_columns`] puts them in the order of the terms.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn sums_by_fours(weights: &[f64], plan: &FoursPlan, sums: &mut [f64]) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    let mut start = 0;
    for &(rows, end) in &plan.runs {
        let run = start..end as usize;
        match (plan.without_width, plan.with_width) {
            (8, 8) => panels::<8, 8, FMA>(weights, plan, run, rows, 0, 0, sums),
            (16, 8) => panels::<16, 8, FMA>(weights, plan, run, rows, 0, 0, sums),
            (24, 8) => panels::<24, 8, FMA>(weights, plan, run, rows, 0, 0, sums),
            _ => {
                for at in (0..plan.without_width).step_by(ROW_PANEL) {
                    panels::<8, 0, FMA>(weights, plan, run.clone(), rows, at, 0, sums);
                }
                for at in (0..plan.with_width).step_by(ROW_PANEL) {
                    panels::<0, 8, FMA>(weights, plan, run.clone(), rows, 0, at, sums);
                }
            }
        }
        start = end as usize;
    }
}

/// The rows of [`sums_by_fours`] times `scale`, in the order of the terms; entries past the terms stay as they are.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(crate) fn spread_columns(
    from: &[f64],
    plan: &FoursPlan,
    scale: f64,
    width: usize,
    into: &mut [f64],
) {
    let rows = from.chunks_exact(plan.row_width());
    for (row, out) in rows.zip(into.chunks_exact_mut(width)) {
        for (value, &column) in out.iter_mut().zip(&plan.columns) {
            *value = row[column as usize] * scale;
        }
    }
}

/// One run for some lanes of either table, its sums held in registers.
#[inline(always)]
fn panels<const WITHOUT: usize, const WITH: usize, const FMA: bool>(
    weights: &[f64],
    plan: &FoursPlan,
    run: std::ops::Range<usize>,
    rows: [u32; 3],
    without_start: usize,
    with_start: usize,
    sums: &mut [f64],
) {
    let (mut none, mut one, mut both) = ([0.0; WITHOUT], [0.0; WITHOUT], [0.0; WITHOUT]);
    let (mut first, mut second, mut pair) = ([0.0; WITH], [0.0; WITH], [0.0; WITH]);
    for at in run {
        let state = plan.states[at] as usize;
        let four = &weights[state..state + 4];
        let (a, b, c, d) = (four[0], four[1], four[2], four[3]);
        if WITHOUT > 0 {
            let begin = at * plan.without_width + without_start;
            let row = &plan.without[begin..begin + WITHOUT];
            let middle = b + c;
            for lane in 0..WITHOUT {
                none[lane] = fused::<FMA>(a, row[lane], none[lane]);
                one[lane] = fused::<FMA>(middle, row[lane], one[lane]);
                both[lane] = fused::<FMA>(d, row[lane], both[lane]);
            }
        }
        if WITH > 0 {
            let begin = at * plan.with_width + with_start;
            let row = &plan.with[begin..begin + WITH];
            for lane in 0..WITH {
                first[lane] = fused::<FMA>(b, row[lane], first[lane]);
                second[lane] = fused::<FMA>(c, row[lane], second[lane]);
                pair[lane] = fused::<FMA>(d, row[lane], pair[lane]);
            }
        }
    }
    let width = plan.row_width();
    let [none_row, one_row, both_row] = rows.map(|row| row as usize * width);
    let (firsts, seconds, pairs) = (
        plan.without_width + with_start,
        plan.without_width + plan.with_width + with_start,
        plan.without_width + 2 * plan.with_width + with_start,
    );
    add(&none, &mut sums[none_row + without_start..]);
    add(&one, &mut sums[one_row + without_start..]);
    add(&both, &mut sums[both_row + without_start..]);
    add(&first, &mut sums[one_row + firsts..]);
    add(&second, &mut sums[one_row + seconds..]);
    add(&pair, &mut sums[both_row + firsts..]);
    add(&pair, &mut sums[both_row + seconds..]);
    add(&pair, &mut sums[both_row + pairs..]);
}

#[inline(always)]
fn add<const LANES: usize>(part: &[f64; LANES], into: &mut [f64]) {
    let into = &mut into[..LANES];
    for lane in 0..LANES {
        into[lane] += part[lane];
    }
}
