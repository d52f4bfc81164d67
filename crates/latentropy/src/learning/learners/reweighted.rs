//! EM-IS by Monte Carlo: many iterations on one sample that is weighed anew for each set of weights, then another sample.
//!
//! A state drawn at λ₀ counts with e^{(λ−λ₀)·f} at λ (Geyer and Thompson 1992), so that (8) holds of the sample as it does
//! of the machine: the same sums by f#, no noise between one iteration and the next, a likelihood that never falls, and
//! plateaus that are seen for what they are. A new sample is drawn where the old one counts for less than half of itself,
//! and once its solution is reached; samples grow until a new one shows no residual beyond its own error.

use super::method::Begin;
use crate::error::Result;
use crate::inference::{CarriedChains, Chains, largest_of_errors};
use crate::learning::checkpoint::State;
use crate::learning::iterative_scaling::{Scratch, Targets, scale};
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::{Stepped, Stepper};
use crate::network::Clamp;
use crate::random::learning_seed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many chains there are where none are asked for.
const USUAL_CHAINS: usize = 128;
/// States of each chain in the first sample and in the longest, and sweeps from one to the next.
const FIRST_TIMES: usize = 64;
const LONGEST_TIMES: usize = 512;
const APART: usize = 2;
/// Sweeps that chains make at new weights before they are sampled.
const SETTLING: usize = 32;
/// A sample is drawn anew where it counts for less than this share of itself.
const LEAST_SHARE: f64 = 0.5;
/// A sample is solved where its own residual is this share of its error.
const SOLVED: f64 = 0.1;
/// Iterations on one sample at most, and the residual that is enough then.
const SOLVED_AT_LENGTH: f64 = 0.5;
const MOST_ON_ONE: usize = 500;
/// Longest samples in a row whose first residual is within its error, after which learning has settled.
const QUIET: usize = 2;
/// The longest change of a weight in one update: rare features are not seen often enough for more.
const LONGEST_CHANGE: f64 = 1.0;
/// Larger machines would need too much room for their states.
const MOST_TERMS: usize = 3_000;

/// Whether this machine's states can be kept with all their terms.
pub(super) fn suits(problem: &Problem) -> bool {
    problem.terms() <= MOST_TERMS
}

/// Distinct states: the terms that are on in each, and how often it was drawn.
#[derive(Default, Serialize, Deserialize)]
struct Sample {
    on: Vec<Vec<u32>>,
    counts: Vec<f64>,
    drawn: f64,
    /// The weights it was drawn at.
    weights: Vec<f64>,
    /// The residual that its noise alone would show.
    noise: f64,
    /// Values of f# > 0, ascending, and the place of each state's among them.
    values: Vec<f64>,
    places: Vec<Option<usize>>,
}

/// What a sample says at some weights.
struct Weighed {
    free: Vec<f64>,
    sums: Vec<f64>,
    /// Which share of itself it counts for.
    share: f64,
}

impl Sample {
    fn draw(chains: &mut Chains, times: usize, problem: &Problem, weights: &[f64]) -> Self {
        let mut states: BTreeMap<Vec<bool>, f64> = BTreeMap::new();
        let (records, measured) = chains.record_and_measure_apart(times, APART);
        records.for_each_state(&chains.machine.order, &mut |state| {
            *states.entry(state.to_vec()).or_insert(0.0) += 1.0;
        });
        let terms = problem.structure().terms();
        let on = |state: &Vec<bool>| -> Vec<u32> {
            let on = (0..terms.len() as u32)
                .filter(|&t| terms[t as usize].units().iter().all(|&unit| state[unit]));
            on.collect()
        };
        let mut sample = Sample {
            on: states.keys().map(on).collect(),
            drawn: states.values().sum(),
            counts: states.into_values().collect(),
            weights: weights.to_vec(),
            noise: largest_of_errors(&measured.errors),
            ..Sample::default()
        };
        let mut values: Vec<usize> = sample.on.iter().map(Vec::len).filter(|&n| n > 0).collect();
        values.sort_unstable();
        values.dedup();
        let place = |on: &Vec<u32>| values.binary_search(&on.len()).ok();
        sample.places = sample.on.iter().map(place).collect();
        sample.values = values.into_iter().map(|value| value as f64).collect();
        sample
    }

    /// E f and the sums by f# at these weights, half a state more of every feature: what was not seen is rare, not
    /// impossible.
    fn weigh(&self, weights: &[f64]) -> Weighed {
        let terms = weights.len();
        let width = terms.next_multiple_of(8);
        let change: Vec<f64> = weights
            .iter()
            .zip(&self.weights)
            .map(|(a, b)| a - b)
            .collect();
        let exponent = |on: &Vec<u32>| on.iter().map(|&t| change[t as usize]).sum::<f64>();
        let exponents: Vec<f64> = self.on.iter().map(exponent).collect();
        let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let factor = |e: &f64| (e - largest).exp();
        let factors: Vec<f64> = exponents.iter().map(factor).collect();
        let pairs = || factors.iter().zip(&self.counts);
        let total: f64 = pairs().map(|(f, count)| f * count).sum();
        let squares: f64 = pairs().map(|(f, count)| f * f * count).sum();
        let mut found = Weighed {
            free: vec![0.0; terms],
            sums: vec![0.0; self.values.len() * width],
            share: total * total / (squares * self.drawn),
        };
        for (state, on) in self.on.iter().enumerate() {
            let Some(place) = self.places[state] else {
                continue;
            };
            let weight = factors[state] * self.counts[state] / total;
            let row = &mut found.sums[place * width..(place + 1) * width];
            for &term in on {
                row[term as usize] += weight;
            }
        }
        let unseen = 0.5 / self.drawn;
        let middle = self.values.len() / 2 * width;
        if !self.values.is_empty() {
            found.sums[middle..middle + terms]
                .iter_mut()
                .for_each(|sum| *sum += unseen);
        }
        for row in found.sums.chunks_exact(width) {
            for (free, part) in found.free.iter_mut().zip(row) {
                *free += part;
            }
        }
        found
    }
}

/// The learner.
pub(super) struct Reweighted {
    inner: usize,
    seed: u64,
    chain_count: usize,
    chains: Option<Chains>,
    sample: Option<Sample>,
    times: usize,
    /// Iterations on this sample.
    iterations: usize,
    quiet: usize,
    /// The mean of the solutions of quiet samples.
    mean: Vec<f64>,
    new_weights: Vec<f64>,
    scratch: Scratch,
}

impl Reweighted {
    pub(super) fn new(inner: usize, chains: Option<usize>, begin: &Begin) -> Self {
        Reweighted {
            inner,
            seed: learning_seed(begin.seed, begin.index),
            chain_count: chains.unwrap_or(USUAL_CHAINS),
            chains: None,
            sample: None,
            times: FIRST_TIMES,
            iterations: 0,
            quiet: 0,
            mean: Vec::new(),
            new_weights: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    fn draw(&mut self, problem: &Problem, weights: &[f64]) -> Result<Sample> {
        let network = problem.structure().with_weights(weights.to_vec())?;
        let chains = Chains::kept(&mut self.chains, &network, self.chain_count, self.seed)?;
        chains.sweep(SETTLING);
        self.iterations = 0;
        Ok(Sample::draw(chains, self.times, problem, weights))
    }

    /// The first residual of a new sample that follows a solved one: longer samples where it is within the noise.
    fn judge(&mut self, is_quiet: bool, weights: &[f64]) {
        if !is_quiet {
            self.quiet = 0;
            self.mean.clear();
        } else if self.times < LONGEST_TIMES {
            self.times *= 2;
        } else {
            self.quiet += 1;
            self.mean.resize(weights.len(), 0.0);
            let share = 1.0 / self.quiet as f64;
            for (mean, weight) in self.mean.iter_mut().zip(weights) {
                *mean += share * (weight - *mean);
            }
        }
    }
}

/// The largest violation of the constraints.
fn residual(problem: &Problem, point: &Point, free: &[f64]) -> f64 {
    let prior = problem.prior();
    let pulls = prior.slope(&point.weights);
    let violation = |term: usize| {
        let gradient = point.clamped.expectations[term] - free[term] - pulls[term];
        prior.violation(term, point.weights[term], gradient)
    };
    (0..free.len()).map(violation).fold(0.0, f64::max)
}

impl Stepper for Reweighted {
    fn stride(&self) -> Option<usize> {
        Some(usize::MAX)
    }

    fn has_settled(&self) -> bool {
        self.quiet >= QUIET
    }

    fn state(&self) -> Option<Result<State>> {
        Some(State::of(&(
            self.chains.as_ref().map(Chains::carried),
            &self.sample,
            (self.times, self.iterations, self.quiet),
            &self.mean,
        )))
    }

    fn go_on(&mut self, problem: &Problem, state: &State) -> Result<()> {
        let chains: Option<CarriedChains>;
        (
            chains,
            self.sample,
            (self.times, self.iterations, self.quiet),
            self.mean,
        ) = state.read()?;
        if let Some(carried) = chains {
            // The next sample brings the weights.
            let structure = problem.structure();
            let clamp = Clamp::none(structure.units().len());
            let mut chains = Chains::new(structure, &clamp, self.chain_count, self.seed)?;
            chains.go_on(carried);
            self.chains = Some(chains);
        }
        Ok(())
    }

    fn step(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        work: &mut Workspace,
    ) -> Result<Stepped> {
        let posterior_weights = problem.posterior_weights(&point.weights);
        problem
            .rows()
            .clamped(&posterior_weights, &mut point.clamped)?;
        work.passes += 1;
        let mut sample = match self.sample.take() {
            Some(sample) => sample,
            None => self.draw(problem, &point.weights)?,
        };
        let mut found = sample.weigh(&point.weights);
        let is_long = self.iterations >= MOST_ON_ONE;
        let share = if is_long { SOLVED_AT_LENGTH } else { SOLVED };
        let is_solved = residual(problem, point, &found.free) <= share * sample.noise;
        if is_solved || found.share < LEAST_SHARE || is_long {
            sample = self.draw(problem, &point.weights)?;
            found = sample.weigh(&point.weights);
            if is_solved {
                let is_quiet = residual(problem, point, &found.free) <= sample.noise;
                self.judge(is_quiet, &point.weights);
            }
            if self.has_settled() {
                point.weights.clone_from(&self.mean);
                return Ok(Stepped::Moved);
            }
        }
        self.iterations += 1;
        for update in 0..self.inner {
            if update > 0 {
                found = sample.weigh(&point.weights);
            }
            work.passes += 1;
            scale(
                &sample.values,
                &found.sums,
                point.weights.len().next_multiple_of(8),
                &Targets::new(problem, point),
                &mut self.scratch,
                &mut self.new_weights,
            );
            for (weight, new) in point.weights.iter_mut().zip(&self.new_weights) {
                *weight += (new - *weight).clamp(-LONGEST_CHANGE, LONGEST_CHANGE);
            }
        }
        self.sample = Some(sample);
        Ok(Stepped::Moved)
    }
}
