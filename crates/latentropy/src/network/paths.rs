//! Terms from the paths of a graph (section 7 of the paper): f_V is the product of the units along a path.
//!
//! A path visits no unit twice. A feature does not know the order of its units, so paths through the same units are one term.

use super::shapes::MOST_TERMS;
use super::term::Term;
use crate::error::{Error, Result};
use std::collections::BTreeSet;

/// The terms of all paths of 2 to `order` of `units` units along `edges`, after a bias for each unit if there are to be any; by
/// order, lexicographic within an order.
pub fn path_terms(
    units: usize,
    edges: &[(usize, usize)],
    order: usize,
    bias: bool,
) -> Result<Vec<Term>> {
    let mut neighbours = vec![BTreeSet::new(); units];
    for &(a, b) in edges {
        if a == b || a.max(b) >= units {
            return Err(Error::invalid(format!(
                "an edge of units {a} and {b} joins no two of {units} units"
            )));
        }
        neighbours[a].insert(b);
        neighbours[b].insert(a);
    }
    let mut found = BTreeSet::new();
    for unit in 0..units {
        extend(&mut vec![unit], &neighbours, order, &mut found)?;
    }
    let mut paths: Vec<Vec<usize>> = found.into_iter().collect();
    paths.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    let biases = (0..units).filter(|_| bias).map(|unit| vec![unit]);
    let terms: Vec<Term> = biases.chain(paths).map(Term::new).collect();
    match terms.is_empty() {
        true => Err(Error::invalid(
            "the graph has no edge, and there are no biases: no term is left",
        )),
        false => Ok(terms),
    }
}

/// Adds the units of every path that begins with `path` and is longer.
fn extend(
    path: &mut Vec<usize>,
    neighbours: &[BTreeSet<usize>],
    order: usize,
    found: &mut BTreeSet<Vec<usize>>,
) -> Result<()> {
    let Some(&end) = path.last().filter(|_| path.len() < order) else {
        return Ok(());
    };
    for &next in &neighbours[end] {
        if path.contains(&next) {
            continue;
        }
        path.push(next);
        let mut set = path.clone();
        set.sort_unstable();
        found.insert(set);
        if found.len() as u64 > MOST_TERMS {
            return Err(Error::invalid(format!(
                "the graph has more than {MOST_TERMS} paths of up to {order} units; take a lower order or fewer edges"
            )));
        }
        extend(path, neighbours, order, found)?;
        path.pop();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// True if the units can be put in an order in which each is joined to the next.
    fn is_path(set: &[usize], edges: &[(usize, usize)]) -> bool {
        fn orders(set: &[usize]) -> Vec<Vec<usize>> {
            match set {
                [] => vec![vec![]],
                _ => (0..set.len())
                    .flat_map(|at| {
                        let rest = [&set[..at], &set[at + 1..]].concat();
                        let first = set[at];
                        orders(&rest).into_iter().map(move |mut order| {
                            order.insert(0, first);
                            order
                        })
                    })
                    .collect(),
            }
        }
        let joined = |a: usize, b: usize| edges.contains(&(a, b)) || edges.contains(&(b, a));
        orders(set)
            .iter()
            .any(|order| order.windows(2).all(|w| joined(w[0], w[1])))
    }

    proptest! {
        #[test]
        fn terms_are_the_sets_that_some_order_makes_a_path(mask in 0u32..1 << 10, order in 1usize..=5, bias: bool) {
            let pairs: Vec<(usize, usize)> = (0..5).flat_map(|a| (0..a).map(move |b| (b, a))).collect();
            let edges: Vec<(usize, usize)> = pairs.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, e)| *e).collect();
            let mut literal: Vec<Vec<usize>> = (1u32..1 << 5)
                .map(|set| (0..5).filter(|u| set >> u & 1 == 1).collect::<Vec<usize>>())
                .filter(|set| match set.len() {
                    1 => bias,
                    units => units <= order && is_path(set, &edges),
                })
                .collect();
            literal.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
            match path_terms(5, &edges, order, bias) {
                Ok(terms) => {
                    let found: Vec<Vec<usize>> = terms.iter().map(|term| term.units().to_vec()).collect();
                    prop_assert_eq!(found, literal);
                }
                Err(_) => prop_assert!(literal.is_empty()),
            }
        }
    }

    #[test]
    fn edges_must_join_units() {
        assert!(path_terms(2, &[(0, 2)], 2, true).is_err());
        assert!(path_terms(2, &[(1, 1)], 2, true).is_err());
        assert!(path_terms(2, &[], 2, false).is_err());
    }
}
