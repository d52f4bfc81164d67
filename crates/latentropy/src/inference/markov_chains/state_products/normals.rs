//! What Cov g would be of normal numbers, towards which sampled covariances are shrunk.
//!
//! Hidden units that columns follow divide the states into kinds, whose columns lie elsewhere: units are then taken to be normal
//! within each kind, with the same covariances C about its own place δ. Of one normal distribution for all kinds the variance of
//! what many units do together would be far too large, and steps along it far too short.

use super::{LEAST_VARIANCE, Place, StateProducts, square};
use crate::inference::kernels::dot;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, Par};

/// So many hidden units tell kinds apart, at most …
const MOST_TELLING: usize = 4;
/// … each of which explains about as much as a whole unit, as a sum of squared correlations …
const LEAST_TOLD: f64 = 1.0;
/// … and a kind has so many states; those of rarer kinds are one kind.
const LEAST_STATES: usize = 256;

/// Normal numbers of one or several kinds.
#[derive(Clone, Debug, Default)]
pub(super) struct Normals {
    units: usize,
    /// C, units × units: covariances within kinds.
    within: Vec<f64>,
    kinds: Vec<Kind>,
}

/// States of one kind.
#[derive(Clone, Debug)]
struct Kind {
    share: f64,
    /// δ: the mean of these states less that of all.
    offset: Vec<f64>,
}

impl Normals {
    /// From states, what kind each of them is, and the covariances of all.
    pub(super) fn new(products: &StateProducts, kind_of: &[u8], of_all: Vec<f64>) -> Self {
        let units = products.units;
        let count = kind_of
            .iter()
            .max()
            .map_or(1, |&kind| usize::from(kind) + 1);
        let mut sums = vec![(0usize, vec![0.0f64; units]); count];
        let states = products.runs.iter().flat_map(|run| run.chunks_exact(units));
        for (state, &kind) in states.zip(kind_of) {
            let (number, sum) = &mut sums[usize::from(kind)];
            *number += 1;
            sum.iter_mut()
                .zip(state)
                .for_each(|(sum, x)| *sum += f64::from(*x));
        }
        let all = products.states as f64;
        let kinds: Vec<Kind> = sums
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, sum)| Kind {
                share: number as f64 / all,
                offset: sum.into_iter().map(|sum| sum / number as f64).collect(),
            })
            .collect();
        let mut within = of_all;
        for kind in &kinds {
            for (line, a) in within.chunks_exact_mut(units).zip(&kind.offset) {
                let by = kind.share * a;
                line.iter_mut()
                    .zip(&kind.offset)
                    .for_each(|(entry, b)| *entry -= by * b);
            }
        }
        Normals {
            units,
            within,
            kinds,
        }
    }

    /// States less the mean of their kind, units in their own deviations within kinds.
    pub(super) fn standardised(&self, state: &[f32], kind: u8) -> impl Iterator<Item = f32> {
        let offset = &self.kinds[usize::from(kind)].offset;
        let own = self.within.iter().step_by(self.units + 1);
        let units = state.iter().zip(offset).zip(own);
        units.map(|((x, offset), variance)| {
            (f64::from(*x) - offset) as f32 / variance.max(LEAST_VARIANCE).sqrt() as f32
        })
    }

    /// Var g of a term.
    pub(super) fn variance(&self, &(a, b): &Place) -> f64 {
        let c = |a: u32, b: u32| self.within[a as usize * self.units + b as usize];
        let offset = |kind: &Kind, at: u32| kind.offset[at as usize];
        let Some(b) = b else {
            let between = self
                .kinds
                .iter()
                .map(|kind| kind.share * offset(kind, a).powi(2));
            return c(a, a) + between.sum::<f64>();
        };
        let (mut mean, mut square, mut crossed) = (0.0, 0.0, 0.0);
        for kind in &self.kinds {
            let (of_a, of_b) = (offset(kind, a), offset(kind, b));
            mean += kind.share * of_a * of_b;
            square += kind.share * (of_a * of_b).powi(2);
            crossed += kind.share
                * (of_a * of_a * c(b, b) + of_b * of_b * c(a, a) + 2.0 * of_a * of_b * c(a, b));
        }
        c(a, a) * c(b, b) + c(a, b).powi(2) + crossed + (square - mean * mean).max(0.0)
    }

    /// Covariances of all units, and of all products of two, with v · x + ½ xᵀVx: the first `units` entries, then the matrix.
    pub(super) fn moments(&self, single: &[f64], pairs: &[f64]) -> Vec<f64> {
        let units = self.units;
        let mut moments = vec![0.0; units + units * units];
        let (of_units, of_pairs) = moments.split_at_mut(units);
        let within = square(&self.within, units);
        let mut half = vec![0.0; units * units];
        let half_of = MatMut::from_column_major_slice_mut(&mut half, units, units);
        matmul(
            half_of,
            Accum::Replace,
            within,
            square(pairs, units),
            1.0,
            Par::Seq,
        );
        let whole = MatMut::from_column_major_slice_mut(of_pairs, units, units);
        matmul(
            whole,
            Accum::Replace,
            square(&half, units),
            within,
            1.0,
            Par::Seq,
        );
        let times = |matrix: &[f64], v: &[f64]| -> Vec<f64> {
            matrix
                .chunks_exact(units)
                .map(|line| dot(line, v))
                .collect()
        };
        of_units.copy_from_slice(&times(&self.within, single));
        let fields: Vec<Vec<f64>> = self
            .kinds
            .iter()
            .map(|kind| times(pairs, &kind.offset))
            .collect();
        // E[v · x + ½ xᵀVx | kind], but for what is the same in all.
        let kinds = self.kinds.iter().zip(&fields);
        let values: Vec<f64> = kinds
            .map(|(kind, field)| dot(single, &kind.offset) + 0.5 * dot(field, &kind.offset))
            .collect();
        let shares = self.kinds.iter().zip(&values);
        let mean: f64 = shares.map(|(kind, value)| kind.share * value).sum();
        for ((kind, field), value) in self.kinds.iter().zip(fields).zip(values) {
            let slope: Vec<f64> = field.iter().zip(single).map(|(f, s)| f + s).collect();
            let pulled = times(&self.within, &slope);
            let (share, value) = (kind.share, value - mean);
            let lines = of_pairs.chunks_exact_mut(units);
            for (a, (line, sum)) in lines.zip(of_units.iter_mut()).enumerate() {
                let own = share * kind.offset[a];
                *sum += own * value;
                // δ (Cw)ᵀ + Cw δᵀ + value · δ δᵀ.
                let (along, beside) = (own, share * pulled[a] + own * value);
                let both = pulled.iter().zip(&kind.offset);
                for (entry, (pulled, offset)) in line.iter_mut().zip(both) {
                    *entry += along * pulled + beside * offset;
                }
            }
        }
        moments
    }
}

/// What kind each state is: by what these hidden units are in it, as far as columns follow them.
pub(super) fn kinds(runs: &[Vec<f32>], units: usize, hidden: &[usize]) -> Vec<u8> {
    let states = || runs.iter().flat_map(|run| run.chunks_exact(units));
    let count = states().count();
    let mut squares = vec![0.0f64; units];
    for state in states() {
        let both = squares.iter_mut().zip(state);
        both.for_each(|(sum, x)| *sum += f64::from(x * x));
    }
    let told = |&hidden: &usize| {
        let mut products = vec![0.0f64; units];
        for state in states() {
            let own = state[hidden];
            let both = products.iter_mut().zip(state);
            both.for_each(|(sum, x)| *sum += f64::from(x * own));
        }
        let least = LEAST_VARIANCE * count as f64;
        let correlations = products
            .iter()
            .zip(&squares)
            .enumerate()
            .map(|(unit, (p, square))| {
                let both = square.max(least) * squares[hidden].max(least);
                if unit == hidden { 0.0 } else { p * p / both }
            });
        correlations.sum::<f64>()
    };
    let mut telling: Vec<(f64, usize)> = hidden.iter().map(|unit| (told(unit), *unit)).collect();
    // What independent units seem to explain.
    let by_chance = units as f64 / count.max(1) as f64;
    telling.retain(|(told, _)| *told >= LEAST_TOLD + by_chance);
    telling.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    telling.truncate(MOST_TELLING);
    let joint = |state: &[f32]| {
        let bits = telling.iter().map(|&(_, unit)| state[unit] > 0.0);
        bits.fold(0usize, |all, bit| 2 * all + usize::from(bit))
    };
    let mut numbers = vec![0usize; 1 << telling.len()];
    states().for_each(|state| numbers[joint(state)] += 1);
    let common = numbers
        .iter()
        .filter(|number| **number >= LEAST_STATES)
        .count();
    let mut next = 0u8;
    let place: Vec<u8> = numbers
        .iter()
        .map(|&number| match number >= LEAST_STATES {
            true => {
                next += 1;
                next - 1
            }
            false => common as u8,
        })
        .collect();
    states().map(|state| place[joint(state)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Covariances of monomials of numbers that are normal about δ, in each kind: of x_i, or of x_i x_j.
    fn literal(normals: &Normals, of: &[usize], with: &[usize]) -> f64 {
        let c = |a: usize, b: usize| normals.within[a * normals.units + b];
        let mean = |kind: &Kind, of: &[usize]| match *of {
            [i] => kind.offset[i],
            [i, j] => c(i, j) + kind.offset[i] * kind.offset[j],
            _ => unreachable!(),
        };
        let kinds = || normals.kinds.iter();
        let over = |of: &[usize]| kinds().map(|kind| kind.share * mean(kind, of)).sum::<f64>();
        let (first, second) = (over(of), over(with));
        let in_kind = |kind: &Kind| {
            let d = &kind.offset;
            let inside = match (of, with) {
                (&[i], &[k]) => c(i, k),
                (&[i], &[k, l]) => d[k] * c(i, l) + d[l] * c(i, k),
                (&[i, j], &[k]) => d[i] * c(j, k) + d[j] * c(i, k),
                (&[i, j], &[k, l]) => {
                    let both = c(i, k) * c(j, l) + c(i, l) * c(j, k);
                    let of_i = d[i] * (d[k] * c(j, l) + d[l] * c(j, k));
                    both + of_i + d[j] * (d[k] * c(i, l) + d[l] * c(i, k))
                }
                _ => unreachable!(),
            };
            inside + (mean(kind, of) - first) * (mean(kind, with) - second)
        };
        kinds().map(|kind| kind.share * in_kind(kind)).sum()
    }

    #[test]
    fn moments_are_the_covariances_of_normal_numbers_of_several_kinds() {
        let units = 5;
        let number = |at: usize| ((7 * at + 3) as f64).sin();
        let root: Vec<f64> = (0..units * units).map(number).collect();
        let entry =
            |a: usize, b: usize| dot(&root[a * units..][..units], &root[b * units..][..units]);
        let within = (0..units * units)
            .map(|at| entry(at / units, at % units))
            .collect();
        let shares = [0.2, 0.5, 0.3];
        let mut kinds: Vec<Kind> = shares
            .iter()
            .enumerate()
            .map(|(kind, &share)| Kind {
                share,
                offset: (0..units).map(|at| number(31 * kind + 2 * at)).collect(),
            })
            .collect();
        for at in 0..units {
            let mean: f64 = kinds.iter().map(|kind| kind.share * kind.offset[at]).sum();
            kinds.iter_mut().for_each(|kind| kind.offset[at] -= mean);
        }
        let normals = Normals {
            units,
            within,
            kinds,
        };
        let mut features: Vec<Vec<usize>> = (0..units).map(|unit| vec![unit]).collect();
        features.extend((0..units).flat_map(|a| (0..a).map(move |b| vec![a, b])));
        let v: Vec<f64> = (0..features.len()).map(|at| number(11 * at + 5)).collect();
        let mut pairs = vec![0.0; units * units];
        for (feature, weight) in features.iter().zip(&v) {
            if let [a, b] = feature[..] {
                pairs[a * units + b] = *weight;
                pairs[b * units + a] = *weight;
            }
        }
        let found = normals.moments(&v[..units], &pairs);
        for feature in &features {
            let with = features.iter().zip(&v);
            let sum: f64 = with
                .map(|(with, v)| v * literal(&normals, feature, with))
                .sum();
            let (at, place) = match feature[..] {
                [a, b] => (units + a * units + b, (a as u32, Some(b as u32))),
                [a] => (a, (a as u32, None)),
                _ => unreachable!(),
            };
            assert!((found[at] - sum).abs() < 1e-9, "{feature:?}");
            let own = literal(&normals, feature, feature);
            assert!((normals.variance(&place) - own).abs() < 1e-9, "{feature:?}");
        }
    }

    #[test]
    fn hidden_units_that_columns_follow_tell_kinds_of_states_apart() {
        // Unit 0 is on in every third state, units 2 to 5 follow it, unit 1 and the others follow nothing.
        let units = 8;
        let state = |at: usize| -> Vec<f32> {
            (0..units)
                .map(|unit| match unit {
                    0 | 2..=5 => {
                        if at.is_multiple_of(3) {
                            2.0 / 3.0
                        } else {
                            -1.0 / 3.0
                        }
                    }
                    _ => {
                        if (at >> unit).is_multiple_of(2) {
                            0.5
                        } else {
                            -0.5
                        }
                    }
                })
                .collect()
        };
        let runs = vec![(0..3 * 1024).flat_map(state).collect::<Vec<f32>>()];
        let found = kinds(&runs, units, &[0, 1]);
        for (at, kind) in found.iter().enumerate() {
            assert_eq!(*kind, u8::from(at % 3 == 0));
        }
        assert!(kinds(&runs, units, &[1]).iter().all(|kind| *kind == 0));
        // Of 700 states a third is too few for a kind of its own, and becomes the one of the rare.
        let few = vec![(0..700).flat_map(state).collect::<Vec<f32>>()];
        let found = kinds(&few, units, &[0, 1]);
        assert_eq!(found.iter().filter(|kind| **kind == 1).count(), 234);
    }
}
