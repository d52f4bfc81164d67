//! Rows drawn from a network: independently where an engine can, else by Markov chains, with a remark.

use crate::error::{Error, Result};
use crate::inference::{
    Demand, EngineId, Sampler, Sampling, choose_engine, choose_engine_to_learn,
};
use crate::network::{Clamp, Network};
use crate::random::{Purpose, Random, stream};
use crate::remark::Remark;

/// An endless supply of states of a network.
#[derive(Debug)]
pub struct Draws {
    sampler: Box<dyn Sampler>,
    random: Random,
    worth: f64,
}

impl Draws {
    /// At most `most` further states, at least one; one value per unit, hidden ones included.
    pub fn next(&mut self, most: usize) -> Vec<Vec<bool>> {
        self.sampler.draw(most, &mut self.random)
    }

    /// How many independent states so many of these are worth.
    pub fn worth(&self, count: usize) -> usize {
        ((count as f64 * self.worth) as usize).max(1)
    }

    /// What is to be doubted about their independence.
    pub fn remarks(&self) -> &[Remark] {
        self.sampler.remarks()
    }
}

/// Draws from a network, `given` units held by name; the same seed draws the same states.
///
/// ```
/// use latentropy::{Network, sample};
/// let mut draws = sample(&Network::full(3, 1), &[("y1", true)], 7)?;
/// assert!(draws.next(10).iter().all(|state| state[0]));
/// # Ok::<(), latentropy::Error>(())
/// ```
pub fn sample(network: &Network, given: &[(&str, bool)], seed: u64) -> Result<Draws> {
    let clamp = Clamp::by_name(network, given)?;
    let engine = choose_engine(network, &clamp)?.engine;
    sample_by(engine, network, &clamp, seed)
}

/// About `count` states of a whole machine by the engine that is quick enough to learn with: exact ones only where a pass over
/// the states is quick, and chains' closer together where they would take long (`Draws::worth`). Checks and figures are not
/// to take longer than the fit.
pub fn sample_quickly(network: &Network, seed: u64, count: usize) -> Result<Draws> {
    let none = Clamp::none(network.units().len());
    let mut draws = sample_by(choose_engine_to_learn(network).engine, network, &none, seed)?;
    draws.worth = draws.sampler.hurry(count);
    Ok(draws)
}

fn sample_by(engine: EngineId, network: &Network, clamp: &Clamp, seed: u64) -> Result<Draws> {
    let demand = Demand {
        sampling: Sampling {
            seed,
            ..Sampling::default()
        },
        ..Demand::default()
    };
    let engine = engine.engine();
    let prepared = engine.prepare(network, clamp, &demand)?;
    let sampler = prepared.sampler(network.weights())?;
    Ok(Draws {
        sampler: sampler
            .ok_or_else(|| Error::failed(format!("engine {} draws no states", engine.name())))?,
        random: stream(seed, Purpose::Alone, 0),
        worth: 1.0,
    })
}
