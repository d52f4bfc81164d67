//! The engine `trw` itself.

use super::appearance::Appearance;
use super::bound::settle;
use crate::error::Result;
use crate::inference::at_once::{AnswersAtOnce, AtOnce};
use crate::inference::belief_propagation::Messages;
use crate::inference::engine::{Demand, Engine, Gives, Prepared};
use crate::inference::expectations::Expectations;
use crate::inference::reduction::Pairwise;
use crate::inference::value::{Kind, Value};
use crate::network::{Clamp, Network};

/// The engine `trw`.
#[derive(Clone, Copy, Debug, Default)]
pub struct TreeReweighted {
    /// Edge appearance probabilities.
    pub appearance: Appearance,
}

impl Engine for TreeReweighted {
    fn name(&self) -> &'static str {
        "trw"
    }

    fn about(&self) -> &'static str {
        "Tree-reweighted: an upper bound on log Z"
    }

    fn gives(&self) -> Gives {
        Gives {
            objective: true,
            upper_bound: self.appearance != Appearance::Constant,
            ..Gives::default()
        }
    }

    fn method(&self, _: &Network, _: &Clamp) -> Result<&'static str> {
        Ok("a mixture of spanning trees")
    }

    fn prepare(&self, structure: &Network, clamp: &Clamp, _: &Demand) -> Result<Box<dyn Prepared>> {
        Ok(AtOnce::boxed(*self, structure, clamp))
    }
}

impl AnswersAtOnce for TreeReweighted {
    fn is_bracketed(&self) -> bool {
        self.appearance != Appearance::Constant
    }

    /// With optimised appearances the bound jumps where the optimum is found by another way; those of uniform spanning
    /// trees depend on the graph alone, and the bound is smooth and convex in the weights.
    fn gradient(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        let appearance = match self.appearance {
            Appearance::Optimised => Appearance::SpanningTrees,
            other => other,
        };
        TreeReweighted { appearance }.expectations(network, clamp)
    }

    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        let graph = Pairwise::new(network, clamp, self.name())?;
        let forest = graph.is_forest();
        let messages = if forest {
            let mut messages = Messages::new(&graph, vec![1.0; graph.edges.len()]);
            messages.pass_through_forest();
            messages
        } else {
            settle(&graph, self.appearance)
        };
        let (means, pairs) = (messages.means(), messages.pairs());
        let (kind, guard, estimate) = match (forest, self.appearance) {
            (true, _) => (Kind::Exact, 0.0, Kind::Exact),
            (_, Appearance::Constant) => (Kind::Estimate, 0.0, Kind::Estimate),
            _ => {
                let guard = messages.inconsistency() + graph.rounding();
                (Kind::UpperBound, guard, Kind::Estimate)
            }
        };
        let value = |value: f64, kind: Kind| Value {
            value,
            kind,
            std_err: None,
        };
        let log_partition = messages.constant();
        let entropy = log_partition - graph.mean_exponent(&means, &pairs);
        Ok(graph.assemble(
            value(log_partition + guard, kind),
            value(entropy.max(0.0), estimate),
            &means,
            &pairs,
        ))
    }
}
