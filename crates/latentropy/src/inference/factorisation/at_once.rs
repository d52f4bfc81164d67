//! Expectations of a network by factorisation, some units held.

use super::sides::Sides;
use crate::error::Result;
use crate::inference::at_once::AnswersAtOnce;
use crate::inference::expectations::Expectations;
use crate::inference::value::Value;
use crate::network::{Clamp, Network};

/// The engine `exact` for networks with an independent side.
#[derive(Clone, Copy, Debug, Default)]
pub struct Factorised;

impl AnswersAtOnce for Factorised {
    fn expectations(&self, network: &Network, clamp: &Clamp) -> Result<Expectations> {
        let sides = Sides::new(network, clamp)?;
        let sums = sides.sums();
        let scale = 1.0 / sums.total;
        let log_partition = sums.reference + sums.total.ln();
        let terms: Vec<f64> = sums.terms.iter().map(|s| s * scale).collect();
        let mean_exponent: f64 = network
            .weights()
            .iter()
            .zip(&terms)
            .map(|(w, t)| w * t)
            .sum();
        let mut means: Vec<f64> = (0..clamp.len())
            .map(|unit| f64::from(clamp.get(unit) == Some(true)))
            .collect();
        for (&unit, sum) in sides.dependent.iter().zip(&sums.dependent) {
            means[unit] = sum * scale;
        }
        for (&unit, sum) in sides.independent.iter().zip(&sums.independent) {
            means[unit] = sum * scale;
        }
        Ok(Expectations {
            log_partition: Value::exact(log_partition),
            entropy: Value::exact((log_partition - network.constant() - mean_exponent).max(0.0)),
            means,
            terms,
        })
    }
}
