//! Where a restart ended, why, and which way it went.

use super::curvature::Curvature;
use super::monitor::Monitored;
use super::point::Point;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a restart ended; data, not an error.
///
/// What an [`Outcome`] says; for an example see [`Observer`](crate::Observer).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopReason {
    /// The residual fell to the tolerance.
    Converged,
    /// The iterations ran out.
    MaxIterations,
    /// No step changes the weights any more, at the limit of the arithmetic.
    NoProgress,
    /// As far as samples can tell, further steps are no better: a run by samples within their noise, or one through an
    /// engine that estimates, where chains beside it found its next steps to be worse.
    Settled,
    /// Rows kept for validation were no longer foretold better.
    Validation,
    /// A proposal of an iterated search whose entropy had fallen below that of the solutions it was to better.
    GivenUp,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Converged => "converged",
            StopReason::MaxIterations => "max iterations",
            StopReason::NoProgress => "no progress",
            StopReason::Settled => "settled",
            StopReason::Validation => "validation",
            StopReason::GivenUp => "given up",
        })
    }
}

/// The state before an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceEntry {
    /// Which evaluation it is, from 0; those of a thinned trace keep their numbers.
    #[serde(default)]
    pub evaluation: usize,
    /// L(λ).
    pub log_likelihood: f64,
    /// L(λ) minus the ridge's part: what never falls.
    pub objective: f64,
    /// Q(λ, λ).
    pub q: f64,
    /// The largest violation of stationarity.
    pub residual: f64,
    /// Sums over states made so far: E steps, free phases, updates of one term; a Hessian counts as two.
    pub passes: u64,
}

/// Where a restart ended and how it got there.
///
/// What [`learn`](super::learn) gives and an [`Observer`](crate::Observer) is told; for examples see there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The weights that the learner began at; for annealed runs and paths those of its last solution on the way.
    #[serde(default)]
    pub(crate) start: Vec<f64>,
    /// True where the data leave a continuum of solutions, and this is the one of highest entropy near where it ended.
    #[serde(default)]
    pub(crate) is_of_flat_set: bool,
    /// By how much its entropy was raised along that continuum, in nats.
    #[serde(default)]
    pub(crate) raised: f64,
    /// The last point, fully evaluated.
    pub point: Point,
    /// Steps made.
    pub iterations: usize,
    /// Why it stopped.
    pub stop: StopReason,
    /// Sums over states made, counted as in `TraceEntry::passes`.
    pub passes: u64,
    /// One entry per evaluation, if asked for.
    pub trace: Vec<TraceEntry>,
    /// What rows kept for validation said on the way, where they were watched.
    #[serde(default)]
    pub monitored: Option<Monitored>,
    /// The curvature at the last point, where second-order steps have looked at it; not kept in files.
    #[serde(skip)]
    pub(crate) curvature: Option<Curvature>,
}

/// Most entries that a thinned trace has.
const MOST_ENTRIES: usize = 120;

/// Which of `length` entries of a trace to keep: the early ones densely, the later ones ever more thinly, and the last. What was
/// thinned once stays as it is.
#[doc(hidden)]
pub fn thinned(length: usize) -> Vec<usize> {
    if length <= MOST_ENTRIES {
        return (0..length).collect();
    }
    let last = (length - 1) as f64;
    let place = |at: usize| {
        let share = at as f64 / (MOST_ENTRIES - 1) as f64;
        ((last + 1.0).powf(share) - 1.0).round() as usize
    };
    let mut places: Vec<usize> = (0..MOST_ENTRIES).map(place).collect();
    places.dedup();
    places
}

impl Outcome {
    /// The same with a thinned trace, for those who only draw it.
    pub(crate) fn thinned(&self) -> Self {
        let kept = thinned(self.trace.len());
        Outcome {
            trace: kept.into_iter().map(|at| self.trace[at]).collect(),
            ..self.slim()
        }
    }

    /// The same without the trace and the curvature, which are large and can be had again.
    #[doc(hidden)]
    pub fn slim(&self) -> Self {
        Outcome {
            point: self.point.clone(),
            trace: Vec::new(),
            monitored: self.monitored.clone(),
            curvature: None,
            start: self.start.clone(),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_keep_their_ends() {
        assert_eq!(thinned(3), [0, 1, 2]);
        for length in [121, 1000, 1_000_000] {
            let kept = thinned(length);
            assert!(kept.len() <= MOST_ENTRIES && kept.windows(2).all(|w| w[0] < w[1]));
            assert_eq!((kept[0], kept[kept.len() - 1]), (0, length - 1));
        }
    }
}
