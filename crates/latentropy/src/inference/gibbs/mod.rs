//! Gibbs sampling: many chains in parallel, tempered where they mix badly, with the error of everything they say.

mod chains;
mod draw;
mod group;
mod ladder;
mod machine;
mod random;
mod record;
mod run;
mod sampler;
mod side_by_side;
mod strata;
mod tiles;

pub use chains::Chains;
pub(crate) use chains::Measured;
pub(crate) use draw::Temperatures;
pub(crate) use group::{Direction, Group, Lanes};
pub(crate) use machine::Machine;
pub(crate) use random::{CHAINS, LaneRandom, stream};
pub use record::Estimate;
use sampler::ChainSampler;
pub(crate) use side_by_side::{GibbsChains, SideBySide};

use super::annealed_importance::{self, LogPartitionBracket};
use super::engine::{
    Answer, AnswersAtOnce, Demand, Engine, Gives, Prepared, Sampler, StrataAtOnce,
};
use super::reduction::FreeTerms;
use super::{AtOnce, Expectations, Strata};
use crate::error::Result;
use crate::network::{Clamp, Network};
use crate::remark::Remark;
use record::Moments;
use run::{Run, better};

/// Above this R̂ the chains are said to disagree.
pub const MOST_R_HAT: f64 = 1.05;
/// Below this many effective samples an expectation is said to be poor.
pub const LEAST_EFFECTIVE: f64 = 100.0;

/// Whether chains have replicas at higher temperatures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tempering {
    /// Where chains without disagree.
    #[default]
    Auto,
    /// From the start.
    Always,
    /// Not at all.
    Never,
}

/// How chains sample a machine: any machine; expectations with standard errors, log Z by annealed importance sampling.
///
/// ```
/// use latentropy::{Network, Sampling, infer};
/// let network = Network::full(4, 0).with_weights(vec![0.3; 10])?;
/// let sampling = Sampling { seed: 7, ..Sampling::default() };
/// let found = infer(&network, &[], Some("gibbs".parse()?), &sampling)?;
/// assert!(found.answer.mean_errors.is_some());
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// The same seed gives the same answer, whatever the number of threads.
    pub seed: u64,
    /// How many chains; rounded up to a multiple of 64.
    pub chains: usize,
    /// Sweeps of each chain that are measured, after half as many that are not; by default as many as it takes,
    /// within limits.
    pub sweeps: Option<usize>,
    /// Whether chains have replicas at higher temperatures.
    pub tempering: Tempering,
    /// Steps of the annealing that gives log Z; by default as many as it takes, within limits.
    pub annealing: Option<usize>,
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling {
            seed: 0,
            chains: 256,
            sweeps: None,
            tempering: Tempering::Auto,
            annealing: None,
        }
    }
}

/// All that sampling found.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// As every engine gives it; the log partition function by annealed importance sampling.
    pub expectations: Expectations,
    /// P(x_u = 1) a unit; held units are certain.
    pub means: Vec<Estimate>,
    /// E f_V a term.
    pub terms: Vec<Estimate>,
    /// How the log partition function was found.
    pub annealed: LogPartitionBracket,
    /// How many chains ran.
    pub chains: usize,
    /// How many sweeps of each were measured.
    pub sweeps: usize,
    /// How many temperatures each chain had; one without tempering.
    pub temperatures: usize,
    /// The largest R̂ of all expectations.
    pub worst_r_hat: f64,
    /// What is to be doubted.
    pub remarks: Vec<Remark>,
}

/// Sweeps at first, and how often they may be doubled.
const FIRST_SWEEPS: usize = 512;
const DOUBLINGS: u32 = 4;
/// The work of all chains together is kept below this: about a second a 1e8 on one core.
const MOST_WORK: f64 = 6e8;
/// A ladder's temperatures lie this far apart, in standard deviations of the exponent's change, and are at most so many.
const LADDER_STEP: f64 = 1.3;
const MOST_TEMPERATURES: usize = 32;
/// Kinds of work have streams of their own: chains, tempered chains, the path's pilot, the two ways of annealing.
const TEMPERED_SEED: u64 = 0x74656d70;

impl Sampling {
    /// All that sampling finds of `network` with some units held.
    pub fn sample(&self, network: &Network, clamp: &Clamp) -> Result<Sampled> {
        let run = self.run(network, clamp)?;
        let annealed =
            annealed_importance::bracket(&run.chains, &run.free_means(), self.seed, self.annealing);
        Ok(run.assemble(network, clamp, annealed))
    }

    /// Chains that have warmed up, to draw states from; how many sweeps make them forget; what is to be doubted.
    pub fn warm_chains(
        &self,
        network: &Network,
        clamp: &Clamp,
    ) -> Result<(Chains, usize, Vec<Remark>)> {
        let run = self.run(network, clamp)?;
        let remarks = run.remarks(network);
        let effective = run.by_unit.iter().filter_map(Moments::effective_samples);
        let least = effective.fold(run.records.samples() as f64, f64::min);
        // Twice the autocorrelation time of the slowest unit.
        let sweeps = (run.sweeps * run.chains.count()) as f64;
        let apart = (2.0 * sweeps / least).ceil() as usize;
        Ok((run.chains, apart.clamp(1, 4 * run.sweeps), remarks))
    }

    /// Chains from fair coins.
    fn run(&self, network: &Network, clamp: &Clamp) -> Result<Run> {
        self.run_from(network, clamp, None)
    }

    /// Chains until they agree, tempered where they do not, within limits; from independent units of these means,
    /// one a unit.
    pub(crate) fn run_from(
        &self,
        network: &Network,
        clamp: &Clamp,
        means: Option<&[f64]>,
    ) -> Result<Run> {
        let terms = FreeTerms::new(network, clamp)?;
        let mut machine = Machine::new(&terms);
        if let Some(means) = means {
            let free: Vec<f64> = terms.free.iter().map(|&unit| means[unit]).collect();
            machine.set_base(&free);
        }
        let limit = self.limit(&machine, 1);
        let mut sweeps = self.sweeps.unwrap_or(FIRST_SWEEPS).min(limit).max(1);
        let fresh = |sweeps| {
            let count = self.chains;
            let chains = Chains::of(
                terms.clone(),
                machine.clone(),
                clamp,
                count,
                self.seed,
                vec![1.0],
            );
            Run::new(chains, sweeps)
        };
        let mut run = match self.tempering {
            Tempering::Always => self.temper(&fresh(64.min(limit)), clamp, sweeps),
            _ => fresh(sweeps),
        };
        if self.sweeps.is_some() {
            let bad = run.worst.r_hat > MOST_R_HAT;
            if bad && self.tempering == Tempering::Auto {
                let tempered = self.temper(&run, clamp, sweeps);
                return Ok(better(run, tempered));
            }
            return Ok(run);
        }
        for _ in 0..DOUBLINGS {
            let good = run.worst.r_hat <= 1.0 + 0.2 * (MOST_R_HAT - 1.0);
            let lost = run.worst.r_hat > 1.3 && self.tempering == Tempering::Auto;
            let more = 2 * sweeps;
            if good || lost || more > limit || self.tempering == Tempering::Always {
                break;
            }
            sweeps = more;
            run = run.further(sweeps);
        }
        if run.worst.r_hat > MOST_R_HAT && self.tempering == Tempering::Auto {
            let tempered = self.temper(&run, clamp, sweeps);
            run = better(run, tempered);
        }
        Ok(run)
    }

    /// How many sweeps of all chains the work allows.
    fn limit(&self, machine: &Machine, temperatures: usize) -> usize {
        if let Some(sweeps) = self.sweeps {
            return sweeps;
        }
        let work = machine.work() * self.chains as f64 * temperatures as f64;
        ((MOST_WORK / work) as usize).clamp(64, FIRST_SWEEPS << DOUBLINGS)
    }

    /// The same with replicas on the path from independent units of the means found so far.
    fn temper(&self, run: &Run, clamp: &Clamp, sweeps: usize) -> Run {
        let mut machine = run.chains.machine.clone();
        machine.set_base(&run.free_means());
        let path = annealed_importance::Path::measure(&machine, self.seed);
        let count = (path.length() / LADDER_STEP).ceil() as usize + 1;
        let betas = path.spaced(count.clamp(2, MOST_TEMPERATURES));
        let limit = self.limit(&machine, betas.len());
        let terms = run.chains.terms.clone();
        let seed = self.seed ^ TEMPERED_SEED;
        let chains = Chains::of(terms, machine, clamp, self.chains, seed, betas);
        let mut sweeps = sweeps.min(limit);
        let mut found = Run::new(chains, sweeps);
        while self.sweeps.is_none() && found.worst.r_hat > MOST_R_HAT && 2 * sweeps <= limit {
            sweeps *= 2;
            found = found.further(sweeps);
        }
        found
    }
}

/// The engine `gibbs`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gibbs;

impl Engine for Gibbs {
    fn name(&self) -> &'static str {
        "gibbs"
    }

    fn about(&self) -> &'static str {
        "Sampling by Markov chains, log Z by annealing: any machine, with standard errors"
    }

    fn gives(&self) -> Gives {
        Gives {
            strata: true,
            chains: true,
            ..Gives::default()
        }
    }

    fn method(&self, _: &Network, _: &Clamp) -> Result<&'static str> {
        Ok("Markov chains, log Z by annealing")
    }

    fn prepare(
        &self,
        structure: &Network,
        clamp: &Clamp,
        demand: &Demand,
    ) -> Result<Box<dyn Prepared>> {
        Ok(AtOnce::boxed(demand.sampling.clone(), structure, clamp))
    }
}

impl AnswersAtOnce for Sampling {
    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        Ok(self.sample(network, clamp)?.expectations)
    }

    fn answer(&self, network: &Network, clamp: &Clamp) -> Result<Answer> {
        let sampled = self.sample(network, clamp)?;
        let notes = vec![format!(
            "{} chains of {} sweeps{}; log Z between {:.6} (annealed forward) and {:.6} (backward), {} steps",
            sampled.chains,
            sampled.sweeps,
            match sampled.temperatures {
                1 => String::new(),
                many => format!(", {many} temperatures each"),
            },
            sampled.annealed.forward.value,
            sampled.annealed.reverse.value,
            sampled.annealed.steps,
        )];
        Ok(Answer {
            mean_errors: Some(sampled.means.iter().map(|e| e.std_err).collect()),
            term_errors: Some(sampled.terms.iter().map(|e| e.std_err).collect()),
            expectations: sampled.expectations,
            notes,
            remarks: sampled.remarks,
        })
    }

    fn slope(&self, network: &Network, clamp: &Clamp, seed: u64) -> Result<Answer> {
        let sampling = Sampling {
            seed,
            ..self.clone()
        };
        sampling.answer(network, clamp)
    }

    fn sampler(&self, network: &Network, clamp: &Clamp) -> Result<Option<Box<dyn Sampler>>> {
        Ok(Some(Box::new(ChainSampler::new(self, network, clamp)?)))
    }
}

impl StrataAtOnce for Sampling {
    fn strata(&self, network: &Network, clamp: &Clamp) -> Result<Strata> {
        let run = self.run(network, clamp)?;
        let annealed =
            annealed_importance::bracket(&run.chains, &run.free_means(), self.seed, self.annealing);
        let log_partition = annealed.log_ratio.value + run.chains.terms.constant;
        let sets = &run.chains.machine.sets;
        Ok(strata::strata(
            &run.records,
            sets,
            &run.chains.terms,
            log_partition,
        ))
    }
}

#[cfg(test)]
mod tests;
