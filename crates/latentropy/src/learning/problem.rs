//! A learning problem: a network structure against rows of data, and everything that can be known at one set of weights.

use super::engine_phase::{LearningEngine, Worth, ask};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::inference::{
    Clamp, Clamped, Engine, Enumerator, ExactEngine, FactorisedSums, Kind, MOST_ENUMERATED,
    RowPosteriors, StratifiedSums, Sums, clamp_of_row, exact_engine, units_of_columns,
};
use crate::network::Network;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Up to this many units every machine is enumerated.
const SMALL: usize = 14;

/// The objective's two additions to the likelihood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// Ridge α ≥ 0: the objective is L(λ) − α/(2T) Σ λ².
    pub ridge: f64,
    /// Weights stay within ± this.
    pub bound: f64,
}

/// A structure, its data and the penalty.
#[derive(Clone, Debug)]
pub struct Problem {
    structure: Network,
    rows: RowPosteriors,
    /// What each distinct row holds.
    clamps: Vec<Clamp>,
    free: FreePhase,
    /// T, the number of rows with a known cell.
    row_count: f64,
    penalty: Penalty,
    /// β of the E step: one, but for annealing.
    inverse_temperature: f64,
}

/// How the free phase is summed.
#[derive(Clone, Debug)]
enum FreePhase {
    Enumerated(Box<Enumerator>),
    /// With an enumerator beside it where the machine is small enough for a table of all moments.
    Factorised(FactorisedSums, Option<Box<Enumerator>>),
    ByEngine(LearningEngine),
}

/// Scratch space of one restart.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    pub(super) sums: Sums,
    pub(super) strata: StratifiedSums,
    /// Passes so far: one for each E step, each free phase (plain or by f#) and each update of one term alone,
    /// two for a Hessian (rows and model). What a learner costs, whatever the machine it runs on.
    pub(super) passes: u64,
    /// Of the last free phase.
    pub(super) worth: Worth,
    /// Of an engine that samples.
    pub(super) seed: u64,
}

/// Weights and what is known there.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Point {
    /// λ.
    pub weights: Vec<f64>,
    /// η of (6) and the mean log-sum of the rows.
    pub clamped: Clamped,
    /// E_p f of every term.
    pub free: Vec<f64>,
    /// log Φ, the constant included.
    pub log_partition: f64,
    /// L(λ), the mean log-likelihood of a row.
    pub log_likelihood: f64,
    /// L(λ) minus the ridge's part.
    pub objective: f64,
    /// Q(λ, λ) of (3).
    pub q: f64,
    /// Entropy of p_λ(x).
    pub entropy: f64,
    /// The largest violation of stationarity: |∂ objective / ∂λ_i|, at the box only where it points inwards.
    pub residual: f64,
    /// What these numbers are worth.
    pub worth: Worth,
}

impl Point {
    /// True where no violation is larger than this, or than the noise of the engine alone would show.
    pub fn is_stationary(&self, tolerance: f64) -> bool {
        self.residual <= tolerance.max(self.worth.noise)
    }
}

impl Problem {
    /// Checks that an exact engine can hold the machine and prepares it; `strata` where the learner needs sums by f#.
    pub fn new(
        structure: &Network,
        data: &Dataset,
        penalty: Penalty,
        strata: bool,
    ) -> Result<Self> {
        let none = Clamp::none(structure.units().len());
        let units = structure.units().len();
        let masks = || -> Vec<u64> {
            structure
                .terms()
                .iter()
                .map(|term| term.units().iter().map(|u| 1 << u).sum())
                .collect()
        };
        let free = match exact_engine(structure, &none)? {
            // A small machine is summed faster by enumeration however it is shaped.
            ExactEngine::Factorised if !strata && units > SMALL => {
                let tables = (units <= MOST_ENUMERATED)
                    .then(|| Enumerator::new(units, &masks()).ok().map(Box::new))
                    .flatten();
                FreePhase::Factorised(FactorisedSums::new(structure)?, tables)
            }
            _ if strata => {
                let enumerator = Enumerator::new(units, &checked(units, masks)?).map_err(|_| {
                    Error::TooLarge(format!(
                        "em-is needs sums by f#, which only enumeration gives, and {units} units are too many \
                         for it; use --learner em-gis, which needs none"
                    ))
                })?;
                FreePhase::Enumerated(Box::new(
                    enumerator.with_strata(&vec![1; structure.terms().len()], 0),
                ))
            }
            _ => FreePhase::Enumerated(Box::new(Enumerator::new(units, &checked(units, masks)?)?)),
        };
        let rows = RowPosteriors::new(structure, data)?;
        Problem::assembled(structure, data, penalty, free, rows)
    }

    /// The same with the free phase, and posteriors too large for tables, by an engine that need not be exact.
    pub fn by_engine(
        structure: &Network,
        data: &Dataset,
        penalty: Penalty,
        engine: LearningEngine,
    ) -> Result<Self> {
        let mut rows = RowPosteriors::new(structure, data)?.skipping_empty();
        match engine {
            LearningEngine::Exact => return Problem::new(structure, data, penalty, false),
            LearningEngine::Deterministic(engine) => {
                // What the engine cannot hold is refused before it learns.
                refuse_unfit(engine, structure)?;
                rows = rows.with_engine(engine);
            }
            LearningEngine::Gibbs => {
                if let Some(latent) = rows
                    .beyond_tables()
                    .filter(|&latent| latent > MOST_ENUMERATED)
                {
                    return Err(Error::TooLarge(format!(
                        "{latent} connected latent units of a row are too many to score it: its log-likelihood sums \
                         over them exactly; use --shape rbm, whose hidden units are independent given a row, or fewer \
                         hidden units"
                    )));
                }
            }
        }
        Problem::assembled(structure, data, penalty, FreePhase::ByEngine(engine), rows)
    }

    fn assembled(
        structure: &Network,
        data: &Dataset,
        penalty: Penalty,
        free: FreePhase,
        rows: RowPosteriors,
    ) -> Result<Self> {
        let units = structure.units().len();
        let unit_of_column = units_of_columns(structure, data)?;
        let clamps = data
            .rows()
            .iter()
            .map(|row| clamp_of_row(units, &unit_of_column, row))
            .collect();
        let row_count = data
            .rows()
            .iter()
            .zip(data.counts())
            .filter(|(row, _)| row.missing.count() < data.columns().len())
            .map(|(_, &count)| count as f64)
            .sum();
        Ok(Problem {
            structure: structure.clone(),
            rows,
            clamps,
            free,
            row_count,
            penalty,
            inverse_temperature: 1.0,
        })
    }

    /// The same structure and rows under another penalty, without preparing them again.
    pub fn with_penalty(&self, penalty: Penalty) -> Self {
        Problem {
            penalty,
            ..self.clone()
        }
    }

    /// The network structure, with whatever weights it came with.
    pub fn structure(&self) -> &Network {
        &self.structure
    }

    /// The rows.
    pub fn rows(&self) -> &RowPosteriors {
        &self.rows
    }

    /// The units that each distinct row holds, in the order of the rows.
    pub(super) fn clamps(&self) -> &[Clamp] {
        &self.clamps
    }

    /// T.
    pub fn row_count(&self) -> f64 {
        self.row_count
    }

    /// Ridge and box.
    pub fn penalty(&self) -> Penalty {
        self.penalty
    }

    /// Raises the posteriors of the E step to the power β, normalised anew; the log-likelihood becomes
    /// (1/β) Σ_y p̃(y) log Σ_z p(y, z)^β, whose gradient has the tempered η. One is the plain problem.
    pub(super) fn temper(&mut self, beta: f64) {
        self.inverse_temperature = beta;
    }

    /// β.
    pub(super) fn inverse_temperature(&self) -> f64 {
        self.inverse_temperature
    }

    /// βλ: p(z|y)^β is proportional to e^{β Σ λ f(y, z)}, what depends on y alone cancels, and so the tempered
    /// posterior is that of the weights βλ.
    pub(super) fn posterior_weights<'a>(&self, weights: &'a [f64]) -> Cow<'a, [f64]> {
        let beta = self.inverse_temperature;
        if beta == 1.0 {
            Cow::Borrowed(weights)
        } else {
            Cow::Owned(weights.iter().map(|w| beta * w).collect())
        }
    }

    /// α/T.
    pub fn ridge_a_row(&self) -> f64 {
        self.penalty.ridge / self.row_count
    }

    /// Number of terms.
    pub fn terms(&self) -> usize {
        self.structure.terms().len()
    }

    /// The enumerator, if the machine can be enumerated.
    pub(crate) fn enumerator(&self) -> Option<&Enumerator> {
        match &self.free {
            FreePhase::Enumerated(enumerator) => Some(enumerator),
            FreePhase::Factorised(_, tables) => tables.as_deref(),
            // Its curvature would not be that of the engine's objective.
            FreePhase::ByEngine(_) => None,
        }
    }

    /// True where an evaluation is a whole sampling run: worth making only where it is looked at.
    pub(super) fn is_sampled(&self) -> bool {
        matches!(self.free, FreePhase::ByEngine(LearningEngine::Gibbs))
    }

    /// The free phase: returns log Φ (constant included) and leaves E_p f in `free`.
    pub(super) fn free_phase(
        &self,
        weights: &[f64],
        work: &mut Workspace,
        free: &mut Vec<f64>,
    ) -> Result<f64> {
        free.clear();
        work.passes += 1;
        work.worth = Worth::default();
        let log_total = match &self.free {
            FreePhase::ByEngine(engine) => {
                let network = self.structure.with_weights(weights.to_vec())?;
                let answer = ask(*engine, &network, work.seed, self.rows.is_exact())?;
                free.extend_from_slice(&answer.expectations.terms);
                work.worth = answer.worth;
                return finite(answer.expectations.log_partition.value);
            }
            FreePhase::Enumerated(enumerator) => {
                enumerator.sums(weights, &mut work.sums);
                free.extend_from_slice(&work.sums.by_mask);
                work.sums.log_total
            }
            FreePhase::Factorised(sums, _) => sums.evaluate(weights, free),
        };
        finite(log_total + self.structure.constant())
    }

    /// Sums by f# at these weights, left in `work.strata`.
    pub(super) fn strata(&self, weights: &[f64], work: &mut Workspace) -> Result<()> {
        let FreePhase::Enumerated(enumerator) = &self.free else {
            return Err(Error::Failed(
                "sums by f# were asked of a factorised machine".to_string(),
            ));
        };
        work.passes += 1;
        enumerator.stratified(weights, &mut work.strata)
    }

    /// The free phase by f#: returns log Φ and leaves E_p f in `free`.
    fn stratified_phase(
        &self,
        weights: &[f64],
        work: &mut Workspace,
        free: &mut Vec<f64>,
    ) -> Result<f64> {
        self.strata(weights, work)?;
        free.clear();
        free.resize(weights.len(), 0.0);
        for row in work.strata.sums.chunks_exact(work.strata.width.max(1)) {
            for (sum, part) in free.iter_mut().zip(row) {
                *sum += part;
            }
        }
        finite(work.strata.log_total + self.structure.constant())
    }

    /// Everything at `point.weights`; by f# too where `strata` is set.
    pub(super) fn evaluate(
        &self,
        point: &mut Point,
        work: &mut Workspace,
        strata: bool,
    ) -> Result<()> {
        let posterior_weights = self.posterior_weights(&point.weights);
        self.rows.clamped(&posterior_weights, &mut point.clamped)?;
        work.passes += 1;
        let (beta, constant) = (self.inverse_temperature, self.structure.constant());
        if beta != 1.0 {
            let log_sum = &mut point.clamped.mean_log_sum;
            *log_sum = (*log_sum - constant) / beta + constant;
        }
        let mut free = std::mem::take(&mut point.free);
        point.log_partition = if strata {
            self.stratified_phase(&point.weights, work, &mut free)?
        } else {
            self.free_phase(&point.weights, work, &mut free)?
        };
        point.free = free;
        point.worth = work.worth;
        self.summarise(point);
        Ok(())
    }

    fn summarise(&self, point: &mut Point) {
        let ridge = self.ridge_a_row();
        let (mut squares, mut clamped_energy, mut free_energy) = (0.0, 0.0, 0.0);
        point.residual = 0.0;
        for (term, &weight) in point.weights.iter().enumerate() {
            let (eta, free) = (point.clamped.expectations[term], point.free[term]);
            squares += weight * weight;
            clamped_energy += weight * eta;
            free_energy += weight * free;
            let gradient = eta - free - ridge * weight;
            point.residual = point.residual.max(self.violation(weight, gradient));
        }
        let constant = self.structure.constant();
        point.log_likelihood = point.clamped.mean_log_sum - point.log_partition;
        point.objective = point.log_likelihood - 0.5 * ridge * squares;
        point.q = clamped_energy + constant - point.log_partition;
        point.entropy = point.log_partition - constant - free_energy;
        if point.worth.entropy == Kind::Exact {
            // Rounding can leave a point mass a hair below zero; an estimate may be truly negative.
            point.entropy = point.entropy.max(0.0);
        }
    }

    /// How far a gradient is from stationary for a weight in the box: outward at the edge is no violation.
    pub(crate) fn violation(&self, weight: f64, gradient: f64) -> f64 {
        let bound = self.penalty.bound;
        if (weight >= bound && gradient > 0.0) || (weight <= -bound && gradient < 0.0) {
            0.0
        } else {
            gradient.abs()
        }
    }

    /// Q(λ, λ') of (3) minus the ridge's part, for η of λ' and log Φ of λ.
    pub(super) fn penalised_q(&self, weights: &[f64], eta: &[f64], log_partition: f64) -> f64 {
        let ridge = self.ridge_a_row();
        weights
            .iter()
            .zip(eta)
            .map(|(w, e)| w * e - 0.5 * ridge * w * w)
            .sum::<f64>()
            - log_partition
    }
}

/// Terms of three and more units, tables that are too large: whatever the engine says of all weights at zero.
fn refuse_unfit(engine: Engine, structure: &Network) -> Result<()> {
    let network = structure.with_weights(vec![0.0; structure.terms().len()])?;
    let none = Clamp::none(network.units().len());
    engine
        .instance(&network, &none)?
        .gradient(&network, &none)?;
    Ok(())
}

fn checked(units: usize, masks: impl Fn() -> Vec<u64>) -> Result<Vec<u64>> {
    if units > MOST_ENUMERATED {
        return Err(Error::TooLarge(format!(
            "{units} units make 2^{units} states; exact enumeration goes up to {}; use fewer hidden units, or \
             --shape rbm with --learner em-gis",
            MOST_ENUMERATED
        )));
    }
    Ok(masks())
}

fn finite(log_partition: f64) -> Result<f64> {
    if log_partition.is_finite() {
        Ok(log_partition)
    } else {
        Err(Error::Failed(format!(
            "the log partition function came out as {log_partition}"
        )))
    }
}
