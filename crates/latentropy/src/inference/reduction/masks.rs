//! A network with some units held, as a polynomial over bit masks of the units that are left.

use crate::error::{Error, Result};
use crate::message::{Setting, words};
use crate::network::{Clamp, Network, Term};
use std::collections::HashMap;

/// What becomes of a term when units are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Image {
    /// One of its units is held at zero.
    Zero,
    /// All its units are held at one.
    One,
    /// It is the mask of this index on the free units.
    Mask(usize),
}

/// The exponent over the free units: constant + Σ coefficient · Π_{bits of mask} x.
///
/// Every free unit has its own one-bit mask among the masks, so that its mean comes out with the others.
#[derive(Clone, Debug)]
pub(crate) struct Reduced {
    /// The units that are not held, ascending; bit b of a mask is `free[b]`.
    pub(crate) free: Vec<usize>,
    /// Distinct masks, none empty.
    pub(crate) masks: Vec<u64>,
    /// How many terms became each mask: their share of f#.
    pub(crate) multiplicities: Vec<u32>,
    /// What became of each term.
    pub(crate) images: Vec<Image>,
    /// The index of each free unit's one-bit mask.
    pub(crate) singles: Vec<usize>,
}

/// Masks are 64 bits wide.
const MOST_FREE: usize = 64;

/// Distinct masks in the order in which they first came.
#[derive(Default)]
struct Gathered {
    places: HashMap<u64, usize>,
    masks: Vec<u64>,
    multiplicities: Vec<u32>,
}

impl Gathered {
    /// The index of a mask, a new one where it is new.
    fn place(&mut self, mask: u64) -> usize {
        let next = self.masks.len();
        let at = *self.places.entry(mask).or_insert(next);
        if at == next {
            self.masks.push(mask);
            self.multiplicities.push(0);
        }
        at
    }
}

/// The free units of a term as bits; none where one of its units is held at zero.
fn mask_of(term: &Term, clamp: &Clamp, bit_of: &[usize]) -> Option<u64> {
    let mut mask = 0;
    for &unit in term.units() {
        match clamp.get(unit) {
            Some(true) => {}
            Some(false) => return None,
            None => mask |= 1 << bit_of[unit],
        }
    }
    Some(mask)
}

fn too_many(free: usize) -> Error {
    Error::too_large(
        format!("{free} free units are too many for exact enumeration (2^{free} states)"),
        words![
            "hold units with ",
            Setting::Given,
            ", choose a shape with an independent side (rbm), or fewer hidden units",
        ],
    )
}

impl Reduced {
    /// Holds units and gathers what is left; the weights come later, by [`Reduced::coefficients`].
    pub(crate) fn new(network: &Network, clamp: &Clamp) -> Result<Self> {
        clamp.check_fits(network)?;
        Reduced::of_terms(network.terms().iter(), clamp)
    }

    /// The same of these terms alone, in their order.
    pub(crate) fn of_terms<'a>(
        terms: impl Iterator<Item = &'a Term>,
        clamp: &Clamp,
    ) -> Result<Self> {
        let free = clamp.free();
        if free.len() > MOST_FREE {
            return Err(too_many(free.len()));
        }
        let mut bit_of = vec![usize::MAX; clamp.len()];
        for (bit, &unit) in free.iter().enumerate() {
            bit_of[unit] = bit;
        }
        let mut gathered = Gathered::default();
        let image = |term: &Term| match mask_of(term, clamp, &bit_of) {
            None => Image::Zero,
            Some(0) => Image::One,
            Some(mask) => {
                let at = gathered.place(mask);
                gathered.multiplicities[at] += 1;
                Image::Mask(at)
            }
        };
        let images = terms.map(image).collect();
        let singles = (0..free.len())
            .map(|bit| gathered.place(1 << bit))
            .collect();
        let Gathered {
            masks,
            multiplicities,
            ..
        } = gathered;
        Ok(Reduced {
            free,
            masks,
            multiplicities,
            images,
            singles,
        })
    }

    /// One coefficient per mask, and the constant, for these weights.
    pub(crate) fn coefficients(&self, weights: &[f64], constant: f64) -> (Vec<f64>, f64) {
        let mut coefficients = vec![0.0; self.masks.len()];
        let mut constant = constant;
        for (image, weight) in self.images.iter().zip(weights) {
            match *image {
                Image::Zero => {}
                Image::One => constant += weight,
                Image::Mask(at) => coefficients[at] += weight,
            }
        }
        (coefficients, constant)
    }

    /// How many terms are always on: they are part of f# in every state.
    pub(crate) fn always_on(&self) -> u32 {
        self.images.iter().filter(|i| **i == Image::One).count() as u32
    }

    /// From one value per mask to one value per term.
    pub(crate) fn by_term(&self, by_mask: &[f64]) -> Vec<f64> {
        self.images
            .iter()
            .map(|image| match *image {
                Image::Zero => 0.0,
                Image::One => 1.0,
                Image::Mask(at) => by_mask[at],
            })
            .collect()
    }

    /// From one value per mask to the mean of every unit, held ones included.
    pub(crate) fn means(&self, by_mask: &[f64], clamp: &Clamp) -> Vec<f64> {
        let mut means: Vec<f64> = (0..clamp.len())
            .map(|unit| f64::from(clamp.get(unit) == Some(true)))
            .collect();
        for (&unit, &single) in self.free.iter().zip(&self.singles) {
            means[unit] = by_mask[single];
        }
        means
    }
}
