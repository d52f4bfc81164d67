//! A restart on its way, written down: everything that the rest of it depends on.
//!
//! A restart that goes on from a checkpoint ends at the same bits as one that nobody stopped. That needs more than the
//! weights: a trust region has its radius, a quasi-Newton method its memory, a learner by samples its chains. A learner
//! that cannot write its state down has no checkpoints, and its restarts are learned again.

use super::monitor;
use super::outcome::TraceEntry;
use super::point::Point;
use crate::error::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Which part of a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Phase {
    /// The learner's own steps.
    Learner,
    /// The second-order steps after them.
    Finish,
}

/// Where a restart was before one of its iterations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    pub(crate) phase: Phase,
    /// The iterations of this phase end here.
    pub(crate) limit: usize,
    pub(crate) iterations: usize,
    pub(crate) passes: u64,
    pub(crate) point: Point,
    pub(crate) is_evaluated: bool,
    /// The weights before the last step.
    pub(crate) previous: Vec<f64>,
    pub(crate) trace: Vec<TraceEntry>,
    /// What the learner says of itself.
    pub(crate) state: State,
    /// What the validation rows have said, where they are watched.
    pub(crate) monitor: Option<monitor::Carried>,
}

/// What a learner's next step depends on beside the point, in bytes that it alone reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State(Vec<u8>);

impl State {
    /// Of a learner that starts every step anew from the point.
    pub(crate) fn nothing() -> Self {
        State::default()
    }

    pub(crate) fn of(value: &impl Serialize) -> Result<Self> {
        postcard::to_stdvec(value)
            .map(State)
            .map_err(|error| Error::failed(format!("a checkpoint cannot be written: {error}")))
    }

    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T> {
        postcard::from_bytes(&self.0)
            .map_err(|error| Error::failed(format!("a checkpoint cannot be read: {error}")))
    }
}

/// Where checkpoints go, how often, and the one to go on from.
pub(crate) struct Keeping<'a> {
    /// At least this long after the one before, or the start.
    every: Duration,
    keep: Option<&'a dyn Fn(&Checkpoint)>,
    last: Cell<Instant>,
    from: Cell<Option<Checkpoint>>,
}

impl<'a> Keeping<'a> {
    pub(crate) fn new(
        every: Duration,
        keep: &'a dyn Fn(&Checkpoint),
        from: Option<Checkpoint>,
    ) -> Self {
        Keeping {
            every,
            keep: Some(keep),
            last: Cell::new(Instant::now()),
            from: Cell::new(from),
        }
    }

    /// From the start, and nothing is kept.
    pub(crate) fn nothing() -> Self {
        Keeping {
            every: Duration::MAX,
            keep: None,
            last: Cell::new(Instant::now()),
            from: Cell::new(None),
        }
    }

    /// The checkpoint to go on from; it is handed out once.
    pub(crate) fn take(&self) -> Option<Checkpoint> {
        self.from.take()
    }

    /// Whether anybody keeps them.
    pub(crate) fn is_wanted(&self) -> bool {
        self.keep.is_some()
    }

    pub(crate) fn is_due(&self) -> bool {
        self.is_wanted() && self.last.get().elapsed() >= self.every
    }

    pub(crate) fn keep(&self, checkpoint: &Checkpoint) {
        if let Some(keep) = self.keep {
            keep(checkpoint);
            self.last.set(Instant::now());
        }
    }
}
