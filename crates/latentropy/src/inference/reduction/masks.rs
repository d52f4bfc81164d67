//! A network with some units held, as a polynomial over bit masks of the units that are left.

use crate::error::{Error, Result};
use crate::message::{Setting, words};
use crate::network::{Clamp, Network};
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

impl Reduced {
    /// Holds units and gathers what is left; the weights come later, by [`Reduced::coefficients`].
    pub(crate) fn new(network: &Network, clamp: &Clamp) -> Result<Self> {
        let units = network.units().len();
        if clamp.len() != units {
            return Err(Error::invalid(format!(
                "a clamp on {} units for a network of {units}",
                clamp.len()
            )));
        }
        let free: Vec<usize> = (0..units).filter(|&u| clamp.get(u).is_none()).collect();
        if free.len() > MOST_FREE {
            return Err(Error::too_large(
                format!(
                    "{} free units are too many for exact enumeration (2^{} states)",
                    free.len(),
                    free.len()
                ),
                words![
                    "hold units with ",
                    Setting::Given,
                    ", choose a shape with an independent side (rbm), or fewer hidden units",
                ],
            ));
        }
        let mut bit_of = vec![usize::MAX; units];
        for (bit, &unit) in free.iter().enumerate() {
            bit_of[unit] = bit;
        }
        let mut index: HashMap<u64, usize> = HashMap::new();
        let (mut masks, mut multiplicities) = (Vec::new(), Vec::new());
        let mut images = Vec::with_capacity(network.terms().len());
        for term in network.terms() {
            let (mut mask, mut dead) = (0u64, false);
            for &unit in term.units() {
                match clamp.get(unit) {
                    Some(true) => {}
                    Some(false) => dead = true,
                    None => mask |= 1 << bit_of[unit],
                }
            }
            images.push(if dead {
                Image::Zero
            } else if mask == 0 {
                Image::One
            } else {
                let at = *index.entry(mask).or_insert_with(|| {
                    masks.push(mask);
                    multiplicities.push(0);
                    masks.len() - 1
                });
                multiplicities[at] += 1;
                Image::Mask(at)
            });
        }
        let singles = (0..free.len())
            .map(|bit| {
                *index.entry(1 << bit).or_insert_with(|| {
                    masks.push(1 << bit);
                    multiplicities.push(0);
                    masks.len() - 1
                })
            })
            .collect();
        Ok(Reduced {
            free,
            masks,
            multiplicities,
            images,
            singles,
        })
    }

    /// One coefficient a mask, and the constant, for these weights.
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

    /// From one value a mask to one value a term.
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

    /// From one value a mask to the mean of every unit, held ones included.
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
