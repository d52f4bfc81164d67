//! Products with Cov f over recorded states of a pairwise machine, without the matrix: what machines of very many terms have.
//!
//! Features are taken about their means, g_i = x_i − μ_i and g_ij = (x_i − μ_i)(x_j − μ_j), whose covariances are nearly
//! diagonal where units are coupled weakly. A direction v has the value s = v · g in every state, xᵀVx in matrices, and
//! Cov g v is the covariance of g with s: two products of matrices. There are fewer states than terms, so the sampled
//! covariances are shrunk, as far as their own noise asks for (Ledoit and Wolf 2004): towards those that normal numbers
//! with the units' covariances C would have, Cov(g_ij, g_kl) = C_ik C_jl + C_il C_jk (Isserlis 1918), or normal numbers of
//! several kinds where hidden units divide the states. Towards their diagonal alone they would be too small along what many
//! units do together, and steps there too long.

mod gathered;
mod normals;
mod shrinkage;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use normals::Normals;
use rayon::prelude::*;

/// States are taken in runs of this many, whatever the number of threads.
const RUN: usize = 512;
/// Variances below this are those of features that are as good as constant.
const LEAST_VARIANCE: f64 = 1e-6;

/// Where a term stands: one unit, or two.
type Place = (u32, Option<u32>);

/// Cov g of the features about their means, shrunk towards that of normal numbers.
#[derive(Clone, Debug)]
pub(crate) struct StateProducts {
    units: usize,
    places: Vec<Place>,
    means: Vec<f64>,
    /// Runs of states, each units × states, x − μ.
    runs: Vec<Vec<f32>>,
    states: usize,
    /// Var g per term.
    variances: Vec<f64>,
    /// Normal numbers like them.
    normals: Normals,
    /// What Var g is more than that of normal numbers, per term.
    excess: Vec<f64>,
    /// How far covariances are shrunk.
    shrinkage: f64,
}

impl StateProducts {
    /// How many states it rests on.
    pub(crate) fn states(&self) -> usize {
        self.states
    }

    /// Var g per term.
    pub(crate) fn diagonal(&self) -> &[f64] {
        &self.variances
    }

    /// Weights of the features about their means, from those of the features themselves: κ_i = λ_i + Σ_j λ_ij μ_j.
    pub(crate) fn centred(&self, weights: &[f64]) -> Vec<f64> {
        self.moved(weights, 1.0)
    }

    /// The way back.
    pub(crate) fn uncentred(&self, weights: &[f64]) -> Vec<f64> {
        self.moved(weights, -1.0)
    }

    fn moved(&self, weights: &[f64], sign: f64) -> Vec<f64> {
        let mut shift = vec![0.0; self.units];
        for (&(a, b), weight) in self.places.iter().zip(weights) {
            if let Some(b) = b {
                shift[a as usize] += sign * weight * self.means[b as usize];
                shift[b as usize] += sign * weight * self.means[a as usize];
            }
        }
        let mut moved = weights.to_vec();
        for (&(a, b), weight) in self.places.iter().zip(&mut moved) {
            if b.is_none() {
                *weight += shift[a as usize];
            }
        }
        moved
    }

    /// A gradient by the centred weights from that by the weights themselves: a pair's is g_ij − μ_i g_j − μ_j g_i.
    pub(crate) fn centred_gradient(&self, gradient: &[f64]) -> Vec<f64> {
        self.moved_gradient(gradient, -1.0)
    }

    /// The way back.
    pub(crate) fn uncentred_gradient(&self, gradient: &[f64]) -> Vec<f64> {
        self.moved_gradient(gradient, 1.0)
    }

    fn moved_gradient(&self, gradient: &[f64], sign: f64) -> Vec<f64> {
        let mut of_unit = vec![0.0; self.units];
        for (&(a, b), slope) in self.places.iter().zip(gradient) {
            if b.is_none() {
                of_unit[a as usize] = *slope;
            }
        }
        let moved = self.places.iter().zip(gradient).map(|(&(a, b), slope)| {
            let Some(b) = b else {
                return *slope;
            };
            let (a, b) = (a as usize, b as usize);
            slope + sign * (self.means[a] * of_unit[b] + self.means[b] * of_unit[a])
        });
        moved.collect()
    }

    /// Cov f v over the states, of the features themselves and not shrunk.
    pub(crate) fn covariances_with(&self, v: &[f64]) -> Vec<f64> {
        self.uncentred_gradient(&self.sampled_times(&self.centred(v)))
    }

    /// The same, not shrunk at all: what tests compare with matrices.
    #[cfg(test)]
    pub(crate) fn unshrunk(self) -> Self {
        StateProducts {
            shrinkage: 0.0,
            ..self
        }
    }

    /// From so few of the states alone.
    #[cfg(test)]
    pub(crate) fn of_few(mut self, states: usize) -> Self {
        self.runs.truncate(states / RUN);
        self.states = self.runs.len() * RUN;
        self
    }

    /// Cov g v, shrunk: ρ times that of normal numbers + (1 − ρ) times what the states say.
    pub(crate) fn times(&self, v: &[f64]) -> Vec<f64> {
        let mut product = self.sampled_times(v);
        for (entry, normal) in product.iter_mut().zip(self.normal_times(v)) {
            *entry = (1.0 - self.shrinkage) * *entry + self.shrinkage * normal;
        }
        product
    }

    /// What Cov g v would be of normal numbers; but no feature varies less than it does.
    fn normal_times(&self, v: &[f64]) -> Vec<f64> {
        let units = self.units;
        let (mut single, mut pairs) = (vec![0.0; units], vec![0.0; units * units]);
        for (&(a, b), &weight) in self.places.iter().zip(v) {
            let a = a as usize;
            match b {
                None => single[a] = weight,
                Some(b) => {
                    pairs[a * units + b as usize] = weight;
                    pairs[b as usize * units + a] = weight;
                }
            }
        }
        let mut product = self.read(&self.normals.moments(&single, &pairs));
        for ((entry, excess), v) in product.iter_mut().zip(&self.excess).zip(v) {
            *entry += excess * v;
        }
        product
    }

    /// Cov g v over the states.
    fn sampled_times(&self, v: &[f64]) -> Vec<f64> {
        self.read(&self.weighted_moments(&self.values(v)))
    }

    /// The variance of Σ v f over the states, of the features themselves and not shrunk.
    pub(crate) fn variance_along(&self, v: &[f64]) -> f64 {
        let values = self.values(&self.centred(v));
        values
            .iter()
            .flatten()
            .map(|value| value * value)
            .sum::<f64>()
            / self.states as f64
    }

    /// v · g of every state, about its mean.
    fn values(&self, v: &[f64]) -> Vec<Vec<f64>> {
        let units = self.units;
        let (mut single, mut pairs) = (vec![0.0f32; units], vec![0.0f32; units * units]);
        for (&(a, b), &weight) in self.places.iter().zip(v) {
            match b {
                None => single[a as usize] = weight as f32,
                Some(b) => {
                    let (a, b) = (a as usize, b as usize);
                    pairs[a * units + b] = weight as f32;
                    pairs[b * units + a] = weight as f32;
                }
            }
        }
        let mut values: Vec<Vec<f64>> = self
            .runs
            .par_iter()
            .map(|run| {
                let states = run.len() / units;
                let mut fields = vec![0.0f32; run.len()];
                multiply(&mut fields, &pairs, run, (units, units, states));
                let lines = run.chunks_exact(units).zip(fields.chunks_exact(units));
                lines
                    .map(|(x, field)| {
                        let terms = x.iter().zip(field).zip(&single);
                        terms.map(|((x, f), s)| f64::from(x * (0.5 * f + s))).sum()
                    })
                    .collect()
            })
            .collect();
        let mean = values.iter().flatten().sum::<f64>() / self.states as f64;
        values.iter_mut().flatten().for_each(|value| *value -= mean);
        values
    }

    /// Σ s x and Σ s x xᵀ over all states, over their number: the first `units` entries, then the matrix.
    fn weighted_moments(&self, values: &[Vec<f64>]) -> Vec<f64> {
        let units = self.units;
        let runs: Vec<Vec<f32>> = self
            .runs
            .par_iter()
            .zip(values)
            .map(|(run, values)| {
                let states = run.len() / units;
                let mut weighted = run.clone();
                let mut single = vec![0.0f32; units];
                for (line, &value) in weighted.chunks_exact_mut(units).zip(values) {
                    for (x, sum) in line.iter_mut().zip(&mut single) {
                        *x *= value as f32;
                        *sum += *x;
                    }
                }
                let mut both = single;
                both.resize(units + units * units, 0.0);
                multiply_transposed(&mut both[units..], &weighted, run, (units, states));
                both
            })
            .collect();
        let mut sum = vec![0.0; units + units * units];
        for run in runs {
            for (sum, part) in sum.iter_mut().zip(run) {
                *sum += f64::from(part);
            }
        }
        sum.iter_mut().for_each(|sum| *sum /= self.states as f64);
        sum
    }

    /// The entries of moments that are terms.
    fn read(&self, moments: &[f64]) -> Vec<f64> {
        let units = self.units;
        let entry = |&(a, b): &Place| match b {
            None => moments[a as usize],
            Some(b) => moments[units + a as usize * units + b as usize],
        };
        self.places.iter().map(entry).collect()
    }

    /// Var g: E g² − (E g)², and g² of a pair is a product of squares; and C.
    fn variances_and_those_of_units(&self) -> (Vec<f64>, Vec<f64>) {
        let ones: Vec<Vec<f64>> = self
            .runs
            .iter()
            .map(|run| vec![1.0; run.len() / self.units])
            .collect();
        let mut moments = self.weighted_moments(&ones);
        let means = self.read(&moments);
        let of_units = moments.split_off(self.units);
        let runs = self.runs.par_iter();
        let squared = StateProducts {
            runs: runs
                .map(|run| run.iter().map(|x| x * x).collect())
                .collect(),
            ..self.clone()
        };
        let squares = squared.read(&squared.weighted_moments(&ones));
        let variances = squares
            .iter()
            .zip(&means)
            .map(|(square, mean)| square - mean * mean);
        let variances = variances.map(|variance| variance.max(LEAST_VARIANCE));
        (variances.collect(), of_units)
    }
}

/// A symmetric matrix, or one whose halves do not matter.
fn square(entries: &[f64], units: usize) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(entries, units, units)
}

/// Fields of every state: lines of `states` · `pairs`, all row-major; (inner, width, states).
fn multiply(
    out: &mut [f32],
    pairs: &[f32],
    lines: &[f32],
    (inner, width, states): (usize, usize, usize),
) {
    matmul(
        MatMut::from_row_major_slice_mut(out, states, width),
        Accum::Replace,
        MatRef::from_row_major_slice(lines, states, inner),
        MatRef::from_row_major_slice(pairs, inner, width),
        1.0,
        Par::Seq,
    );
}

/// aᵀ b of lines of states, units × units.
fn multiply_transposed(out: &mut [f32], a: &[f32], b: &[f32], (units, states): (usize, usize)) {
    matmul(
        MatMut::from_row_major_slice_mut(out, units, units),
        Accum::Replace,
        MatRef::from_row_major_slice(a, states, units).transpose(),
        MatRef::from_row_major_slice(b, states, units),
        1.0,
        Par::Seq,
    );
}

#[cfg(test)]
mod tests {
    use super::super::record::Records;
    use super::gathered::Taken;
    use crate::inference::markov_chains::Chains;
    use crate::network::{Clamp, Network};
    use crate::random::{Purpose, stream};
    use rand::{Rng, RngExt};

    #[test]
    fn products_are_those_with_the_covariances_of_the_recorded_states() {
        let (units, groups, times) = (7, 2, 32);
        let mut records = Records::new(units, groups, times);
        let mut random = stream(3, Purpose::Chains, 0);
        for (words, _) in records.groups_mut() {
            for word in words.iter_mut() {
                *word = random.next_u64() | random.next_u64();
            }
        }
        let mut sets: Vec<Box<[u32]>> = Vec::new();
        for a in 0..units as u32 {
            sets.push([a].into());
            sets.extend((0..a).map(|b| Box::from([a, b])));
        }
        let products = records
            .products_of((units, &sets), &[], None, 0, Taken::First)
            .unwrap();
        assert_eq!(products.states(), groups * 64 * times);
        assert!(products.shrinkage > 0.0 && products.shrinkage <= 1.0);
        let products = products.unshrunk();
        let whole = records.covariances(&sets, groups * 64 * times);
        let v: Vec<f64> = sets.iter().map(|_| random.random::<f64>() - 0.5).collect();
        // Cov f v = Mᵀ Cov g M v, M what centring makes of weights.
        let centred = products.centred(&v);
        for (a, b) in products.uncentred(&centred).iter().zip(&v) {
            assert!((a - b).abs() < 1e-12);
        }
        let product = products.uncentred_gradient(&products.times(&centred));
        let back = products.uncentred_gradient(&products.centred_gradient(&product));
        let terms = sets.len();
        for a in 0..terms {
            let entry = |b: usize| whole.lower[a.max(b) * terms + a.min(b)];
            let literal: f64 = (0..terms).map(|b| entry(b) * v[b]).sum();
            assert!(
                (product[a] - literal).abs() < 1e-5,
                "{} {literal}",
                product[a]
            );
            assert!((back[a] - product[a]).abs() < 1e-12);
        }
        let along: f64 = product.iter().zip(&v).map(|(p, v)| p * v).sum();
        assert!((products.variance_along(&v) - along).abs() < 1e-4);
        // Those of normal numbers, with their own diagonals.
        let normal = products.normal_times(&v);
        let c = |a: u32, b: u32| {
            let mut unit = vec![0.0; units];
            unit[b as usize] = 1.0;
            products.normals.moments(&unit, &vec![0.0; units * units])[a as usize]
        };
        for (a, set) in sets.iter().enumerate() {
            let entry = |of: &[u32]| match (&set[..], of) {
                (&[i], &[k]) => c(i, k),
                (&[i, j], &[k, l]) => c(i, k) * c(j, l) + c(i, l) * c(j, k),
                _ => 0.0,
            };
            let literal: f64 = (0..terms).map(|b| entry(&sets[b]) * v[b]).sum();
            let own = products.diagonal()[a].max(entry(set));
            let literal = literal + (own - entry(set)) * v[a];
            assert!((normal[a] - literal).abs() < 1e-6);
        }
        for (at, variance) in products.diagonal().iter().enumerate() {
            let mut unit = vec![0.0; terms];
            unit[at] = 1.0;
            assert!((products.times(&unit)[at] - variance).abs() < 1e-5);
        }
    }

    #[test]
    fn other_states_are_none_of_those_that_were_taken() {
        let (units, groups, times) = (3, 2, 64);
        let mut records = Records::new(units, groups, times);
        // Units are on at even times alone, or at the time that is midway.
        for (words, _) in records.groups_mut() {
            for (at, word) in words.iter_mut().enumerate() {
                *word = if at % times % 2 == 0 { u64::MAX } else { 0 };
            }
        }
        let sets: Vec<Box<[u32]>> = vec![[0].into(), [0, 1].into()];
        let mean = |taken| {
            let found = records.products_of((units, &sets), &[], None, 0, taken);
            found.map(|products| products.means[0])
        };
        // All 8,192 states are taken: there are no others.
        assert_eq!(mean(Taken::First), Some(0.5));
        assert_eq!(mean(Taken::Between), None);
    }

    #[test]
    fn independent_units_have_covariances_that_are_all_noise() {
        let (units, groups, times) = (40, 16, 16);
        let mut records = Records::new(units, groups, times);
        let mut random = stream(4, Purpose::Chains, 0);
        for (words, _) in records.groups_mut() {
            words.iter_mut().for_each(|word| *word = random.next_u64());
        }
        let mut sets: Vec<Box<[u32]>> = Vec::new();
        for a in 0..units as u32 {
            sets.push([a].into());
            sets.extend((0..a).map(|b| Box::from([a, b])));
        }
        let products = records
            .products_of((units, &sets), &[], None, 0, Taken::First)
            .unwrap();
        assert!(products.shrinkage > 0.8, "{}", products.shrinkage);
    }

    #[test]
    fn marginal_products_are_those_of_expectations_given_the_visible_units() {
        let structure = Network::full(5, 1);
        let terms = structure.terms();
        let weights: Vec<f64> = (0..terms.len())
            .map(|at| ((3 * at + 1) as f64).sin())
            .collect();
        let network = structure.with_weights(weights).unwrap();
        let weight = |state: usize| network.exponent(|unit| state >> unit & 1 == 1).exp();
        let whole: f64 = (0..64).map(weight).sum();
        // E[f | x] of every visible state, and its probability.
        let of_row = |row: usize| -> (f64, Vec<f64>) {
            let (off, on) = (weight(row), weight(row | 32));
            let feature = |state: usize, term: usize| {
                let units = terms[term].units().iter();
                f64::from(u8::from(units.clone().all(|unit| state >> unit & 1 == 1)))
            };
            let mean = |t: usize| (off * feature(row, t) + on * feature(row | 32, t)) / (off + on);
            ((off + on) / whole, (0..terms.len()).map(mean).collect())
        };
        let rows: Vec<(f64, Vec<f64>)> = (0..32).map(of_row).collect();
        let v: Vec<f64> = (0..terms.len()).map(|at| (at as f64).cos()).collect();
        let along = |f: &[f64]| f.iter().zip(&v).map(|(f, v)| f * v).sum::<f64>();
        let mean: f64 = rows.iter().map(|(p, f)| p * along(f)).sum();
        let literal: Vec<f64> = (0..terms.len())
            .map(|t| rows.iter().map(|(p, f)| p * f[t] * (along(f) - mean)).sum())
            .collect();
        let mut chains = Chains::new(&network, &Clamp::none(6), 1024, 7).unwrap();
        chains.sweep(100);
        let records = chains.record(64, 8);
        let products = records.marginal_products(&chains.machine, &[5], 1 << 16);
        let products = products.unwrap().unshrunk();
        assert_eq!(products.states(), 1 << 16);
        let found = products.uncentred_gradient(&products.times(&products.centred(&v)));
        // Products of numbers of size one, each with an error of about 1/√65,536.
        for (found, literal) in found.iter().zip(&literal) {
            assert!((found - literal).abs() < 0.02, "{found} {literal}");
        }
    }
}
