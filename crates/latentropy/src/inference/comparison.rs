//! All engines side by side on one machine, each with its answer or its refusal.

use super::{Clamp, Engine, Expectations, Gibbs, Kind, Remarked};
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
    /// What is to be doubted about its answer.
    pub warnings: Vec<String>,
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
    pub found: Remarked,
}

impl EngineComparison {
    /// The largest difference of an answer's means from those of the best.
    pub fn largest_difference(&self, answer: &EngineAnswer) -> Option<f64> {
        let found = answer.found.as_ref().ok()?;
        let pairs = found.means.iter().zip(&self.found.expectations.means);
        Some(pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max))
    }
}

/// Asks every engine; an error only where none answers. What samples, samples like this.
pub fn compare_engines(
    network: &Network,
    clamp: &Clamp,
    sampling: &Gibbs,
) -> Result<EngineComparison> {
    let mut best: Option<(Engine, Remarked)> = None;
    let mut ask = |engine: Engine| {
        let start = Instant::now();
        let found = engine
            .instance_with(network, clamp, sampling)
            .and_then(|instance| instance.remarked(network, clamp));
        let seconds = start.elapsed().as_secs_f64();
        if let Ok(found) = &found {
            let exact = |found: &Remarked| found.expectations.log_partition.kind == Kind::Exact;
            if best.as_ref().is_none_or(|(_, b)| exact(found) && !exact(b)) {
                best = Some((engine, found.clone()));
            }
        }
        let warnings = found
            .as_ref()
            .map_or_else(|_| Vec::new(), |f| f.warnings.clone());
        EngineAnswer {
            engine,
            found: found.map(|found| found.expectations),
            warnings,
            seconds,
        }
    };
    let answers: Vec<EngineAnswer> = Engine::ALL.into_iter().map(&mut ask).collect();
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
