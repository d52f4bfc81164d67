//! A network with some units held, as distinct sets of the units that are left: any number of units, any order.

use super::masks::Image;
use crate::error::Result;
use crate::inference::expectations::Expectations;
use crate::inference::value::Value;
use crate::network::{Clamp, Network};
use std::collections::HashMap;

/// The exponent over the free units: constant + Σ coefficient · Π_{units of set} x.
#[derive(Clone, Debug)]
pub(crate) struct FreeTerms {
    /// The units that are not held, ascending; sets speak of positions in this list.
    pub(crate) free: Vec<usize>,
    /// Distinct sets, ascending within each, none empty.
    pub(crate) sets: Vec<Box<[usize]>>,
    /// One coefficient per set: the weights of all terms that became it.
    pub(crate) coefficients: Vec<f64>,
    /// The network's constant and the weights of the terms that are always on.
    pub(crate) constant: f64,
    images: Vec<Image>,
    held: Vec<f64>,
}

impl FreeTerms {
    /// Holds units and gathers what is left.
    pub(crate) fn new(network: &Network, clamp: &Clamp) -> Result<Self> {
        clamp.check_fits(network)?;
        let free = clamp.free();
        let mut position = vec![usize::MAX; clamp.len()];
        for (at, &unit) in free.iter().enumerate() {
            position[unit] = at;
        }
        let mut places: HashMap<Box<[usize]>, usize> = HashMap::new();
        let (mut sets, mut coefficients) = (Vec::new(), Vec::new());
        let mut images = Vec::with_capacity(network.terms().len());
        let mut constant = network.constant();
        for (term, &weight) in network.terms().iter().zip(network.weights()) {
            if term.units().iter().any(|&u| clamp.get(u) == Some(false)) {
                images.push(Image::Zero);
                continue;
            }
            let left: Box<[usize]> = term
                .units()
                .iter()
                .filter(|&&u| clamp.get(u).is_none())
                .map(|&u| position[u])
                .collect();
            if left.is_empty() {
                constant += weight;
                images.push(Image::One);
                continue;
            }
            let at = *places.entry(left).or_insert_with_key(|set| {
                sets.push(set.clone());
                coefficients.push(0.0);
                sets.len() - 1
            });
            coefficients[at] += weight;
            images.push(Image::Mask(at));
        }
        Ok(FreeTerms {
            held: (0..clamp.len())
                .map(|u| f64::from(clamp.get(u) == Some(true)))
                .collect(),
            free,
            sets,
            coefficients,
            constant,
            images,
        })
    }

    /// The same at the weights of another network of the same terms, of which the same units are held; none where its terms are
    /// others. Nothing is sorted again, which is most of the time with many terms.
    pub(crate) fn at_weights_of(&self, network: &Network, clamp: &Clamp) -> Option<Self> {
        let mut position = vec![usize::MAX; clamp.len()];
        for (at, &unit) in self.free.iter().enumerate() {
            position[unit] = at;
        }
        let is_image = |units: &[usize], image: Image| {
            let left = units.iter().filter(|&&u| clamp.get(u).is_none());
            let left = left.map(|&u| position[u]);
            let is_zero = units.iter().any(|&u| clamp.get(u) == Some(false));
            match image {
                Image::Zero => is_zero,
                Image::One => !is_zero && left.count() == 0,
                Image::Mask(at) => !is_zero && left.eq(self.sets[at].iter().copied()),
            }
        };
        let terms = network.terms();
        let mut images = terms.iter().zip(&self.images);
        let are_same = terms.len() == self.images.len()
            && clamp.check_fits(network).is_ok()
            && images.all(|(term, &image)| is_image(term.units(), image));
        if !are_same {
            return None;
        }
        let (coefficients, constant) = self.coefficients_of(network.weights(), network.constant());
        Some(FreeTerms {
            coefficients,
            constant,
            ..self.clone()
        })
    }

    /// Coefficients and constant of the same sets at other weights.
    pub(crate) fn coefficients_of(&self, weights: &[f64], mut constant: f64) -> (Vec<f64>, f64) {
        let mut coefficients = vec![0.0; self.sets.len()];
        for (image, weight) in self.images.iter().zip(weights) {
            match *image {
                Image::Zero => {}
                Image::One => constant += weight,
                Image::Mask(at) => coefficients[at] += weight,
            }
        }
        (coefficients, constant)
    }

    /// Σ coefficient · value over the sets.
    pub(crate) fn mean_exponent(&self, by_set: &[f64]) -> f64 {
        self.coefficients
            .iter()
            .zip(by_set)
            .map(|(c, value)| c * value)
            .sum()
    }

    /// Back to all units and terms; `log_partition` is without the constant.
    pub(crate) fn assemble(
        &self,
        log_partition: Value,
        entropy: Value,
        free_means: &[f64],
        by_set: &[f64],
    ) -> Expectations {
        let mut means = self.held.clone();
        for (&unit, &mean) in self.free.iter().zip(free_means) {
            means[unit] = mean;
        }
        Expectations {
            log_partition: Value {
                value: log_partition.value + self.constant,
                ..log_partition
            },
            entropy,
            means,
            terms: self.by_term(by_set, 1.0),
        }
    }

    /// From one value per set to one value per term; `always` is that of the terms that are always on.
    pub(crate) fn by_term(&self, by_set: &[f64], always: f64) -> Vec<f64> {
        let terms = self.images.iter().map(|image| match *image {
            Image::Zero => 0.0,
            Image::One => always,
            Image::Mask(at) => by_set[at],
        });
        terms.collect()
    }

    /// How many terms became each set, and how many are always on: their shares of f#.
    pub(crate) fn multiplicities(&self) -> (Vec<u32>, u32) {
        let (mut by_set, mut always) = (vec![0; self.sets.len()], 0);
        for image in &self.images {
            match *image {
                Image::Zero => {}
                Image::One => always += 1,
                Image::Mask(at) => by_set[at] += 1,
            }
        }
        (by_set, always)
    }
}
