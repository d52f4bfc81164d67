//! Statistics for heavy tails and dependent trials: clustered errors, medians, and a paired test on ranks.
//!
//! Trials that share a truth are not independent: standard errors add up within a truth before they are squared, and
//! the test flips the signs of whole truths. Ranks bound what one huge or infinite value can do.

use crate::streams::generator;
use rand::RngExt;

/// Up to this many clusters every pattern of signs is tried; beyond it, random ones.
const MOST_ENUMERATED: usize = 14;
/// Random patterns of signs.
const RANDOM_PATTERNS: usize = 20_000;

/// A value and the cluster that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clustered {
    /// Which cluster.
    pub cluster: usize,
    /// The value; may be infinite.
    pub value: f64,
}

/// The mean; NaN of no values.
pub fn mean(values: &[Clustered]) -> f64 {
    values.iter().map(|v| v.value).sum::<f64>() / values.len() as f64
}

/// The standard error of the mean where values of one cluster move together; NaN with fewer than two clusters.
///
/// √(K/(K−1) Σ_k (Σ_{i∈k} (x_i − x̄))²) / n: for clusters of one value each, the familiar s/√n.
pub fn standard_error(values: &[Clustered]) -> f64 {
    let centre = mean(values);
    let sums = by_cluster(values, |v| v.value - centre);
    let clusters = sums.len() as f64;
    if clusters < 2.0 {
        return f64::NAN;
    }
    let squares: f64 = sums.iter().map(|s| s * s).sum();
    (clusters / (clusters - 1.0) * squares).sqrt() / values.len() as f64
}

/// The middle value, or the mean of the two middle ones; NaN of no values.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The value below which this share of the values lies, interpolated between neighbours.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let place = share * last as f64;
    let (low, high) = (
        sorted[place.floor() as usize],
        sorted[place.ceil() as usize],
    );
    // Between equal infinities there is nothing to interpolate.
    if low == high {
        low
    } else {
        low + (high - low) * place.fract()
    }
}

/// What the paired test says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// Σ of signed ranks over the largest that it could be: 1 if every difference is positive.
    pub effect: f64,
    /// Two-sided: how often flipping the signs of whole clusters gives at least as much.
    pub p_value: f64,
    /// Pairs that do not differ.
    pub ties: usize,
}

/// The signed-rank test of paired differences, in clusters (Wilcoxon 1945; after Datta and Satten 2008).
///
/// Under the null hypothesis each cluster's differences are as likely with all their signs turned. Ties have no
/// rank and no sign; equal sizes share their mean rank; ∞ ranks above all else, and ∞ − ∞ (NaN) is a tie.
pub fn signed_rank(differences: &[Clustered], seed: u64) -> SignedRank {
    let of = |v: &Clustered| if v.value.is_nan() { 0.0 } else { v.value };
    let mut order: Vec<usize> = (0..differences.len())
        .filter(|&at| of(&differences[at]) != 0.0)
        .collect();
    let ties = differences.len() - order.len();
    order.sort_by(|&a, &b| {
        of(&differences[a])
            .abs()
            .total_cmp(&of(&differences[b]).abs())
    });
    let mut ranked = Vec::with_capacity(order.len());
    let mut first = 0;
    for same in order.chunk_by(|&a, &b| of(&differences[a]).abs() == of(&differences[b]).abs()) {
        let rank = first as f64 + (same.len() + 1) as f64 / 2.0;
        first += same.len();
        ranked.extend(same.iter().map(|&at| Clustered {
            cluster: differences[at].cluster,
            value: rank.copysign(of(&differences[at])),
        }));
    }
    let sums = by_cluster(&ranked, |v| v.value);
    let observed: f64 = sums.iter().sum();
    let largest: f64 = ranked.iter().map(|v| v.value.abs()).sum();
    SignedRank {
        effect: if largest > 0.0 {
            observed / largest
        } else {
            0.0
        },
        p_value: share_at_least(&sums, observed, seed),
        ties,
    }
}

/// The share of sign patterns under which |Σ ± s| is at least |observed|.
fn share_at_least(sums: &[f64], observed: f64, seed: u64) -> f64 {
    // Ranks are multiples of one half: a quarter keeps rounding out of it.
    let enough = observed.abs() - 0.25;
    let reaches = |total: f64| total.abs() >= enough;
    if sums.len() <= MOST_ENUMERATED {
        let patterns = 1usize << sums.len();
        let hits = (0..patterns).filter(|pattern| {
            let signed =
                |(at, sum): (usize, &f64)| if pattern >> at & 1 == 1 { -sum } else { *sum };
            reaches(sums.iter().enumerate().map(signed).sum())
        });
        return hits.count() as f64 / patterns as f64;
    }
    let mut rng = generator(seed, "signs");
    let hits = (0..RANDOM_PATTERNS).filter(|_| {
        let total = sums
            .iter()
            .map(|sum| if rng.random::<bool>() { -sum } else { *sum });
        reaches(total.sum())
    });
    // The observed pattern is one of those possible: a p of zero would be a lie.
    (hits.count() + 1) as f64 / (RANDOM_PATTERNS + 1) as f64
}

/// Sums within clusters, in the order in which the clusters first appear.
fn by_cluster(values: &[Clustered], of: impl Fn(&Clustered) -> f64) -> Vec<f64> {
    let mut sums: Vec<(usize, f64)> = Vec::new();
    for value in values {
        match sums
            .iter_mut()
            .find(|(cluster, _)| *cluster == value.cluster)
        {
            Some((_, sum)) => *sum += of(value),
            None => sums.push((value.cluster, of(value))),
        }
    }
    sums.into_iter().map(|(_, sum)| sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_distr::{Cauchy, Distribution, StandardNormal};

    fn clustered(values: &[(usize, f64)]) -> Vec<Clustered> {
        let made = |&(cluster, value)| Clustered { cluster, value };
        values.iter().map(made).collect()
    }

    #[test]
    fn known_numbers() {
        let alone = clustered(&[(0, 1.0), (1, 2.0), (2, 4.0), (3, 5.0)]);
        // s² = (4 + 1 + 1 + 4)/3, over n = 4.
        assert!((standard_error(&alone) - (10.0f64 / 3.0 / 4.0).sqrt()).abs() < 1e-15);
        // Two clusters with sums of residuals ∓3: √(2 (9 + 9)) / 4.
        let paired = clustered(&[(0, 1.0), (0, 2.0), (1, 4.0), (1, 5.0)]);
        assert!((standard_error(&paired) - 36f64.sqrt() / 4.0).abs() < 1e-15);
        assert!(standard_error(&clustered(&[(0, 1.0), (0, 2.0)])).is_nan());
        assert_eq!(median(&[3.0, 1.0, 2.0, 10.0]), 2.5);
        assert_eq!(median(&[1.0, f64::INFINITY, f64::INFINITY]), f64::INFINITY);
        assert_eq!(quantile(&[0.0, 1.0, 2.0, 3.0, 4.0], 0.25), 1.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn the_test_agrees_with_a_table() {
        // Six positive differences: two of 2^6 patterns reach the sum.
        let all: Vec<Clustered> =
            clustered(&[(0, 0.1), (1, 0.4), (2, 0.2), (3, 3.0), (4, 9.0), (5, 0.3)]);
        let found = signed_rank(&all, 0);
        assert_eq!((found.effect, found.p_value), (1.0, 2.0 / 64.0));
        // Wilcoxon's table: n = 5, W⁻ = 1 (the smallest difference is the negative one) has p = 4/32.
        let one = clustered(&[(0, -0.1), (1, 0.4), (2, 0.2), (3, 3.0), (4, 9.0)]);
        assert_eq!(signed_rank(&one, 0).p_value, 4.0 / 32.0);
    }

    #[test]
    fn infinities_and_ties_are_neither_lost_nor_decisive() {
        let values = clustered(&[
            (0, f64::INFINITY),
            (1, f64::NAN),
            (2, 0.0),
            (3, -1.0),
            (4, -2.0),
            (5, -3.0),
        ]);
        let found = signed_rank(&values, 0);
        assert_eq!(found.ties, 2);
        assert!(found.effect < 0.0 && found.p_value > 0.5, "{found:?}");
        let none = signed_rank(&clustered(&[(0, 0.0), (1, 0.0)]), 0);
        assert_eq!((none.effect, none.p_value), (0.0, 1.0));
    }

    /// Differences of `clusters` truths with 5 trials each: a shift, a share common to the truth, Cauchy noise.
    fn simulated(clusters: usize, shift: f64, data_set: u64) -> Vec<Clustered> {
        let mut rng = generator(data_set, "simulated");
        let noise = Cauchy::new(0.0, 0.3).unwrap();
        (0..clusters)
            .flat_map(|cluster| {
                let common: f64 = StandardNormal.sample(&mut rng);
                (0..5)
                    .map(|_| Clustered {
                        cluster,
                        value: shift + common + noise.sample(&mut rng),
                    })
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    fn rejections(clusters: usize, shift: f64, data_sets: u64) -> f64 {
        let rejected = |&at: &u64| signed_rank(&simulated(clusters, shift, at), at).p_value <= 0.05;
        (0..data_sets).filter(rejected).count() as f64 / data_sets as f64
    }

    #[test]
    fn a_planted_effect_is_found_and_a_null_one_is_not() {
        // 2000 null data sets: the rate's standard error is √(0.05·0.95/2000) = 0.0049; four of them.
        let null = rejections(10, 0.0, 2000);
        assert!((null - 0.05).abs() < 0.0195, "{null}");
        let planted = rejections(10, 2.0, 200);
        assert!(planted > 0.95, "{planted}");
    }

    #[test]
    fn random_patterns_agree_with_the_normal_limit() {
        // More clusters than are enumerated; 100 data sets of 20,000 patterns each.
        let null = rejections(20, 0.0, 100);
        assert!(
            (null - 0.05).abs() < 4.0 * (0.05f64 * 0.95 / 100.0).sqrt(),
            "{null}"
        );
        assert!(rejections(20, 1.5, 30) > 0.95);
        let data = simulated(20, 0.3, 7);
        assert_eq!(signed_rank(&data, 1), signed_rank(&data, 1));
    }

    #[test]
    fn trials_of_one_truth_are_no_independent_evidence() {
        // Unclustered, 50 trials of 10 truths that share a strong effect would seem decisive far too often.
        let ignoring = |at: u64| {
            let data = simulated(10, 0.0, at).into_iter().enumerate();
            let alone: Vec<Clustered> = data
                .map(|(cluster, v)| Clustered { cluster, ..v })
                .collect();
            signed_rank(&alone, at).p_value <= 0.05
        };
        let rate = (0..60).filter(|&at| ignoring(at)).count() as f64 / 60.0;
        assert!(rate > 0.2, "{rate}");
    }
}
