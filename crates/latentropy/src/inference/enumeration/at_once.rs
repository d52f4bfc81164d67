//! Expectations and strata of a network by enumeration, some units held.

use super::enumerator::Enumerator;
use crate::error::Result;
use crate::inference::at_once::{AnswersAtOnce, StrataAtOnce};
use crate::inference::expectations::{Expectations, Strata};
use crate::inference::reduction::{Image, Reduced};
use crate::inference::sums::{StratifiedSums, Sums};
use crate::inference::value::Value;
use crate::network::{Clamp, Network};

/// The engine `exact`, by enumeration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Enumeration;

impl AnswersAtOnce for Enumeration {
    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        let reduced = Reduced::new(network, clamp)?;
        let (coefficients, constant) = reduced.coefficients(network.weights(), network.constant());
        let mut sums = Sums::default();
        Enumerator::new(reduced.free.len(), &reduced.masks)?.sums(&coefficients, &mut sums);
        Ok(assemble(
            &reduced,
            clamp,
            &coefficients,
            constant,
            sums.log_partition,
            &sums.terms,
        ))
    }
}

/// Puts sums over masks back into terms and units; the entropy is log Φ − Σ λ E f over the free part.
fn assemble(
    reduced: &Reduced,
    clamp: &Clamp,
    coefficients: &[f64],
    constant: f64,
    log_total: f64,
    by_mask: &[f64],
) -> Expectations {
    let mean_exponent: f64 = coefficients.iter().zip(by_mask).map(|(c, m)| c * m).sum();
    Expectations {
        log_partition: Value::exact(constant + log_total),
        // Rounding can leave a point mass a hair below zero.
        entropy: Value::exact((log_total - mean_exponent).max(0.0)),
        means: reduced.means(by_mask, clamp),
        terms: reduced.by_term(by_mask),
    }
}

impl StrataAtOnce for Enumeration {
    fn strata(&self, network: &Network, clamp: &Clamp) -> Result<Strata> {
        let reduced = Reduced::new(network, clamp)?;
        let (coefficients, constant) = reduced.coefficients(network.weights(), network.constant());
        // A term whose units are all held at one is on everywhere: its sums are those of the empty mask.
        let always_on = reduced.always_on();
        let (mut masks, mut multiplicities) =
            (reduced.masks.clone(), reduced.multiplicities.clone());
        let mut coefficients = coefficients;
        if always_on > 0 {
            masks.push(0);
            multiplicities.push(0);
            coefficients.push(0.0);
        }
        let mut sums = StratifiedSums::default();
        Enumerator::new(reduced.free.len(), &masks)?
            .with_strata(&multiplicities, always_on)
            .stratified(&coefficients, &mut sums)?;
        let terms = network.terms().len();
        let mut by_term = Vec::with_capacity(sums.values.len() * terms);
        for row in sums.sums.chunks_exact(sums.width.max(1)) {
            by_term.extend(reduced.images.iter().map(|image| match *image {
                Image::Zero => 0.0,
                Image::One => row[reduced.masks.len()],
                Image::Mask(at) => row[at],
            }));
        }
        Ok(Strata {
            log_partition: constant + sums.log_partition,
            values: sums.values,
            sums: by_term,
            terms,
        })
    }
}
