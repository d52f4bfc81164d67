//! What chains went through, one bit per unit, time and chain, and the statistics of any feature from it.
//!
//! Features are zero or one, so a chain's mean says its variance, and counts of 64 chains can be kept as bit planes:
//! plane k holds bit k of all counts, and sums of squares are population counts of products of planes.

use super::lanes::Lanes;
use crate::inference::kernels::CHAINS;
use multiversion::multiversion;

/// Times come in two halves of eight segments that are counted side by side.
pub(crate) const TIMES_UNIT: usize = 16;
const SEGMENTS: usize = 8;
/// Enough for counts below 2^16.
const PLANES: usize = 17;

/// An expectation from chains, with what it is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean over all chains and times.
    pub value: f64,
    /// Its standard error, from the spread of the means of independent chains.
    pub std_err: f64,
    /// How many independent samples would give this error.
    pub effective_samples: f64,
    /// Split R̂ (Gelman et al., Bayesian Data Analysis, 3rd edition, section 11.4): one where all half-chains agree.
    pub r_hat: f64,
}

/// States of chains at chosen times.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    times: usize,
    /// For each group of 64 chains, entry place · times + time.
    groups: Vec<Vec<u64>>,
    /// For each group, Σ over the times of each half of the exponent.
    exponents: Vec<[Lanes; 2]>,
}

/// Sums over chains of counts and of their squares.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    chains: f64,
    times: f64,
    counts: f64,
    /// The counts of the first half of all groups.
    first_counts: f64,
    /// The share of chains in them.
    first_share: f64,
    /// Σ over half-chains of the square of their counts.
    half_squares: f64,
    /// Σ over chains of the square of their counts.
    squares: f64,
}

type Planes = [u64; PLANES];

impl Records {
    pub(crate) fn new(units: usize, groups: usize, times: usize) -> Self {
        Records {
            times,
            groups: vec![vec![0; units * times]; groups],
            exponents: vec![[[0.0; CHAINS]; 2]; groups],
        }
    }

    /// How many states are kept.
    pub(crate) fn samples(&self) -> usize {
        self.groups.len() * CHAINS * self.times
    }

    /// The places to fill, one per group: words and sums of exponents.
    pub(crate) fn groups_mut(&mut self) -> impl Iterator<Item = (&mut Vec<u64>, &mut [Lanes; 2])> {
        self.groups.iter_mut().zip(&mut self.exponents)
    }

    pub(crate) fn times(&self) -> usize {
        self.times
    }

    /// The word of all chains of a group at a time in which all units of the set are on.
    pub(crate) fn word(&self, group: usize, set: &[u32], time: usize) -> u64 {
        let words = &self.groups[group];
        set.iter().fold(u64::MAX, |all, &place| {
            all & words[place as usize * self.times + time]
        })
    }

    /// Every recorded state, one value per free unit; `order` is the unit at each place.
    pub(crate) fn for_each_state(&self, order: &[usize], take: &mut dyn FnMut(&[bool])) {
        let mut state = vec![false; order.len()];
        for words in &self.groups {
            for time in 0..self.times {
                for chain in 0..CHAINS {
                    for (place, &unit) in order.iter().enumerate() {
                        state[unit] = words[place * self.times + time] >> chain & 1 == 1;
                    }
                    take(&state);
                }
            }
        }
    }

    /// All words of a group, entry place · times + time.
    pub(super) fn words(&self, group: usize) -> &[u64] {
        &self.groups[group]
    }

    pub(crate) fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// Counts and their squares of one feature.
    pub(crate) fn moments(&self, set: &[u32]) -> Moments {
        let mut moments = Moments {
            chains: (self.groups.len() * CHAINS) as f64,
            times: self.times as f64,
            ..Moments::default()
        };
        let first = self.groups.len() / 2;
        moments.first_share = first as f64 / self.groups.len() as f64;
        for (group, words) in self.groups.iter().enumerate() {
            let counted = counted(words, self.times, set);
            moments.counts += counted.counts as f64;
            if group < first {
                moments.first_counts += counted.counts as f64;
            }
            moments.squares += counted.squares as f64;
            moments.half_squares += counted.half_squares as f64;
        }
        moments
    }

    /// Mean and standard error of the exponent Σ λ f.
    pub(crate) fn exponent(&self) -> (f64, f64) {
        let times = self.times as f64;
        let chains = self.exponents.iter().flat_map(|[first, second]| {
            (0..CHAINS).map(move |chain| (first[chain] + second[chain]) / times)
        });
        let count = (self.groups.len() * CHAINS) as f64;
        let mean = chains.clone().sum::<f64>() / count;
        let spread = chains.map(|value| (value - mean).powi(2)).sum::<f64>();
        (mean, (spread / (count - 1.0) / count).sqrt())
    }
}

/// Sums over the 64 chains of a group.
struct Counted {
    counts: u64,
    squares: u64,
    half_squares: u64,
}

/// How often all units of a set are on, in every chain of a group.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+avx512vpopcntdq+avx2+bmi2+popcnt",
    "x86_64+avx2+bmi2+popcnt",
    "aarch64+neon"
))]
fn counted(words: &[u64], times: usize, set: &[u32]) -> Counted {
    let half = times / 2;
    let first = count(words, times, set, 0, half);
    let second = count(words, times, set, half, half);
    let (counts, squares) = sums(&add(&first, &second));
    Counted {
        counts,
        squares,
        half_squares: sums(&first).1 + sums(&second).1,
    }
}

/// Counts over a stretch of times, as planes.
#[inline(always)]
fn count(words: &[u64], times: usize, set: &[u32], start: usize, length: usize) -> Planes {
    let segment = length / SEGMENTS;
    let levels = (usize::BITS - segment.leading_zeros()) as usize;
    let mut planes = [[0u64; SEGMENTS]; PLANES];
    let at = |time: usize| -> [u64; SEGMENTS] {
        let mut all = [u64::MAX; SEGMENTS];
        for &place in set {
            // Interleaved, so that the eight words lie side by side.
            let at = place as usize * times + start + time * SEGMENTS;
            let line = &words[at..at + SEGMENTS];
            for lane in 0..SEGMENTS {
                all[lane] &= line[lane];
            }
        }
        all
    };
    // Two times at once: what they carry together goes through the higher planes once.
    for time in (0..segment).step_by(2) {
        let first = at(time);
        let second = match time + 1 < segment {
            true => at(time + 1),
            false => [0; SEGMENTS],
        };
        let mut carry = [0; SEGMENTS];
        for lane in 0..SEGMENTS {
            let (plane, a, b) = (planes[0][lane], first[lane], second[lane]);
            planes[0][lane] = plane ^ a ^ b;
            carry[lane] = (a & b) | (plane & (a ^ b));
        }
        for plane in &mut planes[1..levels.max(1)] {
            for lane in 0..SEGMENTS {
                let out = plane[lane] & carry[lane];
                plane[lane] ^= carry[lane];
                carry[lane] = out;
            }
        }
    }
    let lane = |lane: usize| -> Planes { std::array::from_fn(|plane| planes[plane][lane]) };
    (1..SEGMENTS).fold(lane(0), |total, at| add(&total, &lane(at)))
}

/// Adds counts, plane by plane.
#[inline(always)]
fn add(a: &Planes, b: &Planes) -> Planes {
    let mut carry = 0;
    std::array::from_fn(|plane| {
        let (x, y) = (a[plane], b[plane]);
        let sum = x ^ y ^ carry;
        carry = (x & y) | (carry & (x ^ y));
        sum
    })
}

/// Σ count and Σ count² over the 64 chains.
#[inline(always)]
fn sums(planes: &Planes) -> (u64, u64) {
    let used = PLANES - planes.iter().rev().take_while(|&&plane| plane == 0).count();
    let (mut total, mut squares) = (0u64, 0u64);
    for k in 0..used {
        let ones = |word: u64| u64::from(word.count_ones());
        total += ones(planes[k]) << k;
        squares += ones(planes[k]) << (2 * k);
        for l in 0..k {
            squares += ones(planes[k] & planes[l]) << (k + l + 1);
        }
    }
    (total, squares)
}

/// Noise alone, as large as that of a mean: by how much this share of what it rests on differs from the rest, so that the mean itself
/// cancels.
pub(super) fn noise_of_halves(share: f64, (first, rest): (f64, f64)) -> f64 {
    (share * (1.0 - share)).sqrt() * (first - rest)
}

impl Moments {
    /// The mean over all chains and times.
    pub(crate) fn mean(&self) -> f64 {
        self.counts / (self.chains * self.times)
    }

    /// Noise alone, as large as that of the mean; nothing where there is one group.
    pub(crate) fn noise(&self) -> f64 {
        let share = self.first_share;
        if share == 0.0 {
            return 0.0;
        }
        let all = self.chains * self.times;
        let first = self.first_counts / (share * all);
        let rest = (self.counts - self.first_counts) / ((1.0 - share) * all);
        noise_of_halves(share, (first, rest))
    }

    /// Variance of the means of independent chains, over their number.
    fn squared_error(&self) -> f64 {
        let spread = self.squares - self.counts * self.counts / self.chains;
        spread.max(0.0) / (self.times * self.times) / (self.chains - 1.0) / self.chains
    }

    /// How many independent samples would give this error; none where the feature never changes.
    pub(crate) fn effective_samples(&self) -> Option<f64> {
        let (mean, error) = (self.mean(), self.squared_error());
        (error > 0.0).then(|| (mean * (1.0 - mean) / error).min(self.chains * self.times))
    }

    /// Split R̂: whether half-chains differ more than their own spread explains.
    pub(crate) fn r_hat(&self) -> f64 {
        let (halves, length) = (2.0 * self.chains, 0.5 * self.times);
        let mean = self.mean();
        // Σ p_h² over the half-chains; within one, the variance of zeros and ones is p(1 − p).
        let squares = self.half_squares / (length * length);
        let within = (halves * mean - squares).max(0.0) / halves * length / (length - 1.0);
        let between = ((squares - halves * mean * mean) / (halves - 1.0)).max(0.0);
        match (within > 0.0, between > 1e-12) {
            (true, _) => (((length - 1.0) / length * within + between) / within).sqrt(),
            (false, true) => f64::INFINITY,
            (false, false) => 1.0,
        }
    }

    /// All of it; `typical` is how many independent samples the chains are worth for other features.
    ///
    /// The error of a feature that was never (or always) seen is not zero: of `typical` samples one more
    /// might have shown it.
    pub(crate) fn estimate(&self, typical: f64) -> Estimate {
        let mean = self.mean();
        let possible = (mean * typical + 1.0) / (typical + 2.0);
        let least = match mean {
            0.0 | 1.0 => possible * (1.0 - possible) / typical,
            _ => 0.0,
        };
        Estimate {
            value: mean,
            std_err: self.squared_error().max(least).sqrt(),
            effective_samples: self.effective_samples().unwrap_or(typical),
            r_hat: self.r_hat(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use rand::Rng;

    #[test]
    fn bit_planes_agree_with_plain_counting() {
        let (units, groups, times) = (3, 2, 96);
        let mut records = Records::new(units, groups, times);
        let mut rng = stream(5, Purpose::Chains, 5);
        for (words, _) in records.groups_mut() {
            for word in words.iter_mut() {
                *word = rng.next_u64() | rng.next_u64();
            }
        }
        for set in [&[0u32][..], &[1, 2], &[0, 1, 2]] {
            let found = records.moments(set);
            let (mut counts, mut squares, mut halves) = (0.0, 0.0, 0.0);
            for group in 0..groups {
                for chain in 0..CHAINS {
                    let half = |range: std::ops::Range<usize>| {
                        let on = |time: &usize| records.word(group, set, *time) >> chain & 1 == 1;
                        range.filter(on).count() as f64
                    };
                    let (a, b) = (half(0..times / 2), half(times / 2..times));
                    counts += a + b;
                    squares += (a + b) * (a + b);
                    halves += a * a + b * b;
                }
            }
            assert_eq!(
                (found.counts, found.squares, found.half_squares),
                (counts, squares, halves)
            );
        }
    }

    #[test]
    fn r_hat_tells_chains_that_agree_from_chains_that_do_not() {
        let times = 64;
        let mut records = Records::new(2, 1, times);
        let mut rng = stream(6, Purpose::Chains, 0);
        for (words, _) in records.groups_mut() {
            for time in 0..times {
                words[time] = rng.next_u64();
                // Half the chains stay on, the others off.
                words[times + time] = 0xffff_ffff;
            }
        }
        assert!(records.moments(&[0]).r_hat() < 1.01);
        assert!(records.moments(&[1]).r_hat().is_infinite());
        let stuck = records.moments(&[1]).estimate(10.0);
        // 64 chains, each of which is one sample.
        assert!((stuck.std_err - 0.5 / 63f64.sqrt()).abs() < 1e-12);
    }
}
