//! The choice of an engine where none is named: the best that can hold the machine in reasonable time.

use super::exact::{Way, exact_way};
use super::factorisation::Sides;
use super::junction_tree::{JunctionTree, JunctionTreeCost};
use super::registry::EngineId;
use crate::error::{Error, Result};
use crate::message::{Message, Setting, words};
use crate::network::{Clamp, Network, Role, Term};

/// An engine, and why it was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineChoice {
    /// The engine.
    pub engine: EngineId,
    /// The reason, for people.
    pub reason: Message,
}

/// Enumeration and factorisation are taken without further question up to this time on one core.
const SECONDS_OF_EXACT: f64 = 2.0;
/// A junction tree is taken up to this time on one core; its memory has a limit of its own.
const SECONDS_OF_JUNCTION_TREE: f64 = 120.0;
/// What one state takes: pairs as matrix products, terms of any order, and one field of a factorised machine.
const SECONDS_PER_PAIRWISE_STATE: f64 = 1.5e-10;
const SECONDS_PER_STATE: f64 = 1.5e-9;
const SECONDS_PER_FIELD: f64 = 1.0e-9;

/// The best engine that can hold the machine: exact where that is quick, else a junction tree, else exact at leisure,
/// else sampling.
pub fn choose_engine(network: &Network, clamp: &Clamp) -> Result<EngineChoice> {
    let exact = exact_way(network, clamp).map(|way| (way, exact_work(way, network, clamp)));
    if let Ok((way, (states, seconds))) = &exact
        && *seconds <= SECONDS_OF_EXACT
    {
        return Ok(EngineChoice {
            engine: EngineId::EXACT,
            reason: format!("{} visits 2^{states} states only", way.method()).into(),
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
            engine: EngineId::EXACT,
            reason: format!(
                "{} of 2^{states} states, about {seconds:.0} s on one core; no junction tree is smaller",
                way.method()
            )
            .into(),
        }),
        Err(_) => Ok(EngineChoice {
            engine: EngineId::GIBBS,
            reason: beyond_exact(tree.err()),
        }),
    }
}

/// While learning, one pass over the states may take this long on one core; a restart makes some hundred of them.
const SECONDS_PER_PASS: f64 = 0.5;

/// A few times what chains need for a pass over a restricted machine, whole sides at once: where exact sums take longer,
/// such a machine is sampled (20 hidden units on 64 columns: minutes exactly, seconds by samples).
const SECONDS_PER_PASS_OF_CHAINS: f64 = 0.05;

/// Exact sums that are quicker than this are taken without looking for a junction tree: they have curvature, too.
const SECONDS_OF_A_QUICK_PASS: f64 = 0.01;

/// The best engine to learn this machine with: exact sums or a junction tree where a pass is quick, else sampling.
pub fn choose_engine_to_learn(network: &Network) -> EngineChoice {
    let clamp = Clamp::none(network.units().len());
    let exact = exact_way(network, &clamp).map(|way| (way, exact_work(way, network, &clamp)));
    let exact_seconds = exact.as_ref().map_or(f64::INFINITY, |(_, work)| work.1);
    let exactly = |way: &Way, states: usize| EngineChoice {
        engine: EngineId::EXACT,
        reason: format!("{} of 2^{states} states per pass", way.method()).into(),
    };
    if let Ok((way, (states, _))) = &exact
        && exact_seconds <= SECONDS_OF_A_QUICK_PASS
    {
        return exactly(way, *states);
    }
    let tree = JunctionTree::cost(network, &clamp);
    if let Ok(cost) = &tree
        && cost.seconds <= SECONDS_PER_PASS.min(exact_seconds)
    {
        return by_junction_tree(cost);
    }
    let most = match &exact {
        Ok(_) if is_restricted(network) => SECONDS_PER_PASS_OF_CHAINS,
        _ => SECONDS_PER_PASS,
    };
    match exact {
        Ok((way, (states, _))) if exact_seconds <= most => exactly(&way, states),
        Ok((way, (states, seconds))) => EngineChoice {
            engine: EngineId::GIBBS,
            reason: words![
                format!(
                    "{} would visit 2^{states} states and take about {} s per pass, chains less, and no junction tree \
                     is quick; ",
                    way.method(),
                    if seconds < 1.0 {
                        format!("{seconds:.2}")
                    } else {
                        format!("{seconds:.0}")
                    },
                ),
                Setting::Engine.at("exact"),
                " does it all the same",
            ],
        },
        Err(_) => EngineChoice {
            engine: EngineId::GIBBS,
            reason: beyond_exact(tree.err()),
        },
    }
}

/// True where every pair joins a visible and a hidden unit, and no term has more units.
pub(crate) fn is_restricted(network: &Network) -> bool {
    let is_hidden = |unit: usize| network.units()[unit].role == Role::Hidden;
    let across = |term: &Term| match *term.units() {
        [_] => true,
        [a, b] => is_hidden(a) != is_hidden(b),
        _ => false,
    };
    !network.hidden().is_empty() && network.terms().iter().all(across)
}

fn by_junction_tree(cost: &JunctionTreeCost) -> EngineChoice {
    EngineChoice {
        engine: EngineId::JUNCTION_TREE,
        reason: format!(
            "the graph is sparse: treewidth {}, {} of tables",
            cost.width,
            memory(cost.bytes)
        )
        .into(),
    }
}

/// Why nothing exact holds the machine.
fn beyond_exact(tree: Option<Error>) -> Message {
    let why = match tree {
        Some(Error::TooLarge { problem, .. }) => problem,
        Some(error) => error.to_string().into(),
        None => "it would take minutes".into(),
    };
    words![
        "neither enumeration nor factorisation can hold it, and ",
        &why
    ]
}

/// Log2 of the states visited, and about how long that takes on one core.
fn exact_work(way: Way, network: &Network, clamp: &Clamp) -> (usize, f64) {
    let free = clamp.free().len();
    match (way, Sides::new(network, clamp)) {
        (Way::Factorisation, Ok(sides)) => {
            let states = sides.dependent.len();
            let fields = sides.independent.len() as f64;
            (
                states,
                2f64.powi(states as i32) * (1.0 + fields) * SECONDS_PER_FIELD,
            )
        }
        _ => {
            let state = match network.order() {
                0..=2 => SECONDS_PER_PAIRWISE_STATE,
                _ => SECONDS_PER_STATE,
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
    use crate::network::Unit;

    fn machine(count: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Network {
        let units = (0..count).map(|u| Unit::visible(format!("x{u}"))).collect();
        let terms = pairs.map(|(a, b)| (Term::new(vec![a, b]), 0.1));
        Network::new(units, terms).expect("a valid network")
    }

    fn restricted(visible: usize, hidden: usize) -> Network {
        let mut units: Vec<Unit> = (0..visible)
            .map(|u| Unit::visible(format!("y{u}")))
            .collect();
        units.extend((0..hidden).map(|u| Unit::hidden(format!("z{u}"))));
        let pairs = (0..visible).flat_map(|a| (visible..visible + hidden).map(move |b| (a, b)));
        let terms = pairs.map(|(a, b)| (Term::new(vec![a, b]), 0.1));
        Network::new(units, terms).expect("a valid network")
    }

    #[test]
    fn the_choice_follows_size_and_sparsity() {
        let dense = |n: usize| (0..n).flat_map(move |a| (a + 1..n).map(move |b| (a, b)));
        let choose =
            |network: &Network| choose_engine(network, &Clamp::none(network.units().len()));
        let small = choose(&machine(12, dense(12))).expect("small");
        assert_eq!(small.engine, EngineId::EXACT);
        // A chain of a thousand, closed to a ring.
        let ring = choose(&machine(1000, (0..1000).map(|u| (u, (u + 1) % 1000)))).expect("sparse");
        assert_eq!(ring.engine, EngineId::JUNCTION_TREE);
        assert!(
            ring.reason.to_string().contains("treewidth 2"),
            "{}",
            ring.reason
        );
        let large = choose(&machine(60, dense(60))).expect("anything can be sampled");
        assert_eq!(large.engine, EngineId::GIBBS);
        assert!(
            large.reason.to_string().contains("treewidth"),
            "{}",
            large.reason
        );
    }

    #[test]
    fn learning_wants_quick_passes() {
        let dense = |n: usize| (0..n).flat_map(move |a| (a + 1..n).map(move |b| (a, b)));
        let engine = |network: &Network| choose_engine_to_learn(network).engine;
        assert_eq!(engine(&machine(20, dense(20))), EngineId::EXACT);
        let ring = (0..100).map(|u| (u, (u + 1) % 100));
        assert_eq!(engine(&machine(100, ring)), EngineId::JUNCTION_TREE);
        let slow = choose_engine_to_learn(&machine(40, dense(40)));
        assert_eq!(slow.engine, EngineId::GIBBS);
        // Restricted machines are sampled as soon as chains are quicker.
        assert_eq!(engine(&restricted(64, 12)), EngineId::EXACT);
        assert_eq!(engine(&restricted(10, 64)), EngineId::EXACT);
        assert_eq!(engine(&restricted(64, 20)), EngineId::GIBBS);
    }
}
