//! Why weights run off to the edge of the box: for each such term, the observation in the data behind it.
//!
//! A pattern a of the units V that no row shows gives a direction in which the likelihood never falls: take
//! −1{x_V = a}, multiplied out into features. Its coefficient at f_U is −(−1)^{|U| − |ones of a|} for every U
//! between the ones of a and V, so it is open to the machine if all these U are terms, and it then
//! drives each of their weights to infinity with that sign. A pair that never occurs together is the simplest
//! case (V = U, all ones, −∞); "y3 implies y5" drives the pair to +∞ and the bias of y3 to −∞.

mod cause;
mod cells;

pub use cause::{Cause, Grounds, PatternUnit};

use crate::data::Dataset;
use crate::error::Result;
use crate::inference::exact_expectations;
use crate::learning::{Objective, centred_weights};
use crate::network::{Clamp, Network, Term};
use crate::remark::Remark;
use crate::selection::Candidate;
use cells::Cells;

/// Terms of more units than this are not taken apart into patterns.
const MOST_ORDER: usize = 6;

/// A weight at the edge of the box, and why it is there.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundaryTerm {
    /// Position in the network's terms.
    pub term: usize,
    /// Its weight, at the edge.
    pub weight: f64,
    /// What in the data drives it there.
    pub cause: Cause,
}

/// A pattern that the rows do not show, as a possible cause.
struct Unseen {
    pattern: Vec<(usize, bool)>,
    alone: bool,
}

/// The cause of every weight of `candidate` that is at the edge of the box, in the order of the terms.
///
/// `data` are the rows that it was learned from.
pub fn boundary_causes(candidate: &Candidate, data: &Dataset) -> Result<Vec<BoundaryTerm>> {
    let network = &candidate.network;
    let edge = &candidate.certificate.boundary_terms;
    if edge.is_empty() {
        return Ok(Vec::new());
    }
    let is_near = |term: &&Term| {
        let within = |&at: &usize| contains(term, &network.terms()[at]);
        term.order() <= MOST_ORDER && edge.iter().any(within)
    };
    let near: Vec<&Term> = network.terms().iter().filter(is_near).collect();
    let cells = Cells::new(network, data, &near)?;
    let pushed = centred_weights(network, data)?;
    let mut free = None;
    edge.iter()
        .map(|&term| {
            let cause = match observed_cause(network, &cells, &near, term, pushed[term] > 0.0) {
                Some(cause) => cause,
                None => {
                    if free.is_none() {
                        let clamp = Clamp::none(network.units().len());
                        free = Some(exact_expectations(network, &clamp)?.terms);
                    }
                    let expected = free.as_ref().map_or(f64::NAN, |free| free[term]);
                    cells.pull(term, expected)
                }
            };
            Ok(BoundaryTerm {
                term,
                weight: network.weights()[term],
                cause,
            })
        })
        .collect()
}

fn contains(term: &Term, part: &Term) -> bool {
    part.units().iter().all(|unit| term.units().contains(unit))
}

/// The plainest observation that drives the term's weight the way it went, if there is one.
fn observed_cause(
    network: &Network,
    cells: &Cells,
    near: &[&Term],
    term: usize,
    upwards: bool,
) -> Option<Cause> {
    let own = &network.terms()[term];
    if upwards && let Some(cause) = cells.always(own.units()) {
        return Some(cause);
    }
    let mut around: Vec<&Term> = near.iter().copied().filter(|t| contains(t, own)).collect();
    around.sort_by_key(|t| t.order());
    let mut found: Vec<Unseen> = around
        .into_iter()
        .flat_map(|units| unseen_patterns(network, cells, units, own, upwards))
        .collect();
    // What suffices by itself comes first, then what takes fewer units (the sort is stable).
    found.sort_by_key(|unseen| !unseen.alone);
    let unseen = found.into_iter().next()?;
    Some(cells.cause(cells.smallest_unseen(unseen.pattern), unseen.alone))
}

/// Patterns of the units of `term` that the rows do not show and that drive the weight of `own` upwards or downwards.
fn unseen_patterns(
    network: &Network,
    cells: &Cells,
    term: &Term,
    own: &Term,
    upwards: bool,
) -> Vec<Unseen> {
    let units = term.units();
    (0..1usize << units.len())
        .filter_map(|bits| {
            let pattern: Vec<(usize, bool)> = units
                .iter()
                .enumerate()
                .map(|(at, &unit)| (unit, bits >> at & 1 == 1))
                .collect();
            let ones = pattern.iter().filter(|(_, one)| *one);
            let drives = ones.clone().all(|(unit, _)| own.units().contains(unit))
                && ((own.order() - ones.count()) % 2 == 1) == upwards;
            if !(drives && cells.is_unseen(&pattern)) {
                return None;
            }
            let alone = cells.is_ruled_out(&pattern) && is_open(network, &pattern);
            Some(Unseen { pattern, alone })
        })
        .collect()
}

/// True if every feature of 1{x = pattern}, multiplied out, is a term of the machine.
fn is_open(network: &Network, pattern: &[(usize, bool)]) -> bool {
    let ones: Vec<usize> = pattern.iter().filter(|p| p.1).map(|p| p.0).collect();
    let zeros: Vec<usize> = pattern.iter().filter(|p| !p.1).map(|p| p.0).collect();
    (0..1usize << zeros.len()).all(|bits| {
        let more = zeros.iter().enumerate();
        let more = more.filter(|(at, _)| bits >> at & 1 == 1).map(|(_, &u)| u);
        let feature = Term::new(ones.iter().copied().chain(more).collect());
        feature.order() == 0 || network.terms().contains(&feature)
    })
}

/// How many causes a remark spells out; the record has all of them.
const SPELLED_OUT: usize = 3;
/// How many terms of one cause a remark names.
const NAMED: usize = 4;

/// The remark on weights at the edge, if there are any.
pub(crate) fn remark(
    boundary: &[BoundaryTerm],
    network: &Network,
    objective: Objective,
) -> Option<Remark> {
    if boundary.is_empty() {
        return None;
    }
    // Terms with one cause in common are named together; what accounts for a weight by itself comes first, and
    // what was counted before what depends on hidden units.
    let mut causes: Vec<(String, (bool, bool), Vec<String>)> = Vec::new();
    for at in boundary {
        let (text, label) = (at.cause.to_string(), network.label(at.term));
        match causes.iter_mut().find(|(known, ..)| *known == text) {
            Some((_, _, terms)) => terms.push(label),
            None => {
                let plainness = (at.cause.is_alone(), at.cause.is_counted());
                causes.push((text, plainness, vec![label]));
            }
        }
    }
    causes.sort_by_key(|(_, plainness, _)| std::cmp::Reverse(*plainness));
    let told: usize = causes.iter().take(SPELLED_OUT).map(|c| c.2.len()).sum();
    let causes = causes.into_iter().take(SPELLED_OUT);
    let causes = causes.map(|(text, _, mut terms)| {
        if terms.len() > NAMED {
            terms.truncate(NAMED);
            terms.push("…".to_string());
        }
        (terms, text)
    });
    Some(Remark::AtTheEdge {
        weights: boundary.len(),
        bound: objective.bound,
        causes: causes.collect(),
        more: boundary.len() - told,
        has_ridge: objective.ridge > 0.0,
    })
}
