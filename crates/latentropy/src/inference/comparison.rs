//! All engines side by side on one machine, each with its answer or its refusal.

use super::{Clamp, Engine, Expectations, Kind};
use crate::error::{Error, Result};
use crate::network::Network;
use std::time::Instant;

/// What one engine answered, and how long it took.
#[derive(Debug)]
pub struct EngineAnswer {
    /// The engine.
    pub engine: Engine,
    /// Its answer, or why it has none.
    pub found: Result<Expectations>,
    /// Wall-clock time.
    pub seconds: f64,
}

/// The answers of all engines, and the one that the others are measured by.
#[derive(Debug)]
pub struct EngineComparison {
    /// One a engine, the most trustworthy engine first.
    pub answers: Vec<EngineAnswer>,
    /// The first that is exact, else the first that answered.
    pub best: Engine,
    /// The answer of that one.
    pub found: Expectations,
}

impl EngineComparison {
    /// The largest difference of an answer's means from those of the best.
    pub fn largest_difference(&self, answer: &EngineAnswer) -> Option<f64> {
        let found = answer.found.as_ref().ok()?;
        let pairs = found.means.iter().zip(&self.found.means);
        Some(pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max))
    }
}

/// Asks every engine; an error only where none answers.
pub fn compare_engines(network: &Network, clamp: &Clamp) -> Result<EngineComparison> {
    let ask = |engine: Engine| {
        let start = Instant::now();
        let found = engine
            .instance(network, clamp)
            .and_then(|instance| instance.expectations(network, clamp));
        EngineAnswer {
            engine,
            found,
            seconds: start.elapsed().as_secs_f64(),
        }
    };
    let answers: Vec<EngineAnswer> = Engine::ALL.into_iter().map(ask).collect();
    let answered = || {
        let pairs = answers.iter().map(|a| (a.engine, a.found.as_ref().ok()));
        pairs.filter_map(|(engine, found)| Some((engine, found?)))
    };
    let best = answered()
        .find(|(_, found)| found.log_partition.kind == Kind::Exact)
        .or_else(|| answered().next())
        .map(|(engine, found)| (engine, found.clone()));
    match best {
        Some((best, found)) => Ok(EngineComparison {
            answers,
            best,
            found,
        }),
        None => {
            let refusals = answers.into_iter().filter_map(|answer| answer.found.err());
            Err(refusals
                .last()
                .unwrap_or_else(|| Error::Failed("there is no engine".to_string())))
        }
    }
}
