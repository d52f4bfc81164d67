//! Sums split by f# for any set of masks: every state's features are added to the row of its f#.
//!
//! The low units' features are one fixed 0/1 table; given a high state each low state adds its row, times
//! its weight, to the row of its f#. A machine of one block has its states sorted by f# beforehand.

use super::blocks::{BlockScratch, Blocks, multiplies_safely};
use super::fours::Fours;
use super::pairs::{SortedPairs, padded};
use crate::inference::kernels;
use crate::inference::sums::StratifiedSums;

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
    Pairs(SortedPairs),
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
                None => Single::Pairs(SortedPairs::new(units, masks, multiplicities, always_on)),
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

    /// Whether the high part of a mask is on in a high state.
    fn is_active(&self, mask: u64, high: u64) -> bool {
        let upper = mask.checked_shr(self.blocks.low_bits() as u32).unwrap_or(0);
        upper & high == upper
    }

    pub(super) fn evaluate(
        &self,
        coefficients: &[f64],
        scratch: &mut BlockScratch,
        rows: &mut Vec<f64>,
        out: &mut StratifiedSums,
    ) {
        match &self.single {
            Some(single) => self.evaluate_single(single, coefficients, scratch, rows, out),
            None => self.evaluate_blocks(coefficients, out),
        }
    }

    fn evaluate_single(
        &self,
        single: &Single,
        coefficients: &[f64],
        scratch: &mut BlockScratch,
        rows: &mut Vec<f64>,
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
                fours.sums(weights, scale, self.width, rows, &mut out.sums);
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
        let mut sums = BlockSums::new(self);
        self.blocks.visit(
            0..self.blocks.high_states(),
            coefficients,
            &base,
            safe,
            |high, reference, weights| sums.add(high, reference, weights),
        );
        sums.write(out);
    }
}

/// What the blocks so far add up to by f#, divided by e^reference.
struct BlockSums<'a> {
    strata: &'a GeneralStrata,
    /// No state has a larger f#.
    most: usize,
    reference: f64,
    total: f64,
    /// [f#][mask].
    sums: Vec<f64>,
    /// [f#][low part] of one block.
    block: Vec<f64>,
    /// f# of every low state of one block.
    counts: Vec<f64>,
}

impl<'a> BlockSums<'a> {
    fn new(strata: &'a GeneralStrata) -> Self {
        let most = (strata.always_on + strata.multiplicities.iter().sum::<u32>()) as usize;
        BlockSums {
            strata,
            most,
            reference: f64::NEG_INFINITY,
            total: 0.0,
            sums: vec![0.0; (most + 1) * strata.masks.len()],
            block: vec![0.0; (most + 1) * strata.width],
            counts: vec![0.0; 1 << strata.blocks.low_bits()],
        }
    }

    /// Adds the block of a high state, its weights divided by e^reference.
    fn add(&mut self, high: u64, reference: f64, weights: &[f64]) {
        if reference > self.reference {
            let factor = (self.reference - reference).exp();
            self.sums.iter_mut().for_each(|s| *s *= factor);
            self.total *= factor;
            self.reference = reference;
        }
        let scale = (reference - self.reference).exp();
        self.total += kernels::sum(weights) * scale;
        self.count(high);
        let width = self.strata.width;
        let (mut fewest, mut largest) = (usize::MAX, 0);
        for (s, &count) in self.counts.iter().enumerate() {
            let count = count as usize;
            (fewest, largest) = (fewest.min(count), largest.max(count));
            kernels::add_scaled_features(
                &mut self.block[count * width..(count + 1) * width],
                &self.strata.features[s * width..(s + 1) * width],
                weights[s] * scale,
            );
        }
        self.spread(high, fewest, largest);
    }

    /// f# of every low state under a high state: a subset sum of the counts.
    fn count(&mut self, high: u64) {
        let strata = self.strata;
        self.counts.fill(0.0);
        self.counts[0] = f64::from(strata.always_on);
        for (at, &mask) in strata.masks.iter().enumerate() {
            if strata.is_active(mask, high) {
                self.counts[strata.low_parts[strata.column_of[at]]] +=
                    f64::from(strata.multiplicities[at]);
            }
        }
        kernels::subset_sums(&mut self.counts);
    }

    /// From low parts to masks, for the values of f# that the block has; leaves zeros behind.
    fn spread(&mut self, high: u64, fewest: usize, largest: usize) {
        let strata = self.strata;
        let (masks, width) = (strata.masks.len(), strata.width);
        for count in fewest..=largest {
            let from = &mut self.block[count * width..(count + 1) * width];
            let into = &mut self.sums[count * masks..(count + 1) * masks];
            for (at, &mask) in strata.masks.iter().enumerate() {
                if strata.is_active(mask, high) {
                    into[at] += from[strata.column_of[at]];
                }
            }
            from.fill(0.0);
        }
    }

    fn write(self, out: &mut StratifiedSums) {
        let masks = self.strata.masks.len();
        out.log_partition = self.reference + self.total.ln();
        out.width = padded(masks);
        out.values.clear();
        out.sums.clear();
        let scale = 1.0 / self.total;
        for count in 1..=self.most {
            let row = &self.sums[count * masks..(count + 1) * masks];
            if row.iter().any(|&s| s > 0.0) {
                out.values.push(count as f64);
                out.sums.extend(row.iter().map(|s| s * scale));
                out.sums.resize(out.values.len() * out.width, 0.0);
            }
        }
    }
}
