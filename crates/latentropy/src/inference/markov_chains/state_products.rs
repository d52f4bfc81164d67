//! Products with Cov f over recorded states of a pairwise machine, without the matrix: what machines of very many terms have.
//!
//! Features are taken about their means, g_i = x_i − μ_i and g_ij = (x_i − μ_i)(x_j − μ_j), whose covariances are nearly
//! diagonal where units are coupled weakly. A direction v has the value s = v · g in every state, xᵀVx in matrices, and
//! Cov g v is the covariance of g with s: two products of matrices. There are fewer states than terms, so the sampled
//! covariances are shrunk, as far as their own noise asks for (Ledoit and Wolf 2004): towards those that normal numbers
//! with the units' covariances C would have, Cov(g_ij, g_kl) = C_ik C_jl + C_il C_jk (Isserlis 1918). Towards their
//! diagonal alone they would be too small along what many units do together, and steps there too long.

use super::given_visible::GivenVisible;
use super::machine::Machine;
use super::record::Records;
use crate::inference::kernels::CHAINS;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

/// States are taken in runs of this many, whatever the number of threads.
const RUN: usize = 512;
/// Products take about so many multiplications, by which states are limited …
const WORK: f64 = 3e9;
/// … between these.
const STATES: (usize, usize) = (2048, 16_384);
/// … but for long measurements, beside which they take little time.
const MOST_STATES: usize = 65_536;
/// States whose inner products say how noisy covariances are.
const LOOKED_AT: usize = 512;
/// Chains change slowly: states so far apart are worth about half as many that are independent.
const WORTH: f64 = 0.5;
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
    /// C, units × units.
    of_units: Vec<f64>,
    /// What Var g is more than that of normal numbers, per term.
    excess: Vec<f64>,
    /// How far covariances are shrunk.
    shrinkage: f64,
}

impl Records {
    /// From about so many states, as far as that takes no longer than it is worth; none where some set has more than two units.
    pub(crate) fn products(&self, machine: &Machine, wanted: usize) -> Option<StateProducts> {
        self.products_of(machine.units(), &machine.sets, None, wanted)
    }

    /// The same of E[f | visible units]: these units by their probabilities given the others. It is what rows that show all
    /// others say of the weights (Fisher 1925). A pair of two of them is taken as if they were independent given the others.
    pub(crate) fn marginal_products(
        &self,
        machine: &Machine,
        hidden: &[usize],
        wanted: usize,
    ) -> Option<StateProducts> {
        let given = GivenVisible::new(machine, hidden);
        self.products_of(machine.units(), &machine.sets, Some(&given), wanted)
    }

    fn products_of(
        &self,
        units: usize,
        sets: &[Box<[u32]>],
        given: Option<&GivenVisible>,
        wanted: usize,
    ) -> Option<StateProducts> {
        let places = sets.iter().map(|set| match set[..] {
            [a] => Some((a, None)),
            [a, b] => Some((a, Some(b))),
            _ => None,
        });
        let places = places.collect::<Option<Vec<Place>>>()?;
        let at_least = (WORK / (2 * units * units) as f64) as usize;
        let at_least = at_least.clamp(STATES.0, STATES.1);
        let wanted = wanted.min(MOST_STATES).max(at_least).min(self.samples());
        // Whole words of 64 chains, the times of all groups evenly spaced.
        let words = (wanted / CHAINS).max(1);
        let times = words.div_ceil(self.group_count()).min(self.times());
        let apart = self.times() / times;
        let chosen: Vec<(usize, usize)> = (0..times)
            .flat_map(|time| (0..self.group_count()).map(move |group| (group, time * apart)))
            .collect();
        let states = chosen.len() * CHAINS;
        let mut means: Vec<f64> = (0..units as u32)
            .into_par_iter()
            .map(|unit| {
                let ones = chosen
                    .iter()
                    .map(|&(group, time)| self.word(group, &[unit], time));
                ones.map(|word| f64::from(word.count_ones())).sum::<f64>() / states as f64
            })
            .collect();
        let mut runs: Vec<Vec<f32>> = chosen
            .par_chunks(RUN / CHAINS)
            .map(|chosen| {
                let mut run = Vec::with_capacity(chosen.len() * CHAINS * units);
                for &(group, time) in chosen {
                    for chain in 0..CHAINS {
                        run.extend((0..units).map(|unit| {
                            let on = self.word(group, &[unit as u32], time) >> chain & 1;
                            (on as f64 - means[unit]) as f32
                        }));
                    }
                }
                run
            })
            .collect();
        if let Some(given) = given {
            self.put_probabilities(given, &chosen, &mut runs, &mut means);
        }
        let mut products = StateProducts {
            units,
            places,
            means,
            runs,
            states,
            variances: Vec::new(),
            of_units: Vec::new(),
            excess: Vec::new(),
            shrinkage: 0.0,
        };
        let (variances, of_units) = products.variances_and_those_of_units();
        products.excess = excess(&variances, &of_units, &products.places);
        products.variances = variances;
        products.of_units = of_units;
        products.shrinkage = products.noise();
        Some(products)
    }
}

impl Records {
    /// Takes units by their probabilities given the others, in place of what they were drawn to be.
    fn put_probabilities(
        &self,
        given: &GivenVisible,
        chosen: &[(usize, usize)],
        runs: &mut [Vec<f32>],
        means: &mut [f64],
    ) {
        let units = means.len();
        let by_run: Vec<Vec<f64>> = chosen
            .par_chunks(RUN / CHAINS)
            .map(|chosen| {
                let (mut table, mut found) = (Vec::new(), Vec::new());
                let mut all = Vec::new();
                for &(group, time) in chosen {
                    let words: Vec<u64> = (0..units as u32)
                        .map(|unit| self.word(group, &[unit], time))
                        .collect();
                    for chain in 0..CHAINS {
                        let is_on = |place: u32| words[place as usize] >> chain & 1 == 1;
                        given.probabilities(is_on, &mut table, &mut found);
                        all.extend_from_slice(&found);
                    }
                }
                all
            })
            .collect();
        let count = given.places.len();
        let states = chosen.len() * CHAINS;
        for (at, &place) in given.places.iter().enumerate() {
            let place = place as usize;
            let of_unit = || {
                let runs = by_run.iter();
                runs.flat_map(|run| run.iter().skip(at).step_by(count))
            };
            means[place] = of_unit().sum::<f64>() / states as f64;
            let cells = runs
                .iter_mut()
                .flat_map(|run| run.iter_mut().skip(place).step_by(units));
            for (cell, probability) in cells.zip(of_unit()) {
                *cell = (probability - means[place]) as f32;
            }
        }
    }
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

    /// Cov g v, shrunk: ρ times that of normal numbers + (1 − ρ) times what the states say.
    pub(crate) fn times(&self, v: &[f64]) -> Vec<f64> {
        let mut product = self.sampled_times(v);
        for (entry, normal) in product.iter_mut().zip(self.normal_times(v)) {
            *entry = (1.0 - self.shrinkage) * *entry + self.shrinkage * normal;
        }
        product
    }

    /// What Cov g v would be of normal numbers with the units' covariances: C v of units, C V C of pairs; but no feature
    /// varies less than it does.
    fn normal_times(&self, v: &[f64]) -> Vec<f64> {
        let units = self.units;
        let mut moments = vec![0.0; units + units * units];
        let mut pairs = vec![0.0; units * units];
        for (&(a, b), &weight) in self.places.iter().zip(v) {
            let a = a as usize;
            let Some(b) = b else {
                let line = &self.of_units[a * units..(a + 1) * units];
                let sums = moments[..units].iter_mut().zip(line);
                sums.for_each(|(sum, entry)| *sum += entry * weight);
                continue;
            };
            pairs[a * units + b as usize] = weight;
            pairs[b as usize * units + a] = weight;
        }
        let of_units = square(&self.of_units, units);
        let mut half = vec![0.0; units * units];
        let half_of = MatMut::from_column_major_slice_mut(&mut half, units, units);
        let pairs = square(&pairs, units);
        matmul(half_of, Accum::Replace, of_units, pairs, 1.0, Par::Seq);
        let whole = MatMut::from_column_major_slice_mut(&mut moments[units..], units, units);
        let half = square(&half, units);
        matmul(whole, Accum::Replace, half, of_units, 1.0, Par::Seq);
        let mut product = self.read(&moments);
        for ((entry, excess), v) in product.iter_mut().zip(&self.excess).zip(v) {
            *entry += excess * v;
        }
        product
    }

    /// Cov g v over the states.
    fn sampled_times(&self, v: &[f64]) -> Vec<f64> {
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
        self.read(&self.weighted_moments(&values))
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

    /// How far covariances of standardised features are to be shrunk: the share of noise in what they say beside their
    /// diagonal. ‖C‖² is the mean square of the inner products of independent states, and the noise of C its spread.
    fn noise(&self) -> f64 {
        let units = self.units;
        let looked = LOOKED_AT.min(self.states);
        let apart = self.states / looked;
        let deviations: Vec<f32> = self
            .means
            .iter()
            .map(|mean| (mean * (1.0 - mean)).max(LEAST_VARIANCE).sqrt() as f32)
            .collect();
        let mut lines = Vec::with_capacity(looked * units);
        for state in (0..looked).map(|at| at * apart) {
            let run = &self.runs[state / RUN];
            let line = &run[state % RUN * units..(state % RUN + 1) * units];
            lines.extend(
                line.iter()
                    .zip(&deviations)
                    .map(|(x, deviation)| x / deviation),
            );
        }
        let squares: Vec<f32> = lines.iter().map(|x| x * x).collect();
        let mut inner = vec![0.0f32; looked * looked];
        let mut of_squares = inner.clone();
        gram(&mut inner, &lines, (units, looked));
        gram(&mut of_squares, &squares, (units, looked));
        // Σ_i z z′ + Σ_{i<j} z_i z_j z′_i z′_j.
        let kernel = inner.iter().zip(&of_squares);
        let kernel: Vec<f64> = kernel
            .map(|(one, square)| f64::from(one + 0.5 * (one * one - square)))
            .collect();
        let count = looked as f64;
        let line_means: Vec<f64> = kernel
            .chunks_exact(looked)
            .map(|line| line.iter().sum::<f64>() / count)
            .collect();
        let mean = line_means.iter().sum::<f64>() / count;
        let (mut own, mut others, mut trace) = (0.0, 0.0, 0.0);
        for a in 0..looked {
            for b in 0..looked {
                let value = kernel[a * looked + b] - line_means[a] - line_means[b] + mean;
                match a == b {
                    true => {
                        trace += value / count;
                        own += value * value / count;
                    }
                    false => others += value * value / (count * (count - 1.0)),
                }
            }
        }
        // Without a single covariance ‖C‖² is the number of terms, their variances being one.
        let beside = (others - trace).max(0.0);
        let noise = ((own - others) / (WORTH * self.states as f64)).max(0.0);
        match noise + beside > 0.0 {
            true => noise / (noise + beside),
            false => 1.0,
        }
    }
}

/// What variances are more than those of normal numbers, C_ii C_jj + C_ij² of a pair.
fn excess(variances: &[f64], of_units: &[f64], places: &[Place]) -> Vec<f64> {
    let units = of_units.len().isqrt();
    let normal = |&(a, b): &Place| {
        let entry = |a: u32, b: u32| of_units[a as usize * units + b as usize];
        match b {
            None => entry(a, a),
            Some(b) => entry(a, a) * entry(b, b) + entry(a, b).powi(2),
        }
    };
    let both = variances.iter().zip(places);
    both.map(|(variance, place)| (variance - normal(place)).max(0.0))
        .collect()
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

/// Inner products of lines.
fn gram(out: &mut [f32], lines: &[f32], (units, states): (usize, usize)) {
    let lines = MatRef::from_row_major_slice(lines, states, units);
    matmul(
        MatMut::from_row_major_slice_mut(out, states, states),
        Accum::Replace,
        lines,
        lines.transpose(),
        1.0,
        Par::Seq,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let products = records.products_of(units, &sets, None, 0).unwrap();
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
        // Those of normal numbers, with their own diagonals.
        let normal = products.normal_times(&v);
        let c = |a: u32, b: u32| products.of_units[a as usize * units + b as usize];
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
        let products = records.products_of(units, &sets, None, 0).unwrap();
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
