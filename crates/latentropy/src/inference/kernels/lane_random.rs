//! Random bits for 64 chains at once: 32 generators xoshiro256++ side by side (Blackman and Vigna 2021).

use crate::random::{self, Purpose, Random};
use rand::Rng;
use serde::{Deserialize, Serialize};

/// Chains in one group: the bits of one word.
pub(crate) const CHAINS: usize = 64;
const GENERATORS: usize = CHAINS / 2;

/// The generator that the generators of group `group` of a seed start from.
pub(crate) fn chain_stream(seed: u64, group: u64) -> Random {
    random::stream(seed, Purpose::Chains, group)
}

/// 32 generators of 64 bits, each serving two chains with 32 bits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LaneRandom {
    state: [[u64; GENERATORS]; 4],
}

impl LaneRandom {
    /// All states from a generator of another kind, so that lanes and streams share nothing.
    pub(crate) fn new(rng: &mut Random) -> Self {
        let mut state = [[0; GENERATORS]; 4];
        for lane in 0..GENERATORS {
            // The one state that is not allowed is zero in all four words.
            while state.iter().all(|word| word[lane] == 0) {
                for word in &mut state {
                    word[lane] = rng.next_u64();
                }
            }
        }
        LaneRandom { state }
    }

    /// 31 random bits per chain, as a positive integer.
    #[inline(always)]
    pub(crate) fn next(&mut self, bits: &mut [i32; CHAINS]) {
        let [a, b, c, d] = &mut self.state;
        for lane in 0..GENERATORS {
            let sum = a[lane].wrapping_add(d[lane]);
            let out = sum.rotate_left(23).wrapping_add(a[lane]);
            let shifted = b[lane] << 17;
            c[lane] ^= a[lane];
            d[lane] ^= b[lane];
            b[lane] ^= c[lane];
            a[lane] ^= d[lane];
            c[lane] ^= shifted;
            d[lane] = d[lane].rotate_left(45);
            bits[lane] = (out as u32 >> 1) as i32;
            bits[lane + GENERATORS] = (out >> 33) as i32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The generator as its authors print it.
    fn literal(s: &mut [u64; 4]) -> u64 {
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    #[test]
    fn lanes_are_the_published_generator() {
        let mut lanes = LaneRandom::new(&mut chain_stream(3, 9));
        let mut alone: Vec<[u64; 4]> = (0..GENERATORS)
            .map(|lane| [0, 1, 2, 3].map(|word| lanes.state[word][lane]))
            .collect();
        let mut bits = [0; CHAINS];
        for _ in 0..50 {
            lanes.next(&mut bits);
            for (lane, state) in alone.iter_mut().enumerate() {
                let out = literal(state);
                assert_eq!(bits[lane] as u64, (out & 0xffff_ffff) >> 1);
                assert_eq!(bits[lane + GENERATORS] as u64, out >> 33);
            }
        }
    }
}
