//! Sums over recorded states of what units do and of how far each is from its own probability given all others.

use crate::inference::kernels::{CHAINS, add_shared_ones, logistics};
use crate::inference::markov_chains::machine::Machine;
use crate::inference::markov_chains::record::Records;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// States of so many times are taken at once: 512 of them.
const TIMES: usize = 8;
const STATES: usize = TIMES * CHAINS;

/// Means over some states, r_i = x_i − P(x_i = 1 | all others).
#[derive(Clone, Debug)]
pub(super) struct Means {
    /// E[x_i x_j], entry i · units + j; E x_i on the diagonal.
    pub(super) together: Vec<f64>,
    /// E r_i.
    pub(super) rests: Vec<f64>,
    /// E[r_i x_j], entry i · units + j.
    pub(super) rests_with: Vec<f64>,
    /// E[P (1 − P)].
    pub(super) spreads: Vec<f64>,
}

impl Means {
    /// The means over all groups, which have equally many states each.
    pub(super) fn of_all(groups: &[Means]) -> Means {
        let each = 1.0 / groups.len() as f64;
        let mean = |of: fn(&Means) -> &[f64]| -> Vec<f64> {
            let sum = |at: usize| groups.iter().map(|group| of(group)[at]).sum::<f64>();
            (0..of(&groups[0]).len()).map(|at| each * sum(at)).collect()
        };
        Means {
            together: mean(|means| &means.together),
            rests: mean(|means| &means.rests),
            rests_with: mean(|means| &means.rests_with),
            spreads: mean(|means| &means.spreads),
        }
    }
}

/// The weights of pairs as a matrix, by places.
pub(super) fn dense(machine: &Machine) -> Vec<f32> {
    let units = machine.units();
    let mut matrix = vec![0.0; units * units];
    let lists = &machine.lists;
    for unit in 0..units {
        for at in lists.starts[unit]..lists.starts[unit + 1] {
            matrix[unit * units + lists.neighbours[at] as usize] = lists.weights[at] as f32;
        }
    }
    matrix
}

/// Over all states of one group of chains; `weights` are those of [`dense`].
pub(super) fn means(records: &Records, machine: &Machine, weights: &[f32], group: usize) -> Means {
    let (units, times) = (machine.units(), records.times());
    let words = records.words(group);
    let mut counts = vec![0u64; units * units];
    add_shared_ones(words, times, 0..units, 0..units, &mut counts);
    let mut rests_with = vec![0.0; units * units];
    let (mut rests, mut spreads) = (vec![0.0; units], vec![0.0; units]);
    let mut states = vec![0.0f32; units * STATES];
    let mut fields = vec![0.0f32; units * STATES];
    let mut products = vec![0.0f32; units * units];
    for first in (0..times).step_by(TIMES) {
        let used = TIMES.min(times - first) * CHAINS;
        unpack(words, times, first, &mut states[..units * used]);
        let (x, fields) = (&states[..units * used], &mut fields[..units * used]);
        matmul(
            MatMut::from_row_major_slice_mut(fields, units, used),
            Accum::Replace,
            MatRef::from_row_major_slice(weights, units, units),
            MatRef::from_row_major_slice(x, units, used),
            1.0,
            Par::Seq,
        );
        for (unit, line) in fields.chunks_exact_mut(used).enumerate() {
            let bias = machine.bias[unit] as f32;
            line.iter_mut().for_each(|field| *field += bias);
            logistics(line);
            let (rest, spread) = rests_of(line, &x[unit * used..(unit + 1) * used]);
            rests[unit] += rest;
            spreads[unit] += spread;
        }
        matmul(
            MatMut::from_row_major_slice_mut(&mut products, units, units),
            Accum::Replace,
            MatRef::from_row_major_slice(fields, units, used),
            MatRef::from_row_major_slice(x, units, used).transpose(),
            1.0,
            Par::Seq,
        );
        for (sum, product) in rests_with.iter_mut().zip(&products) {
            *sum += f64::from(*product);
        }
    }
    let each = 1.0 / (times * CHAINS) as f64;
    let over = |sums: Vec<f64>| sums.into_iter().map(|sum| sum * each).collect();
    Means {
        together: counts.iter().map(|&count| count as f64 * each).collect(),
        rests: over(rests),
        rests_with: over(rests_with),
        spreads: over(spreads),
    }
}

/// The states of some times, from the first on, as numbers: a line per unit.
fn unpack(words: &[u64], times: usize, first: usize, states: &mut [f32]) {
    let units = words.len() / times;
    let used = states.len() / units;
    for (line, words) in states.chunks_exact_mut(used).zip(words.chunks_exact(times)) {
        for (of_time, word) in line.chunks_exact_mut(CHAINS).zip(&words[first..]) {
            for (chain, state) in of_time.iter_mut().enumerate() {
                *state = (word >> chain & 1) as f32;
            }
        }
    }
}

/// Replaces every probability P by x − P; the sums of these and of P (1 − P).
fn rests_of(probabilities: &mut [f32], states: &[f32]) -> (f64, f64) {
    let (mut rest, mut spread) = ([0.0f32; 16], [0.0f32; 16]);
    let lines = probabilities.as_chunks_mut::<16>().0.iter_mut();
    for (line, states) in lines.zip(states.as_chunks::<16>().0) {
        for lane in 0..16 {
            let p = line[lane];
            line[lane] = states[lane] - p;
            rest[lane] += line[lane];
            spread[lane] += p * (1.0 - p);
        }
    }
    let sum = |lanes: [f32; 16]| lanes.into_iter().map(f64::from).sum();
    (sum(rest), sum(spread))
}
