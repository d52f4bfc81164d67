//! The layouts of 64 chains side by side: one number per chain, or one bit.

use crate::inference::kernels::CHAINS;

/// One number per chain.
pub(crate) type Lanes = [f64; CHAINS];

/// One unit in all chains of a group: −1 (all bits) where it is on, 0 where it is off.
pub(crate) type Row = [i32; CHAINS];

/// The chains as bits of one word.
#[inline(always)]
pub(crate) fn packed(row: &Row) -> u64 {
    let mut word = 0;
    for chain in 0..CHAINS {
        word |= ((row[chain] & 1) as u64) << chain;
    }
    word
}

/// The row of a word.
#[inline(always)]
pub(crate) fn unpacked(word: u64) -> Row {
    std::array::from_fn(|chain| -((word >> chain & 1) as i32))
}
