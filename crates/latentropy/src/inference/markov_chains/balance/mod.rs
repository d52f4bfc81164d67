//! Expectations of a pairwise machine by chains, with the noise taken off that its units show themselves.
//!
//! r_i = x_i − P(x_i = 1 | all others) has the expectation zero whatever the weights, and so has r_i x_j for every other unit j;
//! r_i x_i has that of P (1 − P). These are the slopes of the pseudo-likelihood (Besag 1975). What they are in the mean over
//! recorded states is noise, or what chains lag behind their weights, and says by how much the means of x_i and x_i x_j are off.
//! The covariance of r with x is S = diag E[P (1 − P)], exactly, so that r is S C⁻¹ (x − μ) in the best linear approximation,
//! C = Cov x. States whose means are off by t, and whose second moments about μ are off by T, then have
//!
//! ```text
//! E r = S C⁻¹ t        E[r (x − μ)ᵀ] + its transpose − 2 diag P (1 − P) = S C⁻¹ T + T C⁻¹ S
//! ```
//!
//! which the principal directions of S^-½ C S^-½ solve. Both sides have the expectation zero, so that taking t and T off
//! changes no expectation, whatever they are worth: they are control variates (for Gibbs sampling: Dellaportas and
//! Kontoyiannis 2012), and how much of each is taken off is what the spread over independent groups of chains says.

mod sums;

use super::machine::Machine;
use super::record::{Estimate, Records, noise_of_halves};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};
use rayon::prelude::*;
use sums::Means;

/// Fewer groups of chains do not tell what is worth taking off.
const LEAST_GROUPS: usize = 8;
/// The regressions of more units take longer than what they save.
const MOST_UNITS: usize = 600;
/// More than all of it is taken off where that is what the groups say, but not more than this.
const MOST: f64 = 1.5;
/// What a feature's own spread over the groups counts beside that of all features.
const OWN: f64 = 2.0 / 3.0;
/// A unit that hardly ever changes is taken for one of this spread.
const LEAST_SPREAD: f64 = 1e-9;
/// A feature that is on in fewer of the states than this is counted by the probability of its rarer unit (Blackwell 1947): such a
/// pair may be in no recorded state.
const RARE: f64 = 0.01;
/// No feature has less noise than one of this variance that changes with every state.
const LEAST_VARIANCE: f64 = 1e-9;

/// A feature's expectation and its standard error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Balanced {
    pub(super) value: f64,
    pub(super) std_err: f64,
    /// Noise alone, as large as that of the value: by the two halves of the groups.
    pub(super) noise: f64,
}

/// What chains say when their noise is taken off.
pub(super) struct Quiet {
    /// E f of every set.
    pub(super) sets: Vec<Balanced>,
    /// E[Σ λ f].
    pub(super) exponent: Balanced,
}

/// E f where that has less noise than what was counted; none for machines with larger sets than pairs.
pub(super) fn quiet(records: &Records, machine: &Machine, counted: &[Estimate]) -> Option<Quiet> {
    let groups = records.group_count();
    let has_pairs_alone = machine.lists.members.is_empty();
    if groups < LEAST_GROUPS || !has_pairs_alone || !(1..=MOST_UNITS).contains(&machine.units()) {
        return None;
    }
    let weights = sums::dense(machine);
    let means: Vec<Means> = (0..groups)
        .into_par_iter()
        .map(|group| sums::means(records, machine, &weights, group))
        .collect();
    let regression = Regression::new(&Means::of_all(&means), machine.units())?;
    let off: Vec<Off> = means
        .par_iter()
        .map(|means| regression.off(means))
        .collect();
    let of_features: Vec<Vec<(f64, f64)>> = machine
        .sets
        .par_iter()
        .map(|set| {
            let groups = means.iter().zip(&off);
            let values = groups.map(|(means, off)| regression.feature(set, means, off));
            values.collect()
        })
        .collect();
    let found: Vec<Balanced> = of_features.iter().map(|v| without_noise(v)).collect();
    // Fifteen differences tell a variance roughly: it is taken together with what all features have in the mean.
    let shares = found.iter().zip(counted);
    let shares = shares.map(|(found, counted)| (found.std_err / counted.std_err).powi(2));
    let (count, sum) = shares
        .filter(|share| share.is_finite())
        .fold((0.0f64, 0.0), |(n, sum), share| (n + 1.0, sum + share));
    let typical = sum / count.max(1.0);
    if typical.is_nan() || typical >= 1.0 {
        return None;
    }
    // The regression is of as many states, and has noise of its own.
    let samples = records.samples() as f64;
    let (least, by_regression) = (LEAST_VARIANCE / samples, machine.units() as f64 / samples);
    let joined = found.iter().zip(counted).map(|(found, counted)| {
        let own = found.std_err.powi(2);
        let of_all = (1.0 - OWN) * typical + by_regression;
        let square = match counted.value < RARE {
            true => own,
            false => OWN * own + of_all * counted.std_err.powi(2),
        };
        Balanced {
            value: found.value,
            std_err: square.max(least).sqrt(),
            noise: found.noise,
        }
    });
    let mut exponents = vec![(0.0, 0.0); groups];
    for (values, weight) in of_features.iter().zip(&machine.coefficients) {
        for (sum, (value, off)) in exponents.iter_mut().zip(values) {
            *sum = (sum.0 + weight * value, sum.1 + weight * off);
        }
    }
    Some(Quiet {
        sets: joined.collect(),
        exponent: without_noise(&exponents),
    })
}

/// By how much means and second moments of some states are off.
struct Off {
    /// t, one per unit.
    means: Vec<f64>,
    /// T, entry i · units + j.
    seconds: Mat<f64>,
}

/// The linear regression of r on x.
struct Regression {
    means: Vec<f64>,
    /// E[x_i x_j], entry i · units + j.
    together: Vec<f64>,
    /// √E[P (1 − P)].
    roots: Vec<f64>,
    /// Principal directions of S^-½ C S^-½, one per column, and its eigenvalues.
    directions: Mat<f64>,
    eigenvalues: Vec<f64>,
}

impl Regression {
    fn new(all: &Means, units: usize) -> Option<Self> {
        let means: Vec<f64> = (0..units).map(|i| all.together[i * units + i]).collect();
        let roots: Vec<f64> = all
            .spreads
            .iter()
            .map(|spread| spread.max(LEAST_SPREAD).sqrt())
            .collect();
        let scaled = Mat::from_fn(units, units, |i, j| {
            (all.together[i * units + j] - means[i] * means[j]) / (roots[i] * roots[j])
        });
        let eigen = scaled.self_adjoint_eigen(Side::Lower).ok()?;
        let eigenvalues = (0..units).map(|at| eigen.S()[at].max(0.0)).collect();
        Some(Regression {
            together: all.together.clone(),
            means,
            roots,
            directions: eigen.U().to_owned(),
            eigenvalues,
        })
    }

    fn off(&self, of: &Means) -> Off {
        let units = self.means.len();
        let (mu, roots) = (&self.means, &self.roots);
        let rest_with = |i: usize, j: usize| of.rests_with[i * units + j] - of.rests[i] * mu[j];
        let right = Mat::from_fn(units, units, |i, j| {
            let both = rest_with(i, j) + rest_with(j, i);
            let known = if i == j { 2.0 * of.spreads[i] } else { 0.0 };
            (both - known) / (roots[i] * roots[j])
        });
        let rests = Mat::from_fn(units, 1, |i, _| of.rests[i] / roots[i]);
        let q = self.directions.as_ref();
        let mut turned = product(product(q.transpose(), right.as_ref()).as_ref(), q);
        let lambda = &self.eigenvalues;
        for a in 0..units {
            for b in 0..units {
                // 1 / (1/λ_a + 1/λ_b), and nothing along what never changes.
                let sum = lambda[a] + lambda[b];
                turned[(a, b)] *= match sum > 0.0 {
                    true => lambda[a] * lambda[b] / sum,
                    false => 0.0,
                };
            }
        }
        let mut seconds = product(product(q, turned.as_ref()).as_ref(), q.transpose());
        for i in 0..units {
            for j in 0..units {
                seconds[(i, j)] *= roots[i] * roots[j];
            }
        }
        let mut along = product(q.transpose(), rests.as_ref());
        for (a, lambda) in lambda.iter().enumerate() {
            along[(a, 0)] *= lambda;
        }
        let means = product(q, along.as_ref());
        Off {
            means: (0..units).map(|i| means[(i, 0)] * roots[i]).collect(),
            seconds,
        }
    }

    /// The mean of a feature over some states, and by how much it is off.
    fn feature(&self, set: &[u32], of: &Means, off: &Off) -> (f64, f64) {
        let units = self.means.len();
        match *set {
            [] => (1.0, 0.0),
            [i] => {
                let i = i as usize;
                match self.means[i] < RARE {
                    true => (of.together[i * units + i] - of.rests[i], 0.0),
                    false => (of.together[i * units + i], off.means[i]),
                }
            }
            [i, j, ..] => {
                let (i, j) = (i as usize, j as usize);
                let at = i * units + j;
                let by_means = self.means[i] * off.means[j] + self.means[j] * off.means[i];
                if self.together[at] >= RARE {
                    return (of.together[at], off.seconds[(i, j)] + by_means);
                }
                let rarer = match self.means[i] < self.means[j] {
                    true => at,
                    false => j * units + i,
                };
                (of.together[at] - of.rests_with[rarer], 0.0)
            }
        }
    }
}

fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut found = Mat::zeros(a.nrows(), b.ncols());
    let to: MatMut<'_, f64> = found.as_mut();
    matmul(to, Accum::Replace, a, b, 1.0, Par::Seq);
    found
}

/// The mean of values over groups without what they are off, as far as the spread over the groups says, and its error.
fn without_noise(values: &[(f64, f64)]) -> Balanced {
    let count = values.len() as f64;
    let (value, off) = values
        .iter()
        .fold((0.0, 0.0), |(v, o), (value, off)| (v + value, o + off));
    let (value, off) = (value / count, off / count);
    let (mut both, mut square) = (0.0, 0.0);
    for (v, o) in values {
        both += (v - value) * (o - off);
        square += (o - off).powi(2);
    }
    let by = match square > 0.0 {
        true => (both / square).clamp(0.0, MOST),
        false => 0.0,
    };
    let spread: f64 = values
        .iter()
        .map(|(v, o)| (v - value - by * (o - off)).powi(2))
        .sum();
    let half = values.len() / 2;
    let mean = |values: &[(f64, f64)]| {
        let sum: f64 = values.iter().map(|(v, o)| v - by * o).sum();
        sum / values.len().max(1) as f64
    };
    let share = half as f64 / count;
    let (first, rest) = (mean(&values[..half]), mean(&values[half..]));
    Balanced {
        value: value - by * off,
        std_err: (spread / (count - 2.0) / count).sqrt(),
        noise: noise_of_halves(share, (first, rest)),
    }
}

#[cfg(test)]
mod tests {
    use crate::inference::exact_expectations;
    use crate::inference::markov_chains::Chains;
    use crate::network::{Clamp, Network};

    fn machine(scale: f64) -> Network {
        let network = Network::full(10, 0);
        let weight = |at: usize| scale * ((7 * at + 2) as f64).sin();
        let weights = (0..network.terms().len()).map(weight).collect();
        network.with_weights(weights).unwrap()
    }

    /// Mean squares of what is off in its own errors, and of the errors beside those without anything taken off.
    fn squares(network: &Network, settle: usize, seeds: u64) -> (f64, f64) {
        let clamp = Clamp::none(network.units().len());
        let exact = exact_expectations(network, &clamp).unwrap();
        let (mut off, mut share, mut count) = (0.0, 0.0, 0.0);
        for seed in 0..seeds {
            let mut chains = Chains::new(network, &clamp, 1024, seed).unwrap();
            chains.sweep(settle);
            let records = chains.record(16, 1);
            let plain = chains.measured(&records, false, &[], false);
            let quiet = chains.measured(&records, false, &[], true);
            for (at, truth) in exact.terms.iter().enumerate() {
                off += ((quiet.expectations[at] - truth) / quiet.errors[at]).powi(2);
                share += (quiet.errors[at] / plain.errors[at]).powi(2);
                count += 1.0;
            }
        }
        (off / count, share / count)
    }

    #[test]
    fn errors_are_what_they_say_and_much_smaller_than_without() {
        for (scale, most) in [(0.2, 0.02), (0.5, 0.1), (1.0, 0.3)] {
            let (off, share) = squares(&machine(scale), 50, 40);
            assert!((0.4..1.4).contains(&off), "{scale}: {off}");
            assert!(share < most, "{scale}: {share}");
        }
    }

    /// What the halves of the chains differ by is as large as the errors are.
    #[test]
    fn noise_alone_is_as_large_as_the_errors_say() {
        let (network, clamp) = (machine(0.5), Clamp::none(10));
        let (mut square, mut count) = (0.0, 0.0);
        for seed in 0..20 {
            let mut chains = Chains::new(&network, &clamp, 1024, seed).unwrap();
            chains.sweep(50);
            let records = chains.record(16, 1);
            for quietly in [false, true] {
                let found = chains.measured(&records, false, &[], quietly);
                for (noise, error) in found.noise.iter().zip(&found.errors) {
                    square += (noise / error).powi(2);
                    count += 1.0;
                }
            }
        }
        let mean: f64 = square / count;
        assert!((0.7..1.4).contains(&mean), "{mean}");
    }

    /// Columns that are hardly ever on: pairs of them are in no recorded state, and are known far better than that says.
    #[test]
    fn rare_pairs_are_counted_by_probabilities() {
        let network = machine(0.5);
        let rarely = |(at, weight): (usize, &f64)| match *network.terms()[at].units() {
            [unit] if unit < 3 => -7.0,
            _ => *weight,
        };
        let weights = network.weights().iter().enumerate().map(rarely).collect();
        let network = network.with_weights(weights).unwrap();
        let clamp = Clamp::none(10);
        let exact = exact_expectations(&network, &clamp).unwrap();
        let pair = |term: &crate::network::Term| *term.units() == [0, 1];
        let at = network.terms().iter().position(pair).unwrap();
        let (mut off, mut error) = (0.0, 0.0f64);
        for seed in 0..20 {
            let mut chains = Chains::new(&network, &clamp, 1024, seed).unwrap();
            chains.sweep(50);
            let records = chains.record(16, 1);
            let found = chains.measured(&records, false, &[], true);
            off += ((found.expectations[at] - exact.terms[at]) / found.errors[at]).powi(2) / 20.0;
            error = error.max(found.errors[at]);
        }
        assert!(error < 1e-5, "{error}");
        assert!((0.1..3.0).contains(&off), "{off}");
    }

    /// Chains that have not followed their weights yet: what they lag behind is taken off in the first order.
    #[test]
    fn what_chains_lag_behind_is_taken_off() {
        let (network, clamp) = (machine(0.5), Clamp::none(10));
        let moved: Vec<f64> = (network.weights().iter().enumerate())
            .map(|(at, weight)| weight + 0.02 * ((3 * at) as f64).cos())
            .collect();
        let moved = network.with_weights(moved).unwrap();
        let mut chains = Chains::new(&network, &clamp, 1 << 16, 4).unwrap();
        chains.sweep(50);
        chains.set_weights(&moved).unwrap();
        let records = chains.record(1, 1);
        let truth = exact_expectations(&moved, &clamp).unwrap().terms;
        let square = |quietly: bool| -> f64 {
            let found = chains.measured(&records, false, &[], quietly).expectations;
            found.iter().zip(&truth).map(|(f, t)| (f - t).powi(2)).sum()
        };
        let (plain, quiet) = (square(false), square(true));
        assert!(quiet < 0.1 * plain, "{quiet} of {plain}");
    }

    #[test]
    fn few_chains_are_counted_as_they_are() {
        let (network, clamp) = (machine(0.5), Clamp::none(10));
        let mut chains = Chains::new(&network, &clamp, 64, 4).unwrap();
        let records = chains.record(16, 1);
        let of = |quietly: bool| chains.measured(&records, false, &[], quietly).expectations;
        assert_eq!(of(true), of(false));
    }
}
