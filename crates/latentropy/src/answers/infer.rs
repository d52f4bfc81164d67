//! What a network implies: log Z, entropy, probabilities of units and terms, some units held at will.

use crate::error::Result;
use crate::inference::{Answer, Demand, EngineChoice, EngineId, Sampling, choose_engine};
use crate::network::{Clamp, Network};

/// What an engine says about a network, and which one it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Inference {
    /// The engine, and why it was taken.
    pub choice: EngineChoice,
    /// What it found.
    pub answer: Answer,
}

/// Asks an engine, or the best one for the machine where none is named; `given` holds units by name.
///
/// ```
/// use latentropy::{Network, Sampling, infer};
/// // Two units that like to agree: P(both) = e / (3 + e).
/// let network = Network::from_terms(&["a", "b"], &[], &[(&["a", "b"], 1.0)])?;
/// let found = infer(&network, &[("a", true)], None, &Sampling::default())?;
/// let e = 1f64.exp();
/// assert!((found.answer.expectations.means[1] - e / (1.0 + e)).abs() < 1e-12);
/// # Ok::<(), latentropy::Error>(())
/// ```
pub fn infer(
    network: &Network,
    given: &[(&str, bool)],
    engine: Option<EngineId>,
    sampling: &Sampling,
) -> Result<Inference> {
    let clamp = Clamp::by_name(network, given)?;
    let choice = choose_or_take(network, &clamp, engine)?;
    let demand = Demand {
        sampling: sampling.clone(),
        ..Demand::default()
    };
    let prepared = choice.engine.engine().prepare(network, &clamp, &demand)?;
    Ok(Inference {
        answer: prepared.answer(network.weights())?.checked(network)?,
        choice,
    })
}

/// The engine that is named, or the best one.
pub(crate) fn choose_or_take(
    network: &Network,
    clamp: &Clamp,
    engine: Option<EngineId>,
) -> Result<EngineChoice> {
    match engine {
        Some(engine) => Ok(EngineChoice {
            engine,
            reason: "as asked".into(),
        }),
        None => choose_engine(network, clamp),
    }
}
