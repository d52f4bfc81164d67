//! A junction tree prepared for many sets of weights: the order of elimination is found once.

use super::engine::JunctionTree;
use super::plan::Plan;
use super::products::TreeProducts;
use super::propagate;
use crate::error::{Error, Result};
use crate::inference::at_once::AnswersAtOnce;
use crate::inference::engine::{Answer, CovarianceProducts, Prepared, Sampler};
use crate::inference::reduction::FreeTerms;
use crate::inference::sums::{Sums, SumsWorth};
use crate::network::{Clamp, Network};
use std::sync::{Arc, OnceLock};

#[derive(Debug)]
pub(super) struct PreparedTree {
    structure: Network,
    clamp: Clamp,
    /// Made when sums are first asked for: a single answer does not need them.
    tree: OnceLock<Arc<Tree>>,
}

/// What is summed, and in which order.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) terms: FreeTerms,
    pub(super) plan: Plan,
}

impl PreparedTree {
    pub(super) fn boxed(structure: &Network, clamp: &Clamp) -> Box<dyn Prepared> {
        Box::new(PreparedTree {
            structure: structure.clone(),
            clamp: clamp.clone(),
            tree: OnceLock::new(),
        })
    }

    fn tree(&self) -> Result<&Arc<Tree>> {
        if let Some(tree) = self.tree.get() {
            return Ok(tree);
        }
        let terms = FreeTerms::new(&self.structure, &self.clamp)?;
        let plan = Plan::new(&terms)?;
        Ok(self.tree.get_or_init(|| Arc::new(Tree { terms, plan })))
    }

    fn network(&self, weights: &[f64]) -> Result<Network> {
        self.structure.with_weights(weights.to_vec())
    }
}

impl Prepared for PreparedTree {
    fn answer(&self, weights: &[f64]) -> Result<Answer> {
        JunctionTree.answer(&self.network(weights)?, &self.clamp)
    }

    fn sums(&self, weights: &[f64], out: &mut Sums) -> Result<()> {
        let terms = self.structure.terms().len();
        if weights.len() != terms {
            return Err(Error::invalid(format!(
                "{} weights for {terms} terms",
                weights.len()
            )));
        }
        let tree = self.tree()?;
        let (coefficients, constant) = tree
            .terms
            .coefficients_of(weights, self.structure.constant());
        let mut up = propagate::upward(&tree.plan, &coefficients, |_, _| {}, true);
        out.log_partition = up.log_total + constant;
        let (_, by_set) = propagate::downward(&tree.plan, &coefficients, &mut up);
        out.terms = tree.terms.by_term(&by_set, 1.0);
        out.worth = SumsWorth::default();
        Ok(())
    }

    fn products(&self, weights: &[f64]) -> Result<Option<Box<dyn CovarianceProducts>>> {
        let tree = self.tree()?;
        let made = TreeProducts::new(tree, weights);
        Ok(made.map(|made| Box::new(made) as Box<dyn CovarianceProducts>))
    }

    fn sampler(&self, weights: &[f64]) -> Result<Option<Box<dyn Sampler>>> {
        JunctionTree.sampler(&self.network(weights)?, &self.clamp)
    }
}
