//! One group of units: its states sorted by code, so that states of equal code lie side by side.

use crate::inference::kernels;

/// A group's states in the order of their codes.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub(super) bits: usize,
    /// Position → state.
    pub(super) states: Vec<u32>,
    /// Position → code.
    pub(super) codes: Vec<usize>,
    /// Runs of equal code: (code, first position, past the last).
    pub(super) runs: Vec<(usize, usize, usize)>,
    /// Bits of the lower half of a state; the others are the upper half.
    pub(super) low_bits: usize,
    /// Pieces of runs whose states have one upper half: (first position, past the last).
    pub(super) pieces: Vec<(usize, usize)>,
    /// Where each run ends, and the positions themselves, as [`kernels::weighted_row_sums`] wants them.
    run_ends: Vec<u32>,
    positions: Vec<u32>,
    /// One row per position: its bits as 0 and 1, padded to eight.
    bit_rows: Vec<f32>,
}

impl Side {
    /// `steps[b]` is what bit b adds to the code; at most eight bits.
    pub(super) fn new(steps: &[u32]) -> Self {
        let bits = steps.len();
        let code = |s: u32| -> usize {
            (0..bits)
                .filter(|b| s >> b & 1 == 1)
                .map(|b| steps[b] as usize)
                .sum()
        };
        let mut states: Vec<u32> = (0..1u32 << bits).collect();
        states.sort_by_key(|&s| (code(s), s));
        let codes: Vec<usize> = states.iter().map(|&s| code(s)).collect();
        let mut runs: Vec<(usize, usize, usize)> = Vec::new();
        for (at, &c) in codes.iter().enumerate() {
            match runs.last_mut() {
                Some(run) if run.0 == c => run.2 = at + 1,
                _ => runs.push((c, at, at + 1)),
            }
        }
        let low_bits = bits / 2;
        let alike = |a: usize, b: usize| {
            (codes[a], states[a] >> low_bits) == (codes[b], states[b] >> low_bits)
        };
        let mut pieces: Vec<(usize, usize)> = Vec::new();
        for at in 0..states.len() {
            match pieces.last_mut() {
                Some(piece) if alike(piece.0, at) => piece.1 = at + 1,
                _ => pieces.push((at, at + 1)),
            }
        }
        let mut bit_rows = vec![0.0f32; states.len() * kernels::ROW_PANEL];
        for (at, &state) in states.iter().enumerate() {
            for bit in 0..bits {
                bit_rows[at * kernels::ROW_PANEL + bit] = f32::from((state >> bit & 1) as u8);
            }
        }
        Side {
            bits,
            run_ends: runs.iter().map(|run| run.2 as u32).collect(),
            positions: (0..states.len() as u32).collect(),
            states,
            codes,
            runs,
            low_bits,
            pieces,
            bit_rows,
        }
    }

    /// Number of states.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// The largest code.
    pub(super) fn last_code(&self) -> usize {
        self.codes.last().copied().unwrap_or(0)
    }

    /// Sums a line over the positions with each bit on, run by run: rows of eight, one row per run.
    pub(super) fn bit_sums(&self, line: &[f64], sums: &mut Vec<f64>) {
        sums.clear();
        sums.resize(self.runs.len() * kernels::ROW_PANEL, 0.0);
        kernels::weighted_row_sums(
            line,
            &self.positions,
            &self.run_ends,
            &self.bit_rows,
            kernels::ROW_PANEL,
            sums,
        );
    }
}
