//! Engines that work anew on every network, as engines that are prepared once.

use super::bracket::refuse_impossible;
use super::engine::{Answer, Prepared, Sampler};
use super::expectations::{Expectations, Strata};
use super::markov_chains::SampledCovariances;
use super::sums::{Sums, SumsWorth};
use crate::error::Result;
use crate::network::{Clamp, Network};
use std::fmt;

/// An engine that works anew on every network: nothing about it can be prepared.
pub trait AnswersAtOnce: fmt::Debug + Clone + Send + Sync + 'static {
    /// Its best expectations.
    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations>;

    /// Expectations that are the gradient of its own log Z.
    fn gradient(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        self.expectations(network, clamp)
    }

    /// Expectations to learn by where no objective has to be climbed: pairs by linear response, where it has them.
    fn best(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        self.gradient(network, clamp)
    }

    /// Whether its estimates of log Z are held against what is proven; not those that are there for comparison.
    fn is_bracketed(&self) -> bool {
        true
    }

    /// The expectations with errors and remarks where it has any.
    fn answer(&self, network: &Network, clamp: &Clamp) -> Result<Answer> {
        Ok(self.expectations(network, clamp)?.into())
    }

    /// The gradient with errors where it has any; `seed` is for engines that sample.
    fn slope(&self, network: &Network, clamp: &Clamp, _seed: u64) -> Result<Answer> {
        Ok(self.gradient(network, clamp)?.into())
    }

    /// Covariances of all pairs of units, where it has them.
    fn unit_covariances(&self, _network: &Network, _clamp: &Clamp) -> Result<Option<Vec<f64>>> {
        Ok(None)
    }

    /// Covariances of the features over about so many states, where it samples.
    fn sampled_covariances(
        &self,
        _network: &Network,
        _clamp: &Clamp,
        _states: usize,
    ) -> Result<Option<SampledCovariances>> {
        Ok(None)
    }

    /// Independent states, where it can draw them.
    fn sampler(&self, _network: &Network, _clamp: &Clamp) -> Result<Option<Box<dyn Sampler>>> {
        Ok(None)
    }
}

/// Such an engine with the structure and the clamp that it is asked about.
#[derive(Clone, Debug)]
pub(crate) struct AtOnce<E> {
    engine: E,
    structure: Network,
    clamp: Clamp,
}

impl<E: AnswersAtOnce> AtOnce<E> {
    pub(crate) fn boxed(engine: E, structure: &Network, clamp: &Clamp) -> Box<dyn Prepared> {
        Box::new(AtOnce {
            engine,
            structure: structure.clone(),
            clamp: clamp.clone(),
        })
    }

    fn network(&self, weights: &[f64]) -> Result<Network> {
        self.structure.with_weights(weights.to_vec())
    }
}

impl<E: AnswersAtOnce> Prepared for AtOnce<E> {
    /// An estimate of log Z that cannot be is refused.
    fn answer(&self, weights: &[f64]) -> Result<Answer> {
        let network = self.network(weights)?;
        let answer = self.engine.answer(&network, &self.clamp)?;
        if self.engine.is_bracketed() {
            refuse_impossible(&network, &self.clamp, answer.expectations.log_partition)?;
        }
        Ok(answer)
    }

    fn sums(&self, weights: &[f64], out: &mut Sums) -> Result<()> {
        let network = self.network(weights)?;
        let found = self.engine.slope(&network, &self.clamp, out.seed)?;
        let (errors, witnesses) = (found.term_errors.as_deref(), found.witnesses.as_deref());
        out.worth = SumsWorth::of(&found.expectations, errors, witnesses);
        out.log_partition = found.expectations.log_partition.value;
        out.terms = found.expectations.terms;
        Ok(())
    }

    fn best(&self, weights: &[f64], out: &mut Sums) -> Result<()> {
        let found = self.engine.best(&self.network(weights)?, &self.clamp)?;
        out.worth = SumsWorth::of(&found, None, None);
        out.log_partition = found.log_partition.value;
        out.terms = found.terms;
        Ok(())
    }

    fn unit_covariances(&self, weights: &[f64]) -> Result<Option<Vec<f64>>> {
        self.engine
            .unit_covariances(&self.network(weights)?, &self.clamp)
    }

    fn sampled_covariances(
        &self,
        weights: &[f64],
        states: usize,
    ) -> Result<Option<SampledCovariances>> {
        let network = self.network(weights)?;
        self.engine
            .sampled_covariances(&network, &self.clamp, states)
    }

    fn sampler(&self, weights: &[f64]) -> Result<Option<Box<dyn Sampler>>> {
        self.engine.sampler(&self.network(weights)?, &self.clamp)
    }
}

/// Strata of a network with some units held, in terms of its own: for tests and samples.
pub trait StrataAtOnce {
    /// f# counts the terms that the clamp switches on, too.
    fn strata(&self, network: &Network, clamp: &Clamp) -> Result<Strata>;
}
