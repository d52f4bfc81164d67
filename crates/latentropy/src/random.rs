//! Random numbers: the only place that makes streams, one for each purpose and index of a seed.
//!
//! Every restart, fold, resample and group of chains draws from a stream of its own, so that results do not depend on
//! what else runs before or beside it. The numbering of the streams is part of the results: it never changes.

use rand::SeedableRng;

/// The generator that all streams are made of.
pub type Random = rand::rngs::ChaCha8Rng;

/// What a stream of random numbers is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Where restart `index` starts, or how its annealed run is perturbed.
    Start,
    /// What the learner of restart `index` draws on its way.
    Learning,
    /// Resample `index` of a bootstrap.
    Resample,
    /// Which rows are held out together; `index` is 0.
    Folds,
    /// Group `index` of 64 Markov chains.
    Chains,
    /// Anything that has a seed of its own, such as rows drawn from a model; `index` is 0.
    Alone,
}

/// The stream of a purpose and index under a seed.
pub fn stream(seed: u64, purpose: Purpose, index: u64) -> Random {
    let number = match purpose {
        Purpose::Start | Purpose::Chains | Purpose::Alone => index,
        Purpose::Learning => index | 1 << 63,
        Purpose::Resample => index | 1 << 62,
        Purpose::Folds => u64::MAX - index,
    };
    let mut random = Random::seed_from_u64(seed);
    random.set_stream(number);
    random
}

/// The index, among the restarts of a seed, of restart `index` of fold `fold`.
pub(crate) fn index_in_fold(fold: usize, index: usize) -> u64 {
    (fold as u64 + 1) << 32 | index as u64
}

/// The index, among the restarts of a seed, of the refit to resample `index`.
pub(crate) fn index_of_refit(index: usize) -> u64 {
    1 << 61 | index as u64
}

/// The index, among the restarts of a seed, of restart `index` of a round of evidence.
pub(crate) fn index_of_evidence(index: usize) -> u64 {
    1 << 60 | index as u64
}

/// The seed of the chains by which the point of restart `index` is evaluated.
pub(crate) fn evaluation_seed(seed: u64, index: u64) -> u64 {
    seed ^ index.rotate_left(32)
}

/// The seed of the persistent chains by which restart `index` learns.
pub(crate) fn learning_seed(seed: u64, index: u64) -> u64 {
    seed ^ (index | 1 << 63).rotate_left(32)
}

/// The seed that a name stands for under another seed.
///
/// ```
/// use latentropy::random::named_seed;
/// assert_ne!(named_seed(1, "rows"), named_seed(1, "starts"));
/// ```
pub fn named_seed(seed: u64, name: &str) -> u64 {
    let mut digest = Digest::default();
    digest.eat(&seed.to_le_bytes());
    digest.eat(name.as_bytes());
    // A digest's low bits follow the last letters closely: mixed once more (the finaliser of SplitMix64).
    let mut mixed = digest.0;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A 64-bit FNV-1a digest of bytes: what requests, data and studies are recognised by.
#[derive(Clone, Copy, Debug)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// Takes in more bytes.
    pub fn eat(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// The digest so far.
    pub fn value(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;
    use std::collections::HashSet;

    #[test]
    fn streams_are_what_they_always_were() {
        // Recorded with the generator that came before; a change here changes every seeded result.
        let first = |seed, purpose, index| stream(seed, purpose, index).next_u64();
        let found = [
            first(0, Purpose::Start, 0),
            first(7, Purpose::Start, 3),
            first(7, Purpose::Learning, 3),
            first(7, Purpose::Resample, 3),
            first(7, Purpose::Folds, 0),
            first(u64::MAX, Purpose::Chains, 12),
        ];
        assert_eq!(found, RECORDED);
        let mut long = stream(2003, Purpose::Alone, 0);
        let sum = (0..1000).fold(0u64, |sum, _| {
            sum.wrapping_mul(31).wrapping_add(long.next_u64())
        });
        assert_eq!(sum, RECORDED_SUM);
    }

    const RECORDED: [u64; 6] = [
        0xb585_f767_a79a_3b6c,
        0x2e79_8710_8688_b271,
        0xe5f0_8158_bcf7_8ec7,
        0x3e85_d0bf_d597_e913,
        0x56ed_a9e4_22a0_3128,
        0x3da0_acbb_b169_bc18,
    ];
    const RECORDED_SUM: u64 = 0xdf4d_6496_f60d_653e;

    #[test]
    fn refits_draw_for_themselves() {
        let indices = (0..1000).flat_map(|index| [index as u64, index_of_refit(index)]);
        let seeds: HashSet<u64> = indices
            .flat_map(|index| [evaluation_seed(7, index), learning_seed(7, index)])
            .collect();
        assert_eq!(seeds.len(), 4000);
    }

    #[test]
    fn names_and_seeds_have_streams_of_their_own() {
        let names = (0..50).flat_map(|truth| (0..50).map(move |trial| format!("{truth}/{trial}")));
        let seeds: HashSet<u64> = names
            .flat_map(|name| [named_seed(1, &name), named_seed(2, &name)])
            .collect();
        assert_eq!(seeds.len(), 5000);
        assert_eq!(named_seed(7, "x"), named_seed(7, "x"));
    }
}
