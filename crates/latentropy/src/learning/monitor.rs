//! Rows kept for validation, watched while a learner by samples learns: when to stop, and which weights to keep.
//!
//! A learner that does not converge has no end of its own. Every so many passes the weights, averaged over the last
//! fifth of all passes, are judged by the mean log-likelihood of the validation rows; where it has been clearly lower for a while,
//! learning stops, and the weights of the last look that was not are kept (early stopping). "Clearly" is by more than half the
//! error that log Z leaves, most of which neighbouring looks have in common: a lucky look would end learning otherwise. The gap between the mean free energies of the two
//! sets of rows, −log Σ_z e^{λ·f(y, z)}, needs no log Z: it grows where a machine learns its rows by heart (Hinton 2012).

use super::point::Point;
use super::problem::Problem;
use crate::error::{Error, Result};
use crate::inference::{
    CarriedChains, CarriedParticles, Chains, Kind, Layout, Population, Sums, short_log_partition_of,
};
use crate::network::Clamp;
use crate::rows::RowPosteriors;
use serde::{Deserialize, Serialize};

/// Looks in a run of its full length.
const LOOKS: usize = 50;
/// And in one that is only tried out.
const LOOKS_OF_A_TRIAL: usize = 10;
/// Looks clearly below the best one, after which learning stops.
pub(crate) const PATIENCE: usize = 10;
/// By so many errors of log Z a look is clearly below another.
const CLEARLY: f64 = 0.5;
/// Weights are averaged over the last pass / this passes, near enough.
const MEMORY: f64 = 5.0;
/// Groups of 64 states that follow the weights of a machine in two layers, for its log Z.
const GROUPS: usize = 128;
/// And one that is only tried out.
const GROUPS_OF_A_TRIAL: usize = 16;
/// Chains for log Z of other machines, and their sweeps at new weights before it is looked for.
const CHAINS: usize = 256;
const SETTLING: usize = 64;
/// Steps of annealed importance sampling in each look.
const STEPS: usize = 200;
/// The chains have streams of their own.
const SEED: u64 = 0x6d6f_6e69;

/// What one look at the validation rows saw.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Passes made.
    pub pass: usize,
    /// The mean log-likelihood of the rows that are learned from.
    pub training: f64,
    /// That of the validation rows.
    pub validation: f64,
    /// The Monte-Carlo error that both have from log Z; zero where the sums are exact.
    pub std_err: f64,
    /// The mean free energy of the validation rows less that of the others.
    pub gap: f64,
}

/// All looks of a restart, and which one's weights were kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Monitored {
    /// In order.
    pub looks: Vec<Look>,
    /// The position of the last one that is not clearly below the best.
    pub kept: usize,
    /// Passes between two looks.
    pub every: usize,
    /// Looks clearly below the best one, after which learning stops.
    pub patience: usize,
}

impl Monitored {
    /// The look whose weights were kept.
    pub fn best(&self) -> Option<&Look> {
        self.looks.get(self.kept)
    }

    fn is_enough(&self) -> bool {
        self.looks.len() > self.kept + self.patience
    }
}

/// What checkpoints keep.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Carried {
    chains: Option<CarriedChains>,
    population: Option<CarriedParticles>,
    seen: Seen,
}

/// What the next look depends on, beside the chains.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Seen {
    /// The mean of the weights of late, and the passes since the last look.
    mean: Vec<f64>,
    passes: usize,
    best: Vec<f64>,
    monitored: Monitored,
}

/// Watches one restart.
pub(crate) struct Monitor {
    seed: u64,
    /// For log Z of a machine in two layers; none where sums are exact.
    population: Option<Population>,
    /// For log Z of others.
    chains: Option<Chains>,
    seen: Seen,
}

impl Monitor {
    /// Of a problem with validation rows; none without.
    pub(crate) fn new(problem: &Problem, passes: usize, is_trial: bool, seed: u64) -> Option<Self> {
        problem.validation()?;
        let (looks, groups) = match is_trial {
            true => (LOOKS_OF_A_TRIAL, GROUPS_OF_A_TRIAL),
            false => (LOOKS, GROUPS),
        };
        let monitored = Monitored {
            every: passes.div_ceil(looks).max(1),
            patience: PATIENCE,
            ..Monitored::default()
        };
        Some(Monitor {
            seed: seed ^ SEED,
            population: population(problem, groups, seed ^ SEED),
            chains: None,
            seen: Seen {
                monitored,
                ..Seen::default()
            },
        })
    }

    /// Takes in the weights after a pass; true where it is enough. The last weights of a run are looked at as they are.
    pub(crate) fn take(
        &mut self,
        problem: &Problem,
        weights: &[f64],
        pass: usize,
        is_last: bool,
    ) -> Result<bool> {
        let seen = &mut self.seen;
        seen.passes += 1;
        // The mean of the last fifth or so of all passes: single weights swing about it.
        let share = match is_last {
            true => 1.0,
            false => (MEMORY / pass.max(1) as f64).min(1.0),
        };
        seen.mean.resize(weights.len(), 0.0);
        for (mean, weight) in seen.mean.iter_mut().zip(weights) {
            *mean += share * (weight - *mean);
        }
        if !is_last && seen.passes < seen.monitored.every {
            return Ok(false);
        }
        let judged = seen.mean.clone();
        seen.passes = 0;
        let look = self.look(problem, &judged, pass)?;
        let Monitored { looks, kept, .. } = &mut self.seen.monitored;
        let highest = looks.iter().map(|look| look.validation);
        let highest = highest.fold(f64::NEG_INFINITY, f64::max);
        let is_better = look.validation > highest;
        if is_better || look.std_err > 0.0 && look.validation > highest - CLEARLY * look.std_err {
            *kept = looks.len();
            self.seen.best = judged;
        }
        looks.push(look);
        Ok(self.is_enough())
    }

    fn look(&mut self, problem: &Problem, weights: &[f64], pass: usize) -> Result<Look> {
        let rows = problem.validation();
        let rows = rows.ok_or_else(|| Error::failed("there are no rows to validate by"))?;
        let training = mean_log_sum(problem.rows(), weights)?;
        let validation = mean_log_sum(rows, weights)?;
        let (log_partition, std_err) = self.log_partition(problem, weights)?;
        Ok(Look {
            pass,
            training: training - log_partition,
            validation: validation - log_partition,
            std_err,
            gap: training - validation,
        })
    }

    /// Log Z and its error: exact where the engine is, else by the states that follow the weights, else by a short annealed
    /// run from chains that stay.
    fn log_partition(&mut self, problem: &Problem, weights: &[f64]) -> Result<(f64, f64)> {
        if !problem.is_sampled() {
            let mut sums = Sums::default();
            problem.prepared().sums(weights, &mut sums)?;
            return Ok((sums.log_partition, 0.0));
        }
        if let Some(population) = &mut self.population {
            population.follow(weights);
            return Ok(population.log_partition());
        }
        let network = problem.structure().with_weights(weights.to_vec())?;
        let chains = Chains::kept(&mut self.chains, &network, CHAINS, self.seed)?;
        chains.sweep(SETTLING);
        let found = short_log_partition_of(chains, self.seed, STEPS);
        Ok((found.value, found.std_err.unwrap_or(0.0)))
    }

    /// What the best look says of its weights, which are the point's, without another measurement.
    pub(crate) fn tell(&self, problem: &Problem, point: &mut Point) -> Result<()> {
        let looked = problem.validation().zip(self.seen.monitored.best());
        let (rows, look) =
            looked.ok_or_else(|| Error::failed("the validation rows were not looked at"))?;
        point.log_partition = mean_log_sum(rows, &point.weights)? - look.validation;
        point.log_likelihood = look.training;
        if problem.is_sampled() {
            point.worth.log_likelihood = Kind::MonteCarlo;
            point.worth.log_likelihood_error = Some(look.std_err);
        }
        Ok(())
    }

    /// The best weights, where there was a look.
    pub(crate) fn best(&self) -> Option<&[f64]> {
        (!self.seen.best.is_empty()).then_some(&self.seen.best)
    }

    /// True where so many looks were no better that more passes are not worth it.
    pub(crate) fn is_enough(&self) -> bool {
        self.seen.monitored.is_enough()
    }

    /// The mean log-likelihood of the validation rows at the last look.
    pub(crate) fn latest(&self) -> Option<f64> {
        let look = self.seen.monitored.looks.last();
        look.map(|look| look.validation)
    }

    /// What was seen.
    pub(crate) fn into_monitored(self) -> Monitored {
        self.seen.monitored
    }

    pub(crate) fn carried(&self) -> Carried {
        Carried {
            chains: self.chains.as_ref().map(Chains::carried),
            population: self.population.as_ref().map(Population::carried),
            seen: self.seen.clone(),
        }
    }

    pub(crate) fn go_on(&mut self, problem: &Problem, carried: Carried) -> Result<()> {
        self.seen = carried.seen;
        let layout = Layout::of(problem.structure()).ok();
        let population = layout.zip(carried.population);
        self.population = population.map(|(layout, carried)| Population::go_on(layout, carried));
        if let Some(states) = carried.chains {
            let network = problem.structure();
            let clamp = Clamp::none(network.units().len());
            let mut chains = Chains::new(network, &clamp, CHAINS, self.seed)?;
            chains.go_on(states);
            self.chains = Some(chains);
        }
        Ok(())
    }
}

/// States of independent columns with the means of the rows that are learned from, for a machine in two layers whose log Z
/// is not summed.
fn population(problem: &Problem, groups: usize, seed: u64) -> Option<Population> {
    if !problem.is_sampled() {
        return None;
    }
    let layout = Layout::of(problem.structure()).ok()?;
    let rows = problem.rows();
    let log_odds = layout.visible_units().iter().map(|&unit| {
        let weighed = rows.clamps().iter().zip(rows.shares());
        let known = weighed.filter_map(|(clamp, share)| Some((clamp.get(unit)?, share)));
        let (mut ones, mut total) = (0.0, 0.0);
        for (is_on, share) in known {
            total += share;
            ones += if is_on { *share } else { 0.0 };
        }
        let half = 0.5 / problem.row_count();
        ((ones + half) / (total - ones + half)).ln()
    });
    let log_odds: Vec<f64> = log_odds.collect();
    let terms = problem.terms();
    Some(Population::new(layout, &log_odds, terms, groups, seed))
}

/// The mean of log Σ_z e^{λ·f(y, z)} over the rows.
fn mean_log_sum(rows: &RowPosteriors, weights: &[f64]) -> Result<f64> {
    let sums = rows.log_sums(weights)?;
    let weighted = sums.iter().zip(rows.shares());
    let with_a_share = weighted.filter(|(_, share)| **share > 0.0);
    Ok(with_a_share.map(|(sum, share)| sum * share).sum())
}
