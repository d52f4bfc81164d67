//! The engine `gibbs` itself: chains and annealing as every engine answers.

use super::log_partition::bracket_of;
use super::sampler::ChainSampler;
use crate::error::Result;
use crate::inference::at_once::{AnswersAtOnce, AtOnce, StrataAtOnce};
use crate::inference::engine::{Answer, Demand, Engine, Gives, Prepared, Sampler};
use crate::inference::expectations::{Expectations, Strata};
use crate::inference::markov_chains::{Chains, SampledCovariances, strata};
use crate::inference::sampling::Sampling;
use crate::network::{Clamp, Network};

/// Chains of which covariances are counted, their sweeps before, and those from one state that counts to the next.
const CURVATURE_CHAINS: usize = 1024;
const CURVATURE_SETTLING: usize = 256;
const CURVATURE_APART: usize = 4;
/// They have streams of their own.
const CURVATURE_SEED: u64 = 0x6375_7276;

/// The engine `gibbs`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gibbs;

impl Engine for Gibbs {
    fn name(&self) -> &'static str {
        "gibbs"
    }

    fn about(&self) -> &'static str {
        "Sampling by Markov chains, log Z by tempered ladders: any machine, with standard errors"
    }

    fn gives(&self) -> Gives {
        Gives {
            strata: true,
            chains: true,
            ..Gives::default()
        }
    }

    fn method(&self, _: &Network, _: &Clamp) -> Result<&'static str> {
        Ok("Markov chains, log Z by tempered ladders")
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
        let mut notes = vec![format!(
            "{} chains of {} sweeps{}",
            sampled.chains,
            sampled.sweeps,
            match sampled.temperatures {
                1 => String::new(),
                many => format!(", {many} temperatures each"),
            },
        )];
        notes.extend(sampled.witnesses.notes());
        Ok(Answer {
            mean_errors: Some(sampled.means.iter().map(|e| e.std_err).collect()),
            term_errors: Some(sampled.terms.iter().map(|e| e.std_err).collect()),
            expectations: sampled.expectations,
            witnesses: Some(Box::new(sampled.witnesses)),
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

    fn sampled_covariances(
        &self,
        network: &Network,
        clamp: &Clamp,
        states: usize,
    ) -> Result<Option<SampledCovariances>> {
        let mut chains = Chains::new(network, clamp, CURVATURE_CHAINS, self.seed ^ CURVATURE_SEED)?;
        if chains.terms.sets.len() != network.terms().len() {
            return Ok(None);
        }
        chains.sweep(CURVATURE_SETTLING);
        let times = states.div_ceil(chains.count());
        let records = chains.record(times, CURVATURE_APART);
        Ok(Some(records.covariances(&chains.machine.sets, states)))
    }

    fn sampler(&self, network: &Network, clamp: &Clamp) -> Result<Option<Box<dyn Sampler>>> {
        Ok(Some(Box::new(ChainSampler::new(self, network, clamp)?)))
    }
}

impl StrataAtOnce for Sampling {
    fn strata(&self, network: &Network, clamp: &Clamp) -> Result<Strata> {
        let run = self.run(network, clamp)?;
        let annealed = bracket_of(&run.chains, &run.free_means(), self.seed, self.annealing);
        let log_partition = annealed.log_ratio.value + run.chains.terms.constant;
        let sets = &run.chains.machine.sets;
        Ok(strata(&run.records, sets, &run.chains.terms, log_partition))
    }
}
