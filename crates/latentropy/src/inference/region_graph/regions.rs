//! Which regions a region graph has: outer ones, their intersections, and how often each is counted.

use super::choice::Chosen;
use crate::error::{Error, Result};
use crate::inference::reduction::FreeTerms;
use crate::message::{Setting, words};
use std::collections::{BTreeMap, BTreeSet};

/// More regions than this are refused.
const MOST_REGIONS: usize = 60_000;
/// Tables of a region have at most 2^this entries.
pub(super) const LARGEST_REGION: usize = 12;

/// An intersection of outer regions.
#[derive(Clone, Debug)]
pub(super) struct Inner {
    /// Its units, ascending.
    pub(super) units: Vec<usize>,
    /// Its counting number: 1 minus those of all regions that contain it.
    pub(super) counting: f64,
    /// Outer regions that contain it.
    pub(super) parents: Vec<usize>,
}

/// Which outer regions are used; terms and units that are in none become regions of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Regions {
    /// Faces of planar graphs, short loops that are counted once, stars of dense graphs.
    #[default]
    Chosen,
    /// Stars alone: every region holds the strongest unit of its component.
    Stars,
    /// The terms alone: Bethe's approximation.
    Pairs,
    /// These sets of units, by their indices in the network.
    Given(Vec<Vec<usize>>),
}

/// Regions of the cluster variation method (Kikuchi 1951; Yedidia, Freeman and Weiss 2005).
#[derive(Clone, Debug)]
pub(super) struct RegionGraph {
    /// The outer regions, none within another, each ascending.
    pub(super) outer: Vec<Vec<usize>>,
    /// All intersections of outer regions, none empty.
    pub(super) inner: Vec<Inner>,
}

impl RegionGraph {
    /// `chosen` are the regions beside terms and units, where they are not given.
    pub(super) fn new(terms: &FreeTerms, regions: &Regions, chosen: &Chosen) -> Result<Self> {
        let mut candidates: BTreeSet<Vec<usize>> = match regions {
            Regions::Pairs => BTreeSet::new(),
            Regions::Chosen | Regions::Stars => chosen.regions.clone(),
            Regions::Given(given) => given_regions(terms, given),
        };
        // Every term and every unit has to be somewhere.
        candidates.extend(terms.sets.iter().map(|set| set.to_vec()));
        candidates.extend((0..terms.free.len()).map(|unit| vec![unit]));
        if let Some(largest) = candidates.iter().map(Vec::len).max()
            && largest > LARGEST_REGION
        {
            return Err(Error::too_large(
                format!(
                    "a region of {largest} units is too large for engine gbp (at most {LARGEST_REGION})"
                ),
                words![
                    "use ",
                    Setting::Engine.at("junction-tree"),
                    ", or give smaller regions",
                ],
            ));
        }
        let outer = maximal(candidates);
        if outer.len() > MOST_REGIONS {
            return Err(too_many(outer.len()));
        }
        let inner = intersections(&outer);
        Ok(RegionGraph { outer, inner })
    }

    /// The sum of all counting numbers: one per component where no loop is counted twice.
    pub(super) fn counted(&self) -> f64 {
        let inner: f64 = self.inner.iter().map(|inner| inner.counting).sum();
        self.outer.len() as f64 + inner
    }

    /// True where the outer regions can be taken away one by one, each hanging on one other: the free energy is exact then.
    ///
    /// (Graham's reduction: drop units that are in one region only, then regions within others.)
    pub(super) fn is_acyclic(&self) -> bool {
        let mut regions: Vec<BTreeSet<usize>> = self
            .outer
            .iter()
            .map(|r| r.iter().copied().collect())
            .collect();
        let mut holders: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (at, region) in regions.iter().enumerate() {
            for &unit in region {
                holders.entry(unit).or_default().insert(at);
            }
        }
        let mut queue: BTreeSet<usize> = (0..regions.len()).collect();
        while let Some(at) = queue.pop_first() {
            let lonely = regions[at].iter().filter(|&u| holders[u].len() == 1);
            for unit in lonely.copied().collect::<Vec<_>>() {
                regions[at].remove(&unit);
                holders.remove(&unit);
            }
            let Some(first) = regions[at].first() else {
                continue;
            };
            let covers = |other: &usize| *other != at && regions[*other].is_superset(&regions[at]);
            if let Some(cover) = holders[first].iter().copied().find(covers) {
                for unit in std::mem::take(&mut regions[at]) {
                    if let Some(holding) = holders.get_mut(&unit) {
                        holding.remove(&at);
                        // Whoever still holds the unit may be next.
                        queue.extend(holding.iter().copied());
                    }
                }
                queue.insert(cover);
            }
        }
        regions.iter().all(BTreeSet::is_empty)
    }
}

fn too_many(count: usize) -> Error {
    Error::too_large(
        format!("engine gbp would need {count} regions or more (at most {MOST_REGIONS})"),
        words!["use ", Setting::Engine.at("bp"), ", or trw for a bound"],
    )
}

/// Regions of network units as regions of free units; held ones fall out.
fn given_regions(terms: &FreeTerms, given: &[Vec<usize>]) -> BTreeSet<Vec<usize>> {
    given
        .iter()
        .map(|region| {
            let free = region
                .iter()
                .filter_map(|unit| terms.free.binary_search(unit).ok());
            let units: BTreeSet<usize> = free.collect();
            units.into_iter().collect::<Vec<_>>()
        })
        .filter(|region| !region.is_empty())
        .collect()
}

/// All non-empty subsets of a region.
fn subsets(region: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (1usize..1 << region.len()).map(|mask| {
        let inside = (0..region.len()).filter(|bit| mask >> bit & 1 == 1);
        inside.map(|bit| region[bit]).collect()
    })
}

/// Those that are within no other.
fn maximal(candidates: BTreeSet<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut sorted: Vec<Vec<usize>> = candidates.into_iter().collect();
    sorted.sort_by_key(|region| std::cmp::Reverse(region.len()));
    let mut covered: BTreeSet<Vec<usize>> = BTreeSet::new();
    let mut outer = Vec::new();
    for region in sorted {
        if !covered.contains(&region) {
            covered.extend(subsets(&region));
            outer.push(region);
        }
    }
    outer.sort_unstable();
    outer
}

/// Every set that is the intersection of the outer regions it lies in, two at least, with counting numbers.
fn intersections(outer: &[Vec<usize>]) -> Vec<Inner> {
    let mut holders: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for (at, region) in outer.iter().enumerate() {
        for subset in subsets(region) {
            if subset.len() < region.len() {
                holders.entry(subset).or_default().push(at);
            }
        }
    }
    holders.retain(|subset, holding| {
        holding.len() > 1
            && outer[holding[0]].iter().all(|unit| {
                subset.contains(unit) || holding.iter().any(|&r| !outer[r].contains(unit))
            })
    });
    let mut by_size: Vec<(Vec<usize>, Vec<usize>)> = holders.into_iter().collect();
    by_size.sort_by_key(|(units, _)| std::cmp::Reverse(units.len()));
    let places: BTreeMap<Vec<usize>, usize> = by_size
        .iter()
        .enumerate()
        .map(|(at, (units, _))| (units.clone(), at))
        .collect();
    // Larger regions come first, so that all that contain a region are counted before it.
    let mut counting: Vec<f64> = by_size.iter().map(|(_, h)| 1.0 - h.len() as f64).collect();
    for at in 0..by_size.len() {
        for subset in subsets(&by_size[at].0) {
            if let Some(&smaller) = places.get(&subset)
                && smaller != at
            {
                counting[smaller] -= counting[at];
            }
        }
    }
    by_size
        .into_iter()
        .zip(counting)
        .map(|((units, parents), counting)| Inner {
            units,
            counting,
            parents,
        })
        .collect()
}
