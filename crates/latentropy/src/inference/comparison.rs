//! All engines side by side on one machine, each with its answer or its refusal.

use super::engine::{Answer, Demand};
use super::expectations::Expectations;
use super::registry::EngineId;
use super::sampling::Sampling;
use super::value::Kind;
use crate::error::{Error, Result};
use crate::network::{Clamp, Network};
use crate::remark::Remark;
use std::time::Instant;

/// What one engine answered, and how long it took.
#[derive(Debug)]
pub struct EngineAnswer {
    /// The engine.
    pub engine: EngineId,
    /// Its answer, or why it has none.
    pub found: Result<Expectations>,
    /// What is to be doubted about its answer.
    pub remarks: Vec<Remark>,
    /// Wall-clock time.
    pub seconds: f64,
}

/// The answers of all engines, and the one that the others are measured by.
#[derive(Debug)]
pub struct EngineComparison {
    /// One per engine, the most trustworthy engine first.
    pub answers: Vec<EngineAnswer>,
    /// The first that is exact, else the first that answered.
    pub best: EngineId,
    /// The answer of that one.
    pub found: Answer,
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
    sampling: &Sampling,
) -> Result<EngineComparison> {
    let mut best: Option<(EngineId, Answer)> = None;
    let mut ask = |engine: EngineId| {
        let start = Instant::now();
        let demand = Demand {
            sampling: sampling.clone(),
            ..Demand::default()
        };
        let found = engine
            .engine()
            .prepare(network, clamp, &demand)
            .and_then(|prepared| prepared.answer(network.weights()));
        let seconds = start.elapsed().as_secs_f64();
        if let Ok(found) = &found {
            let exact = |found: &Answer| found.expectations.log_partition.kind == Kind::Exact;
            if best.as_ref().is_none_or(|(_, b)| exact(found) && !exact(b)) {
                best = Some((engine, found.clone()));
            }
        }
        let remarks = found
            .as_ref()
            .map_or_else(|_| Vec::new(), |f| f.remarks.clone());
        EngineAnswer {
            engine,
            found: found.map(|found| found.expectations),
            remarks,
            seconds,
        }
    };
    let answers: Vec<EngineAnswer> = EngineId::all().map(&mut ask).collect();
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
                .unwrap_or_else(|| Error::failed("there is no engine".to_string())))
        }
    }
}
