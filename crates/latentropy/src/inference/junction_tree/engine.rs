//! The engine `junction-tree` itself.

use super::plan::{JunctionTreeCost, Plan};
use super::prepared::PreparedTree;
use super::propagate;
use super::sampler::JunctionTreeSampler;
use crate::error::Result;
use crate::inference::at_once::AnswersAtOnce;
use crate::inference::engine::{Demand, Engine, Gives, Prepared, Sampler};
use crate::inference::expectations::Expectations;
use crate::inference::reduction::FreeTerms;
use crate::inference::value::Value;
use crate::network::{Clamp, Network};

/// The engine `junction-tree`: terms of any order, as long as the elimination tables fit.
#[derive(Clone, Copy, Debug, Default)]
pub struct JunctionTree;

impl JunctionTree {
    /// What it would cost, or why it cannot be done.
    pub fn cost(network: &Network, clamp: &Clamp) -> Result<JunctionTreeCost> {
        Ok(Plan::new(&FreeTerms::new(network, clamp)?)?.cost)
    }
}

impl Engine for JunctionTree {
    fn name(&self) -> &'static str {
        "junction-tree"
    }

    fn about(&self) -> &'static str {
        "Exact on sparse graphs of any size (treewidth up to about 22)"
    }

    fn gives(&self) -> Gives {
        Gives {
            objective: true,
            curvature: true,
            ..Gives::default()
        }
    }

    fn method(&self, _: &Network, _: &Clamp) -> Result<&'static str> {
        Ok("elimination")
    }

    fn prepare(&self, structure: &Network, clamp: &Clamp, _: &Demand) -> Result<Box<dyn Prepared>> {
        Ok(PreparedTree::boxed(structure, clamp))
    }
}

impl AnswersAtOnce for JunctionTree {
    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        let terms = FreeTerms::new(network, clamp)?;
        let plan = Plan::new(&terms)?;
        let mut up = propagate::upward(&plan, &terms.coefficients, |_, _| {}, true);
        let log_total = up.log_total;
        let (means, by_set) = propagate::downward(&plan, &terms.coefficients, &mut up);
        // Rounding can leave a point mass a hair below zero.
        let entropy = (log_total - terms.mean_exponent(&by_set)).max(0.0);
        Ok(terms.assemble(
            Value::exact(log_total),
            Value::exact(entropy),
            &means,
            &by_set,
        ))
    }

    fn sampler(&self, network: &Network, clamp: &Clamp) -> Result<Option<Box<dyn Sampler>>> {
        Ok(Some(Box::new(JunctionTreeSampler::new(network, clamp)?)))
    }
}
