//! EM-IS, EM-GIS and gradient ascent with persistent chains in place of the free phase, for machines of any size.
//!
//! The E step is that of the exact learners. Chains stay from update to update; each update measures a stretch of them:
//! E f with its errors and, for EM-IS, the sums by f# that equation (8) needs. The length of the stretch follows the
//! noise: while the residual stands out of the Monte-Carlo error, short stretches are enough; where it does not, the
//! stretch is doubled. Once the longest stretch shows no residual beyond its error several times over, learning has
//! converged as far as samples can tell, and the weights since then are averaged.

use super::method::Begin;
use crate::error::{Error, Result};
use crate::inference::{CarriedChains, Chains, EngineId, Measured, Strata, largest_of_errors};
use crate::learning::checkpoint::State;
use crate::learning::iterative_scaling::{Scratch, Targets, scale};
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::{Stepped, Stepper};
use crate::message::{Setting, words};
use crate::network::Clamp;
use crate::random::learning_seed;

/// Sweeps of the first stretch and of the longest one.
const FIRST_STRETCH: usize = 64;
const LONGEST_STRETCH: usize = 1024;
/// Sweeps that chains make at new weights before they are measured.
const SETTLING: usize = 8;
/// Iterations without a residual that stands out, at the longest stretch, after which learning has converged.
const QUIET: usize = 5;
/// The longest change of a weight in one update: rare features are not seen often enough for more.
const LONGEST_CHANGE: f64 = 1.0;

/// How many chains there are where none are asked for.
const USUAL_CHAINS: usize = 100;

/// Refuses a number of chains where the engine has none.
pub(super) fn check_chains(chains: Option<usize>, engine: EngineId) -> Result<()> {
    match chains {
        None => Ok(()),
        Some(chains) if !(1..=1_000_000).contains(&chains) => Err(Error::invalid(words![
            Setting::Chains,
            format!(" must lie between 1 and 1000000, not {chains}")
        ])),
        Some(_) if engine.gives().chains => Ok(()),
        Some(_) => Err(Error::invalid(words![
            Setting::Chains,
            " is for ",
            Setting::Learner.at("cd and pcd"),
            ", and for EM with ",
            Setting::Engine.at("gibbs"),
            "; ",
            Setting::Engine.at(engine),
            " draws no samples",
        ])),
    }
}

/// How weights are moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SampledRule {
    /// By the roots of (8) with sampled sums by f#.
    ImprovedScaling,
    /// By generalised iterative scaling.
    GeneralisedScaling,
    /// By this multiple of the gradient.
    Gradient(f64),
}

/// The learner.
pub(super) struct Sampled {
    rule: SampledRule,
    inner: usize,
    seed: u64,
    chain_count: usize,
    chains: Option<Chains>,
    stretch: usize,
    quiet: usize,
    /// The mean of the weights since the longest stretch was reached and quiet.
    mean: Vec<f64>,
    new_weights: Vec<f64>,
    scratch: Scratch,
}

impl Sampled {
    pub(super) fn new(
        rule: SampledRule,
        inner: usize,
        chains: Option<usize>,
        begin: &Begin,
    ) -> Self {
        Sampled {
            rule,
            inner,
            seed: learning_seed(begin.seed, begin.index),
            chain_count: chains.unwrap_or(USUAL_CHAINS),
            chains: None,
            stretch: FIRST_STRETCH,
            quiet: 0,
            mean: Vec::new(),
            new_weights: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// Every weight moved by (7), or along the gradient (11).
    fn update(&mut self, problem: &Problem, point: &mut Point, found: &Measured) {
        let prior = problem.prior();
        let eta = &point.clamped.expectations;
        let free = &found.expectations;
        if let SampledRule::Gradient(length) = self.rule {
            let pulls = prior.slope(&point.weights);
            for (term, weight) in point.weights.iter_mut().enumerate() {
                let change = length * (eta[term] - free[term] - pulls[term]);
                let change = change.clamp(-LONGEST_CHANGE, LONGEST_CHANGE);
                *weight = prior.held(term, *weight + change);
            }
            return;
        }
        let width = free.len().next_multiple_of(8);
        // Half a sample more of every feature: what was not seen is rare, not impossible.
        let unseen = 0.5 / found.samples as f64;
        let (values, sums) = match &found.strata {
            Some(strata) if !strata.values.is_empty() => padded(strata, width, unseen),
            _ => {
                // One stratum that holds everything: generalised iterative scaling.
                let mut row: Vec<f64> = free.iter().map(|mean| mean + unseen).collect();
                row.resize(width, 0.0);
                (vec![free.len() as f64], row)
            }
        };
        scale(
            &values,
            &sums,
            width,
            &Targets::new(problem, point),
            &mut self.scratch,
            &mut self.new_weights,
        );
        for (weight, new) in point.weights.iter_mut().zip(&self.new_weights) {
            *weight += (new - *weight).clamp(-LONGEST_CHANGE, LONGEST_CHANGE);
        }
    }

    /// Longer stretches where the residual is within the noise; the mean of the weights once the longest is quiet.
    fn control(&mut self, stands_out: bool, weights: &[f64]) {
        if stands_out {
            self.quiet = 0;
        } else if self.stretch < LONGEST_STRETCH {
            self.stretch *= 2;
        } else {
            self.quiet += 1;
        }
        if self.quiet == 0 {
            self.mean.clear();
            return;
        }
        self.mean.resize(weights.len(), 0.0);
        let share = 1.0 / self.quiet as f64;
        for (mean, weight) in self.mean.iter_mut().zip(weights) {
            *mean += share * (weight - *mean);
        }
    }
}

/// Strata with rows of `width` entries; `unseen` more of every feature in the middle stratum.
fn padded(strata: &Strata, width: usize, unseen: f64) -> (Vec<f64>, Vec<f64>) {
    let mut sums = vec![0.0; strata.values.len() * width];
    for (row, from) in sums
        .chunks_exact_mut(width)
        .zip(strata.sums.chunks_exact(strata.terms))
    {
        row[..strata.terms].copy_from_slice(from);
    }
    let middle = strata.values.len() / 2 * width;
    for sum in &mut sums[middle..middle + strata.terms] {
        *sum += unseen;
    }
    (strata.values.clone(), sums)
}

impl Sampled {
    /// The chains at these weights, measured over a stretch.
    fn measure(&mut self, problem: &Problem, weights: &[f64]) -> Result<Measured> {
        let network = problem.structure().with_weights(weights.to_vec())?;
        let chains = Chains::kept(&mut self.chains, &network, self.chain_count, self.seed)?;
        chains.sweep(SETTLING);
        Ok(chains.measure(self.stretch, self.rule == SampledRule::ImprovedScaling))
    }
}

impl Stepper for Sampled {
    fn stride(&self) -> Option<usize> {
        Some(usize::MAX)
    }

    fn has_settled(&self) -> bool {
        self.quiet >= QUIET
    }

    fn state(&self) -> Option<Result<State>> {
        let chains = self.chains.as_ref().map(Chains::carried);
        Some(State::of(&(chains, self.stretch, self.quiet, &self.mean)))
    }

    fn go_on(&mut self, problem: &Problem, state: &State) -> Result<()> {
        let chains: Option<CarriedChains>;
        (chains, self.stretch, self.quiet, self.mean) = state.read()?;
        if let Some(carried) = chains {
            // The next measurement brings the weights.
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
        for update in 0..self.inner {
            let found = self.measure(problem, &point.weights)?;
            work.passes += 1;
            if update == 0 {
                let pulls = problem.prior().slope(&point.weights);
                let eta = &point.clamped.expectations;
                let residuals = eta.iter().zip(&found.expectations).zip(&pulls);
                let residual = residuals
                    .map(|((eta, free), pull)| (eta - free - pull).abs())
                    .fold(0.0, f64::max);
                self.control(residual > largest_of_errors(&found.errors), &point.weights);
                if self.has_settled() {
                    point.weights.clone_from(&self.mean);
                    return Ok(Stepped::Moved);
                }
            }
            self.update(problem, point, &found);
        }
        Ok(Stepped::Moved)
    }
}
