//! Messages up and down the tree of buckets, all in logarithms: no weight is too large, no entry is ever lost.
//!
//! The bucket of unit v with separator S holds t(x_v, x_S) = Σ of its terms and of the messages from below.
//! Up: m(x_S) = log Σ_{x_v} e^t. Down: log p(x_S) − m(x_S), so that t + that is the log of p(x_v, x_S).

use super::plan::{Bucket, Plan};
use super::tables::{add_where, exponentiate, spread, sum_out, sum_out_top, sum_where};
use crate::inference::kernels;

/// Where more masks than this share a table, all sums over supersets are made at once.
const MANY_MASKS: usize = 24;

/// The messages towards the roots, each with zero as its largest entry, and log Z.
pub(super) struct Upward {
    /// One table on each bucket's separator.
    pub(super) messages: Vec<Vec<f64>>,
    /// What was taken off each message.
    pub(super) offsets: Vec<f64>,
    /// log Σ exp over the free units.
    pub(super) log_total: f64,
}

/// A bucket's table: the terms it takes up and the messages from below.
pub(super) fn fill(
    plan: &Plan,
    at: usize,
    coefficients: &[f64],
    messages: &[Vec<f64>],
    table: &mut Vec<f64>,
) {
    let bucket = &plan.buckets[at];
    let half = 1usize << (bucket.bits.len() - 1);
    table.clear();
    table.resize(2 * half, 0.0);
    // Every term of the bucket contains its own unit, so that the lower half has none.
    let upper = &mut table[half..];
    let mut fields = vec![0.0; bucket.bits.len() - 1];
    for &(mask, set) in &bucket.sets {
        match mask.count_ones() {
            0 => upper[0] += coefficients[set],
            1 => fields[mask.trailing_zeros() as usize] += coefficients[set],
            _ => {}
        }
    }
    for (bit, field) in fields.iter().enumerate() {
        let (lower, raised) = upper[..2 << bit].split_at_mut(1 << bit);
        for (value, base) in raised.iter_mut().zip(lower) {
            *value = *base + field;
        }
    }
    for &(mask, set) in &bucket.sets {
        if mask.count_ones() > 1 {
            add_where(upper, mask, coefficients[set]);
        }
    }
    for &child in &bucket.children {
        spread(
            table,
            &messages[child],
            &bucket.kept(&plan.buckets[child]),
            1.0,
        );
    }
}

/// All messages towards the roots; `visit` sees each bucket's table before its unit is summed out.
pub(super) fn upward(
    plan: &Plan,
    coefficients: &[f64],
    mut visit: impl FnMut(usize, &[f64]),
    keep: bool,
) -> Upward {
    let count = plan.buckets.len();
    let (mut messages, mut offsets) = (vec![Vec::new(); count], vec![0.0; count]);
    let mut table = Vec::new();
    for at in 0..count {
        fill(plan, at, coefficients, &messages, &mut table);
        if !keep {
            for &child in &plan.buckets[at].children {
                messages[child] = Vec::new();
            }
        }
        visit(at, &table);
        let message = sum_out_top(&mut table);
        let largest = kernels::maximum(message);
        message.iter_mut().for_each(|value| *value -= largest);
        offsets[at] = largest;
        messages[at] = message.to_vec();
    }
    Upward {
        messages,
        log_total: offsets.iter().sum(),
        offsets,
    }
}

/// Means of the free units and expectations of the sets; the messages are replaced by those from above.
pub(super) fn downward(plan: &Plan, coefficients: &[f64], up: &mut Upward) -> (Vec<f64>, Vec<f64>) {
    downward_seen(plan, coefficients, up, |_, _| {})
}

/// The same; `see` is shown the logarithms of each bucket's probabilities.
pub(super) fn downward_seen(
    plan: &Plan,
    coefficients: &[f64],
    up: &mut Upward,
    mut see: impl FnMut(usize, &[f64]),
) -> (Vec<f64>, Vec<f64>) {
    let mut means = vec![0.0; plan.buckets.len()];
    let mut by_set = vec![0.0; coefficients.len()];
    let (mut table, mut marginal) = (Vec::new(), Vec::new());
    for at in (0..plan.buckets.len()).rev() {
        let bucket = &plan.buckets[at];
        fill(plan, at, coefficients, &up.messages, &mut table);
        if bucket.parent.is_none() {
            // Nothing above: the message from above is the constant that makes probabilities of the table.
            up.messages[at] = vec![0.0];
        }
        let half = table.len() / 2;
        for part in table.chunks_exact_mut(half) {
            kernels::add_scaled(part, &up.messages[at], 1.0);
            part.iter_mut().for_each(|value| *value -= up.offsets[at]);
        }
        up.messages[at] = Vec::new();
        see(at, &table);
        for &child in &bucket.children {
            marginal.clear();
            marginal.extend_from_slice(&table);
            let kept = bucket.kept(&plan.buckets[child]);
            let length = sum_all_out(&mut marginal, &kept);
            for (message, log_probability) in up.messages[child].iter_mut().zip(&marginal[..length])
            {
                *message = log_probability - *message;
            }
        }
        let upper = &mut table[half..];
        exponentiate(upper);
        means[bucket.unit()] = kernels::sum(upper).min(1.0);
        collect(bucket, upper, &mut by_set);
    }
    (means, by_set)
}

/// Sums out every bit that is not kept, the top ones first; returns the length left.
fn sum_all_out(table: &mut [f64], kept: &[bool]) -> usize {
    let mut length = table.len();
    for bit in (0..kept.len()).rev() {
        if !kept[bit] {
            length = sum_out(&mut table[..length], bit);
        }
    }
    length
}

/// Expectations of a bucket's sets from the probabilities of its unit being on.
fn collect(bucket: &Bucket, upper: &mut [f64], by_set: &mut [f64]) {
    each_sum(bucket, upper, |set, sum| by_set[set] = sum.min(1.0));
}

/// The sum of the upper half's entries over the states in which each set is on.
pub(super) fn each_sum(bucket: &Bucket, upper: &mut [f64], mut each: impl FnMut(usize, f64)) {
    if bucket.sets.len() > MANY_MASKS {
        kernels::superset_sums(upper);
        for &(mask, set) in &bucket.sets {
            each(set, upper[mask]);
        }
    } else {
        for &(mask, set) in &bucket.sets {
            each(set, sum_where(upper, mask));
        }
    }
}
