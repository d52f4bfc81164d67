//! f# of every state of a machine of one block, and the rows that its values are.

use std::collections::BTreeSet;

/// f# state by state.
pub(super) struct Counts {
    of_state: Vec<u32>,
    /// The values c > 0, ascending.
    values: Vec<u32>,
}

impl Counts {
    /// `multiplicities[i]` terms count where mask i is on, `always_on` everywhere.
    pub(super) fn new(units: usize, masks: &[u64], multiplicities: &[u32], always_on: u32) -> Self {
        let count = |state: u64| -> u32 {
            let terms = masks.iter().zip(multiplicities);
            always_on
                + terms
                    .filter(|(mask, _)| is_on(**mask, state))
                    .map(|(_, n)| n)
                    .sum::<u32>()
        };
        let of_state: Vec<u32> = (0..1u64 << units).map(count).collect();
        let distinct: BTreeSet<u32> = of_state.iter().copied().filter(|&c| c > 0).collect();
        Counts {
            values: distinct.into_iter().collect(),
            of_state,
        }
    }

    /// The values c > 0 of f#, ascending.
    pub(super) fn values(&self) -> Vec<f64> {
        self.values.iter().copied().map(f64::from).collect()
    }

    /// The row of a state's f#; states in which no term is on go to one row more, past the last value.
    pub(super) fn row(&self, state: u32) -> u32 {
        let found = self.values.binary_search(&self.of_state[state as usize]);
        found.unwrap_or(self.values.len()) as u32
    }

    /// Whether f# is the same when the first two units change places.
    pub(super) fn first_two_alike(&self) -> bool {
        let mut fours = self.of_state.chunks_exact(4);
        fours.all(|four| four[1] == four[2])
    }
}

/// Whether all units of a mask are on.
pub(super) fn is_on(mask: u64, state: u64) -> bool {
    mask & state == mask
}
