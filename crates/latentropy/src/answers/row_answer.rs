//! What a network says of its units given one row: exactly where the row leaves little open, else by the best engine there is.

use crate::error::{Error, Result};
use crate::inference::{Answer, Demand, choose_engine, exact_expectations};
use crate::network::{Clamp, Network};

/// The answer for what a row holds; it has standard errors where it was sampled.
pub(super) fn row_answer(network: &Network, clamp: &Clamp) -> Result<Answer> {
    match exact_expectations(network, clamp) {
        Err(Error::TooLarge { .. }) => {
            let engine = choose_engine(network, clamp)?.engine.engine();
            let prepared = engine.prepare(network, clamp, &Demand::default())?;
            prepared.answer(network.weights())?.checked(network)
        }
        found => Answer::from(found?).checked(network),
    }
}
