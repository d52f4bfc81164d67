//! Random numbers by name: every unit of work has its own generator, whatever else runs before or beside it.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The seed that a name stands for under a study's seed.
pub(crate) fn named_seed(seed: u64, name: &str) -> u64 {
    let mut digest = Digest::default();
    digest.eat(&seed.to_le_bytes());
    digest.eat(name.as_bytes());
    // A digest's low bits follow the last letters closely: mixed once more (the finaliser of SplitMix64).
    let mut mixed = digest.0;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The generator that a name stands for.
pub(crate) fn generator(seed: u64, name: &str) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(named_seed(seed, name))
}

/// A 64-bit FNV-1a digest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digest(pub(crate) u64);

impl Default for Digest {
    fn default() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    pub(crate) fn eat(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

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
