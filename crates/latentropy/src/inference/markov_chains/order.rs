//! The order in which units are visited: first a large set of units that can be drawn as a block.

use crate::inference::reduction::FreeTerms;

/// An order of the units that begins with a large set of which no two are in one term, and how large that set is.
///
/// Units of low degree are taken first; a side of a two-sided graph is found whole, since the walk goes from
/// taken units to neighbours of their neighbours.
pub(super) fn order(terms: &FreeTerms) -> (Vec<usize>, usize) {
    let units = terms.free.len();
    let mut around = vec![Vec::new(); units];
    for set in &terms.sets {
        for &a in set.iter() {
            around[a].extend(set.iter().copied().filter(|&b| b != a));
        }
    }
    let mut by_degree: Vec<usize> = (0..units).collect();
    by_degree.sort_by_key(|&unit| (around[unit].len(), unit));
    let taken = match two_sides(&around) {
        Some(larger) => larger,
        None => {
            let (mut taken, mut blocked) = (vec![false; units], vec![false; units]);
            for &unit in &by_degree {
                if !blocked[unit] {
                    taken[unit] = true;
                    for &other in &around[unit] {
                        blocked[other] = true;
                    }
                }
            }
            taken
        }
    };
    let mut order: Vec<usize> = (0..units).filter(|&unit| taken[unit]).collect();
    let independent = order.len();
    order.extend((0..units).filter(|&unit| !taken[unit]));
    (order, independent)
}

/// The larger side of every connected part, where each part has two sides.
fn two_sides(around: &[Vec<usize>]) -> Option<Vec<bool>> {
    let mut side: Vec<Option<bool>> = vec![None; around.len()];
    let mut chosen = vec![false; around.len()];
    for root in 0..around.len() {
        if side[root].is_some() {
            continue;
        }
        side[root] = Some(true);
        let (mut part, mut at) = (vec![root], 0);
        while at < part.len() {
            let unit = part[at];
            at += 1;
            for &other in &around[unit] {
                match side[other] {
                    None => {
                        side[other] = side[unit].map(|own| !own);
                        part.push(other);
                    }
                    Some(_) if side[other] == side[unit] => return None,
                    Some(_) => {}
                }
            }
        }
        let ones = part
            .iter()
            .filter(|&&unit| side[unit] == Some(true))
            .count();
        let larger = 2 * ones >= part.len();
        for unit in part {
            chosen[unit] = side[unit] == Some(larger);
        }
    }
    Some(chosen)
}
