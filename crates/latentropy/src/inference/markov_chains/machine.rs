//! A network as its chains need it: an order of the units, lists of neighbours, or tiles of weights where it is dense.

use super::fixed_point::FixedWeights;
use super::lists::Lists;
use super::order::order;
use super::tiles::Tiles;
use crate::inference::reduction::FreeTerms;

/// A dense machine has at least this many neighbours per unit …
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
    /// λ of the one-unit set, one per place.
    pub(crate) bias: Vec<f64>,
    /// Log-odds of the independent units that paths begin with, one per place.
    pub(crate) base: Vec<f64>,
    pub(crate) lists: Lists,
    /// Of pairwise machines whose weights a fixed point holds.
    pub(crate) fixed: Option<FixedWeights>,
    /// Present where the machine is dense: fields are then kept up to date instead of summed anew.
    pub(crate) tiles: Option<Tiles>,
    /// All sets, by places, with their coefficients.
    pub(crate) sets: Vec<Box<[u32]>>,
    pub(crate) coefficients: Vec<f64>,
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
        let fixed = FixedWeights::new(&lists, &bias).filter(|_| tiles.is_none());
        Machine {
            fixed,
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
