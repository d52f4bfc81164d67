//! Where the rungs of a ladder are: equally hard to swap across, and as many as swaps ask for.

/// Rungs come in eights: so many lanes of a vector hold whole ladders.
pub(super) const RUNGS_UNIT: usize = 8;
pub(super) const MOST_RUNGS: usize = 128;
/// The share of rejected swaps between neighbours that their number aims at (a half is best for round trips).
const REJECTED: f64 = 0.45;

/// How many rungs a path of this many rejections in all asks for.
pub(super) fn rungs_for(rejections: f64) -> usize {
    // Where weights are huge, no number of rungs is enough.
    let wanted = (rejections / REJECTED).min(MOST_RUNGS as f64);
    (wanted.ceil() as usize + 1).max(2)
}

/// The same in whole eights.
pub(super) fn count_for(rejections: f64) -> usize {
    let rungs = rungs_for(rejections);
    rungs.next_multiple_of(RUNGS_UNIT).min(MOST_RUNGS)
}

/// Inverse temperatures equally far apart by the rejections that were found between neighbours.
pub(super) fn placed(betas: &[f64], rejected: &[f64], count: usize) -> Vec<f64> {
    // Where no swap was rejected there still has to be some step.
    let least = 0.02;
    let mut sums = vec![0.0];
    for share in rejected {
        sums.push(sums[sums.len() - 1] + share.max(least));
    }
    let total = sums[sums.len() - 1];
    let mut at = 0;
    let mut placed: Vec<f64> = (0..count)
        .map(|index| {
            let target = total * index as f64 / (count - 1) as f64;
            while at + 2 < sums.len() && sums[at + 1] < target {
                at += 1;
            }
            let share = (target - sums[at]) / (sums[at + 1] - sums[at]);
            betas[at] + share.clamp(0.0, 1.0) * (betas[at + 1] - betas[at])
        })
        .collect();
    // Exactly, whatever was rounded.
    if let [first, .., last] = &mut placed[..] {
        (*first, *last) = (0.0, 1.0);
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rungs_are_dense_where_swaps_are_rejected() {
        assert_eq!(count_for(0.1), 8);
        assert_eq!(count_for(4.0), 16);
        let betas = [0.0, 0.5, 1.0];
        let placed = placed(&betas, &[0.9, 0.1], 11);
        assert_eq!((placed[0], placed[10]), (0.0, 1.0));
        assert!(placed.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(
            placed.iter().filter(|beta| **beta <= 0.5 + 1e-9).count(),
            10
        );
    }
}
