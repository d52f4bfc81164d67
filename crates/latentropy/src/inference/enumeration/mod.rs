//! Exact enumeration of all 2^M states, without ever holding 2^M numbers.
//!
//! [`blocks`] handles any order and any weights, [`groups`] pairwise machines as matrix products,
//! [`strata`] the split by f# for any set of terms.

mod blocks;
mod classes;
mod fours;
mod groups;
mod strata;

use super::engine::{AnswersAtOnce, StrataAtOnce, SumsWorth};
use super::reduction::{Image, Reduced};
use super::{Expectations, Strata, Value};
use crate::error::{Error, Result};
use crate::message::{Setting, words};
use crate::network::{Clamp, Network};
use blocks::Blocks;
use classes::Classes;
use groups::{GroupScratch, Groups};
use strata::GeneralStrata;

/// More free units than this are refused: 2^34 states take about half a minute on one core.
pub const MOST_ENUMERATED: usize = 34;

/// Plain sums: results, and the scratch space they were made in, to be used again.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// log Z; from an enumerator, without the network's constant.
    pub log_partition: f64,
    /// Expectation of every term; from an enumerator, of every mask.
    pub terms: Vec<f64>,
    /// What they are worth.
    pub worth: SumsWorth,
    /// Of an engine that samples: the same seed gives the same sums.
    pub seed: u64,
    table: Vec<f64>,
    factors: Vec<f64>,
    rows: Vec<f64>,
    groups: GroupScratch,
}

/// Sums split by f#, and their scratch space.
#[derive(Clone, Debug, Default)]
pub struct StratifiedSums {
    /// log Z; from an enumerator, without the network's constant.
    pub log_partition: f64,
    /// The values c > 0 of f#, ascending.
    pub values: Vec<f64>,
    /// a_i(c), one row of `width` entries a value (entries past the masks are zero).
    pub sums: Vec<f64>,
    /// Length of a row.
    pub width: usize,
    scratch: Sums,
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
    pub(crate) const MOST_IN_A_TABLE: usize = 24;

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
        match &self.groups {
            Some(groups) if groups.can(coefficients) => groups.evaluate(coefficients, out),
            _ => self.blocks.evaluate(coefficients, out),
        }
    }

    /// Whether the machine is small enough for a table of all moments.
    pub fn has_moments(&self) -> bool {
        self.units <= Self::MOST_IN_A_TABLE
    }

    /// E[Π_mask x] for every one of the 2^units masks; `None` beyond 24 units.
    pub fn moments(&self, coefficients: &[f64]) -> Option<Vec<f64>> {
        if !self.has_moments() {
            return None;
        }
        let mut sums = Sums::default();
        let whole = Blocks::with_low_bits(self.units, &self.masks, self.units);
        whole.single_block_weights(coefficients, &mut sums);
        super::kernels::superset_sums(&mut sums.table);
        let scale = 1.0 / sums.table[0];
        for moment in &mut sums.table {
            *moment *= scale;
        }
        Some(sums.table)
    }

    /// The same, split by f#; needs [`Enumerator::with_strata`].
    pub fn stratified(&self, coefficients: &[f64], out: &mut StratifiedSums) -> Result<()> {
        let Some(plan) = &self.strata else {
            return Err(Error::failed(
                "sums by f# were asked of an enumerator prepared without them".to_string(),
            ));
        };
        let mut scratch = std::mem::take(&mut out.scratch);
        match &plan.by_code {
            Some(ByCode {
                groups,
                value_of_code,
            }) if groups.can(coefficients) => {
                groups.evaluate_strata(coefficients, value_of_code, &mut scratch, out);
            }
            _ => plan.general.evaluate(coefficients, &mut scratch, out),
        }
        out.scratch = scratch;
        Ok(())
    }
}

/// The engine `exact`, by enumeration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Enumeration;

impl AnswersAtOnce for Enumeration {
    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        let reduced = Reduced::new(network, clamp)?;
        let (coefficients, constant) = reduced.coefficients(network.weights(), network.constant());
        let mut sums = Sums::default();
        Enumerator::new(reduced.free.len(), &reduced.masks)?.sums(&coefficients, &mut sums);
        Ok(assemble(
            &reduced,
            clamp,
            &coefficients,
            constant,
            sums.log_partition,
            &sums.terms,
        ))
    }
}

/// Puts sums over masks back into terms and units; the entropy is log Φ − Σ λ E f over the free part.
pub(super) fn assemble(
    reduced: &Reduced,
    clamp: &Clamp,
    coefficients: &[f64],
    constant: f64,
    log_total: f64,
    by_mask: &[f64],
) -> Expectations {
    let mean_exponent: f64 = coefficients.iter().zip(by_mask).map(|(c, m)| c * m).sum();
    Expectations {
        log_partition: Value::exact(constant + log_total),
        // Rounding can leave a point mass a hair below zero.
        entropy: Value::exact((log_total - mean_exponent).max(0.0)),
        means: reduced.means(by_mask, clamp),
        terms: reduced.by_term(by_mask),
    }
}

impl StrataAtOnce for Enumeration {
    fn strata(&self, network: &Network, clamp: &Clamp) -> Result<Strata> {
        let reduced = Reduced::new(network, clamp)?;
        let (coefficients, constant) = reduced.coefficients(network.weights(), network.constant());
        // A term whose units are all held at one is on everywhere: its sums are those of the empty mask.
        let always_on = reduced.always_on();
        let (mut masks, mut multiplicities) =
            (reduced.masks.clone(), reduced.multiplicities.clone());
        let mut coefficients = coefficients;
        if always_on > 0 {
            masks.push(0);
            multiplicities.push(0);
            coefficients.push(0.0);
        }
        let mut sums = StratifiedSums::default();
        Enumerator::new(reduced.free.len(), &masks)?
            .with_strata(&multiplicities, always_on)
            .stratified(&coefficients, &mut sums)?;
        let terms = network.terms().len();
        let mut by_term = Vec::with_capacity(sums.values.len() * terms);
        for row in sums.sums.chunks_exact(sums.width.max(1)) {
            by_term.extend(reduced.images.iter().map(|image| match *image {
                Image::Zero => 0.0,
                Image::One => row[reduced.masks.len()],
                Image::Mask(at) => row[at],
            }));
        }
        Ok(Strata {
            log_partition: constant + sums.log_partition,
            values: sums.values,
            sums: by_term,
            terms,
        })
    }
}

/// The blocks of an enumeration, one by one, for drawing samples.
#[derive(Clone, Debug)]
pub(crate) struct BlockSampling {
    free: Vec<usize>,
    blocks: Blocks,
    coefficients: Vec<f64>,
    base: Vec<f64>,
    safe: bool,
}

impl BlockSampling {
    pub(crate) fn new(network: &Network, clamp: &Clamp) -> Result<Self> {
        let reduced = Reduced::new(network, clamp)?;
        let (coefficients, _) = reduced.coefficients(network.weights(), 0.0);
        let blocks = Blocks::new(reduced.free.len(), &reduced.masks);
        let safe = blocks::multiplies_safely(&coefficients);
        Ok(BlockSampling {
            free: reduced.free,
            base: blocks.low_table(&coefficients, safe),
            blocks,
            coefficients,
            safe,
        })
    }

    /// How many blocks there are.
    pub(crate) fn count(&self) -> u64 {
        self.blocks.high_states()
    }

    /// `each(block, reference, weights)` for a range of blocks.
    pub(crate) fn visit(
        &self,
        range: std::ops::Range<u64>,
        each: impl FnMut(u64, f64, &mut [f64]),
    ) {
        self.blocks
            .visit(range, &self.coefficients, &self.base, self.safe, each);
    }

    /// Units within a block.
    pub(crate) fn low_bits(&self) -> usize {
        self.blocks.low_bits()
    }

    /// The unit of each bit of a state.
    pub(crate) fn free(&self) -> &[usize] {
        &self.free
    }
}

/// All states of a network, units in a chosen order of bits, in blocks on one common scale.
pub(crate) struct Joint {
    blocks: Blocks,
    coefficients: Vec<f64>,
    base: Vec<f64>,
    safe: bool,
    reference: f64,
}

impl Joint {
    /// `order[b]` is the unit of bit b; blocks hold at least the lowest twelve bits, or all.
    pub(crate) fn new(network: &Network, order: &[usize]) -> Result<Self> {
        let mut bit_of = vec![0; order.len()];
        for (bit, &unit) in order.iter().enumerate() {
            bit_of[unit] = bit;
        }
        let masks: Vec<u64> = network
            .terms()
            .iter()
            .map(|term| term.units().iter().map(|&u| 1u64 << bit_of[u]).sum())
            .collect();
        let hidden = network.hidden().len();
        let low_bits = order.len().min(blocks::SINGLE_BLOCK.max(hidden));
        let blocks = Blocks::with_low_bits(order.len(), &masks, low_bits);
        let coefficients = network.weights().to_vec();
        let safe = blocks::multiplies_safely(&coefficients);
        let mut sums = Sums::default();
        let enumerator = Enumerator::new(order.len(), &masks)?;
        enumerator.sums(&coefficients, &mut sums);
        Ok(Joint {
            base: blocks.low_table(&coefficients, safe),
            blocks,
            coefficients,
            safe,
            reference: sums.log_partition,
        })
    }

    /// Probabilities of the states, block by block.
    pub(crate) fn visit(&self, mut each: impl FnMut(&[f64])) {
        let range = 0..self.blocks.high_states();
        self.blocks.visit(
            range,
            &self.coefficients,
            &self.base,
            self.safe,
            |_, reference, weights| {
                let scale = (reference - self.reference).exp();
                weights.iter_mut().for_each(|w| *w *= scale);
                each(weights);
            },
        );
    }
}
