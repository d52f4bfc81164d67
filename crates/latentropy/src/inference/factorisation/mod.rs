//! Exact inference where one side of the network is independent given the other (restricted machines and their kin).
//!
//! Let D be the dependent side and I the rest, no two units of I in one term. The sum over I is a product:
//! log Σ_x = log Σ_d exp(E(d) + Σ_{i∈I} log(1 + e^{f_i(d)})), so only the 2^|D| states of D are visited.

use super::engine::AnswersAtOnce;
use super::{Expectations, Value, kernels};
use crate::error::{Error, Result};
use crate::message::{Setting, words};
use crate::network::{Clamp, Network};
use rayon::prelude::*;

/// A dependent side larger than this is refused.
pub const MOST_DEPENDENT: usize = 30;
/// States of D in one block.
const LOW_BITS: usize = 6;
/// Blocks are cut into at most this many runs, whatever the number of threads.
const RUNS: usize = 64;

/// What becomes of a term.
#[derive(Clone, Copy, Debug)]
enum Place {
    Zero,
    One,
    /// On dependent units only: upper and lower part of the mask.
    Dependent(u64, usize),
    /// On dependent units (possibly none) and one independent unit.
    Independent(u64, usize, usize),
}

/// A network split into a dependent and an independent side under a clamp.
#[derive(Clone, Debug)]
pub(crate) struct Sides {
    pub(crate) dependent: Vec<usize>,
    pub(crate) independent: Vec<usize>,
    places: Vec<Place>,
    weights: Vec<f64>,
    constant: f64,
    low_bits: usize,
    width: usize,
}

/// Sums of one run of blocks, divided by e^reference.
struct Run {
    reference: f64,
    total: f64,
    terms: Vec<f64>,
    dependent: Vec<f64>,
    independent: Vec<f64>,
}

impl Run {
    fn rescale(&mut self, reference: f64) {
        let factor = (self.reference - reference).exp();
        self.total *= factor;
        for value in self
            .terms
            .iter_mut()
            .chain(&mut self.dependent)
            .chain(&mut self.independent)
        {
            *value *= factor;
        }
        self.reference = reference;
    }

    fn add(&mut self, other: &Run) {
        self.total += other.total;
        kernels::add_scaled(&mut self.terms, &other.terms, 1.0);
        kernels::add_scaled(&mut self.dependent, &other.dependent, 1.0);
        kernels::add_scaled(&mut self.independent, &other.independent, 1.0);
    }
}

/// The larger of: the hidden side, the visible side, a greedy independent set; among the free units.
fn independent_side(network: &Network, clamp: &Clamp) -> Vec<bool> {
    let units = network.units().len();
    let free: Vec<bool> = (0..units).map(|u| clamp.get(u).is_none()).collect();
    let mut neighbours = vec![Vec::new(); units];
    for term in network.terms() {
        if term.units().iter().any(|&u| clamp.get(u) == Some(false)) {
            continue;
        }
        let left: Vec<usize> = term.units().iter().copied().filter(|&u| free[u]).collect();
        for &a in &left {
            neighbours[a].extend(left.iter().copied().filter(|&b| b != a));
        }
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    let greedy = |mut order: Vec<usize>| {
        let (mut chosen, mut barred) = (vec![false; units], vec![false; units]);
        order.retain(|&u| free[u]);
        for unit in order {
            if !barred[unit] {
                chosen[unit] = true;
                for &n in &neighbours[unit] {
                    barred[n] = true;
                }
            }
        }
        chosen
    };
    let roles = |first: crate::network::Role| {
        let mut order: Vec<usize> = (0..units).collect();
        order.sort_by_key(|&u| (network.units()[u].role != first, neighbours[u].len(), u));
        order
    };
    let mut by_degree: Vec<usize> = (0..units).collect();
    by_degree.sort_by_key(|&u| (neighbours[u].len(), u));
    // `max_by_key` keeps the last of equals: hidden units independent is the usual reading.
    [
        by_degree,
        roles(crate::network::Role::Visible),
        roles(crate::network::Role::Hidden),
    ]
    .into_iter()
    .map(greedy)
    .max_by_key(|side| side.iter().filter(|&&c| c).count())
    .unwrap_or_default()
}

impl Sides {
    pub(crate) fn new(network: &Network, clamp: &Clamp) -> Result<Self> {
        let units = network.units().len();
        if clamp.len() != units {
            return Err(Error::invalid(format!(
                "a clamp on {} units for a network of {units}",
                clamp.len()
            )));
        }
        let is_independent = independent_side(network, clamp);
        let (mut dependent, mut independent) = (Vec::new(), Vec::new());
        let mut position = vec![0; units];
        for unit in 0..units {
            if clamp.get(unit).is_none() {
                let side = if is_independent[unit] {
                    &mut independent
                } else {
                    &mut dependent
                };
                position[unit] = side.len();
                side.push(unit);
            }
        }
        if dependent.len() > MOST_DEPENDENT {
            return Err(Error::too_large(
                format!(
                    "the smaller side of the network has {} units that depend on each other",
                    dependent.len()
                ),
                words![
                    format!(
                        "exact summation goes up to {MOST_DEPENDENT}: use fewer hidden units or hold units with "
                    ),
                    Setting::Given,
                ],
            ));
        }
        let low_bits = dependent.len().min(LOW_BITS);
        let places = network
            .terms()
            .iter()
            .map(|term| {
                let (mut mask, mut single) = (0u64, None);
                for &unit in term.units() {
                    match clamp.get(unit) {
                        Some(false) => return Place::Zero,
                        Some(true) => {}
                        None if is_independent[unit] => single = Some(position[unit]),
                        None => mask |= 1 << position[unit],
                    }
                }
                let (upper, lower) = (mask >> low_bits, (mask & ((1 << low_bits) - 1)) as usize);
                match single {
                    Some(i) => Place::Independent(upper, lower, i),
                    None if mask == 0 => Place::One,
                    None => Place::Dependent(upper, lower),
                }
            })
            .collect();
        Ok(Sides {
            width: independent.len(),
            dependent,
            independent,
            places,
            weights: network.weights().to_vec(),
            constant: network.constant(),
            low_bits,
        })
    }

    /// Blocks of D's states.
    pub(crate) fn blocks(&self) -> u64 {
        1 << (self.dependent.len() - self.low_bits)
    }

    /// For each block in a range: `each(block, reference, weights, means)`, where `weights[s]` is the weight of
    /// D's state (block, s), the sum over I included, divided by e^reference, and `means` holds P(x_i = 1 | d)
    /// in rows of `independent.len()`.
    pub(crate) fn visit(
        &self,
        blocks: std::ops::Range<u64>,
        mut each: impl FnMut(u64, f64, &mut [f64], &mut [f64]),
    ) {
        let states = 1usize << self.low_bits;
        let width = self.width;
        let mut exponents = vec![0.0; states];
        let mut fields = vec![0.0; states * width];
        for block in blocks {
            exponents.fill(0.0);
            fields.fill(0.0);
            for (place, weight) in self.places.iter().zip(&self.weights) {
                match *place {
                    Place::Zero => {}
                    Place::One => exponents[0] += weight,
                    Place::Dependent(upper, lower) => {
                        if upper & block == upper {
                            exponents[lower] += weight;
                        }
                    }
                    Place::Independent(upper, lower, i) => {
                        if upper & block == upper {
                            fields[lower * width + i] += weight;
                        }
                    }
                }
            }
            kernels::subset_sums(&mut exponents);
            row_transform(&mut fields, states, width, |low, high| {
                kernels::add_scaled(high, low, 1.0);
            });
            if width > 0 {
                for (exponent, row) in exponents.iter_mut().zip(fields.chunks_exact_mut(width)) {
                    *exponent += kernels::logistic_row(row);
                }
            }
            let reference = kernels::exponentials_below_maximum(&mut exponents);
            each(
                block,
                reference + self.constant,
                &mut exponents,
                &mut fields,
            );
        }
    }

    fn sum_run(&self, blocks: std::ops::Range<u64>) -> Run {
        let width = self.width;
        let mut run = Run {
            reference: f64::NEG_INFINITY,
            total: 0.0,
            terms: vec![0.0; self.places.len()],
            dependent: vec![0.0; self.dependent.len()],
            independent: vec![0.0; self.independent.len()],
        };
        self.visit(blocks, |block, reference, weights, means| {
            if reference > run.reference {
                run.rescale(reference);
            }
            let scale = (reference - run.reference).exp();
            let states = weights.len();
            weights.iter_mut().for_each(|weight| *weight *= scale);
            if width > 0 {
                for (weight, row) in weights.iter().zip(means.chunks_exact_mut(width)) {
                    row.iter_mut().for_each(|mean| *mean *= weight);
                }
            }
            kernels::superset_sums(weights);
            row_transform(means, states, width, |low, high| {
                kernels::add_scaled(low, high, 1.0);
            });
            run.total += weights[0];
            for (sum, place) in run.terms.iter_mut().zip(&self.places) {
                match *place {
                    Place::Zero => {}
                    Place::One => *sum += weights[0],
                    Place::Dependent(upper, lower) => {
                        if upper & block == upper {
                            *sum += weights[lower];
                        }
                    }
                    Place::Independent(upper, lower, i) => {
                        if upper & block == upper {
                            *sum += means[lower * width + i];
                        }
                    }
                }
            }
            for (bit, sum) in run.dependent.iter_mut().enumerate() {
                if bit < self.low_bits {
                    *sum += weights[1 << bit];
                } else if block >> (bit - self.low_bits) & 1 == 1 {
                    *sum += weights[0];
                }
            }
            kernels::add_scaled(&mut run.independent, &means[..width], 1.0);
        });
        run
    }

    fn sums(&self) -> Run {
        let blocks = self.blocks();
        let runs = blocks.min(RUNS as u64);
        let mut partial: Vec<Run> = (0..runs)
            .into_par_iter()
            .map(|run| self.sum_run(blocks * run / runs..blocks * (run + 1) / runs))
            .collect();
        let reference = partial
            .iter()
            .map(|run| run.reference)
            .fold(f64::NEG_INFINITY, f64::max);
        let mut all = partial.remove(0);
        all.rescale(reference);
        for mut run in partial {
            run.rescale(reference);
            all.add(&run);
        }
        all
    }
}

/// Butterflies over whole rows: for every pair of rows that differ in one bit, `step(lower, upper)`.
fn row_transform(
    rows: &mut [f64],
    states: usize,
    width: usize,
    step: impl Fn(&mut [f64], &mut [f64]),
) {
    if width == 0 {
        return;
    }
    let mut half = 1;
    while half < states {
        for pair in rows.chunks_exact_mut(2 * half * width) {
            let (low, high) = pair.split_at_mut(half * width);
            step(low, high);
        }
        half *= 2;
    }
}

/// The free phase of a network with an independent side, prepared for many sets of weights.
#[derive(Clone, Debug)]
pub struct FactorisedSums(Sides);

impl FactorisedSums {
    /// Splits the network.
    pub fn new(structure: &Network) -> Result<Self> {
        Ok(FactorisedSums(Sides::new(
            structure,
            &Clamp::none(structure.units().len()),
        )?))
    }

    /// Returns log Σ exp without the constant, and leaves the expectation of every term in `expectations`.
    pub fn evaluate(&self, weights: &[f64], expectations: &mut Vec<f64>) -> f64 {
        let sides = Sides {
            weights: weights.to_vec(),
            constant: 0.0,
            ..self.0.clone()
        };
        let sums = sides.sums();
        expectations.clear();
        expectations.extend(sums.terms.iter().map(|sum| sum / sums.total));
        sums.reference + sums.total.ln()
    }
}

/// The engine `exact` for networks with an independent side.
#[derive(Clone, Copy, Debug, Default)]
pub struct Factorised;

impl AnswersAtOnce for Factorised {
    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        let sides = Sides::new(network, clamp)?;
        let sums = sides.sums();
        let scale = 1.0 / sums.total;
        let log_partition = sums.reference + sums.total.ln();
        let terms: Vec<f64> = sums.terms.iter().map(|s| s * scale).collect();
        let mean_exponent: f64 = network
            .weights()
            .iter()
            .zip(&terms)
            .map(|(w, t)| w * t)
            .sum();
        let mut means: Vec<f64> = (0..clamp.len())
            .map(|unit| f64::from(clamp.get(unit) == Some(true)))
            .collect();
        for (&unit, sum) in sides.dependent.iter().zip(&sums.dependent) {
            means[unit] = sum * scale;
        }
        for (&unit, sum) in sides.independent.iter().zip(&sums.independent) {
            means[unit] = sum * scale;
        }
        Ok(Expectations {
            log_partition: Value::exact(log_partition),
            entropy: Value::exact((log_partition - network.constant() - mean_exponent).max(0.0)),
            means,
            terms,
        })
    }
}
