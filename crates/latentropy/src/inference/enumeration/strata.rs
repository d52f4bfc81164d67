//! Sums split by f# for any set of masks: every state's features are added to the row of its f#.
//!
//! The low units' features are one fixed 0/1 table; given a high state each low state adds its row, times
//! its weight, to the row of its f#. A machine of one block has its states sorted by f# beforehand.

use super::super::kernels;
use super::blocks::{Blocks, multiplies_safely};
use super::fours::Fours;
use super::{StratifiedSums, Sums};
use std::collections::BTreeSet;

/// Low units of a block: the feature table (2^8 rows) stays in the second cache.
const LOW_BITS: usize = 8;
/// Up to this many units all states are one sorted table.
const SINGLE_BLOCK: usize = 10;

/// Prepared for one set of masks.
#[derive(Clone, Debug)]
pub(super) struct GeneralStrata {
    blocks: Blocks,
    masks: Vec<u64>,
    multiplicities: Vec<u32>,
    always_on: u32,
    /// Distinct low parts of masks; column j of the features is `low_parts[j]`.
    low_parts: Vec<usize>,
    /// Column of each mask's low part.
    column_of: Vec<usize>,
    width: usize,
    /// Row s: which low parts state s holds, as 0 and 1; empty for a machine of one block.
    features: Vec<f32>,
    /// For a machine of one block.
    single: Option<Single>,
}

/// The two ways through a machine of one block.
#[derive(Clone, Debug)]
enum Single {
    /// Where f# does not tell the first two units apart.
    Fours(Fours),
    Pairs(Sorted),
}

/// A machine of one block: its states in pairs that differ in the first unit only, sorted by f# of both.
///
/// Terms without the first unit are on in both states of a pair or in neither, so one row of features serves both.
#[derive(Clone, Debug)]
struct Sorted {
    /// The values c > 0 of f#.
    values: Vec<f64>,
    /// The state of each pair in which the first unit is off.
    pairs: Vec<u32>,
    /// Runs of pairs: the row of f# of either state (past the last value where f# = 0), and where the run ends.
    runs: Vec<(u32, u32, u32)>,
    /// Features of the states with the first unit off, a row of `width` a pair.
    off: Vec<f64>,
    /// Features of the other states, up to the last column whose term holds the first unit.
    on: Vec<f64>,
    on_width: usize,
}

impl Sorted {
    fn new(units: usize, masks: &[u64], multiplicities: &[u32], always_on: u32) -> Self {
        let width = padded(masks.len());
        let is_on = |mask: u64, state: usize| mask & state as u64 == mask;
        let count = |state: usize| -> u32 {
            let terms = masks.iter().zip(multiplicities);
            always_on
                + terms
                    .filter(|(m, _)| is_on(**m, state))
                    .map(|(_, n)| n)
                    .sum::<u32>()
        };
        let states = 1usize << units;
        let counts: Vec<u32> = (0..states).map(count).collect();
        let distinct: BTreeSet<u32> = counts.iter().copied().filter(|&c| c > 0).collect();
        let values: Vec<u32> = distinct.into_iter().collect();
        let row =
            |state: usize| values.binary_search(&counts[state]).unwrap_or(values.len()) as u32;
        // Without a unit there is one state and no term: nothing to sum.
        let mut pairs: Vec<u32> = (0..states as u32 - u32::from(units == 0))
            .step_by(2)
            .collect();
        let rows = |state: u32| (row(state as usize), row(state as usize + 1));
        pairs.sort_by_key(|&state| (rows(state), state));
        let mut runs: Vec<(u32, u32, u32)> = Vec::new();
        for (at, &state) in pairs.iter().enumerate() {
            let (off, on) = rows(state);
            match runs.last_mut() {
                Some(run) if (run.0, run.1) == (off, on) => run.2 = at as u32 + 1,
                _ => runs.push((off, on, at as u32 + 1)),
            }
        }
        let last_split = masks.iter().rposition(|mask| mask & 1 == 1);
        let on_width = padded(last_split.map_or(0, |at| at + 1));
        let (mut off, mut on) = (
            vec![0.0; pairs.len() * width],
            vec![0.0; pairs.len() * on_width],
        );
        for (at, &state) in pairs.iter().enumerate() {
            for (column, &mask) in masks.iter().enumerate() {
                let feature = |state: usize| f64::from(u8::from(is_on(mask, state)));
                off[at * width + column] = feature(state as usize);
                if column < on_width {
                    on[at * on_width + column] = feature(state as usize + 1);
                }
            }
        }
        Sorted {
            values: values.into_iter().map(f64::from).collect(),
            pairs,
            runs,
            off,
            on,
            on_width,
        }
    }

    /// Adds up `weights`, one a state, into rows of f#.
    fn sums(&self, weights: &[f64], width: usize, sums: &mut Vec<f64>) {
        sums.clear();
        // One row more, for the states in which no term is on.
        sums.resize((self.values.len() + 1) * width, 0.0);
        kernels::paired_row_sums(
            weights,
            &self.pairs,
            &self.runs,
            (&self.off, width),
            (&self.on, self.on_width),
            sums,
        );
        sums.truncate(self.values.len() * width);
    }
}

fn padded(length: usize) -> usize {
    length.next_multiple_of(kernels::ROW_PANEL)
}

impl GeneralStrata {
    pub(super) fn new(units: usize, masks: &[u64], multiplicities: &[u32], always_on: u32) -> Self {
        let low_bits = if units <= SINGLE_BLOCK {
            units
        } else {
            LOW_BITS
        };
        let blocks = Blocks::with_low_bits(units, masks, low_bits);
        let low = |mask: u64| (mask & ((1 << low_bits) - 1)) as usize;
        let mut low_parts: Vec<usize> = Vec::new();
        let column_of: Vec<usize> = masks
            .iter()
            .map(|&mask| {
                let part = low(mask);
                low_parts
                    .iter()
                    .position(|&p| p == part)
                    .unwrap_or_else(|| {
                        low_parts.push(part);
                        low_parts.len() - 1
                    })
            })
            .collect();
        let width = padded(low_parts.len());
        let states = 1usize << low_bits;
        let single = (units <= SINGLE_BLOCK).then(|| {
            match Fours::new(units, masks, multiplicities, always_on) {
                Some(fours) => Single::Fours(fours),
                None => Single::Pairs(Sorted::new(units, masks, multiplicities, always_on)),
            }
        });
        let mut features = Vec::new();
        if single.is_none() && width > 0 {
            features.resize(states * width, 0.0f32);
            for (s, row) in features.chunks_exact_mut(width).enumerate() {
                for (feature, &part) in row.iter_mut().zip(&low_parts) {
                    *feature = f32::from(u8::from(part & s == part));
                }
            }
        }
        GeneralStrata {
            blocks,
            masks: masks.to_vec(),
            multiplicities: multiplicities.to_vec(),
            always_on,
            low_parts,
            column_of,
            width,
            features,
            single,
        }
    }

    pub(super) fn evaluate(
        &self,
        coefficients: &[f64],
        scratch: &mut Sums,
        out: &mut StratifiedSums,
    ) {
        match &self.single {
            Some(single) => self.evaluate_single(single, coefficients, scratch, out),
            None => self.evaluate_blocks(coefficients, out),
        }
    }

    fn evaluate_single(
        &self,
        single: &Single,
        coefficients: &[f64],
        scratch: &mut Sums,
        out: &mut StratifiedSums,
    ) {
        let reference = self.blocks.single_block_weights(coefficients, scratch);
        let total = kernels::sum(&scratch.table);
        out.log_partition = reference + total.ln();
        out.width = self.width;
        let scale = 1.0 / total;
        match single {
            Single::Fours(fours) => {
                out.values.clone_from(&fours.values);
                let weights = &scratch.table;
                fours.sums(weights, scale, self.width, &mut scratch.rows, &mut out.sums);
            }
            Single::Pairs(sorted) => {
                out.values.clone_from(&sorted.values);
                sorted.sums(&scratch.table, self.width, &mut out.sums);
                if self.blocks.low_bits() == 0 {
                    // The one state of no units has all its masks on, and they are empty ones.
                    let ones = self.masks.len().min(out.sums.len());
                    out.sums[..ones].fill(total);
                }
                for sum in &mut out.sums {
                    *sum *= scale;
                }
            }
        }
    }

    fn evaluate_blocks(&self, coefficients: &[f64], out: &mut StratifiedSums) {
        let safe = multiplies_safely(coefficients);
        let base = self.blocks.low_table(coefficients, safe);
        let low_bits = self.blocks.low_bits();
        let most = (self.always_on + self.multiplicities.iter().sum::<u32>()) as usize;
        let masks = self.masks.len();
        let width = self.width;
        let mut sums = vec![0.0; (most + 1) * masks];
        let mut block = vec![0.0; (most + 1) * width];
        let mut counts = vec![0.0; 1 << low_bits];
        let (mut reference, mut total) = (f64::NEG_INFINITY, 0.0);
        self.blocks.visit(
            0..self.blocks.high_states(),
            coefficients,
            &base,
            safe,
            |high, block_reference, weights| {
                if block_reference > reference {
                    let factor = (reference - block_reference).exp();
                    sums.iter_mut().for_each(|s| *s *= factor);
                    total *= factor;
                    reference = block_reference;
                }
                let scale = (block_reference - reference).exp();
                total += kernels::sum(weights) * scale;
                // f# of every low state under this high state: a subset sum of the counts.
                counts.fill(0.0);
                counts[0] = f64::from(self.always_on);
                let active = |mask: u64| {
                    let upper = mask.checked_shr(low_bits as u32).unwrap_or(0);
                    upper & high == upper
                };
                for (at, &mask) in self.masks.iter().enumerate() {
                    if active(mask) {
                        counts[self.low_parts[self.column_of[at]]] +=
                            f64::from(self.multiplicities[at]);
                    }
                }
                kernels::subset_sums(&mut counts);
                let (mut fewest, mut largest) = (usize::MAX, 0);
                for (s, &count) in counts.iter().enumerate() {
                    let count = count as usize;
                    (fewest, largest) = (fewest.min(count), largest.max(count));
                    kernels::add_scaled_features(
                        &mut block[count * width..(count + 1) * width],
                        &self.features[s * width..(s + 1) * width],
                        weights[s] * scale,
                    );
                }
                for count in fewest..=largest {
                    let from = &mut block[count * width..(count + 1) * width];
                    let into = &mut sums[count * masks..(count + 1) * masks];
                    for (at, &mask) in self.masks.iter().enumerate() {
                        if active(mask) {
                            into[at] += from[self.column_of[at]];
                        }
                    }
                    from.fill(0.0);
                }
            },
        );
        out.log_partition = reference + total.ln();
        out.width = padded(masks);
        out.values.clear();
        out.sums.clear();
        let scale = 1.0 / total;
        for count in 1..=most {
            let row = &sums[count * masks..(count + 1) * masks];
            if row.iter().any(|&s| s > 0.0) {
                out.values.push(count as f64);
                out.sums.extend(row.iter().map(|s| s * scale));
                out.sums.resize(out.values.len() * out.width, 0.0);
            }
        }
    }
}
