//! Visits of units on sparse machines: each unit's field is summed anew from its lists.

use super::direction::Direction;
use super::draw::{Temperatures, step};
use super::fixed_point::FixedWeights;
use super::group::Group;
use super::lanes::{Lanes, Row};
use super::lists::Lists;
use super::machine::Machine;
use super::weigher::Weigher;
use crate::inference::kernels::CHAINS;
use multiversion::multiversion;
use multiversion::target::target_cfg_f;
use std::ops::Range;

/// Σ_{V∋unit} λ_V Π_{v∈V, v≠unit} x_v in every chain.
#[inline(always)]
fn field(machine: &Machine, unit: usize, states: &[Row]) -> Lanes {
    let (lists, bias) = (&machine.lists, machine.bias[unit]);
    if let Some(fixed) = &machine.fixed {
        return fixed_field(lists, fixed, bias, unit, states);
    }
    let mut fields = [bias; CHAINS];
    for at in lists.starts[unit]..lists.starts[unit + 1] {
        let other = &states[lists.neighbours[at] as usize];
        let weight = lists.weights[at].to_bits();
        for chain in 0..CHAINS {
            fields[chain] += f64::from_bits(weight & i64::from(other[chain]) as u64);
        }
    }
    for &(start, end, weight) in
        &lists.higher[lists.higher_starts[unit]..lists.higher_starts[unit + 1]]
    {
        let mut all: Row = [-1; CHAINS];
        for &other in &lists.members[start as usize..end as usize] {
            for chain in 0..CHAINS {
                all[chain] &= states[other as usize][chain];
            }
        }
        for chain in 0..CHAINS {
            fields[chain] += f64::from_bits(weight.to_bits() & i64::from(all[chain]) as u64);
        }
    }
    fields
}

/// The same by exact sums of half the width.
#[inline(always)]
fn fixed_field(
    lists: &Lists,
    fixed: &FixedWeights,
    bias: f64,
    unit: usize,
    states: &[Row],
) -> Lanes {
    let range = lists.starts[unit]..lists.starts[unit + 1];
    let mut sums: Row = [0; CHAINS];
    for (&other, &weight) in lists.neighbours[range.clone()]
        .iter()
        .zip(&fixed.weights[range])
    {
        let other = &states[other as usize];
        for chain in 0..CHAINS {
            // The step leaves room for all of them; a check would cost the vectors.
            sums[chain] = sums[chain].wrapping_add(weight & other[chain]);
        }
    }
    std::array::from_fn(|chain| bias + fixed.step * f64::from(sums[chain]))
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(super) fn visit_lists(
    machine: &Machine,
    group: &mut Group,
    range: Range<usize>,
    direction: Direction,
    temperatures: &Temperatures,
) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    let (start, end) = (range.start, range.end);
    for at in range {
        let unit = match direction {
            Direction::Onward => at,
            Direction::Backward => start + end - 1 - at,
        };
        let fields = field(machine, unit, &group.states);
        step::<FMA>(
            &fields,
            machine.base[unit],
            temperatures,
            &mut group.random,
            &mut group.states[unit],
            &mut group.excess,
        );
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx2+fma+bmi2",
    "x86_64+avx2+fma+bmi2",
    "aarch64+neon"
))]
pub(super) fn visit_lists_weighted(machine: &Machine, group: &mut Group, weigher: &mut Weigher) {
    const FMA: bool = target_cfg_f!(any(target_feature = "fma", target_feature = "neon"));
    let temperatures = Temperatures::all(weigher.to);
    for unit in 0..machine.independent {
        let fields = field(machine, unit, &group.states);
        let base = machine.base[unit];
        let old = step::<FMA>(
            &fields,
            base,
            &temperatures,
            &mut group.random,
            &mut group.states[unit],
            &mut group.excess,
        );
        weigher.add::<FMA>(&fields, base, &old);
    }
}
