//! Enumeration prepared for one set of masks: which of the kernels sums a machine, and what they share.

use super::blocks::{BlockScratch, Blocks, SINGLE_BLOCK};
use super::classes::Classes;
use super::groups::{GroupScratch, Groups};
use super::moments::{self, Moments};
use super::strata::GeneralStrata;
use crate::error::{Error, Result};
use crate::inference::kernels;
use crate::inference::sums::{StratifiedSums, Sums};
use crate::message::{Setting, words};

/// More free units than this are refused: 2^34 states take about half a minute on one core.
pub(crate) const MOST_ENUMERATED: usize = 34;

/// The buffers of all kernels.
#[derive(Debug, Default)]
struct EnumeratorScratch {
    block: BlockScratch,
    /// Rows of sums by f#.
    rows: Vec<f64>,
    groups: GroupScratch,
}

/// How sums by f# are made: by code where the masks and the weights allow it, else by the general way.
#[derive(Clone, Debug)]
struct StrataPlan {
    general: GeneralStrata,
    by_code: Option<ByCode>,
}

#[derive(Clone, Debug)]
struct ByCode {
    groups: Groups,
    value_of_code: Vec<u32>,
}

/// A pass by code takes about an addition for so many states, and a general one for so many terms of one.
const STATES_BY_CODE: f64 = 4.0;
const TERMS_AT_ONCE: f64 = 8.0;

/// About how many additions sums by f# take for these masks, each of them counting once.
pub(crate) fn strata_work(units: usize, masks: &[u64]) -> f64 {
    let classes = Classes::find(units, masks, &vec![1; masks.len()]);
    let states = 2f64.powi(units as i32);
    match Groups::new(units, masks, Some(&classes)) {
        Some(_) => states / STATES_BY_CODE,
        None => states * (masks.len() as f64 / TERMS_AT_ONCE).max(1.0),
    }
}

/// Enumeration prepared for one set of masks, to be run with many sets of weights.
#[derive(Clone, Debug)]
pub struct Enumerator {
    units: usize,
    masks: Vec<u64>,
    blocks: Blocks,
    groups: Option<Groups>,
    strata: Option<StrataPlan>,
}

impl Enumerator {
    /// Tables of all moments go up to this many units (128 MB).
    const MOST_IN_A_TABLE: usize = 24;

    /// Prepares `units` units with these distinct, non-empty masks.
    pub fn new(units: usize, masks: &[u64]) -> Result<Self> {
        if units > MOST_ENUMERATED {
            return Err(Error::too_large(
                format!("{units} free units make 2^{units} states"),
                words![
                    format!(
                        "exact enumeration goes up to {MOST_ENUMERATED}: use fewer hidden units, or a shape with an \
                         independent side ("
                    ),
                    Setting::Shape.at("rbm"),
                    ")",
                ],
            ));
        }
        Ok(Enumerator {
            units,
            masks: masks.to_vec(),
            blocks: Blocks::new(units, masks),
            groups: Groups::new(units, masks, None),
            strata: None,
        })
    }

    /// Prepares the split by f# too; `multiplicities[i]` terms count where mask i is on, `always_on` everywhere.
    pub fn with_strata(mut self, multiplicities: &[u32], always_on: u32) -> Self {
        let general = GeneralStrata::new(self.units, &self.masks, multiplicities, always_on);
        let classes = Classes::find(self.units, &self.masks, multiplicities);
        let by_code = Groups::new(self.units, &self.masks, Some(&classes)).map(|groups| ByCode {
            groups,
            value_of_code: self.values_of_codes(&classes, multiplicities, always_on),
        });
        self.strata = Some(StrataPlan { general, by_code });
        self
    }

    /// f# of every code, from one state that has it.
    fn values_of_codes(
        &self,
        classes: &Classes,
        multiplicities: &[u32],
        always_on: u32,
    ) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.units).collect();
        order.sort_by_key(|&unit| std::cmp::Reverse(classes.steps[unit]));
        (0..classes.codes as u32)
            .map(|code| {
                // Greedy from the largest step: every digit of the code is the count of one class.
                let (mut rest, mut state) = (code, 0u64);
                for &unit in &order {
                    if rest >= classes.steps[unit] {
                        rest -= classes.steps[unit];
                        state |= 1 << unit;
                    }
                }
                always_on
                    + self
                        .masks
                        .iter()
                        .zip(multiplicities)
                        .filter(|(mask, _)| **mask & state == **mask)
                        .map(|(_, m)| m)
                        .sum::<u32>()
            })
            .collect()
    }

    /// Log Σ exp and the expectation of every mask.
    pub fn sums(&self, coefficients: &[f64], out: &mut Sums) {
        out.terms.resize(self.masks.len(), 0.0);
        let mut scratch = out.scratch.take::<EnumeratorScratch>();
        match &self.groups {
            Some(groups) if groups.can(coefficients) => {
                groups.evaluate(coefficients, &mut scratch.groups, out);
            }
            _ => self.blocks.evaluate(coefficients, &mut scratch.block, out),
        }
        out.scratch.keep(scratch);
    }

    /// The split into low and high units.
    pub(super) fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// How many units two masks have together, at most.
    fn order_of_pairs(&self) -> usize {
        let orders = self.masks.iter().map(|mask| mask.count_ones() as usize);
        (2 * orders.max().unwrap_or(0)).min(self.units)
    }

    /// Whether there are few enough moments of pairs of masks, or few enough of all.
    pub(crate) fn has_moments(&self) -> bool {
        self.units <= Self::MOST_IN_A_TABLE || moments::are_few(self.units, self.order_of_pairs())
    }

    /// E[Π_mask x] at least for every mask that joins two of the machine's; `None` where these are too many.
    pub(crate) fn moments(&self, coefficients: &[f64]) -> Option<Moments> {
        let order = self.order_of_pairs();
        if self.units > SINGLE_BLOCK && moments::are_few(self.units, order) {
            let graded = moments::graded(self.units, &self.masks, order, coefficients);
            return Some(Moments::Graded(graded));
        }
        let has_table = self.units <= Self::MOST_IN_A_TABLE;
        has_table.then(|| Moments::Table(self.table_of_moments(coefficients)))
    }

    /// E[Π_mask x] for every one of the 2^units masks.
    pub(super) fn table_of_moments(&self, coefficients: &[f64]) -> Vec<f64> {
        let mut scratch = BlockScratch::default();
        let whole = Blocks::with_low_bits(self.units, &self.masks, self.units);
        whole.single_block_weights(coefficients, &mut scratch);
        let mut moments = scratch.table;
        kernels::superset_sums(&mut moments);
        let scale = 1.0 / moments[0];
        for moment in &mut moments {
            *moment *= scale;
        }
        moments
    }

    /// The same, split by f#; needs [`Enumerator::with_strata`].
    pub fn stratified(&self, coefficients: &[f64], out: &mut StratifiedSums) -> Result<()> {
        let Some(plan) = &self.strata else {
            return Err(Error::failed(
                "sums by f# were asked of an enumerator prepared without them".to_string(),
            ));
        };
        let mut scratch = out.scratch.take::<EnumeratorScratch>();
        match &plan.by_code {
            Some(ByCode {
                groups,
                value_of_code,
            }) if groups.can(coefficients) => {
                groups.evaluate_strata(coefficients, value_of_code, &mut scratch.groups, out);
            }
            _ => {
                let EnumeratorScratch { block, rows, .. } = &mut *scratch;
                plan.general.evaluate(coefficients, block, rows, out);
            }
        }
        out.scratch.keep(scratch);
        Ok(())
    }
}
