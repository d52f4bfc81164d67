//! A network split into two sides, one of them independent given the other.

use super::independence::independent_side;
use crate::error::{Error, Result};
use crate::message::{Setting, words};
use crate::network::{Clamp, Network, Term};

/// A dependent side larger than this is refused.
pub(crate) const MOST_DEPENDENT: usize = 30;
/// States of D in one block.
const LOW_BITS: usize = 6;
/// What becomes of a term.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Zero,
    One,
    /// On dependent units only: upper and lower part of the mask.
    Dependent(u64, usize),
    /// On dependent units (possibly none) and one independent unit.
    Independent(u64, usize, usize),
}

impl Place {
    /// `position` is a unit's place on its side.
    fn of(
        term: &Term,
        clamp: &Clamp,
        is_independent: &[bool],
        position: &[usize],
        low_bits: usize,
    ) -> Self {
        let (mut mask, mut single) = (0u64, None);
        for &unit in term.units() {
            match clamp.get(unit) {
                Some(false) => return Place::Zero,
                Some(true) => {}
                None if is_independent[unit] => single = Some(position[unit]),
                None => mask |= 1 << position[unit],
            }
        }
        let (upper, lower) = (mask >> low_bits, (mask & ((1 << low_bits) - 1)) as usize);
        match single {
            Some(i) => Place::Independent(upper, lower, i),
            None if mask == 0 => Place::One,
            None => Place::Dependent(upper, lower),
        }
    }
}

/// A network split into a dependent and an independent side under a clamp.
#[derive(Clone, Debug)]
pub(crate) struct Sides {
    pub(crate) dependent: Vec<usize>,
    pub(crate) independent: Vec<usize>,
    pub(super) places: Vec<Place>,
    pub(super) weights: Vec<f64>,
    pub(super) constant: f64,
    pub(super) low_bits: usize,
    pub(super) width: usize,
}

fn too_many(dependent: usize) -> Error {
    Error::too_large(
        format!("the smaller side of the network has {dependent} units that depend on each other"),
        words![
            format!(
                "exact summation goes up to {MOST_DEPENDENT}: use fewer hidden units or hold units with "
            ),
            Setting::Given,
        ],
    )
}

impl Sides {
    /// Splits a network.
    pub(crate) fn new(network: &Network, clamp: &Clamp) -> Result<Self> {
        clamp.check_fits(network)?;
        let is_independent = independent_side(network, clamp);
        let (mut dependent, mut independent) = (Vec::new(), Vec::new());
        let mut position = vec![0; clamp.len()];
        for unit in clamp.free() {
            let side = if is_independent[unit] {
                &mut independent
            } else {
                &mut dependent
            };
            position[unit] = side.len();
            side.push(unit);
        }
        if dependent.len() > MOST_DEPENDENT {
            return Err(too_many(dependent.len()));
        }
        let low_bits = dependent.len().min(LOW_BITS);
        let place = |term: &Term| Place::of(term, clamp, &is_independent, &position, low_bits);
        let places = network.terms().iter().map(place).collect();
        Ok(Sides {
            width: independent.len(),
            dependent,
            independent,
            places,
            weights: network.weights().to_vec(),
            constant: network.constant(),
            low_bits,
        })
    }

    /// Blocks of D's states.
    pub(crate) fn blocks(&self) -> u64 {
        1 << (self.dependent.len() - self.low_bits)
    }
}
