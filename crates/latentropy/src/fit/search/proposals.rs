//! Proposals of an iterated search: where to begin next, given the best solutions so far.
//!
//! Half of them redraw some weights of a solution, a share of them that is itself drawn; the others cross two solutions: a
//! hidden unit of one gets the weights to visible units that a hidden unit of the other has. Hidden units have no order, so
//! any may take the place of any. docs/search.md has what other ways found.

use crate::learning::{Problem, start_scale};
use crate::network::{Network, Role, Term};
use crate::random::{Purpose, Random, stream};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use std::collections::HashMap;

/// So many of the best solutions are gone on from: one alone ends where it cannot be improved, many forget the best.
pub(in crate::fit) const PARENTS: usize = 4;
/// The share of proposals that cross two solutions.
const CROSSED: f64 = 0.5;

/// Where restart `index` begins, from the weights of the best solutions, the best one first.
pub(in crate::fit) fn proposal(
    problem: &Problem,
    parents: &[&[f64]],
    seed: u64,
    index: u64,
) -> Option<Vec<f64>> {
    let mut random = stream(seed, Purpose::Start, index);
    let parents = &parents[..parents.len().min(PARENTS)];
    let pick = |random: &mut Random| -> Option<&[f64]> {
        let at = random.random_range(0..parents.len().max(1));
        parents.get(at).copied()
    };
    let (first, second) = (pick(&mut random)?, pick(&mut random)?);
    let network = problem.structure();
    let scale = start_scale(network);
    let mut draw = |random: &mut Random| -> f64 {
        let normal: f64 = StandardNormal.sample(random);
        scale * normal
    };
    let is_crossed = parents.len() > 1 && random.random::<f64>() < CROSSED;
    let mut weights = match is_crossed {
        true => crossed(network, first, second, &mut random, &mut draw),
        false => redrawn(first, &mut random, &mut draw),
    };
    for (term, weight) in weights.iter_mut().enumerate() {
        *weight = problem.prior().held(term, *weight);
    }
    Some(weights)
}

/// The weights with a random share of them redrawn.
fn redrawn(
    weights: &[f64],
    random: &mut Random,
    draw: &mut dyn FnMut(&mut Random) -> f64,
) -> Vec<f64> {
    let share: f64 = random.random();
    let mut redraw = |weight: &f64| match random.random::<f64>() < share {
        true => draw(random),
        false => *weight,
    };
    weights.iter().map(&mut redraw).collect()
}

/// `first` with one of its hidden units replaced by one of `second`'s; terms that join it to other hidden units are redrawn.
fn crossed(
    network: &Network,
    first: &[f64],
    second: &[f64],
    random: &mut Random,
    draw: &mut dyn FnMut(&mut Random) -> f64,
) -> Vec<f64> {
    let hidden = network.hidden();
    let Some((to, from)) = pair(&hidden, random) else {
        return redrawn(first, random, draw);
    };
    let is_hidden = |unit: &usize| network.units()[*unit].role == Role::Hidden;
    let place: HashMap<&Term, usize> = network.terms().iter().zip(0..).collect();
    let mut weight_of = |(at, term): (usize, &Term)| {
        let units = term.units();
        if !units.contains(&to) {
            return first[at];
        }
        if units.iter().any(|unit| *unit != to && is_hidden(unit)) {
            return draw(random);
        }
        let moved = units.iter().map(|&u| if u == to { from } else { u });
        let moved = Term::new(moved.collect::<Vec<usize>>());
        place.get(&moved).map_or(first[at], |&at| second[at])
    };
    network
        .terms()
        .iter()
        .enumerate()
        .map(&mut weight_of)
        .collect()
}

/// Two hidden units, which may be the same one.
fn pair(hidden: &[usize], random: &mut Random) -> Option<(usize, usize)> {
    let mut pick = || {
        let at = random.random_range(0..hidden.len().max(1));
        hidden.get(at).copied()
    };
    Some((pick()?, pick()?))
}
