//! The engines by name, and the choice among them where none is named.

use super::factorised::Sides;
use super::{
    BeliefPropagation, Clamp, ExactEngine, FeatureExpectations, GeneralisedBeliefPropagation,
    Gibbs, JunctionTree, JunctionTreeCost, MeanField, Tap, TreeReweighted, exact_engine,
};
use crate::error::{Error, Result};
use crate::network::Network;

/// The engines as `--engine` spells them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// By enumeration or by factorisation, whichever visits less.
    Exact,
    /// Exact on sparse graphs.
    JunctionTree,
    /// Markov chains, and annealed importance sampling for log Z: any machine.
    Gibbs,
    /// A lower bound on log Z.
    MeanField,
    /// Mean field with Onsager's correction.
    Tap,
    /// Belief propagation: Bethe's estimate.
    Bp,
    /// Generalised belief propagation: the estimate of a region graph.
    Gbp,
    /// An upper bound on log Z.
    Trw,
}

impl Engine {
    /// All of them, the most trustworthy first.
    pub const ALL: [Engine; 8] = [
        Engine::Exact,
        Engine::JunctionTree,
        Engine::Gibbs,
        Engine::Gbp,
        Engine::Bp,
        Engine::Tap,
        Engine::MeanField,
        Engine::Trw,
    ];

    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Exact => "exact",
            Engine::JunctionTree => "junction-tree",
            Engine::Gibbs => "gibbs",
            Engine::MeanField => "mean-field",
            Engine::Tap => "tap",
            Engine::Bp => "bp",
            Engine::Gbp => "gbp",
            Engine::Trw => "trw",
        }
    }

    /// The engine of this name.
    pub fn from_name(name: &str) -> Result<Self> {
        let found = Engine::ALL.into_iter().find(|engine| engine.name() == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = Engine::ALL.iter().map(|engine| engine.name()).collect();
            Error::Invalid(format!(
                "there is no engine \"{name}\"; the engines are {}",
                names.join(", ")
            ))
        })
    }

    /// How it goes about it, in a word or two; of `exact`, which of its two ways this machine takes.
    pub fn method(self, network: &Network, clamp: &Clamp) -> Result<&'static str> {
        Ok(match self {
            Engine::Exact => exact_engine(network, clamp)?.method(),
            Engine::JunctionTree => "elimination",
            Engine::Gibbs => "Markov chains, log Z by annealing",
            Engine::MeanField => "naive mean field, pairs by linear response",
            Engine::Tap => "second-order mean field, pairs by linear response",
            Engine::Bp => "the Bethe free energy",
            Engine::Gbp => "the region free energy on short loops",
            Engine::Trw => "a mixture of spanning trees",
        })
    }

    /// The engine itself, ready for this machine, or why it cannot hold it.
    pub fn instance(
        self,
        network: &Network,
        clamp: &Clamp,
    ) -> Result<Box<dyn FeatureExpectations>> {
        self.instance_with(network, clamp, &Gibbs::default())
    }

    /// The same; where it samples, it samples like this.
    pub fn instance_with(
        self,
        network: &Network,
        clamp: &Clamp,
        sampling: &Gibbs,
    ) -> Result<Box<dyn FeatureExpectations>> {
        Ok(match self {
            Engine::Exact => Box::new(exact_engine(network, clamp)?),
            Engine::JunctionTree => Box::new(JunctionTree),
            Engine::Gibbs => Box::new(sampling.clone()),
            Engine::MeanField => Box::new(MeanField),
            Engine::Tap => Box::new(Tap),
            Engine::Bp => Box::new(BeliefPropagation),
            Engine::Gbp => Box::new(GeneralisedBeliefPropagation::default()),
            Engine::Trw => Box::new(TreeReweighted::default()),
        })
    }
}

/// An engine, and why it was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineChoice {
    /// The engine.
    pub engine: Engine,
    /// The reason, for people.
    pub reason: String,
}

/// Enumeration and factorisation are taken without further question up to this time on one core.
const SECONDS_OF_EXACT: f64 = 2.0;
/// A junction tree is taken up to this time on one core; its memory has a limit of its own.
const SECONDS_OF_JUNCTION_TREE: f64 = 120.0;
/// What one state takes: pairs as matrix products, terms of any order, and one field of a factorised machine.
const SECONDS_A_PAIRWISE_STATE: f64 = 1.5e-10;
const SECONDS_A_STATE: f64 = 1.5e-9;
const SECONDS_A_FIELD: f64 = 1.0e-9;

/// The best engine that can hold the machine: exact where that is quick, else a junction tree, else exact at leisure,
/// else sampling.
pub fn choose_engine(network: &Network, clamp: &Clamp) -> Result<EngineChoice> {
    let exact = exact_engine(network, clamp).map(|way| (way, exact_work(way, network, clamp)));
    if let Ok((way, (states, seconds))) = &exact
        && *seconds <= SECONDS_OF_EXACT
    {
        return Ok(EngineChoice {
            engine: Engine::Exact,
            reason: format!("{} visits 2^{states} states only", way.method()),
        });
    }
    let tree = JunctionTree::cost(network, clamp);
    if let Ok(cost) = &tree
        && cost.seconds <= SECONDS_OF_JUNCTION_TREE
    {
        return Ok(by_junction_tree(cost));
    }
    match exact {
        Ok((way, (states, seconds))) => Ok(EngineChoice {
            engine: Engine::Exact,
            reason: format!(
                "{} of 2^{states} states, about {seconds:.0} s on one core; no junction tree is smaller",
                way.method()
            ),
        }),
        Err(_) => Ok(EngineChoice {
            engine: Engine::Gibbs,
            reason: beyond_exact(tree.err()),
        }),
    }
}

/// While learning, one pass over the states may take this long on one core; a restart makes some hundred of them.
const SECONDS_A_PASS: f64 = 0.5;

/// Exact sums that are quicker than this are taken without looking for a junction tree: they have curvature, too.
const SECONDS_OF_A_QUICK_PASS: f64 = 0.01;

/// The best engine to learn this machine with: exact sums or a junction tree where a pass is quick, else sampling.
pub fn choose_engine_to_learn(network: &Network) -> EngineChoice {
    let clamp = Clamp::none(network.units().len());
    let exact = exact_engine(network, &clamp).map(|way| (way, exact_work(way, network, &clamp)));
    let exact_seconds = exact.as_ref().map_or(f64::INFINITY, |(_, work)| work.1);
    let exactly = |way: &ExactEngine, states: usize| EngineChoice {
        engine: Engine::Exact,
        reason: format!("{} of 2^{states} states a pass", way.method()),
    };
    if let Ok((way, (states, _))) = &exact
        && exact_seconds <= SECONDS_OF_A_QUICK_PASS
    {
        return exactly(way, *states);
    }
    let tree = JunctionTree::cost(network, &clamp);
    if let Ok(cost) = &tree
        && cost.seconds <= SECONDS_A_PASS.min(exact_seconds)
    {
        return by_junction_tree(cost);
    }
    match exact {
        Ok((way, (states, _))) if exact_seconds <= SECONDS_A_PASS => exactly(&way, states),
        Ok((way, (states, seconds))) => EngineChoice {
            engine: Engine::Gibbs,
            reason: format!(
                "{} would visit 2^{states} states and take about {seconds:.0} s a pass, and no junction tree is quick; \
                 --engine exact does it all the same",
                way.method()
            ),
        },
        Err(_) => EngineChoice {
            engine: Engine::Gibbs,
            reason: beyond_exact(tree.err()),
        },
    }
}

fn by_junction_tree(cost: &JunctionTreeCost) -> EngineChoice {
    EngineChoice {
        engine: Engine::JunctionTree,
        reason: format!(
            "the graph is sparse: treewidth {}, {} of tables",
            cost.width,
            memory(cost.bytes)
        ),
    }
}

/// Why nothing exact holds the machine.
fn beyond_exact(tree: Option<Error>) -> String {
    let why = tree.map_or_else(
        || "it would take minutes".to_string(),
        |error| error.to_string(),
    );
    // The junction tree's own refusal ends with what to do; only its first half is wanted here.
    let why = why.split("; ").next().unwrap_or_default();
    format!("neither enumeration nor factorisation can hold it, and {why}")
}

/// Log2 of the states visited, and about how long that takes on one core.
fn exact_work(way: ExactEngine, network: &Network, clamp: &Clamp) -> (usize, f64) {
    let free = (0..clamp.len()).filter(|&u| clamp.get(u).is_none()).count();
    match (way, Sides::new(network, clamp)) {
        (ExactEngine::Factorised, Ok(sides)) => {
            let states = sides.dependent.len();
            let fields = sides.independent.len() as f64;
            (
                states,
                2f64.powi(states as i32) * (1.0 + fields) * SECONDS_A_FIELD,
            )
        }
        _ => {
            let state = match network.order() {
                0..=2 => SECONDS_A_PAIRWISE_STATE,
                _ => SECONDS_A_STATE,
            };
            (free, 2f64.powi(free as i32) * state)
        }
    }
}

fn memory(bytes: f64) -> String {
    match bytes {
        b if b >= 1e9 => format!("{:.1} GB", b / 1e9),
        b if b >= 1e6 => format!("{:.0} MB", b / 1e6),
        b => format!("{:.0} kB", (b / 1e3).ceil()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Term, Unit};

    fn machine(count: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Network {
        let units = (0..count).map(|u| Unit::visible(format!("x{u}"))).collect();
        let terms = pairs.map(|(a, b)| (Term::new(vec![a, b]), 0.1));
        Network::new(units, terms).expect("a valid network")
    }

    #[test]
    fn the_choice_follows_size_and_sparsity() {
        let dense = |n: usize| (0..n).flat_map(move |a| (a + 1..n).map(move |b| (a, b)));
        let choose =
            |network: &Network| choose_engine(network, &Clamp::none(network.units().len()));
        let small = choose(&machine(12, dense(12))).expect("small");
        assert_eq!(small.engine, Engine::Exact);
        // A chain of a thousand, closed to a ring.
        let ring = choose(&machine(1000, (0..1000).map(|u| (u, (u + 1) % 1000)))).expect("sparse");
        assert_eq!(ring.engine, Engine::JunctionTree);
        assert!(ring.reason.contains("treewidth 2"), "{}", ring.reason);
        let large = choose(&machine(60, dense(60))).expect("anything can be sampled");
        assert_eq!(large.engine, Engine::Gibbs);
        assert!(large.reason.contains("treewidth"), "{}", large.reason);
    }

    #[test]
    fn learning_wants_quick_passes() {
        let dense = |n: usize| (0..n).flat_map(move |a| (a + 1..n).map(move |b| (a, b)));
        let engine = |network: &Network| choose_engine_to_learn(network).engine;
        assert_eq!(engine(&machine(20, dense(20))), Engine::Exact);
        let ring = (0..100).map(|u| (u, (u + 1) % 100));
        assert_eq!(engine(&machine(100, ring)), Engine::JunctionTree);
        let slow = choose_engine_to_learn(&machine(40, dense(40)));
        assert_eq!(slow.engine, Engine::Gibbs);
    }

    #[test]
    fn names_go_both_ways() {
        for engine in Engine::ALL {
            assert_eq!(Engine::from_name(engine.name()).ok(), Some(engine));
            let network = machine(3, [(0, 1)].into_iter());
            let none = Clamp::none(3);
            let instance = engine.instance(&network, &none).expect("small");
            assert_eq!(instance.name(), engine.name());
        }
        assert!(Engine::from_name("oracle").is_err());
    }
}
