//! EM-IS through any engine that gives log Z and expectations: equation (8) by evaluations that all terms share.

use super::watch::Watch;
use crate::error::{Error, Result};
use crate::inference::Kind;
use crate::learning::checkpoint::State;
use crate::learning::iterative_scaling::{Search, Targets, scale_shared};
use crate::learning::point::{Point, Workspace};
use crate::learning::problem::Problem;
use crate::learning::stepper::{Stepped, Stepper};

/// Expectations are not corrected below this.
const RAREST: f64 = 1e-6;

/// S updates per step.
pub(super) struct SharedUpdates {
    inner: usize,
    search: Search,
    /// Chains that say where further steps are worse; none beside an exact engine.
    watch: Option<Watch>,
    new_weights: Vec<f64>,
    free: Vec<f64>,
}

impl SharedUpdates {
    /// Steps by exact sums, or by estimates that chains watch.
    pub(super) fn new(inner: usize, is_exact: bool, watch: Option<Watch>) -> Self {
        SharedUpdates {
            inner,
            search: match is_exact {
                true => Search::EXACT,
                false => Search::ROUGH,
            },
            watch,
            new_weights: Vec::new(),
            free: Vec::new(),
        }
    }

    /// One parallel update (7) of all weights; `log_partition` and `self.free` are the engine's at the point. Where chains
    /// know what the engine is off by, E f has that added, and log Φ its integral.
    fn update(
        &mut self,
        problem: &Problem,
        point: &Point,
        work: &mut Workspace,
        log_partition: f64,
    ) -> Result<()> {
        let bias = self.watch.as_ref().and_then(Watch::bias);
        let add_bias = |free: &mut [f64]| {
            for (free, bias) in free.iter_mut().zip(bias.unwrap_or_default()) {
                *free = (*free + bias).max(RAREST);
            }
        };
        let drift: f64 = bias.map_or(0.0, |bias| bias.iter().sum());
        add_bias(&mut self.free);
        let mut tilted = Vec::new();
        let mut left = |gamma: f64| -> Result<Vec<f64>> {
            let weights: Vec<f64> = point.weights.iter().map(|w| w + gamma).collect();
            let there = problem.free_phase(&weights, work, &mut tilted)?;
            let log_ratio = there - log_partition + gamma * drift;
            add_bias(&mut tilted);
            let logs = tilted
                .iter()
                .map(|e| log_ratio + e.max(f64::MIN_POSITIVE).ln());
            let logs: Vec<f64> = logs.collect();
            match logs.iter().all(|log| log.is_finite()) {
                true => Ok(logs),
                false => Err(Error::failed("an expectation came out as no number")),
            }
        };
        scale_shared(
            &Targets::new(problem, point),
            &self.free,
            self.search,
            &mut left,
            &mut self.new_weights,
        )
    }
}

impl Stepper for SharedUpdates {
    fn has_settled(&self) -> bool {
        self.watch.as_ref().is_some_and(Watch::is_over)
    }

    fn state(&self) -> Option<Result<State>> {
        // Chains are not written down.
        self.watch.is_none().then(|| Ok(State::nothing()))
    }

    fn go_on(&mut self, _: &Problem, _: &State) -> Result<()> {
        Ok(())
    }

    fn step(
        &mut self,
        problem: &Problem,
        point: &mut Point,
        work: &mut Workspace,
    ) -> Result<Stepped> {
        // On a forest an estimate is the truth, and needs no watching.
        if let Some(watch) = &mut self.watch
            && point.worth.entropy != Kind::Exact
            && let Some(better) = watch.look(problem, point)?
        {
            point.weights = better;
            return Ok(Stepped::Moved);
        }
        let mut log_partition = point.log_partition;
        self.free.clone_from(&point.free);
        for update in 0..self.inner {
            if update > 0 {
                let mut free = std::mem::take(&mut self.free);
                log_partition = problem.free_phase(&point.weights, work, &mut free)?;
                self.free = free;
            }
            self.update(problem, point, work, log_partition)?;
            std::mem::swap(&mut point.weights, &mut self.new_weights);
        }
        Ok(Stepped::Moved)
    }
}
