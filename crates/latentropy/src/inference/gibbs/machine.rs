//! A network as its chains need it: an order of the units, lists of neighbours, or tiles of weights where it is dense.

use super::tiles::Tiles;
use crate::inference::reduction::FreeTerms;

/// A dense machine has at least this many neighbours a unit …
const DENSE_DEGREE: f64 = 96.0;
/// … and fills its tiles at least so far.
const DENSE_FILL: f64 = 0.25;

/// The free units in the order they are visited, with all that they depend on.
///
/// The first `independent` units have no term in common: given the others they can be drawn as a block, or summed out.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    /// Position among the free units of each place in the order.
    pub(crate) order: Vec<usize>,
    /// Place in the order of each free unit.
    pub(crate) place: Vec<usize>,
    /// How many units at the start have no term in common.
    pub(crate) independent: usize,
    /// λ of the one-unit set, a place.
    pub(crate) bias: Vec<f64>,
    /// Log-odds of the independent units that paths begin with, a place.
    pub(crate) base: Vec<f64>,
    pub(crate) lists: Lists,
    /// Present where the machine is dense: fields are then kept up to date instead of summed anew.
    pub(crate) tiles: Option<Tiles>,
    /// All sets, by places, with their coefficients.
    pub(crate) sets: Vec<Box<[u32]>>,
    pub(crate) coefficients: Vec<f64>,
}

/// For each place, its pairs and its larger sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    /// Where the neighbours of each place begin and the last ones end.
    pub(crate) starts: Vec<usize>,
    pub(crate) neighbours: Vec<u32>,
    pub(crate) weights: Vec<f64>,
    /// The same for larger sets: (first of the other members, one past the last, weight).
    pub(crate) higher_starts: Vec<usize>,
    pub(crate) higher: Vec<(u32, u32, f64)>,
    pub(crate) members: Vec<u32>,
}

impl Machine {
    pub(crate) fn new(terms: &FreeTerms) -> Self {
        let units = terms.free.len();
        let (order, independent) = order(terms);
        let mut place = vec![0; units];
        for (at, &unit) in order.iter().enumerate() {
            place[unit] = at;
        }
        let sets: Vec<Box<[u32]>> = terms
            .sets
            .iter()
            .map(|set| set.iter().map(|&unit| place[unit] as u32).collect())
            .collect();
        let mut bias = vec![0.0; units];
        for (set, &coefficient) in sets.iter().zip(&terms.coefficients) {
            if let [unit] = set[..] {
                bias[unit as usize] = coefficient;
            }
        }
        let lists = Lists::new(units, &sets, &terms.coefficients);
        let pairwise = lists.members.is_empty();
        let degree = lists.neighbours.len() as f64 / units.max(1) as f64;
        let tiles = (pairwise && degree >= DENSE_DEGREE)
            .then(|| Tiles::new(&lists, &bias))
            .flatten()
            .filter(|tiles| tiles.fill(&lists) >= DENSE_FILL);
        Machine {
            base: vec![0.0; units],
            order,
            place,
            independent,
            bias,
            lists,
            tiles,
            sets,
            coefficients: terms.coefficients.clone(),
        }
    }

    pub(crate) fn units(&self) -> usize {
        self.order.len()
    }

    /// About what one sweep of one chain costs, in draws of a unit with few neighbours.
    pub(crate) fn work(&self) -> f64 {
        let reads = self.lists.neighbours.len() + 2 * self.lists.members.len();
        let each = if self.tiles.is_some() { 0.002 } else { 0.015 };
        1.0 + self.units() as f64 + each * reads as f64
    }

    /// Sets the independent units that paths begin with, from the probability of each free unit.
    pub(crate) fn set_base(&mut self, means: &[f64]) {
        for (at, &unit) in self.order.iter().enumerate() {
            let mean = means[unit].clamp(SMALLEST_MEAN, 1.0 - SMALLEST_MEAN);
            self.base[at] = (mean / (1.0 - mean)).ln();
        }
    }

    /// log Σ exp of the independent units that paths begin with.
    pub(crate) fn log_base(&self) -> f64 {
        let softplus = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
        self.base.iter().map(|&x| softplus(x)).sum()
    }
}

/// Base means stay this far from 0 and 1, so that no state is out of reach.
const SMALLEST_MEAN: f64 = 0.002;

impl Lists {
    fn new(units: usize, sets: &[Box<[u32]>], coefficients: &[f64]) -> Self {
        let mut pairs = vec![Vec::new(); units];
        let mut larger = vec![Vec::new(); units];
        for (set, &weight) in sets.iter().zip(coefficients) {
            match set[..] {
                [] | [_] => {}
                [a, b] => {
                    pairs[a as usize].push((b, weight));
                    pairs[b as usize].push((a, weight));
                }
                _ => {
                    for &unit in set {
                        larger[unit as usize].push((set, weight));
                    }
                }
            }
        }
        let mut lists = Lists::default();
        for unit in 0..units {
            lists.starts.push(lists.neighbours.len());
            pairs[unit].sort_unstable_by_key(|pair| pair.0);
            for &(other, weight) in &pairs[unit] {
                lists.neighbours.push(other);
                lists.weights.push(weight);
            }
            lists.higher_starts.push(lists.higher.len());
            for &(set, weight) in &larger[unit] {
                let start = lists.members.len() as u32;
                let others = set.iter().filter(|&&other| other as usize != unit);
                lists.members.extend(others);
                lists
                    .higher
                    .push((start, lists.members.len() as u32, weight));
            }
        }
        lists.starts.push(lists.neighbours.len());
        lists.higher_starts.push(lists.higher.len());
        lists
    }
}

/// An order of the units that begins with a large set of which no two are in one term, and how large that set is.
///
/// Units of low degree are taken first; a side of a two-sided graph is found whole, since the walk goes from
/// taken units to neighbours of their neighbours.
fn order(terms: &FreeTerms) -> (Vec<usize>, usize) {
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
