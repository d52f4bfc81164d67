//! Covariances of the features over recorded states, by counting ones: a feature is one bit per chain and time.

use super::lanes::Lanes;
use super::record::Records;
use crate::inference::kernels::{CHAINS, add_shared_ones};
use rayon::prelude::*;

/// Features are taken in tiles of this many, and words in runs of this many: both fit the second cache.
const TILE: usize = 64;
const RUN: usize = 256;

/// Cov[f_a, f_b] of features over some recorded states.
#[derive(Clone, Debug)]
pub struct SampledCovariances {
    /// Entry a · features + b for b ≤ a; zero above.
    pub lower: Vec<f64>,
    /// How many states it rests on.
    pub samples: usize,
}

impl Records {
    /// Covariances of the features of these sets over about `wanted` of the recorded states, evenly spaced in time.
    pub(crate) fn covariances(&self, sets: &[Box<[u32]>], wanted: usize) -> SampledCovariances {
        let apart = (self.samples() / wanted.max(1)).clamp(1, self.times());
        let times: Vec<usize> = (0..self.times()).step_by(apart).collect();
        let places: Vec<(usize, usize)> = (0..self.group_count())
            .flat_map(|group| times.iter().map(move |&time| (group, time)))
            .collect();
        let samples = places.len() * 64;
        let runs: Vec<Run> = places
            .par_chunks(RUN)
            .map(|places| Run::new(self, sets, places))
            .collect();
        let ones: Vec<f64> = (0..sets.len())
            .into_par_iter()
            .map(|set| runs.iter().map(|run| run.ones(set)).sum())
            .collect();
        let features = sets.len();
        let mut lower = vec![0.0; features * features];
        let count = samples as f64;
        lower
            .par_chunks_mut((TILE * features).max(1))
            .enumerate()
            .for_each(|(tile, rows)| {
                let first = tile * TILE;
                let last = (first + TILE).min(features);
                let mut counts = vec![0u64; TILE * TILE];
                for second in (0..last).step_by(TILE) {
                    let end = (second + TILE).min(features);
                    let (high, wide) = (last - first, end - second);
                    counts[..high * wide].fill(0);
                    for run in &runs {
                        let (bits, width) = (&run.bits, run.width);
                        add_shared_ones(bits, width, first..last, second..end, &mut counts);
                    }
                    for a in 0..high {
                        let to = end.min(first + a + 1);
                        for b in second..to {
                            let both = counts[a * wide + b - second] as f64;
                            rows[a * features + b] =
                                both / count - ones[first + a] / count * (ones[b] / count);
                        }
                    }
                }
            });
        SampledCovariances { lower, samples }
    }

    /// The variance of Σ v_k f_k over all recorded states, and its standard error from the spread of independent chains.
    pub(crate) fn variance_along(&self, sets: &[Box<[u32]>], v: &[f64]) -> (f64, f64) {
        let moved: Vec<(&[u32], f64)> = sets
            .iter()
            .zip(v)
            .filter(|(_, by)| **by != 0.0)
            .map(|(set, by)| (&set[..], *by))
            .collect();
        // Per group, 64 chains after each other at every time.
        let values: Vec<Vec<Lanes>> = (0..self.group_count())
            .into_par_iter()
            .map(|group| {
                let at = |time| {
                    let mut sums = [0.0; CHAINS];
                    for &(set, by) in &moved {
                        let word = self.word(group, set, time);
                        for (chain, sum) in sums.iter_mut().enumerate() {
                            *sum += by * (word >> chain & 1) as f64;
                        }
                    }
                    sums
                };
                (0..self.times()).map(at).collect()
            })
            .collect();
        let count = self.samples() as f64;
        let mean = values.iter().flatten().flatten().sum::<f64>() / count;
        let of_chains: Vec<f64> = values
            .iter()
            .flat_map(|group| {
                let of_chain = |chain: usize| {
                    let squares = group.iter().map(|sums| (sums[chain] - mean).powi(2));
                    squares.sum::<f64>() / self.times() as f64
                };
                (0..CHAINS).map(of_chain)
            })
            .collect();
        let chains = of_chains.len() as f64;
        let variance = of_chains.iter().sum::<f64>() / chains;
        let spread: f64 = of_chains.iter().map(|own| (own - variance).powi(2)).sum();
        (variance, (spread / (chains - 1.0) / chains).sqrt())
    }
}

/// The bits of all features at some places.
struct Run {
    width: usize,
    /// One row per feature.
    bits: Vec<u64>,
}

impl Run {
    fn new(records: &Records, sets: &[Box<[u32]>], places: &[(usize, usize)]) -> Self {
        let words = sets.iter().flat_map(|set| {
            let words = places.iter();
            words.map(move |&(group, time)| records.word(group, set, time))
        });
        Run {
            width: places.len(),
            bits: words.collect(),
        }
    }

    fn ones(&self, feature: usize) -> f64 {
        let row = &self.bits[feature * self.width..(feature + 1) * self.width];
        row.iter().map(|word| f64::from(word.count_ones())).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use rand::Rng;

    #[test]
    fn covariances_are_those_of_the_recorded_states() {
        let (units, groups, times) = (9, 2, 48);
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
            for b in 0..a {
                sets.push([a, b].into());
                sets.extend((0..b).map(|c| [a, b, c].into()));
            }
        }
        assert!(sets.len() > 2 * TILE);
        let found = records.covariances(&sets, groups * 64 * times);
        assert_eq!(found.samples, groups * 64 * times);
        let of = |set: &[u32]| -> Vec<f64> {
            let places = (0..groups).flat_map(|group| (0..times).map(move |time| (group, time)));
            let words = places.map(|(group, time)| records.word(group, set, time));
            words
                .flat_map(|word| (0..64).map(move |chain| (word >> chain & 1) as f64))
                .collect()
        };
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        for (a, b) in [(0, 0), (70, 3), (128, 127), (128, 64), (64, 63)] {
            let (x, y) = (of(&sets[a]), of(&sets[b]));
            let both: Vec<f64> = x.iter().zip(&y).map(|(x, y)| x * y).collect();
            let literal = mean(&both) - mean(&x) * mean(&y);
            assert!((found.lower[a * sets.len() + b] - literal).abs() < 1e-12);
        }
        // Along a direction: vᵀ Cov v.
        let v: Vec<f64> = (0..sets.len()).map(|at| (at as f64).sin()).collect();
        let mut literal = 0.0;
        for a in 0..sets.len() {
            for b in 0..sets.len() {
                literal += v[a] * v[b] * found.lower[a.max(b) * sets.len() + a.min(b)];
            }
        }
        let (along, error) = records.variance_along(&sets, &v);
        assert!((along / literal - 1.0).abs() < 1e-9, "{along} {literal}");
        let independent = along * (2.0 / found.samples as f64).sqrt();
        assert!((0.5..2.0).contains(&(error / independent)), "{error}");
        // Half of the states: every other time.
        assert_eq!(
            records.covariances(&sets, groups * 32 * times).samples,
            groups * 32 * times
        );
    }
}
