//! Expectations and samples of a network by one of the two ways, some units held.

use super::sampler::ExactSampler;
use super::way::{Way, exact_way};
use crate::error::Result;
use crate::inference::at_once::AnswersAtOnce;
use crate::inference::engine::Sampler;
use crate::inference::enumeration::Enumeration;
use crate::inference::expectations::Expectations;
use crate::inference::factorisation::Factorised;
use crate::network::{Clamp, Network};

impl AnswersAtOnce for Way {
    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        match self {
            Way::Enumeration => Enumeration.expectations(network, clamp),
            Way::Factorisation => Factorised.expectations(network, clamp),
        }
    }

    fn sampler(&self, network: &Network, clamp: &Clamp) -> Result<Option<Box<dyn Sampler>>> {
        Ok(Some(Box::new(ExactSampler::new(network, clamp)?)))
    }
}

/// Exact expectations of a network, some units held: what reports, scores and tests ask for most.
pub(crate) fn exact_expectations(network: &Network, clamp: &Clamp) -> Result<Expectations> {
    exact_way(network, clamp)?.expectations(network, clamp)
}
