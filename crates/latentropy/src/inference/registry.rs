//! The engines by name: one line each.

use super::belief_propagation::BeliefPropagation;
use super::conditioned::ConditionedBeliefPropagation;
use super::engine::{Engine, Gives};
use super::exact::Exact;
use super::gibbs::Gibbs;
use super::junction_tree::JunctionTree;
use super::mean_field::{MeanField, Tap};
use super::region_graph::{GeneralisedBeliefPropagation, Regions};
use super::tree_reweighted::{Appearance, TreeReweighted};
use crate::error::{Error, Result};
use crate::network::{Clamp, Network};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// All engines, the most trustworthy first.
static ENGINES: [&dyn Engine; 9] = [
    &Exact,
    &JunctionTree,
    &Gibbs,
    &ConditionedBeliefPropagation { units: None },
    &GeneralisedBeliefPropagation {
        regions: Regions::Chosen,
    },
    &BeliefPropagation,
    &Tap,
    &MeanField,
    &TreeReweighted {
        appearance: Appearance::Optimised,
    },
];

/// One of the engines.
///
/// ```
/// use latentropy::EngineId;
/// let engine: EngineId = "bp".parse()?;
/// assert!(!engine.gives().exact_sums);
/// # Ok::<(), latentropy::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct EngineId(&'static dyn Engine);

impl EngineId {
    /// By enumeration or by factorisation, whichever visits less.
    pub const EXACT: EngineId = EngineId(&Exact);
    /// Exact on sparse graphs.
    pub const JUNCTION_TREE: EngineId = EngineId(&JunctionTree);
    /// Markov chains, and annealed importance sampling for log Z: any machine.
    pub const GIBBS: EngineId = EngineId(&Gibbs);

    /// All of them, the most trustworthy first.
    pub fn all() -> impl Iterator<Item = EngineId> {
        ENGINES.iter().map(|&engine| EngineId(engine))
    }

    /// The engine itself.
    pub fn engine(self) -> &'static dyn Engine {
        self.0
    }

    /// As it is typed.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        self.0.about()
    }

    /// What it can be asked for.
    pub fn gives(self) -> Gives {
        self.0.gives()
    }

    /// How it goes about this machine, in a word or two.
    pub fn method(self, network: &Network, clamp: &Clamp) -> Result<&'static str> {
        self.0.method(network, clamp)
    }
}

impl PartialEq for EngineId {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for EngineId {}

impl fmt::Debug for EngineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for EngineId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EngineId {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = EngineId::all().find(|engine| engine.name() == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = EngineId::all().map(EngineId::name).collect();
            Error::invalid(format!(
                "there is no engine \"{name}\"; the engines are {}",
                names.join(", ")
            ))
        })
    }
}

impl Serialize for EngineId {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for EngineId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways() {
        for engine in EngineId::all() {
            assert_eq!(engine.name().parse::<EngineId>().ok(), Some(engine));
        }
        assert!("oracle".parse::<EngineId>().is_err());
    }
}
