//! A fixed-length row of bits, packed into words.

/// A fixed-length sequence of bits; the length itself is kept by the owner.
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub struct Bits(Box<[u64]>);

impl Bits {
    /// `length` bits, all zero.
    pub fn zeros(length: usize) -> Self {
        Bits(vec![0; length.div_ceil(64).max(1)].into_boxed_slice())
    }

    /// Bit `index`; beyond the last one, zero.
    #[inline]
    pub fn get(&self, index: usize) -> bool {
        let word = self.0.get(index >> 6);
        word.is_some_and(|word| word >> (index & 63) & 1 == 1)
    }

    /// Sets bit `index` to one; there is nothing to set beyond the last one.
    #[inline]
    pub fn set(&mut self, index: usize) {
        if let Some(word) = self.0.get_mut(index >> 6) {
            *word |= 1 << (index & 63);
        }
    }

    /// Sets every bit to zero.
    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }

    /// How many bits are one.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// True if no bit is one.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// The positions of the ones, ascending.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| {
                let rest = w & (w - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |w| at * 64 + w.trailing_zeros() as usize)
        })
    }
}
